/* SPDX-License-Identifier: MIT */
/* Counters, whose samples are events of the trace. Those of a layout are the numbers in it. */
#include "counter.h"

#include "payload_layout.h"
#include "report.h"

#include <stdlib.h>

enum { SERIES_MAX = 16 };
static const uint64_t first_dynamic = UINT64_C(1) << 32;

struct counter {
    struct counter *next;
    const struct nvtx_domain *domain;
    uint64_t id, schema;
    const char *name;
};

/* Guarded by the library's lock. */
static struct counter *counters;
static uint64_t last_dynamic = UINT64_C(1) << 32;

static const struct counter *find(const struct nvtx_domain *domain, uint64_t id)
{
    const struct counter *counter;

    domain = domain ? domain : &nvtx_default_domain;
    nvtx_lock();
    for (counter = counters;
         counter && (counter->id != id || (id < first_dynamic && counter->domain != domain));)
        counter = counter->next;
    nvtx_unlock();
    return counter;
}

uint64_t nvtx_counter_register(struct nvtx_domain *domain,
                               const struct nvtx_counter_attributes *attributes)
{
    struct counter *counter = attributes ? calloc(1, sizeof(*counter)) : NULL;
    uint64_t id;

    if (!counter)
        return 0;
    counter->domain = domain ? domain : &nvtx_default_domain;
    counter->schema = attributes->schema;
    counter->name = nvtx_keep(attributes->name ? attributes->name : "counter");
    nvtx_lock();
    id = counter->id = attributes->id ? attributes->id : ++last_dynamic;
    counter->next = counters;
    counters = counter;
    nvtx_unlock();
    return id;
}

static void report(const struct counter *counter, const struct cupipe_counter_value *values,
                   size_t count)
{
    const struct cupipe_trace_counter traced = {.name = counter->name,
                                                .domain = counter->domain->name,
                                                .time_ns = nvtx_now_ns(),
                                                .values = values,
                                                .count = count};

    if (count && counter->name)
        nvtx_report_counter(&traced);
}

void nvtx_counter_sample_float64(struct nvtx_domain *domain, uint64_t id, double value)
{
    const struct counter *counter = find(domain, id);
    struct cupipe_counter_value one = {.value = value};

    if (!counter)
        return;
    one.name = counter->name;
    report(counter, &one, 1);
}

void nvtx_counter_sample_int64(struct nvtx_domain *domain, uint64_t id, int64_t value)
{
    nvtx_counter_sample_float64(domain, id, (double)value);
}

static size_t read_series(const struct counter *counter, const struct nvtx_schema *schema,
                          const unsigned char *data, size_t bytes,
                          struct cupipe_counter_value values[SERIES_MAX])
{
    size_t count = 0, end = 0;

    for (size_t i = 0; i < schema->count && count < SERIES_MAX; i++) {
        const struct nvtx_entry *entry = &schema->entries[i];
        size_t place = nvtx_entry_place(counter->domain, schema, i, end, 0);

        end = place + nvtx_entry_bytes(counter->domain, entry, 1, 0);
        if (nvtx_entry_is_indirect(entry) || end > bytes || !entry->name ||
            !nvtx_read_number(entry->type, data + place, &values[count].value))
            continue;
        values[count++].name = entry->name;
    }
    return count;
}

void nvtx_counter_sample(struct nvtx_domain *domain, uint64_t id, const void *values, size_t bytes)
{
    const struct counter *counter = find(domain, id);
    const struct nvtx_schema *schema =
        counter ? nvtx_find_schema(counter->domain, counter->schema) : NULL;
    struct cupipe_counter_value series[SERIES_MAX];
    size_t count = 0;

    if (!counter || !values)
        return;
    if (schema && schema->entries) {
        count = read_series(counter, schema, values, bytes, series);
    } else if (nvtx_type_bytes(counter->schema) && nvtx_type_bytes(counter->schema) <= bytes &&
               nvtx_read_number(counter->schema, values, &series[0].value)) {
        series[0].name = counter->name;
        count = 1;
    }
    report(counter, series, count);
}
