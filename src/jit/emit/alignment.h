/* SPDX-License-Identifier: MIT */
/* Checks that end the launch when an address is not a multiple of the size of the access. */
#ifndef CUP_JIT_EMIT_ALIGNMENT_H
#define CUP_JIT_EMIT_ALIGNMENT_H

#include "jit/emit/value.h"

/* The block in which the accesses of a node report that they are misaligned, and its phis. */
struct jit_misaligned {
    LLVMBasicBlockRef block; /* NULL: no access of the node has needed it */
    LLVMValueRef lanes, address, bytes, line;
};

/* The node of this serial has checked that the low bits of a register plus `offset` are zero. */
struct jit_aligned {
    uint32_t serial;
    uint64_t low, offset;
};

struct jit_alignment {
    struct jit_misaligned report; /* of the node */
    struct jit_aligned *known;    /* per register */
};

/* Called before the function is emitted. */
void jit_alignment_init(struct jit_emitter *e);
/* Checks the addresses of all active lanes. */
void jit_alignment_check(struct jit_emitter *e, struct jit_value address, unsigned bytes,
                         uint32_t line);
/* Checks the address of one lane (i32). */
void jit_alignment_check_lane(struct jit_emitter *e, LLVMValueRef lane, LLVMValueRef address,
                              unsigned bytes, uint32_t line);
/* Whether either all lanes are aligned or none, whatever lane 0's address is. */
bool jit_alignment_is_common(struct jit_value address, unsigned bytes);
/* Whether the address has to be checked. If so, the caller checks it for all lanes that go on. */
bool jit_alignment_is_open(struct jit_emitter *e, const struct ptx_operand *operand,
                           unsigned bytes);
/* Drops what is known of a register: it is written. */
void jit_alignment_forget(struct jit_emitter *e, uint32_t reg);
/* Drops what is known of all registers: a node begins, or a part of one that is emitted again. */
void jit_alignment_new_node(struct jit_emitter *e);

#endif
