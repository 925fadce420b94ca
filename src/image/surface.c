/* SPDX-License-Identifier: MIT */
/* Surface loads, stores and reductions. Unformatted accesses (.b) address bytes of a row and do not
 * convert; formatted ones (.p) address texels and convert 32-bit values to the image's format. */
#include "core/compiler.h"
#include "image/view.h"

#include <math.h>
#include <string.h>

/* Result of address computation. */
enum where { INSIDE, OUTSIDE, MISALIGNED };

struct access {
    const struct cup_view *view;
    const struct cup_surface_request *request;
    unsigned bytes;          /* size of a lane's access */
    unsigned unit_bytes;     /* what the x coordinate counts */
    uint32_t y_axis, z_axis; /* index of the coordinate that is the row, the slice; 3: none */
    bool layered;
};

/* Brings the coordinate into [0, limit], or returns false. */
static bool bounded(int64_t *at, int64_t limit, bool clamps)
{
    if (*at >= 0 && *at <= limit)
        return true;
    *at = *at < 0 ? 0 : limit;
    return clamps;
}

static enum where find(const struct access *a, unsigned lane, uint8_t **found)
{
    const struct cup_surface_request *request = a->request;
    const struct cup_view_level *level = &a->view->levels[0];
    bool clamps = request->boundary == CUP_BOUNDARY_CLAMP;
    int64_t x = (int64_t)request->coordinates[0][lane] * a->unit_bytes, y = 0, z = 0;
    int64_t row_bytes = (int64_t)level->width * a->view->format.bytes;
    uint32_t slices = a->layered ? a->view->layers : level->depth;

    if (a->y_axis < 3)
        y = request->coordinates[a->y_axis][lane];
    if (a->z_axis < 3)
        z = request->coordinates[a->z_axis][lane];
    if (a->layered)
        z = request->layer[lane];
    bool inside = bounded(&x, row_bytes - a->bytes, clamps);
    inside &= bounded(&y, (int64_t)level->height - 1, clamps);
    inside &= bounded(&z, (int64_t)slices - 1, clamps);
    if (!inside || row_bytes < a->bytes)
        return OUTSIDE;
    if (x % a->bytes != 0)
        return MISALIGNED;
    *found = (uint8_t *)(uintptr_t)level->base + (size_t)z * level->slice_bytes +
             (size_t)y * level->row_bytes + (size_t)x;
    return INSIDE;
}

static void load(const struct access *a, unsigned lane, const uint8_t *at)
{
    unsigned size = a->request->element_bits / 8;

    for (unsigned i = 0; i < a->request->components; i++) {
        uint64_t value = 0;
        if (at)
            memcpy(&value, at + (size_t)i * size, size);
        a->request->values[i][lane] = value;
    }
}

static void store(const struct access *a, unsigned lane, uint8_t *at)
{
    unsigned size = a->request->element_bits / 8;

    for (unsigned i = 0; i < a->request->components; i++)
        memcpy(at + (size_t)i * size, &a->request->values[i][lane], size);
}

/* Truncates towards zero; never returns infinity. */
static uint32_t half_of(uint32_t bits)
{
    uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;

    if (magnitude > 0x7f800000)
        return 0x7fff;
    if (magnitude >= 0x477fe000)
        return sign | 0x7bff;
    if (magnitude >= 0x38800000)
        return sign | (magnitude - 0x38000000) >> 13;
    unsigned shift = 126 - (magnitude >> 23);
    return sign | (shift > 24 ? 0 : ((magnitude & 0x7fffff) | 0x800000) >> shift);
}

static uint32_t integer_of(uint32_t value, unsigned bits, bool is_signed)
{
    if (bits >= 32)
        return value;
    if (!is_signed)
        return value < (1u << bits) ? value : (1u << bits) - 1;
    int32_t top = (1 << (bits - 1)) - 1, number = (int32_t)value;
    return (uint32_t)(number > top ? top : number < -top - 1 ? -top - 1 : number);
}

