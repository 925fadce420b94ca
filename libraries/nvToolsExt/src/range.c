/* SPDX-License-Identifier: MIT */
/* Marks and ranges. A thread has a stack of the ranges that it pushed, of all domains; ranges with
 * an identifier stand in a table of the process, because another thread may end them. */
#include "open.h"
#include "report.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NO_RANGE = -1, NUMBER_BYTES = 40 };

static _Atomic uint64_t last_id;
static _Atomic uint32_t last_number;

static char *describe_number(const struct nvtx_attributes *attributes)
{
    char text[NUMBER_BYTES] = "";

    switch (attributes->payload_type) {
    case NVTX_PAYLOAD_UNSIGNED_INT64:
        snprintf(text, sizeof(text), "%llu", (unsigned long long)attributes->payload.unsigned64);
        break;
    case NVTX_PAYLOAD_INT64:
        snprintf(text, sizeof(text), "%lld", (long long)attributes->payload.signed64);
        break;
    case NVTX_PAYLOAD_DOUBLE:
        snprintf(text, sizeof(text), "%.17g", attributes->payload.float64);
        break;
    case NVTX_PAYLOAD_UNSIGNED_INT32:
        snprintf(text, sizeof(text), "%u", attributes->payload.unsigned32);
        break;
    case NVTX_PAYLOAD_INT32:
        snprintf(text, sizeof(text), "%d", attributes->payload.signed32);
        break;
    case NVTX_PAYLOAD_FLOAT:
        snprintf(text, sizeof(text), "%.9g", (double)attributes->payload.float32);
        break;
    }
    return text[0] ? strdup(text) : NULL;
}

static bool has_blobs(const struct nvtx_attributes *attributes)
{
    return attributes->payload_type == NVTX_PAYLOAD_EXTENDED && attributes->payload_count > 0;
}

static void set_attributes(struct nvtx_range *range, const struct nvtx_attributes *attributes)
{
    range->own_name = nvtx_copy_message(attributes->message_type, attributes->message);
    range->category_number = attributes->category;
    range->category = nvtx_category_name(range->owner, attributes->category);
    range->has_color = attributes->color_type == NVTX_COLOR_ARGB;
    range->color = attributes->color;
    if (has_blobs(attributes)) {
        range->own_payload = nvtx_describe_blobs(
            range->owner, (const struct nvtx_blob *)(uintptr_t)attributes->payload.unsigned64,
            (size_t)attributes->payload_count, &range->own_name);
    } else {
        range->payload_type = attributes->payload_type;
        range->payload_value = attributes->payload.unsigned64;
        range->own_payload = describe_number(attributes);
    }
    range->name = range->own_name;
    range->payload = range->own_payload;
}

static struct nvtx_range *range_create(struct nvtx_domain *domain,
                                       const struct nvtx_attributes *attributes)
{
    struct nvtx_range *range = calloc(1, sizeof(*range));

    if (!range)
        return NULL;
    range->owner = domain ? domain : &nvtx_default_domain;
    range->domain = range->owner->name;
    range->thread = (uint64_t)gettid();
    range->number = atomic_fetch_add(&last_number, 1) + 1;
    range->start_ns = nvtx_now_ns();
    if (attributes)
        set_attributes(range, attributes);
    return range;
}

/* What the end of a range says stands in place of what its beginning said. */
static void finish(struct nvtx_range *range, const struct nvtx_blob *blobs, size_t count)
{
    uint64_t end_ns = nvtx_now_ns();
    char *payload =
        count ? nvtx_describe_blobs(range->owner, blobs, count, &range->own_name) : NULL;

    if (payload) {
        free(range->own_payload);
        range->payload = range->own_payload = payload;
    }
    range->name = range->own_name;
    nvtx_report_marker(range, CUPIPE_MARKER_END, end_ns);
    nvtx_report_range(range, end_ns);
    nvtx_range_free(range);
}

void nvtx_mark(struct nvtx_domain *domain, const struct nvtx_attributes *attributes)
{
    struct nvtx_range *range = range_create(domain, attributes);

    if (range) {
        nvtx_report_marker(range, CUPIPE_MARKER_MARK, range->start_ns);
        nvtx_report_range(range, range->start_ns);
    }
    nvtx_range_free(range);
}

/* The number of pushed ranges of the domain from this one down. */
static int depth_of(const struct nvtx_range *range, const struct nvtx_domain *domain)
{
    while (range && range->owner != domain)
        range = range->next;
    return range ? range->depth + 1 : 0;
}

int nvtx_push(struct nvtx_domain *domain, const struct nvtx_attributes *attributes)
{
    struct nvtx_thread *thread = nvtx_thread_self();
    struct nvtx_range *range = thread ? range_create(domain, attributes) : NULL;

    if (!range)
        return NO_RANGE;
    range->depth = depth_of(thread->pushed, range->owner);
    range->next = thread->pushed;
    thread->pushed = range;
    nvtx_report_marker(range, CUPIPE_MARKER_BEGIN, range->start_ns);
    return range->depth;
}

int nvtx_pop(struct nvtx_domain *domain, const struct nvtx_blob *blobs, size_t count)
{
    struct nvtx_thread *thread = nvtx_thread_self();
    struct nvtx_range **link, *range;
    int depth;

    if (!thread)
        return NO_RANGE;
    domain = domain ? domain : &nvtx_default_domain;
    for (link = &thread->pushed; *link && (*link)->owner != domain;)
        link = &(*link)->next;
    range = *link;
    if (!range)
        return NO_RANGE;
    *link = range->next;
    depth = range->depth;
    finish(range, blobs, count);
    return depth;
}

uint64_t nvtx_start(struct nvtx_domain *domain, const struct nvtx_attributes *attributes)
{
    struct nvtx_range *range = nvtx_thread_self() ? range_create(domain, attributes) : NULL;
    uint64_t id;

    if (!range)
        return 0;
    id = range->id = atomic_fetch_add(&last_id, 1) + 1;
    nvtx_report_marker(range, CUPIPE_MARKER_BEGIN, range->start_ns);
    nvtx_add_started(range);
    return id;
}

void nvtx_end(struct nvtx_domain *domain, uint64_t id, const struct nvtx_blob *blobs, size_t count)
{
    struct nvtx_range *range = nvtx_take_started(id);

    (void)domain;
    if (range)
        finish(range, blobs, count);
}
