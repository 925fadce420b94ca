/* SPDX-License-Identifier: MIT */
#include "memory/residency.h"

#include "core/align.h"
#include "core/config.h"
#include "core/error.h"
#include "memory/managed.h"
#include "memory/map.h"
#include "os/page.h"
#include "os/page_residency.h"

#include <stdbool.h>

enum {
    PAGES_AT_ONCE = 4096,
    CANDIDATES = CUP_MAX_DEVICES + 64, /* devices and NUMA nodes of the host */
};

/* The locations met so far, and how often. */
struct tally {
    unsigned count;
    struct {
        CUmemLocation location;
        uint64_t samples;
    } candidates[CANDIDATES];
};

static CUresult not_pageable(uint64_t address)
{
    return cup_error(CUDA_ERROR_INVALID_VALUE,
                     "0x%llx is neither managed nor pageable memory, or the range leaves it",
                     (unsigned long long)address);
}

/* Whether CUDA has no region near a part of at most PAGES_AT_ONCE pages, which lies in two slots of
 * the map at most. */
static bool is_far_from_regions(uint64_t start, uint64_t end)
{
    return !cup_map_region(start) && !cup_map_region(end - 1);
}

/* Whether a part of the address space is mapped, and CUDA knows nothing of it. */
static bool is_pageable(uint64_t start, uint64_t end)
{
    unsigned char pages[PAGES_AT_ONCE];
    struct cup_span span;

    if (!cup_page_residency(start, end - start, pages))
        return false;
    if (is_far_from_regions(start, end))
        return true;
    for (uint64_t at = start; at < end; at += cup_page_bytes()) {
        if (cup_map_find(at, &span))
            return false;
    }
    return true;
}

/* Looks at every page, and ends at the first that is not mapped: the size may be any number. */
static CUresult check_pageable(uint64_t address, uint64_t size_bytes)
{
    uint64_t part = PAGES_AT_ONCE * cup_page_bytes(), end;

    if (__builtin_add_overflow(address, size_bytes, &end))
        return not_pageable(address);
    for (uint64_t at = cup_align_down(address, cup_page_bytes()); at < end; at += part) {
        if (!is_pageable(at, end - at < part ? end : at + part))
            return not_pageable(at);
    }
    return CUDA_SUCCESS;
}

CUresult cup_residency_check(uint64_t address, uint64_t size_bytes)
{
    struct cup_span span;
    uint64_t buffer_id;

    if (cup_map_find(address, &span))
        return cup_managed_identify(address, size_bytes, &buffer_id);
    return check_pageable(address, size_bytes);
}

static CUmemLocation host(void)
{
    return (CUmemLocation){.type = CU_MEM_LOCATION_TYPE_HOST, .id = CU_DEVICE_CPU};
}

/* Which pages of a part have memory. If some of it is not mapped, each page is asked for. */
static void find_present(uint64_t start, uint64_t end, unsigned char *pages)
{
    uint64_t page = cup_page_bytes();

    if (cup_page_residency(start, end - start, pages))
        return;
    for (uint64_t at = start; at < end; at += page) {
        if (!cup_page_residency(at, page, &pages[(at - start) / page]))
            pages[(at - start) / page] = 0;
    }
}

/* A range that is freed meanwhile is nowhere. */
static CUmemLocation location_at(uint64_t address, bool is_present)
{
    struct cup_advice advice = cup_advice_none;
    struct cup_span span;

    if (cup_map_find(address, &span))
        cup_managed_ask(address, 1, &advice);
    if (advice.prefetched.type == CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT)
        return host();
    if (advice.prefetched.type != CU_MEM_LOCATION_TYPE_NONE)
        return advice.prefetched;
    return is_present ? host() : cup_advice_none.prefetched;
}

static void add_samples(struct tally *tally, CUmemLocation location, uint64_t samples)
{
    unsigned i = 0;

    while (i < tally->count && (tally->candidates[i].location.type != location.type ||
                                tally->candidates[i].location.id != location.id))
        i++;
    if (i == CANDIDATES)
        return;
    if (i == tally->count) {
        tally->candidates[i].location = location;
        tally->candidates[i].samples = 0;
        tally->count++;
    }
    tally->candidates[i].samples += samples;
}

/* Adds the samples from `at` on that lie in a part of at most PAGES_AT_ONCE pages. Samples of one
 * page have one location, so small steps cost no more than pages do. Returns the next sample. */
static uint64_t add_part(struct tally *tally, uint64_t at, uint64_t end, uint64_t step_bytes)
{
    uint64_t page = cup_page_bytes(), start = cup_align_down(at, page);
    unsigned char present[PAGES_AT_ONCE];

    find_present(start, cup_align_up(end, page), present);
    while (at < end) {
        uint64_t page_end = cup_align_down(at, page) + page;
        uint64_t here = ((page_end < end ? page_end : end) - at + step_bytes - 1) / step_bytes;

        add_samples(tally, location_at(at, present[(at - start) / page] & 1), here);
        at += here * step_bytes; /* a step is no longer than the range, which is mapped */
    }
    return at;
}

CUmemLocation cup_residency_most(uint64_t address, uint64_t size_bytes, uint64_t step_bytes)
{
    uint64_t page = cup_page_bytes(), end = address + size_bytes;
    struct tally tally = {.count = 0};
    unsigned most = 0;

    for (uint64_t at = address; at < end;) {
        uint64_t part_end = cup_align_down(at, page) + PAGES_AT_ONCE * page;
        at = add_part(&tally, at, part_end < end ? part_end : end, step_bytes);
    }
    for (unsigned i = 1; i < tally.count; i++) {
        if (tally.candidates[i].samples > tally.candidates[most].samples)
            most = i;
    }
    return tally.candidates[most].location;
}
