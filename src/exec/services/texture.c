/* SPDX-License-Identifier: MIT */
/* Texture and surface instructions: resolves handles to views, which do the work.
 *
 * Each grid resolves a handle once and holds a reference on the object, so a texture that is
 * destroyed while a kernel reads it lives until the kernel ends. */
#include "exec/services/texture.h"

#include "abi/launch.h"
#include "abi/services.h"
#include "abi/texture.h"
#include "core/checks.h"
#include "core/compiler.h"
#include "exec/sched/fault.h"
#include "image/texture.h"
#include "image/texture_object.h"
#include "image/view_inline.h"

#include <stdatomic.h>

enum { PROBES = 4 };

/* What the service keeps in a call's workspace from one sample to the next. */
struct sampling {
    struct cup_texture_request request;
    uint64_t handle; /* of the view */
    const struct cup_view *view;
    cup_sampler sampler; /* NULL: no handle is known */
};

_Static_assert(sizeof(struct sampling) <= sizeof(((struct cup_abi_texture_call *)0)->workspace),
               "a request must fit the workspace");
_Static_assert(sizeof(struct cup_surface_request) <=
                   sizeof(((struct cup_abi_texture_call *)0)->workspace),
               "a request must fit the workspace");
_Static_assert(CUP_ABI_QUERY_WIDTH == (int)CUP_QUERY_WIDTH &&
                   CUP_ABI_QUERY_DEPTH == (int)CUP_QUERY_DEPTH &&
                   CUP_ABI_TEXTURE_INLINE_SURFACE == (int)CUP_VIEW_SURFACE,
               "queries and places are numbered as in src/image");

static enum cup_object_type type_of(const struct cup_abi_texture_call *call)
{
    return call->operation <= CUP_ABI_TEXTURE_QUERY ? CUP_OBJECT_TEXTURE : CUP_OBJECT_SURFACE;
}

static bool matches(const struct cup_object *object, uint64_t number, enum cup_object_type type)
{
    return ((const struct cup_texture *)object)->number == number && object->type == type;
}

/* Resolves a handle on its first use. Returns NULL if there is no such object. If the grid's table
 * is full, the object is also stored in *extra and the caller drops the reference. */
static struct cup_texture *find_new(struct cup_grid *grid, uint64_t number,
                                    enum cup_object_type type, struct cup_object **extra, bool *bad)
{
    struct cup_texture *texture = cup_texture_for_kernel(type, grid->context, number, bad);

    cup_check_texture_used(grid, (int)type, number, texture);
    if (!texture)
        return NULL;
    for (unsigned probe = 0; probe < PROBES; probe++) {
        struct cup_object *there = NULL;

        if (atomic_compare_exchange_strong(&grid->textures[(number + probe) % CUP_GRID_TEXTURES],
                                           &there, &texture->base))
            return texture;
        if (there == &texture->base) { /* another thread was first */
            cup_texture_unref(texture);
            return texture;
        }
    }
    *extra = &texture->base;
    return texture;
}

static struct cup_texture *find(struct cup_grid *grid, uint64_t number, enum cup_object_type type,
                                struct cup_object **extra, bool *bad)
{
    for (unsigned probe = 0; probe < PROBES; probe++) {
        struct cup_object *object = atomic_load_explicit(
            &grid->textures[(number + probe) % CUP_GRID_TEXTURES], memory_order_acquire);

        if (!object)
            break;
        if (cup_likely(matches(object, number, type)))
            return (struct cup_texture *)object;
    }
    return find_new(grid, number, type, extra, bad);
}

void cup_texcall_release(struct cup_grid *grid)
{
    for (unsigned i = 0; i < CUP_GRID_TEXTURES; i++) {
        struct cup_object *object = atomic_load_explicit(&grid->textures[i], memory_order_relaxed);

        if (object)
            cup_object_unref(object);
    }
}

