/* SPDX-License-Identifier: MIT */
/* The special registers, by name. */
#include "ptx/special.h"

#include "core/compiler.h"
#include "ptx/program.h"

#include <string.h>

static const struct ptx_special_register specials[] = {
    {"%tid", PTX_SR_TID_X, 32, true, 0, 0, false},
    {"%ntid", PTX_SR_NTID_X, 32, true, 0, 0, false},
    {"%ctaid", PTX_SR_CTAID_X, 32, true, 0, 0, false},
    {"%nctaid", PTX_SR_NCTAID_X, 32, true, 0, 0, false},
    {"%laneid", PTX_SR_LANEID, 32, false, 0, 0, false},
    {"%warpid", PTX_SR_WARPID, 32, false, 0, 0, false},
    {"%nwarpid", PTX_SR_NWARPID, 32, false, 0, 0, false},
    {"%smid", PTX_SR_SMID, 32, false, 0, 0, false},
    {"%nsmid", PTX_SR_NSMID, 32, false, 0, 0, false},
    {"%gridid", PTX_SR_GRIDID, 64, false, 0, 0, false},
    {"%lanemask_eq", PTX_SR_LANEMASK_EQ, 32, false, 0, 0, false},
    {"%lanemask_le", PTX_SR_LANEMASK_LE, 32, false, 0, 0, false},
    {"%lanemask_lt", PTX_SR_LANEMASK_LT, 32, false, 0, 0, false},
    {"%lanemask_ge", PTX_SR_LANEMASK_GE, 32, false, 0, 0, false},
    {"%lanemask_gt", PTX_SR_LANEMASK_GT, 32, false, 0, 0, false},
    {"%clock", PTX_SR_CLOCK, 32, false, 0, 0, false},
    {"%clock_hi", PTX_SR_CLOCK_HI, 32, false, 0, 0, false},
    {"%clock64", PTX_SR_CLOCK64, 64, false, 0, 0, false},
    {"%globaltimer", PTX_SR_GLOBALTIMER, 64, false, 0, 0, false},
    {"%globaltimer_lo", PTX_SR_GLOBALTIMER_LO, 32, false, 0, 0, false},
    {"%globaltimer_hi", PTX_SR_GLOBALTIMER_HI, 32, false, 0, 0, false},
    {"%total_smem_size", PTX_SR_TOTAL_SMEM_SIZE, 32, false, 0, 0, false},
    {"%dynamic_smem_size", PTX_SR_DYNAMIC_SMEM_SIZE, 32, false, 0, 0, false},
    {"%aggr_smem_size", PTX_SR_AGGR_SMEM_SIZE, 32, false, 81, 90, false},
    {"%current_graph_exec", PTX_SR_CURRENT_GRAPH_EXEC, 64, false, 80, 50, false},
    {"%is_explicit_cluster", PTX_SR_IS_EXPLICIT_CLUSTER, 1, false, 78, 90, false},
    {"%clusterid", PTX_SR_CLUSTERID_X, 32, true, 78, 90, false},
    {"%nclusterid", PTX_SR_NCLUSTERID_X, 32, true, 78, 90, false},
    {"%cluster_ctaid", PTX_SR_CLUSTER_CTAID_X, 32, true, 78, 90, false},
    {"%cluster_nctaid", PTX_SR_CLUSTER_NCTAID_X, 32, true, 78, 90, false},
    {"%cluster_ctarank", PTX_SR_CLUSTER_CTARANK, 32, false, 78, 90, false},
    {"%cluster_nctarank", PTX_SR_CLUSTER_NCTARANK, 32, false, 78, 90, false},
    /* The system reserves no shared memory here: these are 0. */
    {"%reserved_smem_offset_begin", PTX_SR_PM, 32, false, 76, 80, false},
    {"%reserved_smem_offset_end", PTX_SR_PM, 32, false, 76, 80, false},
    {"%reserved_smem_offset_cap", PTX_SR_PM, 32, false, 76, 80, false},
    {"%reserved_smem_offset_0", PTX_SR_PM, 32, false, 76, 80, false},
    {"%reserved_smem_offset_1", PTX_SR_PM, 32, false, 76, 80, false},
    /* Blocks have no global memory of their own: these are 0, too. */
    {"%perctamemoryoffset", PTX_SR_PM, 64, false, 94, 80, true},
    {"%perctamemorysize", PTX_SR_PM, 32, false, 94, 80, true},
};

static const struct ptx_special_register envreg = {"%envreg", PTX_SR_ENVREG, 32, false, 0,
                                                   0,         false},
                                         pm = {"%pm", PTX_SR_PM, 32, false, 0, 0, false},
                                         pm_64 = {"%pm_64", PTX_SR_PM, 64, false, 0, 0, false};

/* "%envreg12", "%pm3", "%pm3_64" */
static const struct ptx_special_register *find_numbered(const char *name, size_t length,
                                                        unsigned *number)
{
    bool is_envreg = length > 7 && !memcmp(name, "%envreg", 7);
    size_t at = is_envreg ? 7 : 3;

    if (!is_envreg && (length < 4 || memcmp(name, "%pm", 3) != 0))
        return NULL;
    for (*number = 0; at < length && name[at] >= '0' && name[at] <= '9' && *number < 100; at++)
        *number = *number * 10 + (unsigned)(name[at] - '0');
    if (at == (is_envreg ? 7u : 3u) || *number > (is_envreg ? 31 : 7))
        return NULL;
    if (at == length)
        return is_envreg ? &envreg : &pm;
    return !is_envreg && length - at == 3 && !memcmp(name + at, "_64", 3) ? &pm_64 : NULL;
}

const struct ptx_special_register *ptx_special_find(const char *name, size_t length,
                                                    unsigned *number)
{
    *number = 0;
    if (length < 2 || name[0] != '%')
        return NULL;
    for (size_t i = 0; i < CUP_ARRAY_COUNT(specials); i++)
        if (!strncmp(specials[i].name, name, length) && specials[i].name[length] == 0)
            return &specials[i];
    return find_numbered(name, length, number);
}
