/* SPDX-License-Identifier: MIT */
/* Surface loads, stores and reductions. Unformatted accesses (.b) address bytes of a row and do not
 * convert; formatted ones (.p) address texels and convert 32-bit values to the image's format.
 * Unformatted loads and stores are done in vectors of lanes (sampler/surfaces.inc), if offsets in
 * the image have 32 bits; what is here defines their results. */
#include "core/compiler.h"
#include "core/processor.h"
#include "image/sampler/surface_lanes.h"
#include "image/view.h"

#include <math.h>
#include <string.h>

enum { LANES = 32 };

struct access {
    const struct cup_view *view;
    const struct cup_surface_request *request;
    unsigned bytes;          /* size of a lane's access */
    unsigned unit_bytes;     /* what the x coordinate counts */
    uint32_t y_axis, z_axis; /* index of the coordinate that is the row, the slice; 3: none */
    bool layered;
};

/* Where the lanes access the image; NULL: nowhere. The lanes of a mask only. */
struct surface_places {
    uint8_t *at[LANES];
    enum cup_surface_fault fault;
};

/* Brings the coordinate into [0, limit]; 0 if it was outside and may not be. A number, so that
 * several are combined without branches. */
static inline unsigned bounded(int64_t *at, int64_t limit, unsigned clamps)
{
    int64_t low = *at < 0 ? 0 : *at, inside = low > limit ? limit : low;
    unsigned is_inside = inside == *at;

    *at = inside;
    return is_inside | clamps;
}

/* The coordinates of lanes along an axis that the instruction may not have. */
static const int32_t *coordinates_of(const struct access *a, uint32_t axis)
{
    static const int32_t zeros[LANES];

    return axis < 3 ? a->request->coordinates[axis] : zeros;
}

/* All that does not depend on the lane is out of the loop, which has no branches but the mask's. */
static void find_places(const struct access *a, struct surface_places *places)
{
    const struct cup_surface_request *request = a->request;
    const struct cup_view_level *level = &a->view->levels[0];
    const int32_t *x_of = request->coordinates[0], *y_of = coordinates_of(a, a->y_axis),
                  *z_of = coordinates_of(a, a->z_axis);
    unsigned clamps = request->boundary == CUP_BOUNDARY_CLAMP;
    int64_t row_bytes = (int64_t)level->width * a->view->format.bytes;
    int64_t last_x = row_bytes - a->bytes, last_y = (int64_t)level->height - 1,
            last_z = (int64_t)(a->layered ? a->view->layers : level->depth) - 1;
    uint32_t outside = 0, misaligned = 0;

    for (uint32_t mask = request->mask; mask; mask &= mask - 1) {
        unsigned lane = (unsigned)__builtin_ctz(mask);
        int64_t x = (int64_t)x_of[lane] * a->unit_bytes, y = y_of[lane],
                z = a->layered ? (int64_t)request->layer[lane] : z_of[lane];
        unsigned inside = bounded(&x, last_x, clamps) & bounded(&y, last_y, clamps) &
                          bounded(&z, last_z, clamps) & (last_x >= 0);
        unsigned aligned = ((uint64_t)x & (a->bytes - 1)) == 0;
        uintptr_t at = (uintptr_t)level->base + (uintptr_t)z * level->slice_bytes +
                       (uintptr_t)y * level->row_bytes + (uintptr_t)x;
        outside |= (inside ^ 1) << lane;
        misaligned |= (inside & ~aligned) << lane;
        places->at[lane] = inside & aligned ? (uint8_t *)at : NULL;
    }
    places->fault = misaligned                                          ? CUP_SURFACE_MISALIGNED
                    : outside && request->boundary == CUP_BOUNDARY_TRAP ? CUP_SURFACE_OUTSIDE
                                                                        : CUP_SURFACE_DONE;
}

/* Loads a component of all lanes; `size` is a constant of each caller. */
CUP_MAY_FAULT static inline void load_component(const struct access *a,
                                                const struct surface_places *places,
                                                unsigned component, size_t size)
{
    uint64_t *values = a->request->values[component];

    for (uint32_t mask = a->request->mask; mask; mask &= mask - 1) {
        unsigned lane = (unsigned)__builtin_ctz(mask);
        uint64_t value = 0;
        if (places->at[lane])
            memcpy(&value, places->at[lane] + component * size, size);
        values[lane] = value;
    }
}