static void prepare_sample(struct cup_abi_texture_call *call)
{
    struct sampling *sampling = (struct sampling *)call->workspace;
    struct cup_texture_request *request = &sampling->request;
    void **arrays = call->arrays;

    sampling->sampler = NULL;
    *request = (struct cup_texture_request){
        .geometry = call->geometry,
        .components = call->components,
        .float_coordinates = call->float_coordinates,
        .level_mode = call->level_mode,
        .gather = call->gather,
        .float_result = call->float_result,
        .result_bits = call->element_bits,
        .layer = arrays[CUP_ABI_TEXTURE_LAYER],
        .level = arrays[CUP_ABI_TEXTURE_LEVEL],
        .sample = arrays[CUP_ABI_TEXTURE_SAMPLE_OF_PIXEL],
        .residency = arrays[CUP_ABI_TEXTURE_RESIDENCY],
    };
    for (unsigned axis = 0; axis < 3; axis++) {
        request->coordinates[axis] = arrays[CUP_ABI_TEXTURE_COORDINATE + axis];
        request->gradient_x[axis] = arrays[CUP_ABI_TEXTURE_GRADIENT_X + axis];
        request->gradient_y[axis] = arrays[CUP_ABI_TEXTURE_GRADIENT_Y + axis];
        request->offset[axis] = arrays[CUP_ABI_TEXTURE_OFFSET + axis];
    }
    for (unsigned part = 0; part < 4; part++)
        request->results[part] = arrays[CUP_ABI_TEXTURE_RESULT + part];
}

static void prepare_surface(struct cup_abi_texture_call *call)
{
    struct cup_surface_request *request = (struct cup_surface_request *)call->workspace;

    *request = (struct cup_surface_request){
        .geometry = call->geometry,
        .operation = (uint8_t)(call->operation - CUP_ABI_SURFACE_LOAD),
        .boundary = call->boundary,
        .formatted = call->formatted,
        .element_bits = call->element_bits,
        .components = call->components,
        .reduction = call->reduction,
        .is_signed = call->is_signed,
        .layer = call->arrays[CUP_ABI_TEXTURE_LAYER],
    };
    for (unsigned axis = 0; axis < 3; axis++)
        request->coordinates[axis] = call->arrays[CUP_ABI_TEXTURE_COORDINATE + axis];
    for (unsigned part = 0; part < 4; part++)
        request->values[part] = call->arrays[CUP_ABI_TEXTURE_RESULT + part];
}

static void query_lanes(const struct cup_view *view, const struct cup_abi_texture_call *call,
                        uint32_t mask)
{
    const uint32_t *levels = call->arrays[CUP_ABI_TEXTURE_LEVEL];
    uint32_t *results = call->arrays[CUP_ABI_TEXTURE_RESULT];

    for (; mask; mask &= mask - 1) {
        unsigned lane = (unsigned)__builtin_ctz(mask);

        results[lane] =
            cup_view_query(view, (enum cup_texture_query)call->query, levels ? levels[lane] : 0);
    }
}

/* Lets compiled code sample a simple view inline from now on. */
static void record_inline(const struct cup_view *view, uint64_t handle,
                          struct cup_abi_texture_call *call)
{
    struct cup_view_inline place;

    if (!cup_view_inline_find(view, (enum cup_view_inline_kind)call->place, &place))
        return;
    call->plain.base = place.base;
    call->plain.row_bytes = place.row_bytes;
    call->plain.last[0] = place.last[0];
    call->plain.last[1] = place.last[1];
    call->plain.handle = handle;
}

static struct sampling *sampling_of(struct cup_abi_texture_call *call)
{
    if (cup_unlikely(!call->prepared)) {
        prepare_sample(call);
        call->prepared = 1;
    }
    return (struct sampling *)call->workspace;
}

static enum cup_surface_fault run(const struct cup_view *view, struct cup_abi_texture_call *call,
                                  uint32_t mask)
{
    switch (call->operation) {
    case CUP_ABI_TEXTURE_SAMPLE: {
        struct cup_texture_request *request = &sampling_of(call)->request;

        request->mask = mask;
        cup_view_sampler(view, request)(view, request);
        return CUP_SURFACE_DONE;
    }
    case CUP_ABI_TEXTURE_QUERY:
    case CUP_ABI_SURFACE_QUERY:
        query_lanes(view, call, mask);
        return CUP_SURFACE_DONE;
    default: {
        struct cup_surface_request *request = (struct cup_surface_request *)call->workspace;

        if (cup_unlikely(!call->prepared)) {
            prepare_surface(call);
            call->prepared = 1;
        }
        request->mask = mask;
        return cup_view_surface(view, request);
    }
    }
}

/* A handle without an object reads as zero and ignores stores. So does a texture with the sampler
 * of another texture. */
static void run_null(struct cup_abi_texture_call *call, uint32_t mask)
{
    bool wide = call->operation == CUP_ABI_SURFACE_LOAD;

    if (call->operation == CUP_ABI_SURFACE_STORE || call->operation == CUP_ABI_SURFACE_REDUCE)
        return;
    for (unsigned part = CUP_ABI_TEXTURE_RESULT; part <= CUP_ABI_TEXTURE_RESIDENCY; part++) {
        void *results = part == CUP_ABI_TEXTURE_HANDLE ? NULL : call->arrays[part];

        if (!results)
            continue;

        for (uint32_t left = mask; left; left &= left - 1) {
            unsigned lane = (unsigned)__builtin_ctz(left);

            if (wide)
                ((uint64_t *)results)[lane] = 0;
            else
                ((uint32_t *)results)[lane] = 0;
        }
    }
}

