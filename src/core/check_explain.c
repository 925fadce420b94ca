/* SPDX-License-Identifier: MIT */
/* Finds the memory that a bad address refers to: freed memory that contains it, otherwise the
 * nearest memory. Redzones are larger than typical overruns, and the quarantine delays reuse, so
 * the result is mostly right. */
#include "core/check.h"
#include "core/config.h"
#include "core/upcalls.h"
#include "os/guard.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Maximum distance between an address and the memory it is attributed to: for a fault, and for an
 * argument, which may be any number. */
#define NEAR_BYTES (UINT64_C(4) << 20)
#define NEAR_ARGUMENT_BYTES (UINT64_C(64) << 10)

struct finding {
    uint64_t address, near_bytes;
    bool any, any_addresses;
    struct cup_check_record nearest;   /* if any */
    struct cup_check_record addresses; /* the enclosing reserved range, if any_addresses */
};

/* Returns the distance of the address from the record's memory; 0 if it is inside. */
static uint64_t distance(const struct cup_check_record *record, uint64_t address)
{
    if (address < record->base)
        return record->base - address;
    if (address - record->base < record->size_bytes)
        return 0;
    return address - record->base - record->size_bytes + 1;
}

/* Prefers live memory to freed, recently freed to earlier freed, and memory known to the program to
 * internal memory. */
static bool is_better(const struct cup_check_record *record, const struct finding *finding)
{
    const struct cup_check_record *best = &finding->nearest;
    uint64_t far = distance(record, finding->address);
    uint64_t least = finding->any ? distance(best, finding->address) : finding->near_bytes;

    if (far != least || !finding->any)
        return far < least;
    if ((record->freed.call != NULL) != (best->freed.call != NULL))
        return best->freed.call != NULL;
    if (record->kind != best->kind && record->base == best->base)
        return record->kind == CUP_CHECK_MEMORY;
    return record->order > best->order;
}

static void consider(const struct cup_check_record *record, void *argument)
{
    struct finding *finding = argument;

    if (record->kind == CUP_CHECK_ADDRESSES) {
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

const char *cup_check_ended_word(const struct cup_check_call_site *freed)
{
    static const char *const words[][2] = {
        {"Unmap", "unmapped"}, {"Unregister", "unregistered"}, {"Close", "closed"},
        {"Destroy", "freed"},  {"Unload", "unloaded"},
    };

    for (size_t i = 0; i < CUP_ARRAY_COUNT(words); i++) {
        if (strstr(freed->call, words[i][0]))
            return words[i][1];
    }
    return "freed";
}

static void print_places(const struct cup_check_record *record)
{
    cup_check_print_call_site("made", &record->made);
    if (record->freed.call)
        cup_check_print_call_site(cup_check_ended_word(&record->freed), &record->freed);
}

/* "1000 bytes of device memory at 0x...", and whether it is live. */
static void describe(const struct cup_check_record *record, char *text, size_t size)
{
    snprintf(text, size, "the %" PRIu64 " bytes of %s at 0x%" PRIx64 "%s%s", record->size_bytes,
             record->what, record->base, record->freed.call ? ", which were " : "",
             record->freed.call ? cup_check_ended_word(&record->freed) : "");
}

static bool explain_addresses(const char *what, const struct finding *finding)
{
    const struct cup_check_record *record = &finding->addresses;
    char about[160];

    cup_check_mark_reported();
    describe(record, about, sizeof(about));
    cup_check_print("cupipe: CUPIPE_CHECK: %s 0x%" PRIx64 ", %" PRIu64 " bytes into %s%s", what,
                    finding->address, finding->address - record->base, about,
                    record->freed.call ? "" : ", where nothing is mapped");
    print_places(record);
    return true;
}

/* True if the finding is the reserved range itself, not a mapping in it. */
static bool is_about_addresses(const struct finding *finding)
{
    const struct cup_check_record *nearest = &finding->nearest, *around = &finding->addresses;

    return finding->any_addresses &&
           (!finding->any ||
            (distance(nearest, finding->address) != 0 &&
             (nearest->base < around->base || nearest->base - around->base >= around->size_bytes)));
}

static bool explain(const char *what, uint64_t address, uint64_t size_bytes, uint64_t near_bytes,
                    bool refused, const char *why)
{
    struct finding finding = {.address = address, .near_bytes = near_bytes};
    const struct cup_check_record *record = &finding.nearest;
    char about[160];

    cup_check_search(consider, &finding);
    if (is_about_addresses(&finding))
        return explain_addresses(what, &finding);
    if (!finding.any)
        return false;
    uint64_t end = record->base + record->size_bytes;
    uint64_t in = address - record->base, behind = address + (size_bytes ? size_bytes : 1) - end;
    bool is_inside = distance(record, address) == 0;
    bool leaves = address >= end || size_bytes > end - address;
    if (is_inside && !leaves && !record->freed.call && !refused)
        return false;
    cup_check_mark_reported();
    describe(record, about, sizeof(about));
    if (is_inside && (record->freed.call || !leaves)) {
        if (!why && !record->freed.call)
            why = cup_core_upcalls.why_protected(address);
        cup_check_print("cupipe: CUPIPE_CHECK: %s 0x%" PRIx64 ", %" PRIu64 " bytes into %s%s", what,
                        address, in, about, why && !record->freed.call ? why : "");
    } else if (address < record->base) {
        cup_check_print("cupipe: CUPIPE_CHECK: %s 0x%" PRIx64 ", %" PRIu64 " bytes before %s", what,
                        address, record->base - address, about);
    } else {
        cup_check_print("cupipe: CUPIPE_CHECK: %s 0x%" PRIx64 ", up to %" PRIu64
                        " bytes past the end of %s",
                        what, address, behind, about);
    }
    print_places(record);
    return true;
}

bool cup_check_explain(const char *what, uint64_t address, uint64_t size_bytes)
{
    return cup_config_get()->check_memory &&
           explain(what, address, size_bytes, NEAR_ARGUMENT_BYTES, false, NULL);
}

bool cup_check_explain_refused(const char *what, uint64_t address, uint64_t size_bytes,
                               const char *why)
{
    return cup_config_get()->check_memory &&
           explain(what, address, size_bytes, NEAR_ARGUMENT_BYTES, true, why);
}

bool cup_check_explain_fault(const char *what, uint64_t address)
{
    return cup_config_get()->check_memory && explain(what, address, 1, NEAR_BYTES, true, NULL);
}

/* The process is most likely about to end, so a lock that stays held is harmless. */
void cup_check_foreign_fault(uint64_t address)
{
    static _Atomic(int) explained;

    if (cup_check_enabled() && explained++ == 0 && cup_check_lock_is_free())
        cup_check_explain_fault("the program touched", address);
}

void cup_check_explain_given(uint64_t address, uint64_t size_bytes)
{
    char what[96];

    if (!cup_check_enabled() || !cup_check_call_name())
        return;
    snprintf(what, sizeof(what), "%s was given", cup_check_call_name());
    cup_check_explain_refused(what, address, size_bytes, NULL);
}

void cup_check_explain_guarded(const char *who)
{
    struct cup_guard_fault fault;
    char what[96];

    if (!cup_check_enabled() || !cup_guard_last(&fault))
        return;
    snprintf(what, sizeof(what), "%s %s", who, cup_guard_access_word(&fault));
    cup_check_explain_fault(what, fault.address);
}