static uint32_t fraction_of(uint32_t bits, unsigned width, bool is_signed)
{
    float value, top = (float)((1u << (is_signed ? width - 1 : width)) - 1);

    memcpy(&value, &bits, 4);
    float low = is_signed ? -1 : 0;
    value = value > 1 ? 1 : value > low ? value : value <= low ? low : 0;
    return (uint32_t)(int32_t)rintf(value * top);
}

static void store_formatted(const struct access *a, unsigned lane, uint8_t *at)
{
    const struct cup_texel_format *format = &a->view->format;
    unsigned size = format->bytes / format->channels;

    for (unsigned i = 0; i < format->channels && i < a->request->components; i++) {
        uint32_t value = (uint32_t)a->request->values[i][lane];
        if (format->kind == CUP_TEXEL_RAW)
            value = integer_of(value, format->channel_bits, format->is_signed);
        else if (format->kind == CUP_TEXEL_HALF)
            value = half_of(value);
        else if (format->kind == CUP_TEXEL_UNORM || format->kind == CUP_TEXEL_SNORM)
            value = fraction_of(value, format->channel_bits, format->is_signed);
        memcpy(at + (size_t)i * size, &value, size);
    }
}

static uint32_t reduced(const struct cup_surface_request *request, bool is_signed, uint32_t old,
                        uint32_t value)
{
    bool less = is_signed ? (int32_t)value < (int32_t)old : value < old;

    switch (request->reduction) {
    case 0:
        return old + value;
    case 1:
        return less ? value : old;
    case 2:
        return less ? old : value;
    case 3:
        return old & value;
    default:
        return old | value;
    }
}

/* Atomic: other lanes, blocks and processors may access the same word. */
CUP_MAY_FAULT static void reduce(const struct access *a, unsigned lane, uint8_t *at)
{
    bool is_signed = a->request->formatted ? a->view->format.is_signed : a->request->is_signed;
    uint32_t value = (uint32_t)a->request->values[0][lane], *word = (uint32_t *)(void *)at;
    uint32_t old = __atomic_load_n(word, __ATOMIC_RELAXED), new_value;

    do
        new_value = reduced(a->request, is_signed, old, value);
    while (!__atomic_compare_exchange_n(word, &old, new_value, true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED));
}

static void access_init(struct access *a, const struct cup_view *view,
                        const struct cup_surface_request *request)
{
    static const uint8_t rows[] = {3, 1, 1, 3, 1, 1, 1}, slices[] = {3, 3, 2, 3, 3, 3, 3};
    static const bool layered[] = {false, false, false, true, true, true, true};
    bool by_texel = request->formatted;

    *a = (struct access){.view = view,
                         .request = request,
                         .y_axis = rows[request->geometry],
                         .z_axis = slices[request->geometry],
                         .layered = layered[request->geometry]};
    a->bytes = request->operation == CUP_SURFACE_REDUCE ? 4
               : by_texel                               ? view->format.bytes
                          : request->element_bits / 8u * request->components;
    a->unit_bytes = by_texel ? view->format.bytes : 1;
}

enum cup_surface_fault cup_view_surface(const struct cup_view *view,
                                        const struct cup_surface_request *request)
{
    enum cup_surface_fault fault = CUP_SURFACE_DONE;
    struct access a;

    access_init(&a, view, request);
    for (uint32_t mask = request->mask; mask; mask &= mask - 1) {
        unsigned lane = (unsigned)__builtin_ctz(mask);
        uint8_t *at = NULL;
        enum where where = find(&a, lane, &at);
        if (where == MISALIGNED)
            fault = CUP_SURFACE_MISALIGNED;
        else if (where == OUTSIDE && request->boundary == CUP_BOUNDARY_TRAP)
            fault = fault == CUP_SURFACE_DONE ? CUP_SURFACE_OUTSIDE : fault;
        if (request->operation == CUP_SURFACE_LOAD)
            load(&a, lane, at);
        else if (!at)
            continue;
        else if (request->operation == CUP_SURFACE_REDUCE)
            reduce(&a, lane, at);
        else if (request->formatted)
            store_formatted(&a, lane, at);
        else
            store(&a, lane, at);
    }
    return fault;
}
