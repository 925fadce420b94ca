/* SPDX-License-Identifier: MIT */
/* Finds the memory that a bad address refers to: freed memory that contains it, otherwise the
 * nearest memory. Redzones are larger than typical overruns, and the quarantine delays reuse, so
 * the result is mostly right. */
#include "check/report/records.h"
#include "check/report/report.h"
#include "core/config.h"
#include "memory/map.h"
#include "os/guard.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Maximum distance between an address and the memory it is attributed to: for a fault, and for an
 * argument, which may be any number. */
#define NEAR_BYTES (UINT64_C(4) << 20)
#define NEAR_ARGUMENT_BYTES (UINT64_C(64) << 10)

enum { TEXT_BYTES = 1024 };

struct finding {
    uint64_t address, near_bytes;
    bool any, any_addresses;
    struct cup_tracked nearest;   /* if any */
    struct cup_tracked addresses; /* the enclosing reserved range, if any_addresses */
};

/* Returns the distance of the address from the record's memory; 0 if it is inside. */
static uint64_t distance(const struct cup_tracked *record, uint64_t address)
{
    if (address < record->base)
        return record->base - address;
    if (address - record->base < record->size_bytes)
        return 0;
    return address - record->base - record->size_bytes + 1;
}

/* Prefers live memory to freed, recently freed to earlier freed, and memory known to the program to
 * internal memory. */
static bool is_better(const struct cup_tracked *record, const struct finding *finding)
{
    const struct cup_tracked *best = &finding->nearest;
    uint64_t far = distance(record, finding->address);
    uint64_t least = finding->any ? distance(best, finding->address) : finding->near_bytes;

    if (far != least || !finding->any)
        return far < least;
    if ((record->freed.call != NULL) != (best->freed.call != NULL))
        return best->freed.call != NULL;
    if (record->kind != best->kind && record->base == best->base)
        return record->kind == CUP_TRACKED_MEMORY;
    return record->order > best->order;
}

static void consider(const struct cup_tracked *record, void *argument)
{
    struct finding *finding = argument;

    if (record->kind == CUP_TRACKED_ADDRESSES) {
        if (distance(record, finding->address) != 0 ||
            (finding->any_addresses && record->order < finding->addresses.order))
            return;
        finding->addresses = *record;
        finding->any_addresses = true;
    } else if (is_better(record, finding)) {
        finding->nearest = *record;
        finding->any = true;
    }
}

/* "1000 bytes of device memory at 0x...", and whether it is live. */
static void describe(const struct cup_tracked *record, char *text, size_t size)
{
    snprintf(text, size, "the %" PRIu64 " bytes of %s at 0x%" PRIx64 "%s%s", record->size_bytes,
             record->what, record->base, record->freed.call ? ", which were " : "",
             record->freed.call ? cup_tracked_ended_word(&record->freed) : "");
}

/* What is to be explained. */
struct query {
    const char *what; /* starts the sentence */
    uint64_t address, size_bytes, near_bytes;
    bool refused;
    const char *why;                      /* for refused ones; NULL: why_protected() tells */
    const struct cup_report_place *place; /* NULL: the current call */
};

static bool report(const struct query *query, const char *fault, const char *text,
                   const struct cup_tracked *record)
{
    struct cup_tracked_site site;
    struct cup_report report = {.check = CUP_REPORT_MEMORY,
                                .fault = fault,
                                .text = text,
                                .address = query->address,
                                .size_bytes = query->size_bytes ? query->size_bytes : 1,
                                .memory = record};

    report.places[0] = query->place ? *query->place : cup_report_place_here(&site);
    report.place_count = report.places[0].kernel || report.places[0].call;
    cup_tracked_mark_reported();
    cup_report_write(&report);
    return true;
}

static bool explain_addresses(const struct query *query, const struct finding *finding)
{
    const struct cup_tracked *record = &finding->addresses;
    char about[160], text[TEXT_BYTES];

    describe(record, about, sizeof(about));
    snprintf(text, sizeof(text), "%s 0x%" PRIx64 ", %" PRIu64 " bytes into %s%s", query->what,
             finding->address, finding->address - record->base, about,
             record->freed.call ? "" : ", where nothing is mapped");
    return report(query, record->freed.call ? "use-after-free" : "not-mapped", text, record);
}

/* True if the finding is the reserved range itself, not a mapping in it. */
static bool is_about_addresses(const struct finding *finding)
{
    const struct cup_tracked *nearest = &finding->nearest, *around = &finding->addresses;

    return finding->any_addresses &&
           (!finding->any ||
            (distance(nearest, finding->address) != 0 &&
             (nearest->base < around->base || nearest->base - around->base >= around->size_bytes)));
}

