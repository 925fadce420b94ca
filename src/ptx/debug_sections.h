/* SPDX-License-Identifier: MIT */
/* The debug sections of a PTX text as bytes, with the labels that stand for addresses in them. A
 * label of code is a line of the text. */
#ifndef CUP_PTX_DEBUG_SECTIONS_H
#define CUP_PTX_DEBUG_SECTIONS_H

#include "core/dynarray.h"
#include "ptx/lexer.h"
#include "ptx/source.h"

#include <stdbool.h>

enum ptx_debug_section {
    PTX_DEBUG_INFO,
    PTX_DEBUG_ABBREV,
    PTX_DEBUG_LOC,
    PTX_DEBUG_STR,
    PTX_DEBUG_SECTION_COUNT
};

/* A word of a section that is an address: the bytes at `at` are zero. */
struct ptx_debug_address {
    size_t at;
    struct ptx_token name;
    uint64_t offset;
};

struct ptx_debug_bytes {
    CUP_DYNARRAY(uint8_t, bytes);
    struct {
        CUP_DYNARRAY(struct ptx_debug_address, list); /* in order */
    } addresses;
};

struct ptx_debug_label {
    uint64_t hash;
    uint32_t line; /* of the text, if it is a label of code */
};

struct ptx_debug_sections {
    struct ptx_debug_bytes of[PTX_DEBUG_SECTION_COUNT];
    struct {
        CUP_DYNARRAY(struct ptx_debug_label, list); /* of code, by hash */
    } labels;
};

/* Reads them; false if memory is out. To be finished in both cases. */
bool ptx_debug_sections_read(struct ptx_debug_sections *sections, const struct ptx_text *text);
void ptx_debug_sections_finish(struct ptx_debug_sections *sections);

/* The address at this place of a section; NULL: there is a number. */
const struct ptx_debug_address *ptx_debug_address_at(const struct ptx_debug_bytes *section,
                                                     size_t at);
/* The line of a label of code; 0: there is no such label. */
uint32_t ptx_debug_label_line(const struct ptx_debug_sections *sections,
                              const struct ptx_token *name);

#endif
