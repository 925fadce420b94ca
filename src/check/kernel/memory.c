/* SPDX-License-Identifier: MIT */
/* A thread of the library keeps the memory that its kernel was last seen to access rightly, so that
 * most accesses need no look-up. An access outside of it is looked up: in the address map, then
 * among the records of CUPIPE_CHECK, which also have the driver's own memory. What neither knows is
 * left to the processor. It faults if it is wrong, and the thread remembers the access for that. */
#include "check/kernel/memory.h"

#include "abi/launch.h"
#include "check/kernel/place.h"
#include "check/memory/redzone.h"
#include "check/report/records.h"
#include "check/report/report.h"
#include "core/thread.h"
#include "exec/sched/grid.h"
#include "memory/map.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { PAGE_BYTES = 4096, KNOWN_MEMORY = 4, KNOWN_SITES = 16 };

/* An access of the lanes of a warp to global memory. */
struct warp_access {
    uint32_t mask; /* of lanes; 0: none */
    uint32_t warp, site;
    uint32_t access; /* enum cup_abi_access */
    bool is_reported;
    uint64_t bytes; /* of each lane */
    uint64_t addresses[CUP_ABI_WARP_LANES];
};

/* Memory that the kernel of a thread may access; the last access outside of it. */
struct known_memory {
    struct {
        uint64_t base, size_bytes;
    } pieces[KNOWN_MEMORY];
    unsigned next;
    uint8_t last_of_site[KNOWN_SITES]; /* by the number of the instruction */
    struct warp_access access;
};

CUP_THREAD_STATE(checked_memory, struct known_memory);

void cup_kcheck_memory_bind(struct cup_abi_block *block)
{
    struct known_memory *known = cup_thread_checked_memory(cup_thread_self());

    (void)block;
    memset(known->pieces, 0, sizeof(known->pieces));
    known->access.mask = 0;
}

static bool is_inside(uint64_t base, uint64_t size_bytes, uint64_t address, uint64_t bytes)
{
    return address - base < size_bytes && size_bytes - (address - base) >= bytes;
}

static bool is_known(const struct known_memory *known, uint64_t address, uint64_t bytes)
{
    for (unsigned i = 0; i < KNOWN_MEMORY; i++) {
        if (is_inside(known->pieces[i].base, known->pieces[i].size_bytes, address, bytes))
            return true;
    }
    return false;
}

static void know(struct known_memory *known, uint64_t base, uint64_t size_bytes)
{
    unsigned place = known->next++ % KNOWN_MEMORY;

    known->pieces[place].base = base;
    known->pieces[place].size_bytes = size_bytes;
}

/* Whether the bytes are in ranges that follow each other, as mappings may. */
static bool is_in_ranges(struct known_memory *known, uint64_t address, uint64_t bytes)
{
    const unsigned restricted = CUP_RANGE_NO_READ | CUP_RANGE_NO_WRITE | CUP_RANGE_UNMAPPED;
    struct cup_span span;

    for (uint64_t done = 0; done < bytes; done = span.base + span.size_bytes - address) {
        if (!cup_map_find(address + done, &span) || span.flags & restricted ||
            address + done - span.base >= span.size_bytes)
            return false;
        if (done == 0)
            know(known, span.base, span.size_bytes);
    }
    return true;
}

static bool writes(uint32_t access)
{
    return access & CUP_ABI_WRITES;
}

/* "kernel fill wrote 4 bytes at", and where. */
static struct cup_report_place describe(const struct cup_abi_block *block,
                                        const struct warp_access *access, uint32_t lane, char *what,
                                        size_t size)
{
    struct cup_report_place place =
        cup_kcheck_report_place(block, access->warp, lane, access->site);

    place.role = writes(access->access) ? "written" : "read";
    snprintf(what, size, "kernel %s %s %" PRIu64 " bytes at", place.kernel,
             writes(access->access) ? "wrote" : "read", access->bytes);
    return place;
}

enum { WHAT_BYTES = 512 };

/* Returns false if nothing is known to be wrong with the access. */
static bool report(const struct cup_abi_block *block, const struct warp_access *access,
                   uint32_t lane)
{
    char what[WHAT_BYTES];
    struct cup_report_place place = describe(block, access, lane, what, sizeof(what));
    uint64_t address = access->addresses[lane];

    if (!cup_explain_range(what, address, access->bytes, &place))
        return false;
    if (writes(access->access))
        cup_redzone_reported(address);
    return true;
}