/* The grid keeps the view until it ends, so that later calls need not look for it. */
static void remember(const struct cup_view *view, uint64_t handle,
                     struct cup_abi_texture_call *call)
{
    if (call->place && call->plain.handle != handle)
        record_inline(view, handle, call);
    if (call->operation == CUP_ABI_TEXTURE_SAMPLE && !call->apart) {
        struct sampling *sampling = (struct sampling *)call->workspace;

        sampling->handle = handle;
        sampling->view = view;
        sampling->sampler = cup_view_sampler(view, &sampling->request);
    }
}

/* Samples a view that the last call with the structure found. */
static bool run_known(uint32_t mask, uint64_t handle, struct cup_abi_texture_call *call)
{
    struct sampling *sampling = (struct sampling *)call->workspace;

    if (call->operation != CUP_ABI_TEXTURE_SAMPLE || !call->prepared || !sampling->sampler ||
        sampling->handle != handle)
        return false;
    sampling->request.mask = mask;
    sampling->sampler(sampling->view, &sampling->request);
    return true;
}

/* Executes the lanes that have the same handle. */
static void run_one(struct cup_abi_block *block, uint32_t warp, uint32_t mask, uint64_t handle,
                    struct cup_abi_texture_call *call)
{
    struct cup_object *extra = NULL;
    enum cup_surface_fault fault = CUP_SURFACE_DONE;
    bool bad = false;
    struct cup_texture *texture = find(cup_grid_of(block), handle, type_of(call), &extra, &bad);

    if (cup_unlikely(bad))
        cup_fault_trap(block, warp, mask, CUP_ABI_TRAP_TEXTURE, call->line);
    if (cup_likely(texture && !call->apart))
        fault = run(texture->view, call, mask);
    else
        run_null(call, mask);
    if (texture && !extra)
        remember(texture->view, handle, call);
    if (cup_unlikely(extra != NULL))
        cup_object_unref(extra);
    if (cup_unlikely(fault != CUP_SURFACE_DONE))
        cup_fault_trap(block, warp, mask,
                       fault == CUP_SURFACE_OUTSIDE ? CUP_ABI_TRAP_SURFACE
                                                    : CUP_ABI_TRAP_MISALIGNED,
                       call->line);
}

static void query_type(struct cup_abi_block *block, uint32_t mask, uint64_t handle,
                       const struct cup_abi_texture_call *call)
{
    static const enum cup_object_type types[] = {CUP_OBJECT_TEXTURE, CUP_OBJECT_SURFACE};
    uint32_t *results = call->arrays[CUP_ABI_TEXTURE_RESULT];
    struct cup_object *extra = NULL;
    struct cup_texture *found = NULL;
    bool bad = false, is;

    if (call->query < CUP_ARRAY_COUNT(types))
        found = find(cup_grid_of(block), handle, types[call->query], &extra, &bad);
    is = found && found->of_reference;
    if (extra)
        cup_object_unref(extra);
    for (; mask; mask &= mask - 1)
        results[__builtin_ctz(mask)] = is;
}

/* Returns the lanes that have the same handle as the first. */
static uint32_t lanes_with_same(const uint64_t *handles, uint32_t mask)
{
    uint64_t handle = handles[__builtin_ctz(mask)];
    uint32_t same = 0;

    for (uint32_t left = mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);

        if (handles[lane] == handle)
            same |= UINT32_C(1) << lane;
    }
    return same;
}

void cup_texcall_run(struct cup_abi_block *block, uint32_t warp, uint32_t mask, uint64_t handle,
                     struct cup_abi_texture_call *call)
{
    const uint64_t *handles = call->arrays[CUP_ABI_TEXTURE_HANDLE];

    while (mask) {
        uint32_t same = mask;

        if (handles) {
            same = lanes_with_same(handles, mask);
            handle = handles[__builtin_ctz(mask)];
        }
        if (cup_likely(run_known(same, handle, call))) {
            mask &= ~same;
            continue;
        }
        if (call->operation == CUP_ABI_TEXTURE_IS_TYPE)
            query_type(block, same, handle, call);
        else
            run_one(block, warp, same, handle, call);
        mask &= ~same;
    }
}
