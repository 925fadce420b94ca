/* SPDX-License-Identifier: MIT */
/* Used by all checks: sites, words of the lanes, memory orders. */
#include "jit/instrument/site.h"

#include "jit/emit/body.h"
#include "jit/emit/ir.h"
#include "jit/transform/fma_contraction.h"

uint32_t jit_check_site(const struct jit_body *body, const struct ptx_instruction *i)
{
    uint32_t index = (uint32_t)(i - body->function->instructions);

    return body->unit->checks ? body->first_site + jit_unit_origin(body->unit, body->index, index)
                              : 0;
}

LLVMValueRef jit_check_words(struct jit_body *body, LLVMValueRef lanes)
{
    LLVMTypeRef words = jit_vector_type(body, body->unit->i64);

    if (!body->scratch.check_words)
        body->scratch.check_words = jit_build_alloca(body, words, 1, "check");
    if (LLVMTypeOf(lanes) != words)
        lanes = LLVMBuildZExt(body->builder, lanes, words, "");
    jit_build_store(body, lanes, body->scratch.check_words, 8);
    return body->scratch.check_words;
}

void jit_check_go_on_if(struct jit_body *body, LLVMValueRef condition, LLVMBasicBlockRef otherwise,
                        unsigned times)
{
    LLVMBasicBlockRef on = jit_build_block(body, "check");

    jit_build_likely(body, condition, on, otherwise, times);
    jit_build_at(body, on);
}

enum cup_abi_order jit_check_order(const struct ptx_instruction *i)
{
    bool is_fence = i->op == PTX_OP_fence || i->op == PTX_OP_membar;

    if (ptx_has(i, PTX_MOD_ACQ_REL))
        return CUP_ABI_ORDER_ACQ_REL;
    if (ptx_has(i, PTX_MOD_ACQUIRE))
        return CUP_ABI_ORDER_ACQUIRE;
    if (ptx_has(i, PTX_MOD_RELEASE))
        return CUP_ABI_ORDER_RELEASE;
    if (ptx_has(i, PTX_MOD_SC) || is_fence)
        return CUP_ABI_ORDER_SC;
    if (ptx_has(i, PTX_MOD_VOLATILE) || ptx_has(i, PTX_MOD_MMIO) || ptx_has(i, PTX_MOD_CV))
        return CUP_ABI_ORDER_VOLATILE;
    if (ptx_has(i, PTX_MOD_RELAXED) || i->op == PTX_OP_atom || i->op == PTX_OP_red)
        return CUP_ABI_ORDER_RELAXED;
    return CUP_ABI_ORDER_WEAK;
}