/* An access of a lane that no range has. */
static void examine(struct known_memory *known, const struct cup_kcheck_access *access,
                    uint32_t lane)
{
    struct warp_access *last = &known->access;
    uint64_t address = access->addresses[lane];
    struct cup_tracked record;

    if (cup_tracked_memory_at(address, &record) && !record.freed.call &&
        is_inside(record.base, record.size_bytes, address, access->bytes)) {
        know(known, record.base, record.size_bytes);
        return;
    }
    if (!last->is_reported)
        last->is_reported = report(access->block, last, lane);
    if (!last->is_reported) /* memory that nothing is known of: it is not looked up again */
        know(known, address & ~(uint64_t)(PAGE_BYTES - 1), PAGE_BYTES);
}

static bool is_global(const struct cup_kcheck_access *access, uint64_t address)
{
    return access->space == PTX_GLOBAL ||
           (access->space == PTX_SPACE_NONE &&
            cup_kcheck_space_of(access->block, address) == PTX_GLOBAL);
}

static void remember(struct warp_access *last, const struct cup_kcheck_access *access)
{
    last->mask = access->mask;
    last->warp = access->warp;
    last->site = access->site;
    last->access = access->access;
    last->bytes = access->bytes;
    last->is_reported = false;
    for (uint32_t left = access->mask; left; left &= left - 1)
        last->addresses[__builtin_ctz(left)] = access->addresses[__builtin_ctz(left)];
}

/* Whether the accesses of all lanes are in one piece of memory. The loop has no branch, so that it
 * becomes vectors. */
static bool holds_all(uint64_t base, uint64_t size_bytes, const struct cup_kcheck_access *access)
{
    uint64_t limit = size_bytes - access->bytes, outside = 0;

    if (size_bytes < access->bytes)
        return false;
    for (uint32_t lane = 0; lane < CUP_ABI_WARP_LANES; lane++)
        outside |= (uint64_t)(access->addresses[lane] - base > limit) & (access->mask >> lane & 1);
    return !outside;
}

/* Whether all lanes are in one piece of known memory. An instruction mostly accesses the piece that
 * it accessed last. */
static bool are_known(struct known_memory *known, const struct cup_kcheck_access *access)
{
    uint8_t *last = &known->last_of_site[access->site % KNOWN_SITES];

    for (unsigned i = 0; i < KNOWN_MEMORY; i++) {
        unsigned place = (*last + i) % KNOWN_MEMORY;
        if (holds_all(known->pieces[place].base, known->pieces[place].size_bytes, access)) {
            *last = (uint8_t)place;
            return true;
        }
    }
    return false;
}

void cup_kcheck_memory_access(const struct cup_kcheck_access *access)
{
    struct known_memory *known = cup_thread_checked_memory(cup_thread_self());
    bool is_remembered = false;

    if (are_known(known, access))
        return;
    for (uint32_t left = access->mask; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint64_t address = access->addresses[lane];

        if (is_known(known, address, access->bytes) || !is_global(access, address) ||
            is_in_ranges(known, address, access->bytes))
            continue;
        if (!is_remembered)
            remember(&known->access, access);
        is_remembered = true;
        examine(known, access, lane);
    }
}

/* The memory of a wild address is nobody's. */
static void report_wild(const struct cup_report_place *place, const char *what, uint64_t address,
                        uint64_t bytes)
{
    char text[WHAT_BYTES + 64];
    struct cup_report report = {
        .check = CUP_REPORT_MEMORY,
        .fault = "no-memory",
        .text = text,
        .places = {*place},
        .place_count = 1,
        .address = address,
        .size_bytes = bytes,
    };

    snprintf(text, sizeof(text), "%s 0x%" PRIx64 ", where there is no memory", what, address);
    cup_report_write(&report);
}

/* Reports a fault with the thread and the line of the access that caused it, unless the access was
 * reported before it was made. Returns false if the access is not known. */
static bool report_access(const struct cup_abi_block *block, const struct cup_guard_fault *fault)
{
    const struct warp_access *last = &cup_thread_checked_memory(cup_thread_self())->access;
    char what[WHAT_BYTES];

    for (uint32_t left = last->mask; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint64_t address = last->addresses[lane];

        if (!is_inside(address, last->bytes, fault->address, 1))
            continue;
        if (last->is_reported)
            return true;
        struct cup_report_place place = describe(block, last, lane, what, sizeof(what));
        if (!cup_explain_fault(what, address, last->bytes, &place))
            report_wild(&place, what, address, last->bytes);
        return true;
    }
    return false;
}

void cup_kcheck_memory_fault(const struct cup_grid *grid, const struct cup_abi_block *block,
                             const char *where, const struct cup_guard_fault *fault)
{
    struct cup_report_place place = {.kernel = grid->kernel_name, .in_text = true};
    char what[WHAT_BYTES];

    if (report_access(block, fault))
        return;
    snprintf(what, sizeof(what), "%s, %s", where, cup_guard_access_word(fault));
    cup_explain_fault(what, fault->address, 1, &place);
}
