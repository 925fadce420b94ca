/* SPDX-License-Identifier: MIT */
/* The state of a compilation's debug information, shared by the files that make it. */
#ifndef CUP_JIT_DEBUGINFO_DEBUG_UNIT_H
#define CUP_JIT_DEBUGINFO_DEBUG_UNIT_H

#include "jit/debuginfo/types.h"
#include "ptx/source.h"

struct jit_emitter;

/* A text, with what it says of sources and variables. */
struct jit_debug_text {
    const struct ptx_text *text;
    struct ptx_source *source;
    struct ptx_debug_info *info; /* NULL: it says nothing of variables */
    struct jit_debug_types types;
    LLVMMetadataRef *files; /* per file of the source */
    LLVMMetadataRef ptx;    /* the text itself as a file */
    struct jit_debug_text *next;
};

struct jit_debug {
    LLVMDIBuilderRef builder;
    LLVMMetadataRef unit, no_type;
    struct jit_debug_text *texts;
    struct jit_debug_inlined *inlined;
    /* of the function that is being emitted */
    struct jit_debug_text *text;
    LLVMMetadataRef function, start;
    struct jit_debug_bound *bound; /* variables in registers: variables.c */
    uint32_t shown_node, shown_location;
};

/* Declares a variable of the function that lies in `memory`, or where the expression leads from
 * there. */
void jit_debug_declare(struct jit_emitter *e, const char *name, LLVMMetadataRef type,
                       LLVMValueRef memory, const uint64_t *operations, size_t count);
/* The type of a value of each lane, `stride` bytes apart. */
LLVMMetadataRef jit_debug_lanes(struct jit_emitter *e, LLVMMetadataRef element, uint64_t bytes,
                                uint64_t stride);

enum { JIT_DEBUG_DEREF = 0x06, JIT_DEBUG_PLUS = 0x23 }; /* operations of DWARF expressions */

#endif
