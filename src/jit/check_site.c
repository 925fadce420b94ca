/* SPDX-License-Identifier: MIT */
/* What the code of all checks has. */
#include "jit/check_site.h"

#include "jit/body.h"
#include "jit/build.h"

uint32_t jit_check_site(const struct jit_body *body, const struct ptx_instruction *i)
{
    const struct ptx_program *program = body->unit->program;
    uint32_t site = (uint32_t)(i - body->function->instructions);

    if (!body->unit->checks)
        return 0;
    for (uint32_t f = 0; f < body->index; f++)
        site += program->functions[f].instruction_count;
    return site;
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
