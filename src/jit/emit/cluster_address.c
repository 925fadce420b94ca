/* SPDX-License-Identifier: MIT */
/* The upper eight bits of an offset in the shared space are the rank of the block that it belongs
 * to (abi/launch.h). mapa replaces them, getctarank reads them. Without a state space in the
 * instruction, addresses are generic. */
#include "jit/emit/address.h"

#include "abi/launch.h"
#include "jit/analysis/uniformity.h"
#include "jit/emit/emitter.h"
#include "jit/emit/ir.h"
#include "jit/emit/operands.h"

/* The address operand as an offset in the shared space, of 64 bits. */
static struct jit_value read_offset(struct jit_emitter *e, const struct ptx_instruction *i,
                                    struct jit_value base)
{
    struct jit_value address =
        jit_value_retype(e, jit_operand_read(e, &i->src[0], i->types[0]), i->types[0], PTX_U64);

    if (base.vector)
        address = jit_vector(jit_value_vector(e, address));
    if (i->space == PTX_SPACE_NONE && i->src[0].kind != PTX_OPERAND_SYMBOL)
        address.value = LLVMBuildSub(e->builder, address.value, base.value, "");
    return address;
}

static LLVMValueRef number(struct jit_emitter *e, bool vector, uint64_t value)
{
    LLVMValueRef one = jit_i64(e->unit, value);

    return vector ? jit_build_splat(e, one) : one;
}

void jit_emit_cluster_address(struct jit_emitter *e, const struct ptx_instruction *i)
{
    LLVMBuilderRef b = e->builder;
    bool vector = jit_uniformity_of_result(e->function, e->function->uniformity[e->divergent],
                                           e->divergent, i)
                      .kind == JIT_VARYING;
    struct jit_value base = jit_scalar(LLVMBuildPtrToInt(b, e->abi.shared, e->unit->i64, ""), 0);
    struct jit_value address, rank;
    LLVMValueRef shift = number(e, vector, CUP_ABI_CLUSTER_SHIFT);

    if (vector)
        base = jit_vector(jit_build_splat(e, base.value));
    address = read_offset(e, i, base);
    if (i->op == PTX_OP_getctarank) {
        address.value =
            LLVMBuildAnd(b, LLVMBuildLShr(b, address.value, shift, ""), number(e, vector, 255), "");
        address = (struct jit_value){.value = address.value, .vector = vector};
        jit_operand_write(e, &i->dst[0], PTX_U32, jit_value_retype(e, address, PTX_U64, PTX_U32));
        return;
    }
    rank = jit_value_retype(e, jit_operand_read(e, &i->src[1], PTX_U32), PTX_U32, PTX_U64);
    if (vector)
        rank = jit_vector(jit_value_vector(e, rank));
    address.value =
        LLVMBuildOr(b,
                    LLVMBuildAnd(b, address.value,
                                 number(e, vector, (UINT64_C(1) << CUP_ABI_CLUSTER_SHIFT) - 1), ""),
                    LLVMBuildShl(b, rank.value, shift, ""), "");
    if (i->space == PTX_SPACE_NONE)
        address.value = LLVMBuildAdd(b, address.value, base.value, "");
    address = (struct jit_value){.value = address.value, .vector = vector};
    jit_operand_write(e, &i->dst[0], i->types[0],
                      jit_value_retype(e, address, PTX_U64, i->types[0]));
}
