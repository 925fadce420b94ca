/* SPDX-License-Identifier: MIT */
/* The table is what ptxas says of each word. */
#include "ptx/needs.h"

#include "core/compiler.h"
#include "ptx/parser.h"
#include "ptx/words.h"

#include <stdio.h>

#define ANY PTX_OPCODE_COUNT

static const struct {
    uint16_t op; /* enum ptx_opcode */
    uint16_t modifier;
    uint8_t version; /* 78: PTX ISA 7.8 */
    uint8_t target;
} needs[] = {
    {ANY, PTX_MOD_L1_EVICT_NORMAL, 74, 70},
    {ANY, PTX_MOD_L1_EVICT_UNCHANGED, 74, 70},
    {ANY, PTX_MOD_L1_EVICT_FIRST, 74, 70},
    {ANY, PTX_MOD_L1_EVICT_LAST, 74, 70},
    {ANY, PTX_MOD_L1_NO_ALLOCATE, 74, 70},
    {ANY, PTX_MOD_L2_64B, 74, 75},
    {ANY, PTX_MOD_L2_128B, 74, 75},
    {ANY, PTX_MOD_L2_256B, 74, 80},
    {ANY, PTX_MOD_CACHE_HINT, 74, 80},
    {ANY, PTX_MOD_SCOPE_CLUSTER, 78, 90},
    {ANY, PTX_MOD_SHARED_CTA, 78, 10},
    {PTX_OP_mbarrier, PTX_MOD_SHARED_CLUSTER, 80, 90},
    {ANY, PTX_MOD_SHARED_CLUSTER, 78, 90},
    {ANY, PTX_MOD_PARAM_ENTRY, 83, 10},
    {ANY, PTX_MOD_PARAM_FUNC, 83, 10},
    {PTX_OP_atom, PTX_MOD_RELAXED, 60, 70},
    {PTX_OP_atom, PTX_MOD_ACQUIRE, 60, 70},
    {PTX_OP_atom, PTX_MOD_RELEASE, 60, 70},
    {PTX_OP_atom, PTX_MOD_ACQ_REL, 60, 70},
    {PTX_OP_red, PTX_MOD_RELAXED, 60, 70},
    {PTX_OP_red, PTX_MOD_RELEASE, 60, 70},
    {PTX_OP_min, PTX_MOD_NAN, 70, 80},
    {PTX_OP_max, PTX_MOD_NAN, 70, 80},
    {PTX_OP_min, PTX_MOD_XORSIGN, 72, 86},
    {PTX_OP_max, PTX_MOD_XORSIGN, 72, 86},
    {PTX_OP_bar, PTX_MOD_SCOPE_CTA, 78, 10},
    {PTX_OP_barrier, PTX_MOD_SCOPE_CTA, 78, 10},
    {PTX_OP_barrier, PTX_MOD_ACQUIRE, 80, 90},
    {PTX_OP_barrier, PTX_MOD_RELEASE, 80, 90},
    {PTX_OP_barrier, PTX_MOD_RELAXED, 80, 90},
    {PTX_OP_multimem, PTX_MOD_ACC_F32, 82, 90},
    {PTX_OP_mma, PTX_MOD_SPARSE_ORDERED, 85, 80},
    {PTX_OP_cp, PTX_MOD_WEAK, 93, 90},
    {PTX_OP_cp, PTX_MOD_RELAXED, 93, 90},
    {PTX_OP_cp, PTX_MOD_MULTICAST_16B, 94, 90},
};

bool ptx_check_age(struct ptx_parser *parser, const char *what, unsigned version, unsigned target)
{
    if (version > parser->version)
        return ptx_fail(parser, "%s needs .version %u.%u or later", what, version / 10,
                        version % 10);
    return target <= parser->target ||
           ptx_fail(parser, "%s needs .target sm_%u or higher", what, target);
}

bool ptx_check_needs(struct ptx_parser *parser, const struct ptx_instruction *instruction)
{
    char what[80];

    for (size_t i = 0; i < CUP_ARRAY_COUNT(needs); i++) {
        if ((needs[i].op != ANY && needs[i].op != instruction->op) ||
            !ptx_has(instruction, needs[i].modifier))
            continue;
        if (needs[i].version <= parser->version && needs[i].target <= parser->target)
            continue;
        snprintf(what, sizeof(what), "'.%s' of '%s'", ptx_find_word(needs[i].modifier)->text,
                 ptx_opcode_name(instruction->op));
        return ptx_check_age(parser, what, needs[i].version, needs[i].target);
    }
    if ((instruction->op == PTX_OP_cvta || instruction->op == PTX_OP_isspacep) &&
        instruction->space == PTX_PARAM)
        return ptx_check_age(parser, "'.param' of this instruction", 77, 70);
    if (instruction->types[0] == PTX_B128 && ptx_has(instruction, PTX_MOD_SCOPE_SYS))
        return ptx_check_age(parser, "'.sys' with '.b128'", 84, 70);
    return true;
}
