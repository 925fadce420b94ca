/* SPDX-License-Identifier: MIT */
/* Ranges that are open, and their way into the driver's trace. A thread has a stack of the ranges
 * that it pushed, of all domains; ranges with an identifier stand in one list of the process. The
 * driver is asked only if the program has loaded it: this library starts nothing by itself. */
#include "nvtx.h"

#include <common/driver.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NO_RANGE = -1, PAYLOAD_BYTES = 40 };

struct range {
    struct range *next;
    struct nvtx_domain *domain;
    char *name;
    const char *category;
    char payload[PAYLOAD_BYTES];
    uint32_t color;
    bool has_color;
    uint64_t start_ns;
    uint64_t id;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct range *started; /* guarded by lock */
static _Atomic uint64_t last_id;
static pthread_key_t stacks;
static pthread_once_t stacks_once = PTHREAD_ONCE_INIT;
static __thread struct range *pushed; /* the newest first */

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void range_free(struct range *range)
{
    if (range)
        free(range->name);
    free(range);
}

static void free_stack(void *mark)
{
    (void)mark;
    while (pushed) {
        struct range *next = pushed->next;

        range_free(pushed);
        pushed = next;
    }
}

static void make_key(void)
{
    pthread_key_create(&stacks, free_stack);
}

/* The table of a driver that is loaded; NULL if there is none, or another. */
static const struct cupipe_driver_table *loaded_driver(void)
{
    static _Atomic(void *) library;
    const struct lib_driver *driver;
    void *found = atomic_load(&library);

    if (!found) {
        found = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
        if (!found)
            return NULL;
        atomic_store(&library, found);
    }
    driver = lib_driver();
    return driver && driver->cupipe->bytes > offsetof(struct cupipe_driver_table, trace_range)
               ? driver->cupipe
               : NULL;
}

static void describe_payload(const struct nvtx_attributes *attributes, char text[PAYLOAD_BYTES])
{
    switch (attributes->payload_type) {
    case NVTX_PAYLOAD_UNSIGNED_INT64:
        snprintf(text, PAYLOAD_BYTES, "%llu", (unsigned long long)attributes->payload.unsigned64);
        break;
    case NVTX_PAYLOAD_INT64:
        snprintf(text, PAYLOAD_BYTES, "%lld", (long long)attributes->payload.signed64);
        break;
    case NVTX_PAYLOAD_DOUBLE:
        snprintf(text, PAYLOAD_BYTES, "%.17g", attributes->payload.float64);
        break;
    case NVTX_PAYLOAD_UNSIGNED_INT32:
        snprintf(text, PAYLOAD_BYTES, "%u", attributes->payload.unsigned32);
        break;
    case NVTX_PAYLOAD_INT32:
        snprintf(text, PAYLOAD_BYTES, "%d", attributes->payload.signed32);
        break;
    case NVTX_PAYLOAD_FLOAT:
        snprintf(text, PAYLOAD_BYTES, "%.9g", (double)attributes->payload.float32);
        break;
    default:
        text[0] = '\0';
    }
}

static char *copy_message(const struct nvtx_attributes *attributes)
{
    switch (attributes->message_type) {
    case NVTX_MESSAGE_ASCII:
        return attributes->message.ascii ? strdup(attributes->message.ascii) : NULL;
    case NVTX_MESSAGE_UNICODE:
        return nvtx_narrow(attributes->message.unicode);
    case NVTX_MESSAGE_REGISTERED:
        return attributes->message.registered && attributes->message.registered->text
                   ? strdup(attributes->message.registered->text)
                   : NULL;
    default:
        return NULL;
    }
}

static struct range *range_create(struct nvtx_domain *domain,
                                  const struct nvtx_attributes *attributes)
{
    struct range *range = calloc(1, sizeof(*range));

    if (!range)
        return NULL;
    range->domain = domain ? domain : &nvtx_default_domain;
    range->start_ns = now_ns();
    if (!attributes)
        return range;
    range->name = copy_message(attributes);
    range->category = nvtx_category_name(range->domain, attributes->category);
    range->has_color = attributes->color_type == NVTX_COLOR_ARGB;
    range->color = attributes->color & 0xffffff;
    describe_payload(attributes, range->payload);
    return range;
}

static void report(const struct range *range, uint64_t end_ns)
{
    const struct cupipe_driver_table *driver = loaded_driver();
    const struct cupipe_trace_range traced = {
        .name = range->name,
        .domain = range->domain->name,
        .category = range->category,
        .payload = range->payload[0] ? range->payload : NULL,
        .color = range->color,
        .has_color = range->has_color,
        .start_ns = range->start_ns,
        .end_ns = end_ns,
        .id = range->id,
    };

    if (driver)
        driver->trace_range(&traced);
}

void nvtx_mark(struct nvtx_domain *domain, const struct nvtx_attributes *attributes)
{
    struct range *range = range_create(domain, attributes);

    if (range)
        report(range, range->start_ns);
    range_free(range);
}

static int depth_of(const struct nvtx_domain *domain)
{
    int depth = 0;

    for (const struct range *range = pushed; range; range = range->next)
        depth += range->domain == domain;
    return depth;
}

int nvtx_push(struct nvtx_domain *domain, const struct nvtx_attributes *attributes)
{
    struct range *range = range_create(domain, attributes);
    int depth;

    if (!range)
        return NO_RANGE;
    pthread_once(&stacks_once, make_key);
    pthread_setspecific(stacks, &pushed);
    depth = depth_of(range->domain);
    range->next = pushed;
    pushed = range;
    return depth;
}

int nvtx_pop(struct nvtx_domain *domain)
{
    struct range **link = &pushed, *range;

    domain = domain ? domain : &nvtx_default_domain;
    while (*link && (*link)->domain != domain)
        link = &(*link)->next;
    range = *link;
    if (!range)
        return NO_RANGE;
    *link = range->next;
    report(range, now_ns());
    range_free(range);
    return depth_of(domain);
}

uint64_t nvtx_start(struct nvtx_domain *domain, const struct nvtx_attributes *attributes)
{
    struct range *range = range_create(domain, attributes);
    uint64_t id;

    if (!range)
        return 0;
    id = range->id = atomic_fetch_add(&last_id, 1) + 1;
    pthread_mutex_lock(&lock);
    range->next = started;
    started = range;
    pthread_mutex_unlock(&lock);
    return id;
}

void nvtx_end(struct nvtx_domain *domain, uint64_t id)
{
    struct range **link = &started, *range;

    (void)domain;
    pthread_mutex_lock(&lock);
    while (*link && (*link)->id != id)
        link = &(*link)->next;
    range = *link;
    if (range)
        *link = range->next;
    pthread_mutex_unlock(&lock);
    if (range)
        report(range, now_ns());
    range_free(range);
}
