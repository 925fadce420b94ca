/* SPDX-License-Identifier: MIT */
#include "memory/copy_endpoint.h"

#include "core/checks.h"
#include "core/error.h"
#include "device/device.h"
#include "memory/map.h"
#include "memory/peer_access.h"

/* The extent of a box relative to some address: [low, high). */
struct reach {
    int64_t low, high;
};

/* Widens the extent by `count` steps, downwards or upwards. Returns false if they overflow 64
 * bits. */
static bool widen(struct reach *reach, size_t count, int64_t step)
{
    int64_t bytes;

    if (count > INT64_MAX || __builtin_mul_overflow((int64_t)count, step, &bytes))
        return false;
    int64_t *end = bytes < 0 ? &reach->low : &reach->high;
    return !__builtin_add_overflow(*end, bytes, end);
}

static bool range_holds(const struct cup_span *span, uint64_t lowest, uint64_t size_bytes,
                        enum cup_copy_endpoint_use use)
{
    static const unsigned forbidden[] = {
        [CUP_ENDPOINT_READ] = CUP_RANGE_NO_READ, [CUP_ENDPOINT_WRITTEN] = CUP_RANGE_NO_WRITE};
    struct cup_span other;

    if (lowest - span->base < span->size_bytes)
        return cup_map_holds(span, lowest, size_bytes, forbidden[use]);
    /* Adjacent mappings count as one. */
    return span->kind == CUP_RANGE_VIRTUAL && cup_map_find(lowest, &other) &&
           other.kind == CUP_RANGE_VIRTUAL &&
           cup_map_holds(&other, lowest, size_bytes, forbidden[use]);
}

static CUresult hold_against_range(struct cup_copy_endpoint *endpoint, uint64_t base,
                                   struct reach reach, enum cup_copy_endpoint_rule rule,
                                   enum cup_copy_endpoint_use use)
{
    uint64_t lowest = base + (uint64_t)reach.low;
    uint64_t size_bytes = (uint64_t)reach.high - (uint64_t)reach.low;
    struct cup_span span;

    endpoint->known = cup_map_find(base, &span);
    if (!endpoint->known) {
        endpoint->waits = endpoint->on_host = true;
        if (rule != CUP_ENDPOINT_KNOWN)
            return CUDA_SUCCESS;
        cup_check_argument_rejected(lowest, size_bytes);
        return cup_error(CUDA_ERROR_INVALID_VALUE, "0x%llx is not CUDA memory",
                         (unsigned long long)base);
    }
    endpoint->waits = cup_span_waits(&span);
    endpoint->on_host = !cup_range_on_device(span.kind, span.flags);
    endpoint->of_pool = span.flags & CUP_RANGE_POOL;
    if (cup_unlikely(endpoint->of_pool && endpoint->on_host && rule == CUP_ENDPOINT_KNOWN))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "0x%llx is memory of a pool of the host",
                         (unsigned long long)base);
    if (cup_unlikely(cup_access_is_limited())) {
        endpoint->lowest = lowest;
        endpoint->peer_bytes = size_bytes;
        endpoint->use = use;
    }
    if (range_holds(&span, lowest, size_bytes, use))
        return CUDA_SUCCESS;
    cup_check_argument_rejected(lowest, size_bytes);
    return cup_error(CUDA_ERROR_INVALID_VALUE,
                     "%llu bytes from 0x%llx exceed the allocation, or are not accessible",
                     (unsigned long long)size_bytes, (unsigned long long)lowest);
}

CUresult cup_copy_endpoint_linear(struct cup_copy_endpoint *endpoint, uint64_t address,
                                  size_t size_bytes, enum cup_copy_endpoint_rule rule,
                                  enum cup_copy_endpoint_use use)
{
    *endpoint = (struct cup_copy_endpoint){.address = address};
    if (address == 0)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "no address");
    if (size_bytes > INT64_MAX)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "a size of %zu bytes is too large", size_bytes);
    return hold_against_range(endpoint, address, (struct reach){.high = (int64_t)size_bytes}, rule,
                              use);
}

static bool total_fits(const struct cup_extent *extent)
{
    int64_t total;

    return extent->width_bytes <= INT64_MAX && extent->height <= INT64_MAX &&
           extent->depth <= INT64_MAX &&
           !__builtin_mul_overflow((int64_t)extent->width_bytes, (int64_t)extent->height, &total) &&
           !__builtin_mul_overflow(total, (int64_t)extent->depth, &total);
}

/* For memory of pools and cuMemMap, a row need only be as long as the box is wide, and a slice as
 * high, wherever in the row or slice the box begins. */
static bool offsets_may_leave(uint64_t base)
{
    struct cup_span span;

    return cup_map_find(base, &span) &&
           (span.kind == CUP_RANGE_VIRTUAL || (span.flags & CUP_RANGE_POOL));
}

