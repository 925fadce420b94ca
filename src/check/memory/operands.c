/* SPDX-License-Identifier: MIT */
#include "check/memory/operands.h"

#include "check/memory/redzone.h"
#include "check/memory/uninitialised.h"
#include "check/report/records.h"
#include "check/report/report.h"
#include "memory/map.h"
#include "stream/operand.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

enum { TEXT_BYTES = 512 };

static struct cup_report_place place_of(const struct cupipe_work *work,
                                        const struct cupipe_range *range)
{
    return (struct cup_report_place){
        .role = range->written ? "written" : "read",
        .kernel = work->name ? work->name : "host work",
        .is_host_work = true,
        .in_text = true,
    };
}

/* Whether the bytes are in ranges of the address map that follow each other. Memory that the map
 * does not know is the host's own. */
static bool is_inside(uint64_t address, uint64_t bytes)
{
    const unsigned refused = CUP_RANGE_NO_READ | CUP_RANGE_UNMAPPED;
    struct cup_span span;

    for (uint64_t done = 0; done < bytes; done = span.base + span.size_bytes - address) {
        if (!cup_map_find(address + done, &span) || span.flags & refused ||
            address + done - span.base >= span.size_bytes)
            return false;
    }
    return true;
}

static void check_bounds(const struct cupipe_work *work, const struct cupipe_range *block)
{
    uint64_t extent = cup_operand_extent(block);
    char what[TEXT_BYTES];

    if (is_inside(block->address, extent))
        return;
    struct cup_report_place place = place_of(work, block);
    snprintf(what, sizeof(what), "host work %s %s %" PRIu64 " bytes at", place.kernel,
             block->written ? "writes" : "reads", extent);
    if (cup_explain_range(what, block->address, extent, &place) && block->written)
        cup_redzone_reported(block->address);
}

static void report_unwritten(const struct cupipe_work *work, const struct cupipe_range *range,
                             uint64_t address, uint64_t bytes)
{
    struct cup_tracked memory;
    bool is_known = cup_tracked_memory_at(address, &memory);
    char text[TEXT_BYTES], where[TEXT_BYTES / 2] = "";
    struct cup_report report = {
        .check = CUP_REPORT_INIT,
        .fault = "unwritten",
        .text = text,
        .places = {place_of(work, range)},
        .place_count = 1,
        .address = address,
        .size_bytes = bytes,
        .memory = is_known ? &memory : NULL,
    };

    if (is_known)
        snprintf(where, sizeof(where),
                 ", %" PRIu64 " bytes into the %" PRIu64 " bytes of %s at 0x%" PRIx64,
                 address - memory.base, memory.size_bytes, memory.what, memory.base);
    snprintf(text, sizeof(text),
             "host work %s reads %" PRIu64 " bytes at 0x%" PRIx64 "%s, which nothing had written",
             report.places[0].kernel, bytes, address, where);
    cup_report_write(&report);
}

/* Of a block only the first row with such bytes is reported. */
static void check_written(const struct cupipe_work *work, const struct cupipe_range *block)
{
    uint64_t rows = block->written || block->partly ? 0 : cup_operand_rows(block);

    for (uint64_t row = 0; row < rows; row++) {
        uint64_t address = block->address + row * block->pitch;
        uint64_t written = cup_unwritten_find(address, block->bytes);

        if (written < block->bytes) {
            report_unwritten(work, block, address + written, block->bytes - written);
            return;
        }
    }
}

static void check_blocks(const struct cupipe_work *work,
                         void (*check)(const struct cupipe_work *, const struct cupipe_range *))
{
    for (size_t i = 0; i < work->range_count; i++) {
        for (uint64_t k = 0; k < cup_operand_blocks(&work->ranges[i]); k++) {
            struct cupipe_range block = cup_operand_block(&work->ranges[i], k);

            check(work, &block);
        }
    }
}

void cup_operands_check_bounds(const struct cupipe_work *work)
{
    check_blocks(work, check_bounds);
}

void cup_operands_check_written(const struct cupipe_work *work)
{
    check_blocks(work, check_written);
}
