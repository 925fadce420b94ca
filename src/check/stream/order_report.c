/* SPDX-License-Identifier: MIT */
/* What CUPIPE_CHECK=streams says about two pieces of work without an order. */
#include "check/report/report.h"
#include "check/stream/agent.h"
#include "check/stream/task.h"
#include "os/mutex.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void fill_side_locked(struct cup_order_side *side, const struct cup_order_task *task)
{
    cup_mutex_assert_held(&cup_order_lock);
    const struct cup_order_agent *agent = cup_order_agent_find_locked(task->agent);

    side->name = task->name;
    side->site = task->site;
    memcpy(side->kernel, task->kernel, sizeof(side->kernel));
    side->is_host_work = task->is_host_work;
    memcpy(side->where, task->where, sizeof(task->where));
    if (agent && agent->is_default && cup_order_has_contexts_locked())
        snprintf(side->where, sizeof(side->where), "%s of context %p", agent->name,
                 (const void *)agent->context);
}

void cup_order_find_locked(struct cup_order_task *first, struct cup_order_task *second,
                           const struct cup_touched_conflict *conflict,
                           struct cup_order_finding *finding)
{
    cup_mutex_assert_held(&cup_order_lock);
    bool swapped = first->number > second->number ||
                   (first->number == second->number && first->node > second->node);

    finding->conflict = *conflict;
    if (swapped) {
        finding->conflict.first = conflict->second;
        finding->conflict.second = conflict->first;
    }
    fill_side_locked(&finding->first, swapped ? second : first);
    fill_side_locked(&finding->second, swapped ? first : second);
}

static bool is_write(enum cup_touch touch)
{
    return touch == CUP_TOUCH_WRITE || touch == CUP_TOUCH_STRONG_WRITE;
}

/* The words of a report: how a side touches the bytes. */
static const char *role_of(const struct cup_order_side *side, enum cup_touch touch)
{
    if (side->name && strcmp(side->name, "free") == 0)
        return "freed";
    if (side->name && strcmp(side->name, "allocation") == 0)
        return "allocated";
    return is_write(touch) ? "written" : "read";
}

static const char *fault_of(const struct cup_order_finding *finding)
{
    static const char *const faults[2][2] = {{"read-read", "read-write"},
                                             {"write-read", "write-write"}};

    return faults[is_write(finding->conflict.first)][is_write(finding->conflict.second)];
}

struct record_search {
    uint64_t address;
    struct cup_tracked found;
    bool any;
};

static void consider(const struct cup_tracked *record, void *argument)
{
    struct record_search *search = argument;

    if (record->kind != CUP_TRACKED_MEMORY || record->freed.call ||
        search->address - record->base >= record->size_bytes)
        return;
    search->found = *record;
    search->any = true;
}

static struct cup_report_place place_of(const struct cup_order_side *side, const char *role,
                                        char *detail, size_t size)
{
    snprintf(detail, size, ", in %s", side->where);
    return (struct cup_report_place){
        .role = role,
        .kernel = side->kernel[0] ? side->kernel : NULL,
        .is_host_work = side->is_host_work,
        .detail = detail,
        .call = side->site.call ? &side->site : NULL,
    };
}

static void describe(const struct cup_order_finding *finding, const struct record_search *memory,
                     char *text, size_t size)
{
    const struct cup_touched_conflict *conflict = &finding->conflict;
    int length =
        snprintf(text, size, "%s and %s touch the same %" PRIu64 " bytes at 0x%" PRIx64,
                 finding->first.where, finding->second.where, conflict->bytes, conflict->address);

    if (memory->any && length > 0 && (size_t)length < size)
        length += snprintf(text + length, size - (size_t)length,
                           ", %" PRIu64 " bytes into the %" PRIu64 " bytes of %s at 0x%" PRIx64,
                           conflict->address - memory->found.base, memory->found.size_bytes,
                           memory->found.what, memory->found.base);
    if (length > 0 && (size_t)length < size)
        snprintf(text + length, size - (size_t)length, ", without an order between them");
}

static void advise(const struct cup_order_finding *finding, char *text, size_t size)
{
    snprintf(text, size,
             "missing: cuEventRecord in %s after the first, and cuStreamWaitEvent in %s before the "
             "second; or a wait of the host between them",
             finding->first.where, finding->second.where);
}

void cup_order_report(const struct cup_order_finding *finding)
{
    struct record_search memory = {.address = finding->conflict.address};
    char text[512], note[400], details[2][CUP_ORDER_NAME_BYTES + 48];
    struct cup_report report = {
        .check = CUP_REPORT_STREAMS,
        .fault = fault_of(finding),
        .text = text,
        .place_count = 2,
        .address = finding->conflict.address,
        .size_bytes = finding->conflict.bytes,
        .note = note,
    };

    cup_tracked_search(consider, &memory);
    describe(finding, &memory, text, sizeof(text));
    advise(finding, note, sizeof(note));
    report.places[0] = place_of(&finding->first, role_of(&finding->first, finding->conflict.first),
                                details[0], sizeof(details[0]));
    report.places[1] =
        place_of(&finding->second, role_of(&finding->second, finding->conflict.second), details[1],
                 sizeof(details[1]));
    report.memory = memory.any ? &memory.found : NULL;
    cup_report_write(&report);
}
