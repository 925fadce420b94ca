/* SPDX-License-Identifier: MIT */
/* Gives accesses and synchronisation of kernels to the checks that look at them. */
#include "check/kernel/dispatch.h"

#include "check/kernel/memory.h"
#include "check/kernel/rows.h"
#include "check/kernel/uninitialised.h"
#include "check/race/races.h"
#include "check/stream/kernel_accesses.h"
#include "core/checks.h"

/* The modules, in the order in which they see an access. */
static const struct {
    uint32_t check; /* enum cup_abi_check; several: any of them */
    void (*access)(const struct cup_kcheck_access *access);
    void (*rows)(const struct cup_kcheck_rows *rows); /* NULL: each access by itself */
} access_checks[] = {
    {CUP_ABI_CHECK_MEMORY, cup_kcheck_memory_access, NULL},
    {CUP_ABI_CHECK_INIT, cup_kcheck_init_access, NULL},
    {CUP_ABI_CHECK_STREAMS, cup_kcheck_streams_access, cup_kcheck_streams_rows},
    {CUP_ABI_CHECK_RACES | CUP_ABI_CHECK_SYNC, cup_races_access, NULL},
};

/* The only check that looks at runs as such. */
static const uint32_t run_checks = CUP_ABI_CHECK_RACES | CUP_ABI_CHECK_SYNC;

static const struct {
    uint32_t check;
    void (*sync)(const struct cup_kcheck_sync *sync);
} sync_checks[] = {
    {CUP_ABI_CHECK_STREAMS, cup_kcheck_streams_sync},
    {CUP_ABI_CHECK_RACES | CUP_ABI_CHECK_SYNC, cup_races_sync},
};

static const struct {
    uint32_t check;
    void (*bind)(struct cup_abi_block *block); /* NULL, as the others: there is nothing to do */
    void (*begin)(struct cup_abi_block *block);
    void (*put)(struct cup_abi_block *block, bool abandoned);
    void (*release)(struct cup_abi_block *block); /* frees what the check keeps of the block */
} block_checks[] = {
    {CUP_ABI_CHECK_MEMORY, cup_kcheck_memory_bind, NULL, NULL, NULL},
    {CUP_ABI_CHECK_INIT, NULL, cup_kcheck_init_block, NULL, cup_kcheck_init_block_free},
    {CUP_ABI_CHECK_STREAMS, cup_kcheck_streams_bind, NULL, cup_kcheck_streams_put, NULL},
    {CUP_ABI_CHECK_RACES | CUP_ABI_CHECK_SYNC, NULL, cup_races_block_begin, cup_races_block_put,
     NULL},
};

static const struct {
    uint32_t check;
    void (*begin)(struct cup_grid *grid);
    void (*end)(struct cup_grid *grid);
} launch_checks[] = {
    {CUP_ABI_CHECK_RACES | CUP_ABI_CHECK_SYNC, cup_races_launch_begin, cup_races_launch_end},
};

void cup_kcheck_on_launch(struct cup_grid *grid)
{
    for (size_t i = 0; i < CUP_ARRAY_COUNT(launch_checks); i++) {
        if (cup_checks.kernels & launch_checks[i].check)
            launch_checks[i].begin(grid);
    }
}

void cup_kcheck_launch_end(struct cup_grid *grid)
{
    for (size_t i = 0; i < CUP_ARRAY_COUNT(launch_checks); i++) {
        if (cup_checks.kernels & launch_checks[i].check)
            launch_checks[i].end(grid);
    }
}

void cup_kcheck_block_bind(struct cup_abi_block *block)
{
    for (size_t i = 0; i < CUP_ARRAY_COUNT(block_checks); i++) {
        if (cup_checks.kernels & block_checks[i].check && block_checks[i].bind)
            block_checks[i].bind(block);
    }
}

void cup_kcheck_on_block(struct cup_abi_block *block)
{
    for (size_t i = 0; i < CUP_ARRAY_COUNT(block_checks); i++) {
        if (cup_checks.kernels & block_checks[i].check && block_checks[i].begin)
            block_checks[i].begin(block);
    }
}

