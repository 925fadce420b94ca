/* SPDX-License-Identifier: MIT */
/* The structures, unions and enumerations of the API's parameters, as tables that the trace reads.
 * scripts/entrypoints.py makes the tables (types.c) from the public headers. They hold offsets, not
 * pointers, so that loading the library relocates none of them. */
#ifndef CUP_CORE_TYPE_H
#define CUP_CORE_TYPE_H

#include "core/strbuf.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    CUP_TYPE_BYTES = 512, /* no structure is larger */
    CUP_TYPE_NONE = 0,    /* the index of no type */
};

enum cup_type_form { CUP_TYPE_ENUM, CUP_TYPE_STRUCT, CUP_TYPE_UNION };

/* Members and constants lie one after the other; a type has `count` of them from `first` on. */
struct cup_type {
    uint8_t form; /* enum cup_type_form */
    uint16_t first;
    uint16_t count;
    uint16_t size_bytes;
    bool has_own_key; /* a union whose members begin with the enumeration that selects them */
};

struct cup_type_constant {
    int32_t value;
    uint32_t name; /* offset in cup_type_names */
};

struct cup_type_member {
    uint32_t name; /* offset in cup_type_names; 0: an anonymous union */
    uint16_t offset_bytes;
    uint16_t size_bytes; /* of one element */
    uint16_t count;      /* of elements; 0: not an array */
    uint16_t type;       /* index, CUP_TYPE_NONE for scalars; for a pointer, of what it points to */
    uint16_t key;        /* 1 + index of the member that selects this union's member, or counts the
                          * elements that this pointer points to; 0: none */
    uint8_t kind;        /* enum cup_argument_kind */
    bool reserved;       /* shown only if it is not zero */
    int32_t selector;    /* in a union: value of the key for which this member is the valid one */
};

extern const char cup_type_names[];
extern const struct cup_type cup_types[];
extern const struct cup_type_constant cup_type_constants[];
extern const struct cup_type_member cup_type_members[];

/* Appends the name of an enumeration's value as a JSON string, or the number if it has no name. */
void cup_type_put_enum(struct cup_strbuf *text, unsigned type, int64_t value);

/* Appends the structure at an address of the program as a JSON object. `key` selects the member of
 * a union. Memory that cannot be read gives "unreadable". */
void cup_type_put(struct cup_strbuf *text, unsigned type, uint64_t address, int64_t key);

/* The same for `count` structures, as a JSON array that ends after the first few. */
void cup_type_put_array(struct cup_strbuf *text, unsigned type, uint64_t address, uint64_t count);

#endif
