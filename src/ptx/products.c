/* SPDX-License-Identifier: MIT */
/* What ptxas --fmad=false asks for: products stay apart from the sums that use them. That is what a
 * rounding modifier says of a single instruction. */
#include "ptx/program.h"

static bool has_rounding(const struct ptx_instruction *i)
{
    return ptx_has(i, PTX_MOD_RN) || ptx_has(i, PTX_MOD_RZ) || ptx_has(i, PTX_MOD_RM) ||
           ptx_has(i, PTX_MOD_RP);
}

void ptx_keep_products(struct ptx_program *program)
{
    static const uint64_t other = UINT64_C(0x9e3779b97f4a7c15); /* another program for caches */

    for (uint32_t f = 0; f < program->function_count; f++) {
        const struct ptx_function *function = &program->functions[f];

        for (uint32_t k = 0; k < function->instruction_count; k++) {
            struct ptx_instruction *i = (struct ptx_instruction *)&function->instructions[k];

            if (i->op == PTX_OP_mul && i->type_count == 1 && ptx_type_is_float(i->types[0]) &&
                !has_rounding(i))
                i->modifiers[PTX_MOD_RN / 64] |= UINT64_C(1) << PTX_MOD_RN % 64;
        }
    }
    program->hash[0] ^= other;
}
