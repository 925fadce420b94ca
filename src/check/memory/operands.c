/* SPDX-License-Identifier: MIT */
#include "check/memory/operands.h"

#include "check/memory/redzone.h"
#include "check/memory/uninitialised.h"
#include "check/report/records.h"
#include "check/report/report.h"
#include "memory/map.h"

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

static uint64_t row_count(const struct cupipe_range *range)
{
    return range->bytes == 0 ? 0 : range->rows ? range->rows : 1;
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

void cup_operands_check_bounds(const struct cupipe_work *work)
{
    for (size_t i = 0; i < work->range_count; i++) {
        const struct cupipe_range *range = &work->ranges[i];
        uint64_t rows = row_count(range), extent;
        char what[TEXT_BYTES];

        if (rows == 0)
            continue;
        extent = (rows - 1) * range->pitch + range->bytes;
        if (is_inside(range->address, extent))
            continue;
        struct cup_report_place place = place_of(work, range);
        snprintf(what, sizeof(what), "host work %s %s %" PRIu64 " bytes at", place.kernel,
                 range->written ? "writes" : "reads", extent);
        if (cup_explain_range(what, range->address, extent, &place) && range->written)
            cup_redzone_reported(range->address);
    }
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

/* Of a range only the first row with such bytes is reported. */
void cup_operands_check_written(const struct cupipe_work *work)
{
    for (size_t i = 0; i < work->range_count; i++) {
        const struct cupipe_range *range = &work->ranges[i];
        uint64_t rows = range->written || range->partly ? 0 : row_count(range);

        for (uint64_t row = 0; row < rows; row++) {
            uint64_t address = range->address + row * range->pitch;
            uint64_t written = cup_unwritten_find(address, range->bytes);

            if (written < range->bytes) {
                report_unwritten(work, range, address + written, range->bytes - written);
                break;
            }
        }
    }
}
