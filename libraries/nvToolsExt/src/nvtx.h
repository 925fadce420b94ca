/* SPDX-License-Identifier: MIT */
/* NVTX's types as they lie in memory, and the parts of this library: domains, texts, ranges. */
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
};

struct nvtx_attributes {
    uint16_t version;
    uint16_t size;
    uint32_t category;
    int32_t color_type;
    uint32_t color;
    int32_t payload_type;
    int32_t reserved;
    union {
        uint64_t unsigned64;
        int64_t signed64;
        double float64;
        uint32_t unsigned32;
        int32_t signed32;
        float float32;
    } payload;
    int32_t message_type;
    union {
        const char *ascii;
        const wchar_t *unicode;
        const struct nvtx_string *registered;
    } message;
};

/* Domains and registered strings live as long as the process: programs keep their addresses in
 * static variables, and use them in destructors. */
struct nvtx_string {
    char *text;
};

struct nvtx_category {
    struct nvtx_category *next;
    uint32_t number;
    char *name;
};

struct nvtx_domain {
    char *name;                       /* NULL: the default domain */
    struct nvtx_category *categories; /* guarded by a lock */
};

extern struct nvtx_domain nvtx_default_domain;

/* A copy in UTF-8 of a wide string; NULL without memory. */
char *nvtx_narrow(const wchar_t *text);

/* Attributes with a text alone. */
struct nvtx_attributes nvtx_plain(const char *ascii, const wchar_t *unicode);

void nvtx_name_category(struct nvtx_domain *domain, uint32_t number, const char *name);
/* The name of a category; NULL: it has none. The text stays valid. */
const char *nvtx_category_name(const struct nvtx_domain *domain, uint32_t number);

/* Marks and ranges of a domain; NULL stands for the default domain. */
void nvtx_mark(struct nvtx_domain *domain, const struct nvtx_attributes *attributes);
int nvtx_push(struct nvtx_domain *domain, const struct nvtx_attributes *attributes);
int nvtx_pop(struct nvtx_domain *domain);
uint64_t nvtx_start(struct nvtx_domain *domain, const struct nvtx_attributes *attributes);
void nvtx_end(struct nvtx_domain *domain, uint64_t id);

#endif