void cup_kcheck_block_put(struct cup_abi_block *block, bool abandoned)
{
    for (size_t i = 0; i < CUP_ARRAY_COUNT(block_checks); i++) {
        if (cup_checks.kernels & block_checks[i].check && block_checks[i].put)
            block_checks[i].put(block, abandoned);
    }
}

void cup_kcheck_block_free(struct cup_abi_block *block)
{
    for (size_t i = 0; i < CUP_ARRAY_COUNT(block_checks); i++) {
        if (cup_checks.kernels & block_checks[i].check && block_checks[i].release)
            block_checks[i].release(block);
    }
}

static void dispatch(const struct cup_kcheck_access *access)
{
    for (size_t i = 0; i < CUP_ARRAY_COUNT(access_checks); i++) {
        if (cup_checks.kernels & access_checks[i].check)
            access_checks[i].access(access);
    }
}

void cup_kcheck_on_access(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                          const uint64_t *addresses, uint32_t bytes, uint32_t site, uint32_t how,
                          const uint8_t *values, uint32_t element_bytes)
{
    struct cup_kcheck_access access =
        cup_kcheck_access_of(block, warp, mask, addresses, bytes, site, how);

    access.values = values;
    access.element_bytes = element_bytes;
    dispatch(&access);
}

void cup_kcheck_on_range(struct cup_abi_block *block, uint32_t warp, uint32_t lane,
                         uint64_t address, uint64_t bytes, uint32_t site, uint32_t how)
{
    uint64_t addresses[CUP_ABI_WARP_LANES];
    struct cup_kcheck_access access;

    addresses[lane] = address;
    access = cup_kcheck_access_of(block, warp, 1u << lane, addresses, bytes, site, how);
    if (bytes)
        dispatch(&access);
}

static void dispatch_rows(const struct cup_kcheck_rows *rows)
{
    for (size_t i = 0; i < CUP_ARRAY_COUNT(access_checks); i++) {
        if (!(cup_checks.kernels & access_checks[i].check))
            continue;
        if (access_checks[i].rows)
            access_checks[i].rows(rows);
        else
            cup_kcheck_rows_expand(rows, access_checks[i].access);
    }
}

void cup_kcheck_on_rows(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                        const struct cup_abi_rows *rows)
{
    const struct cup_kcheck_rows reported = {block, warp, mask, rows};

    cup_kcheck_rows_split(&reported, dispatch_rows);
}

void cup_kcheck_on_lanes(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                         uint64_t address, int32_t stride, uint32_t bytes, uint32_t site,
                         uint32_t how)
{
    const struct cup_kcheck_lanes run = {block, warp, mask, address, stride, bytes, site, how};

    if (cup_checks.kernels & ~(run_checks | CUP_ABI_CHECK_MEMORY))
        cup_kcheck_lanes_expand(&run, dispatch);
    else
        cup_races_lanes(&run);
}

/* Code of other checks reports single accesses. */
void cup_kcheck_on_reads(struct cup_abi_block *block, uint32_t warp, uint32_t mask,
                         uint64_t address, const struct cup_abi_reads *reads)
{
    cup_races_reads(block, warp, mask, address, reads);
}

void cup_kcheck_on_sync(struct cup_abi_block *block, uint32_t warp, uint32_t mask, uint32_t kind,
                        const uint64_t *values, uint32_t site, uint32_t how)
{
    const struct cup_kcheck_sync sync = {
        .block = block,
        .warp = warp,
        .mask = mask,
        .kind = (enum cup_abi_sync_kind)kind,
        .values = values,
        .site = site,
        .order = cup_abi_how_order(how),
        .scope = cup_abi_how_scope(how),
    };

    for (size_t i = 0; i < CUP_ARRAY_COUNT(sync_checks); i++) {
        if (cup_checks.kernels & sync_checks[i].check)
            sync_checks[i].sync(&sync);
    }
}
