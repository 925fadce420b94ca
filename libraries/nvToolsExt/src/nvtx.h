/* SPDX-License-Identifier: MIT */
/* NVTX's types as they lie in memory, and the parts of this library:
 *
 *     exports.c, names.c    the functions that programs call or link
 *     injection.c           puts them into the tables of NVTX 3
 *     payload.c, counter.c  the extensions for payloads with a layout, and for counters
 *     range.c, domain.c     marks, ranges, domains, categories, registered strings
 *     open.c                what is open and named now, for gdb
 *     report.c              the way to the driver's trace
 */
#ifndef NVTOOLSEXT_NVTX_H
#define NVTOOLSEXT_NVTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

enum nvtx_color_type { NVTX_COLOR_NONE = 0, NVTX_COLOR_ARGB = 1 };
enum nvtx_message_type {
    NVTX_MESSAGE_NONE = 0,
    NVTX_MESSAGE_ASCII = 1,
    NVTX_MESSAGE_UNICODE = 2,
    NVTX_MESSAGE_REGISTERED = 3,
};
enum nvtx_payload_type {
    NVTX_PAYLOAD_NONE = 0,
    NVTX_PAYLOAD_UNSIGNED_INT64 = 1,
    NVTX_PAYLOAD_INT64 = 2,
    NVTX_PAYLOAD_DOUBLE = 3,
    NVTX_PAYLOAD_UNSIGNED_INT32 = 4,
    NVTX_PAYLOAD_INT32 = 5,
    NVTX_PAYLOAD_FLOAT = 6,
    NVTX_PAYLOAD_EXTENDED = (int32_t)0xdfbd0009, /* the address of so many nvtx_blobs */
};

union nvtx_message {
    const char *ascii;
    const wchar_t *unicode;
    const struct nvtx_string *registered;
};

struct nvtx_attributes {
    uint16_t version;
    uint16_t size;
    uint32_t category;
    int32_t color_type;
    uint32_t color;
    int32_t payload_type;
    int32_t payload_count; /* of an extended payload */
    union {
        uint64_t unsigned64;
        int64_t signed64;
        double float64;
        uint32_t unsigned32;
        int32_t signed32;
        float float32;
    } payload;
    int32_t message_type;
    union nvtx_message message;
};

/* Data with a layout that was registered. */
struct nvtx_blob {
    uint64_t schema;
    size_t bytes; /* SIZE_MAX: as many as the layout says */
    const void *data;
};

/* Domains and registered strings live as long as the process: programs keep their addresses in
 * static variables, and use them in destructors. The address of a registered string is that of its
 * text, so a program that says it were a text is understood; the toolkit's sample does. */
struct nvtx_string {
    char text[1]; /* and more */
};

struct nvtx_category {
    struct nvtx_category *next;
    uint32_t number;
    const char *name;
};

struct nvtx_domain {
    struct nvtx_domain *next;
    const char *name;                 /* NULL: the default domain */
    struct nvtx_category *categories; /* guarded by the library's lock */
    bool is_lock;                     /* its ranges are waits, of which sync.c tells tools */
};

extern struct nvtx_domain nvtx_default_domain;

/* One lock for all tables of the library. A forked child has it free. */
void nvtx_lock(void);
void nvtx_unlock(void);

/* A copy in UTF-8 of a wide string; NULL without memory. */
char *nvtx_narrow(const wchar_t *text);
/* A copy that lives as long as the process. Equal texts have one copy. NULL without memory. */
const char *nvtx_keep(const char *text);
/* The copy of a message; NULL: there is none. */
char *nvtx_copy_message(int32_t type, union nvtx_message message);

/* Attributes with a text alone. */
struct nvtx_attributes nvtx_plain(const char *ascii, const wchar_t *unicode);

struct nvtx_domain *nvtx_domain_create(const char *name);
const struct nvtx_string *nvtx_register_string(const char *text);
void nvtx_name_category(struct nvtx_domain *domain, uint32_t number, const char *name);
/* The name of a category; NULL: it has none. The text stays valid. */
const char *nvtx_category_name(const struct nvtx_domain *domain, uint32_t number);

/* Marks and ranges of a domain; NULL stands for the default domain. Blobs are further payloads. */
void nvtx_mark(struct nvtx_domain *domain, const struct nvtx_attributes *attributes);
int nvtx_push(struct nvtx_domain *domain, const struct nvtx_attributes *attributes);
int nvtx_pop(struct nvtx_domain *domain, const struct nvtx_blob *blobs, size_t count);
uint64_t nvtx_start(struct nvtx_domain *domain, const struct nvtx_attributes *attributes);
void nvtx_end(struct nvtx_domain *domain, uint64_t id, const struct nvtx_blob *blobs, size_t count);

/* Describes blobs as JSON objects, in memory of the caller. *message becomes the text of the member
 * that is the event's message, if it is NULL and there is one. NULL: there is nothing to tell. */
char *nvtx_describe_blobs(const struct nvtx_domain *domain, const struct nvtx_blob *blobs,
                          size_t count, char **message);

#endif
