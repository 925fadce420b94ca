/* SPDX-License-Identifier: MIT */
/* NVTX's extensions lie in headers, too, and hand over slots for their functions. A slot that stays
 * empty becomes a function that does nothing. */
#include "counter.h"
#include "exports.h"
#include "payload.h"
#include "report.h"

#include <stdatomic.h>

enum { EXTENSION_PAYLOAD = 2, EXTENSION_COUNTERS = 4, COMPATIBLE_MAJOR = 1 };

struct segment {
    size_t id;
    size_t slot_count;
    intptr_t *slots;
};

struct nvtx_extension {
    uint16_t nvtx_version, bytes, module;
    uint16_t compatible; /* major in the upper byte */
    size_t segment_count;
    struct segment *segments;
    intptr_t (*get_function)(uint32_t id);
    const void *information;
};

static struct nvtx_attributes attributes_of(const struct nvtx_blob *blobs, size_t count)
{
    struct nvtx_attributes attributes = {.size = sizeof(attributes)};

    if (blobs && count > 0 && count <= INT32_MAX) {
        attributes.payload_type = NVTX_PAYLOAD_EXTENDED;
        attributes.payload_count = (int32_t)count;
        attributes.payload.unsigned64 = (uintptr_t)blobs;
    }
    return attributes;
}

static void mark(struct nvtx_domain *domain, const struct nvtx_blob *blobs, size_t count)
{
    const struct nvtx_attributes attributes = attributes_of(blobs, count);

    nvtx_mark(domain, &attributes);
}

static int push(struct nvtx_domain *domain, const struct nvtx_blob *blobs, size_t count)
{
    const struct nvtx_attributes attributes = attributes_of(blobs, count);

    return nvtx_push(domain, &attributes);
}

static uint64_t start(struct nvtx_domain *domain, const struct nvtx_blob *blobs, size_t count)
{
    const struct nvtx_attributes attributes = attributes_of(blobs, count);

    return nvtx_start(domain, &attributes);
}

static uint8_t is_enabled(struct nvtx_domain *domain)
{
    (void)domain;
    return 1;
}

static int64_t get_timestamp(void)
{
    return (int64_t)nvtx_now_ns();
}

/* Scopes are told apart, and not shown. */
static uint64_t register_scope(struct nvtx_domain *domain, const void *attributes)
{
    static _Atomic uint64_t last = UINT64_C(1) << 32;

    (void)domain;
    (void)attributes;
    return atomic_fetch_add(&last, 1) + 1;
}

static const struct {
    uint16_t module;
    unsigned slot;
    intptr_t function;
} functions[] = {
    {EXTENSION_PAYLOAD, 0, (intptr_t)nvtx_schema_register},
    {EXTENSION_PAYLOAD, 1, (intptr_t)nvtx_enum_register},
    {EXTENSION_PAYLOAD, 2, (intptr_t)mark},
    {EXTENSION_PAYLOAD, 3, (intptr_t)push},
    {EXTENSION_PAYLOAD, 4, (intptr_t)nvtx_pop},
    {EXTENSION_PAYLOAD, 5, (intptr_t)start},
    {EXTENSION_PAYLOAD, 6, (intptr_t)nvtx_end},
    {EXTENSION_PAYLOAD, 7, (intptr_t)is_enabled},
    {EXTENSION_PAYLOAD, 8, (intptr_t)get_timestamp},
    {EXTENSION_PAYLOAD, 12, (intptr_t)register_scope},
    {EXTENSION_COUNTERS, 0, (intptr_t)nvtx_counter_register},
    {EXTENSION_COUNTERS, 1, (intptr_t)nvtx_counter_sample_int64},
    {EXTENSION_COUNTERS, 2, (intptr_t)nvtx_counter_sample_float64},
    {EXTENSION_COUNTERS, 3, (intptr_t)nvtx_counter_sample},
};

int InitializeInjectionNvtxExtension(struct nvtx_extension *extension)
{
    int filled = 0;

    if (!extension || extension->bytes < sizeof(*extension) || extension->segment_count == 0 ||
        !extension->segments || extension->compatible >> 8 != COMPATIBLE_MAJOR)
        return 0;
    const struct segment *segment = &extension->segments[0];
    for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
        if (functions[i].module == extension->module && functions[i].slot < segment->slot_count) {
            segment->slots[functions[i].slot] = functions[i].function;
            filled = 1;
        }
    return filled;
}
