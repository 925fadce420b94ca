/* SPDX-License-Identifier: MIT */
/* Core dumps of kernels: the settings of the process and of each context, which inherits those of
 * the process when it is created, and the file that a failed launch writes. The file is text for
 * people: which kernel failed where, and why. */
#ifndef CUP_DEVICE_COREDUMP_H
#define CUP_DEVICE_COREDUMP_H

#include <cuda.h>
#include <stddef.h>
#include <stdint.h>

enum { CUP_COREDUMP_NAME_BYTES = 1024 };

struct cup_coredump {
    uint8_t on_exception, with_host; /* as they were set: not 0 means yes */
    uint32_t flags;                  /* CUCoredumpGenerationFlags */
    char file[CUP_COREDUMP_NAME_BYTES];
};

/* Reads or writes an attribute; NULL stands for the process. With a null value *size becomes the
 * size of the attribute. `size` is not NULL. */
CUresult cup_coredump_get(const struct cup_coredump *settings, CUcoredumpSettings attribute,
                          void *value, size_t *size);
CUresult cup_coredump_set(struct cup_coredump *settings, CUcoredumpSettings attribute,
                          const void *value, size_t *size);

/* INVALID_VALUE if there is no such attribute of a context, or of the process. */
CUresult cup_coredump_check(CUcoredumpSettings attribute, int of_context);

/* Copies the settings of the process. */
void cup_coredump_inherit(struct cup_coredump *settings);

/* Writes a dump if the settings want one. `text` ends with a line feed. */
void cup_coredump_write(const struct cup_coredump *settings, const char *text);

#endif
