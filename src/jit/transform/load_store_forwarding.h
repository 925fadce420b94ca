/* SPDX-License-Identifier: MIT */
/* Loads of several elements a lane, whose registers a store writes again: what was loaded is stored
 * as it is, and not taken apart into registers and joined again. */
#ifndef CUP_JIT_TRANSFORM_LOAD_STORE_FORWARDING_H
#define CUP_JIT_TRANSFORM_LOAD_STORE_FORWARDING_H

#include "ptx/program.h"

#include <llvm-c/Core.h>

struct jit_body;

enum { JIT_JOINED = 8, JIT_JOINED_PARTS = 4 };

/* Registers that a node has loaded: element `part` of all lanes each. */
struct jit_joined {
    uint32_t node;    /* its number: alignment.h; 0: a register was written since */
    LLVMValueRef all; /* the elements of lane 0, of lane 1, and so on */
    unsigned count;   /* of the elements of a lane */
    uint32_t registers[JIT_JOINED_PARTS];
};

struct jit_joined_loads {
    struct jit_joined items[JIT_JOINED];
    unsigned next; /* the one that is replaced next */
};

/* The operand's registers have just been written with the elements, unchanged. */
void jit_joined_note(struct jit_body *body, const struct ptx_operand *operand, LLVMValueRef all,
                     unsigned count);
/* The elements that the operand's registers hold, as elements of this type; NULL: not known. */
LLVMValueRef jit_joined_find(struct jit_body *body, const struct ptx_operand *operand,
                             unsigned count, LLVMTypeRef element);
/* The register is written. */
void jit_joined_forget(struct jit_body *body, uint32_t reg);

#endif
