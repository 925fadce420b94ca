/* SPDX-License-Identifier: MIT */
/* The fields that --query-gpu and --query-compute-apps know, with the names that nvidia-smi
 * documents. */
#ifndef SMI_FIELDS_H
#define SMI_FIELDS_H

#include <nvml.h>

#include <stdbool.h>
#include <stddef.h>

enum { FIELD_BYTES = 256 };

/* What a field is about: a device and, for fields of processes, one process on it. */
struct subject {
    nvmlDevice_t device;
    const nvmlProcessInfo_t *process;
};

struct field {
    const char *name;
    const char *other; /* a second name; NULL: none */
    const char *unit;  /* NULL: none */
    /* Writes the value without its unit. False: not known. NULL: no device of cupipe has it. */
    bool (*read)(const struct subject *subject, int argument, char text[FIELD_BYTES]);
    int argument;
    const char *meaning;
};

struct field_list {
    const char *option; /* "gpu": of --query-gpu */
    const struct field *fields;
    size_t count;
};

extern const struct field_list device_fields, process_fields;

/* Returns NULL if there is no field of that name. */
const struct field *field_find(const struct field_list *list, const char *name, size_t length);

/* Writes the value with its unit, unless `bare`; "[N/A]" if it is not known. */
void field_print(const struct field *field, const struct subject *subject, bool bare,
                 char text[FIELD_BYTES]);

#endif
