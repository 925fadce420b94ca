/* SPDX-License-Identifier: MIT */
/* Forwarding loads of several elements a lane to stores of the same registers: what was loaded is
 * stored as it is, not split into registers and joined again. */
#ifndef CUP_JIT_TRANSFORM_LOAD_STORE_FORWARDING_H
#define CUP_JIT_TRANSFORM_LOAD_STORE_FORWARDING_H

#include "ptx/program.h"

#include <llvm-c/Core.h>

struct jit_body;

enum { JIT_FORWARDED_LOADS = 8, JIT_FORWARDED_PARTS = 4 };

/* Registers that a node has loaded: each holds one element of all lanes. */
struct jit_forwarded_load {
    uint32_t node;    /* its number: alignment.h; 0: a register was written since */
    LLVMValueRef all; /* the elements of lane 0, of lane 1, and so on */
    unsigned count;   /* of the elements of a lane */
    uint32_t registers[JIT_FORWARDED_PARTS];
};

struct jit_forwarding {
    struct jit_forwarded_load items[JIT_FORWARDED_LOADS];
    unsigned next; /* the one that is replaced next */
};

/* The operand's registers have just been written with the elements, unchanged. */
void jit_forwarding_note(struct jit_body *body, const struct ptx_operand *operand, LLVMValueRef all,
                         unsigned count);
/* The elements that the operand's registers hold, as elements of this type; NULL: not known. */
LLVMValueRef jit_forwarding_find(struct jit_body *body, const struct ptx_operand *operand,
                                 unsigned count, LLVMTypeRef element);
/* The register is written. */
void jit_forwarding_forget(struct jit_body *body, uint32_t reg);

#endif
