/* SPDX-License-Identifier: MIT */
/* NVTX's extension for payloads with a layout: its structures as they lie in memory, the layouts
 * that were registered, and their description as JSON. */
#ifndef NVTOOLSEXT_PAYLOAD_H
#define NVTOOLSEXT_PAYLOAD_H

#include "nvtx.h"

enum nvtx_entry_flags {
    NVTX_ENTRY_POINTER = 1 << 1,
    NVTX_ENTRY_FROM_BASE = 1 << 2,
    NVTX_ENTRY_FROM_HERE = 1 << 3,
    NVTX_ENTRY_ARRAY = 7 << 4, /* a field with one of the next four */
    NVTX_ENTRY_FIXED = 1 << 4,
    NVTX_ENTRY_ZERO_TERMINATED = 2 << 4,
    NVTX_ENTRY_LENGTH_INDEX = 3 << 4,
    NVTX_ENTRY_LENGTH_PAYLOAD = 4 << 4,
    NVTX_ENTRY_HIDE = 1 << 9,
    NVTX_ENTRY_EVENT = 3 << 10, /* a field with the next */
    NVTX_ENTRY_MESSAGE = 1 << 10,
};

enum nvtx_entry_type {
    NVTX_TYPE_CHAR = 1,
    NVTX_TYPE_CHAR32 = 27,
    NVTX_TYPE_BYTE = 32,
    NVTX_TYPE_CSTRING = 75,
    NVTX_TYPE_CSTRING_UTF8 = 76,
    NVTX_TYPE_CSTRING_UTF16 = 77,
    NVTX_TYPE_CSTRING_UTF32 = 78,
    NVTX_TYPE_REGISTERED_STRING = 80,
    NVTX_TYPE_RAW = 1023,
};

enum { NVTX_SCHEMA_UNION = 3, NVTX_SCHEMA_UNION_SELECTED = 4 };
static const uint64_t nvtx_first_dynamic_schema = UINT64_C(1) << 32;

struct nvtx_entry {
    uint64_t flags;
    uint64_t type; /* predefined, or a schema */
    const char *name;
    const char *description;
    uint64_t detail; /* lengths of strings and arrays */
    uint64_t offset; /* 0: behind the entry before it */
    const void *semantics;
    const void *reserved;
};

enum nvtx_schema_fields {
    NVTX_SCHEMA_HAS_NAME = 1 << 1,
    NVTX_SCHEMA_HAS_TYPE = 1 << 2,
    NVTX_SCHEMA_HAS_ENTRIES = 1 << 4,
    NVTX_SCHEMA_HAS_COUNT = 1 << 5,
    NVTX_SCHEMA_HAS_BYTES = 1 << 6,
    NVTX_SCHEMA_HAS_ALIGNMENT = 1 << 7,
    NVTX_SCHEMA_HAS_ID = 1 << 8,
};

struct nvtx_schema_attributes {
    uint64_t fields;
    const char *name;
    uint64_t type, flags;
    const struct nvtx_entry *entries;
    size_t count, bytes, alignment;
    uint64_t id;
    void *extension;
};

struct nvtx_enumerator {
    const char *name;
    uint64_t value;
    int8_t is_flag;
};

enum nvtx_enum_fields {
    NVTX_ENUM_HAS_ENTRIES = 1 << 2,
    NVTX_ENUM_HAS_COUNT = 1 << 3,
    NVTX_ENUM_HAS_BYTES = 1 << 4,
    NVTX_ENUM_HAS_ID = 1 << 5,
};

struct nvtx_enum_attributes {
    uint64_t fields;
    const char *name;
    const struct nvtx_enumerator *entries;
    size_t count, bytes;
    uint64_t id;
    void *extension;
};

/* A layout that was registered. It never changes and lives as long as the process. */
struct nvtx_schema {
    struct nvtx_schema *next;
    const struct nvtx_domain *domain;
    uint64_t id;
    uint64_t type;
    struct nvtx_entry *entries; /* NULL: an enumeration */
    struct nvtx_enumerator *enumerators;
    size_t count, bytes, alignment; /* bytes, alignment: 0: not told */
};

const struct nvtx_schema *nvtx_find_schema(const struct nvtx_domain *domain, uint64_t id);

/* Reads one number of a predefined type; false if the type is none. */
bool nvtx_read_number(uint64_t type, const void *data, double *value);
size_t nvtx_type_bytes(uint64_t type); /* of a predefined type; 0: there is none */

/* The extension's functions. */
uint64_t nvtx_schema_register(struct nvtx_domain *domain,
                              const struct nvtx_schema_attributes *attributes);
uint64_t nvtx_enum_register(struct nvtx_domain *domain,
                            const struct nvtx_enum_attributes *attributes);

#endif
