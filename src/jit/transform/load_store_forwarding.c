/* SPDX-License-Identifier: MIT */
/* A few loads are remembered, until one of their registers is written or the node ends. */
#include "jit/transform/load_store_forwarding.h"

#include "jit/analysis/uniformity.h"
#include "jit/emit/emitter.h"

enum { LOADS = 8, PARTS = 4 };

/* Registers that a node has loaded: each holds one element of all lanes. */
struct jit_forwarded_load {
    uint32_t serial;  /* of the node; 0: a register was written since */
    LLVMValueRef all; /* the elements of lane 0, of lane 1, and so on */
    unsigned count;   /* of the elements of a lane */
    uint32_t registers[PARTS];
};

struct jit_forwarding {
    struct jit_forwarded_load items[LOADS];
    unsigned next; /* the one that is replaced next */
};

void jit_forwarding_init(struct jit_emitter *e)
{
    e->forwarding = jit_emitter_zeros(e, 1, sizeof(*e->forwarding));
}

/* Fills in the operand's registers; false: it has others, or of another size. */
static bool registers_of(const struct jit_emitter *e, const struct ptx_operand *operand,
                         unsigned count, unsigned bits, uint32_t *registers)
{
    if (jit_emitter_is_masked(e) || e->unit->outlines || e->guard.value || count < 2 ||
        count > PARTS || jit_operand_part_count(operand) != count)
        return false;
    for (unsigned part = 0; part < count; part++) {
        const struct ptx_operand *one = jit_operand_part(e->function, operand, part);

        if (one->kind != PTX_OPERAND_REGISTER ||
            ptx_type_bits(e->function->ptx->registers[one->index].type) != bits ||
            e->function->uniformity[0][one->index].kind != JIT_VARYING)
            return false;
        registers[part] = one->index;
    }
    return true;
}

static unsigned bits_of(LLVMTypeRef element)
{
    switch (LLVMGetTypeKind(element)) {
    case LLVMIntegerTypeKind:
        return LLVMGetIntTypeWidth(element);
    case LLVMFloatTypeKind:
        return 32;
    case LLVMDoubleTypeKind:
        return 64;
    default:
        return 0;
    }
}

void jit_forwarding_note(struct jit_emitter *e, const struct ptx_operand *operand, LLVMValueRef all,
                         unsigned count)
{
    struct jit_forwarded_load one = {.serial = e->serial, .all = all, .count = count};

    if (registers_of(e, operand, count, bits_of(LLVMGetElementType(LLVMTypeOf(all))),
                     one.registers))
        e->forwarding->items[e->forwarding->next++ % LOADS] = one;
}

LLVMValueRef jit_forwarding_find(struct jit_emitter *e, const struct ptx_operand *operand,
                                 unsigned count, LLVMTypeRef element)
{
    uint32_t registers[PARTS];

    if (!registers_of(e, operand, count, bits_of(element), registers))
        return NULL;
    for (unsigned k = 0; k < LOADS; k++) {
        const struct jit_forwarded_load *one = &e->forwarding->items[k];
        unsigned same = 0;

        if (one->serial != e->serial || one->count != count)
            continue;
        while (same < count && one->registers[same] == registers[same])
            same++;
        if (same == count)
            return LLVMBuildBitCast(
                e->builder, one->all,
                LLVMVectorType(element, LLVMGetVectorSize(LLVMTypeOf(one->all))), "");
    }
    return NULL;
}

void jit_forwarding_forget(struct jit_emitter *e, uint32_t reg)
{
    for (unsigned k = 0; k < LOADS; k++) {
        struct jit_forwarded_load *one = &e->forwarding->items[k];

        for (unsigned part = 0; part < one->count; part++)
            if (one->registers[part] == reg)
                one->serial = 0;
    }
}