static void load(const struct access *a, const struct surface_places *places)
{
    for (unsigned i = 0; i < a->request->components; i++) {
        switch (a->request->element_bits) {
        case 8:
            load_component(a, places, i, 1);
            break;
        case 16:
            load_component(a, places, i, 2);
            break;
        case 32:
            load_component(a, places, i, 4);
            break;
        default:
            load_component(a, places, i, 8);
        }
    }
}

CUP_MAY_FAULT static inline void store_component(const struct access *a,
                                                 const struct surface_places *places,
                                                 unsigned component, size_t size)
{
    const uint64_t *values = a->request->values[component];

    for (uint32_t mask = a->request->mask; mask; mask &= mask - 1) {
        unsigned lane = (unsigned)__builtin_ctz(mask);
        if (places->at[lane])
            memcpy(places->at[lane] + component * size, &values[lane], size);
    }
}

static void store(const struct access *a, const struct surface_places *places)
{
    for (unsigned i = 0; i < a->request->components; i++) {
        switch (a->request->element_bits) {
        case 8:
            store_component(a, places, i, 1);
            break;
        case 16:
            store_component(a, places, i, 2);
            break;
        case 32:
            store_component(a, places, i, 4);
            break;
        default:
            store_component(a, places, i, 8);
        }
    }
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

enum cup_surface_fault cup_surface_general(const struct cup_view *view,
                                           const struct cup_surface_request *request)
{
    struct surface_places places;
    struct access a;

    access_init(&a, view, request);
    find_places(&a, &places);
    if (request->operation == CUP_SURFACE_LOAD) {
        load(&a, &places);
    } else if (request->operation == CUP_SURFACE_STORE && !request->formatted) {
        store(&a, &places);
    } else {
        for (uint32_t mask = request->mask; mask; mask &= mask - 1) {
            unsigned lane = (unsigned)__builtin_ctz(mask);
            if (!places.at[lane])
                continue;
            if (request->operation == CUP_SURFACE_REDUCE)
                reduce(&a, lane, places.at[lane]);
            else
                store_formatted(&a, lane, places.at[lane]);
        }
    }
    return places.fault;
}

static cup_surface_function function_of_processor(void)
{
#ifdef __x86_64__
    switch (cup_processor_get()) {
    case CUP_PROCESSOR_AVX512:
        return cup_surfaces_avx512;
    case CUP_PROCESSOR_AVX2:
        return cup_surfaces_avx2;
    case CUP_PROCESSOR_PLAIN:
        break;
    }
#endif
    return cup_surfaces_plain;
}

/* Returns false if the request is none for vectors. */
static bool lanes_of(const struct access *a, struct cup_surface_lanes *lanes)
{
    const struct cup_surface_request *request = a->request;
    const struct cup_view_level *level = &a->view->levels[0];
    uint64_t slices = a->layered ? a->view->layers : level->depth;
    uint64_t row_bytes = (uint64_t)level->width * a->view->format.bytes;

    if (request->formatted || request->operation == CUP_SURFACE_REDUCE || row_bytes < a->bytes ||
        (uint64_t)level->slice_bytes * slices > INT32_MAX ||
        (uint64_t)level->row_bytes * level->height > INT32_MAX || (uintptr_t)level->base & 3)
        return false;
    *lanes = (struct cup_surface_lanes){
        .base = (uint8_t *)(uintptr_t)level->base,
        .row = (int32_t)level->row_bytes,
        .slice = (int32_t)level->slice_bytes,
        .last = {(int32_t)(row_bytes - a->bytes), (int32_t)level->height - 1, (int32_t)slices - 1},
        .at = {request->coordinates[0], a->y_axis < 3 ? request->coordinates[a->y_axis] : NULL,
               a->layered      ? (const void *)request->layer
               : a->z_axis < 3 ? request->coordinates[a->z_axis]
                               : NULL},
        .layered = a->layered,
        .stores = request->operation == CUP_SURFACE_STORE,
        .boundary = request->boundary,
        .element_bits = request->element_bits,
        .components = request->components,
        .bytes = a->bytes,
        .values = request->values,
    };
    return true;
}

enum cup_surface_fault cup_view_surface(const struct cup_view *view,
                                        const struct cup_surface_request *request)
{
    struct cup_surface_lanes lanes;
    struct access a;

    access_init(&a, view, request);
    return lanes_of(&a, &lanes) ? function_of_processor()(&lanes, request->mask)
                                : cup_surface_general(view, request);
}
