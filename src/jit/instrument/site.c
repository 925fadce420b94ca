/* SPDX-License-Identifier: MIT */
/* Used by all checks: sites, words of the lanes, memory orders. */
#include "jit/instrument/site.h"

#include "jit/emit/emitter.h"
#include "jit/emit/ir.h"
#include "jit/transform/fma_contraction.h"

void jit_instrument_init(struct jit_emitter *e)
{
    e->instrument = jit_emitter_zeros(e, 1, sizeof(*e->instrument));
}

uint32_t jit_check_site(const struct jit_emitter *e, const struct ptx_instruction *i)
{
    uint32_t index = (uint32_t)(i - e->function->ptx->instructions);

    return e->unit->checks
               ? e->function->first_site + jit_unit_origin(e->unit, e->function->index, index)
               : 0;
}

LLVMValueRef jit_check_words(struct jit_emitter *e, LLVMValueRef lanes)
{
    LLVMTypeRef words = jit_vector_type(e, e->unit->i64);

    if (!e->scratch[JIT_SCRATCH_CHECK_WORDS])
        e->scratch[JIT_SCRATCH_CHECK_WORDS] = jit_build_alloca(e, words, 1, "check");
    if (LLVMTypeOf(lanes) != words)
        lanes = LLVMBuildZExt(e->builder, lanes, words, "");
    jit_build_store(e, lanes, e->scratch[JIT_SCRATCH_CHECK_WORDS], 8);
    return e->scratch[JIT_SCRATCH_CHECK_WORDS];
}

void jit_check_go_on_if(struct jit_emitter *e, LLVMValueRef condition, LLVMBasicBlockRef otherwise,
                        unsigned times)
{
    LLVMBasicBlockRef on = jit_build_block(e, "check");

    jit_build_likely(e, condition, on, otherwise, times);
    jit_build_at(e, on);
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