/* Chooses the pitches. Returns false if the box does not fit in them. */
static bool settle_pitches(const struct cup_pitched *memory, const struct cup_extent *extent,
                           size_t *row_bytes, size_t *slice_rows)
{
    size_t right, bottom;

    if (__builtin_add_overflow(memory->at.x_bytes, extent->width_bytes, &right) ||
        __builtin_add_overflow(memory->at.y, extent->height, &bottom))
        return false;
    *row_bytes = memory->row_bytes ? memory->row_bytes : right;
    *slice_rows = memory->slice_rows ? memory->slice_rows : bottom;
    if (*row_bytes >= right && *slice_rows >= bottom)
        return true;
    return *row_bytes >= extent->width_bytes && *slice_rows >= extent->height &&
           offsets_may_leave(memory->base);
}

/* Layers of one row are adjacent rows in device memory, whatever the height of a slice; in host
 * memory they are a slice apart. In both, the height counts for the position of the first layer and
 * for the range that must lie in the allocation. */
static bool layers_are_rows(const struct cup_pitched *memory)
{
    struct cup_span span;

    return memory->of_layers && cup_map_find(memory->base, &span) &&
           cup_range_on_device(span.kind, span.flags);
}

/* The extent of the box relative to its first byte, and the bytes of a slice. */
static bool measure(const struct cup_extent *extent, size_t row_bytes, size_t slice_rows,
                    struct reach *reach, int64_t *slice_bytes)
{
    *reach = (struct reach){.high = (int64_t)extent->width_bytes};
    return !__builtin_mul_overflow((int64_t)row_bytes, (int64_t)slice_rows, slice_bytes) &&
           widen(reach, extent->height - 1, (int64_t)row_bytes) &&
           widen(reach, extent->depth - 1, *slice_bytes);
}

CUresult cup_copy_endpoint_pitched(struct cup_copy_endpoint *endpoint,
                                   const struct cup_pitched *memory,
                                   const struct cup_extent *extent)
{
    const struct cup_offset *at = &memory->at;
    size_t row_bytes, slice_rows;
    int64_t slice_bytes;
    struct reach reach;

    *endpoint = (struct cup_copy_endpoint){.known = false};
    if (memory->base == 0)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "no address");
    if (!total_fits(extent) || !settle_pitches(memory, extent, &row_bytes, &slice_rows))
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "%zu x %zu x %zu at (%zu, %zu) does not fit rows of %zu, slices of %zu",
                         extent->width_bytes, extent->height, extent->depth, at->x_bytes, at->y,
                         memory->row_bytes, memory->slice_rows);
    if (!measure(extent, row_bytes, slice_rows, &reach, &slice_bytes))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "%zu x %zu rows of %zu bytes are too large",
                         extent->depth, slice_rows, row_bytes);
    endpoint->row = row_bytes;
    endpoint->slice = layers_are_rows(memory) ? row_bytes : (size_t)slice_bytes;
    uint64_t first = at->x_bytes + at->y * endpoint->row + at->z * (size_t)slice_bytes;
    if (__builtin_add_overflow(reach.low, (int64_t)first, &reach.low) ||
        __builtin_add_overflow(reach.high, (int64_t)first, &reach.high))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the box is too far from its base");
    endpoint->address = memory->base + first;
    return hold_against_range(endpoint, memory->base, reach, memory->rule, memory->use);
}

CUresult cup_copy_endpoint_check_peer_access(const struct cup_copy_endpoint *endpoint,
                                             const struct cup_device *device)
{
    if (endpoint->peer_bytes == 0 ||
        cup_peer_access_allows(device, endpoint->lowest, endpoint->peer_bytes,
                               endpoint->use == CUP_ENDPOINT_READ ? CUP_GRANT_READ
                                                                  : CUP_GRANT_WRITE))
        return CUDA_SUCCESS;
    return cup_error(CUDA_ERROR_INVALID_VALUE, "device %d has no access to 0x%llx", device->ordinal,
                     (unsigned long long)endpoint->lowest);
}

enum cup_copy_mode cup_copy_endpoint_mode(bool asynchronous, const struct cup_copy_endpoint *to,
                                          const struct cup_copy_endpoint *from)
{
    if (!asynchronous)
        return to->waits || from->waits ? CUP_COPY_WAIT : CUP_COPY_IN_STREAM;
    bool between_hosts = to->on_host && !to->of_pool && from->on_host && !from->of_pool;
    if (!to->known || between_hosts)
        return CUP_COPY_WAIT;
    return from->known ? CUP_COPY_IN_STREAM : CUP_COPY_FROM_HERE;
}

struct cup_copy cup_copy_endpoint_copy(const struct cup_copy_endpoint *to,
                                       const struct cup_copy_endpoint *from,
                                       const struct cup_extent *extent)
{
    return (struct cup_copy){
        .destination = to->address,
        .source = from->address,
        .width_bytes = extent->width_bytes,
        .height = extent->height,
        .depth = extent->depth,
        .destination_row = to->row,
        .destination_slice = to->slice,
        .source_row = from->row,
        .source_slice = from->slice,
        .from_array = from->element_bytes != 0,
        .to_array = to->element_bytes != 0,
    };
}