/* Why live memory may not be accessed, as the end of a sentence; NULL: it may. */
static const char *why_protected(uint64_t address)
{
    struct cup_span span;

    if (!cup_map_find(address, &span) || span.kind != CUP_RANGE_VIRTUAL)
        return NULL;
    if (span.flags & CUP_RANGE_NO_READ)
        return ", to which no device has access (cuMemSetAccess)";
    return span.flags & CUP_RANGE_NO_WRITE ? ", which may be read only (cuMemSetAccess)" : NULL;
}

/* A use of live memory that was refused, or of freed memory. */
static bool explain_inside(const struct query *query, const struct cup_tracked *record,
                           const char *about)
{
    const char *why = record->freed.call ? NULL
                      : query->why       ? query->why
                                         : why_protected(query->address);
    char text[TEXT_BYTES];

    snprintf(text, sizeof(text), "%s 0x%" PRIx64 ", %" PRIu64 " bytes into %s%s", query->what,
             query->address, query->address - record->base, about, why ? why : "");
    return report(query, record->freed.call ? "use-after-free" : "not-allowed", text, record);
}

static bool explain(const struct query *query)
{
    struct finding finding = {.address = query->address, .near_bytes = query->near_bytes};
    const struct cup_tracked *record = &finding.nearest;
    uint64_t address = query->address, size_bytes = query->size_bytes;
    char about[160], text[TEXT_BYTES];

    cup_tracked_search(consider, &finding);
    if (is_about_addresses(&finding))
        return explain_addresses(query, &finding);
    if (!finding.any)
        return false;
    uint64_t end = record->base + record->size_bytes;
    uint64_t behind = address + (size_bytes ? size_bytes : 1) - end;
    bool is_inside = distance(record, address) == 0;
    bool leaves = address >= end || size_bytes > end - address;
    if (is_inside && !leaves && !record->freed.call && !query->refused)
        return false;
    describe(record, about, sizeof(about));
    if (is_inside && (record->freed.call || !leaves))
        return explain_inside(query, record, about);
    if (address < record->base)
        snprintf(text, sizeof(text), "%s 0x%" PRIx64 ", %" PRIu64 " bytes before %s", query->what,
                 address, record->base - address, about);
    else
        snprintf(text, sizeof(text), "%s 0x%" PRIx64 ", up to %" PRIu64 " bytes past the end of %s",
                 query->what, address, behind, about);
    return report(query, "out-of-bounds", text, record);
}

bool cup_tracked_memory_at(uint64_t address, struct cup_tracked *record)
{
    struct finding finding = {.address = address, .near_bytes = 1};

    cup_tracked_search(consider, &finding);
    if (finding.any)
        *record = finding.nearest;
    return finding.any;
}

bool cup_explain_range(const char *what, uint64_t address, uint64_t size_bytes,
                       const struct cup_report_place *place)
{
    struct query query = {what, address, size_bytes, NEAR_ARGUMENT_BYTES, false, NULL, place};

    return cup_config_get()->check_memory && explain(&query);
}

bool cup_explain_refused(const char *what, uint64_t address, uint64_t size_bytes, const char *why)
{
    struct query query = {what, address, size_bytes, NEAR_ARGUMENT_BYTES, true, why, NULL};

    return cup_config_get()->check_memory && explain(&query);
}

bool cup_explain_fault(const char *what, uint64_t address, uint64_t size_bytes,
                       const struct cup_report_place *place)
{
    struct query query = {what, address, size_bytes, NEAR_BYTES, true, NULL, place};

    return cup_config_get()->check_memory && explain(&query);
}

/* The process is most likely about to end, so a lock that stays held is harmless. */
void cup_explain_foreign_fault(uint64_t address)
{
    static _Atomic(int) explained;

    if (cup_tracked_enabled() && explained++ == 0 && cup_tracked_lock_is_free())
        cup_explain_fault("the program touched", address, 1, NULL);
}

void cup_explain_argument(uint64_t address, uint64_t size_bytes)
{
    char what[96];

    if (!cup_tracked_call_name())
        return;
    snprintf(what, sizeof(what), "%s was given", cup_tracked_call_name());
    cup_explain_refused(what, address, size_bytes, NULL);
}

void cup_explain_guarded(const char *who)
{
    struct cup_guard_fault fault;
    char what[96];

    if (!cup_guard_last(&fault))
        return;
    snprintf(what, sizeof(what), "%s %s", who, cup_guard_access_word(&fault));
    cup_explain_fault(what, fault.address, 1, NULL);
}
