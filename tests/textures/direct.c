/* SPDX-License-Identifier: MIT */
/*
 * Runs a case on the functions of src/image alone: no object, no kernel, no compiler.
 */
#include "textures.h"

#include "image/texture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 32 };

const bool run_judges = false;

void run_begin(void)
{
    CUcontext context;
    CUdevice device;

    if (cuInit(0) || cuDeviceGet(&device, 0) || cuDevicePrimaryCtxRetain(&context, device) ||
        cuCtxSetCurrent(context)) {
        fprintf(stderr, "no CUDA device\n");
        exit(2);
    }
}

/* Up to 32 lanes from `first` on: the operands, and where results go. */
static void texture_lanes(const struct sample *s, struct cup_view *view, const uint32_t *inputs,
                          unsigned first, uint32_t *answer)
{
    uint32_t results[4][LANES];
    int32_t offsets[3][LANES];
    unsigned count = s->lanes - first < LANES ? s->lanes - first : LANES;
    struct cup_texture_request r = {
        .mask = count == LANES ? 0xffffffff : (1u << count) - 1,
        .geometry = s->asked,
        .components = 4,
        .float_coordinates = !s->integer_coordinates,
        .level_mode = (uint8_t)s->level_mode,
        .gather = (uint8_t)s->gather,
        .float_result = s->result == 'f' || s->result == 'h',
        .result_bits = s->result == 'h' ? 16 : 32,
        .layer = inputs + OPERAND_LAYER * s->lanes + first,
        .level = inputs + OPERAND_LEVEL * s->lanes + first,
    };

    for (int i = 0; i < 3; i++) {
        r.coordinates[i] = inputs + (size_t)i * s->lanes + first;
        r.gradient_x[i] = inputs + (size_t)(OPERAND_GRADIENT_X + i) * s->lanes + first;
        r.gradient_y[i] = inputs + (size_t)(OPERAND_GRADIENT_Y + i) * s->lanes + first;
        for (unsigned lane = 0; lane < LANES; lane++)
            offsets[i][lane] = s->offset[i];
        r.offset[i] = s->has_offset ? offsets[i] : NULL;
    }
    memset(results, 0, sizeof results);
    for (int i = 0; i < 4; i++)
        r.results[i] = results[i];
    cup_view_sample(view, &r);
    for (unsigned lane = 0; lane < count; lane++)
        for (int i = 0; i < 4; i++)
            answer[(first + lane) * WORDS + (unsigned)i] = results[i][lane];
}

static void surface_values(const struct sample *s, const uint32_t *inputs, unsigned lane,
                           uint64_t values[4][LANES])
{
    for (unsigned i = 0; i < 4; i++) {
        const uint32_t *value = inputs + (OPERAND_VALUE + i) * s->lanes + lane;
        values[i][0] =
            s->element_bits == 64
                ? (i < 2 ? inputs[(OPERAND_VALUE + 2 * i) * s->lanes + lane] |
                               (uint64_t)inputs[(OPERAND_VALUE + 2 * i + 1) * s->lanes + lane] << 32
                         : 0)
                : *value;
    }
}

static enum cup_surface_fault surface_lane(const struct sample *s, struct cup_view *view,
                                           const uint32_t *inputs, unsigned lane, uint32_t *answer)
{
    static const char *const reductions[] = {"add", "min", "max", "and", "or"};
    static const uint8_t operations[] = {[OP_LOAD] = CUP_SURFACE_LOAD,
                                         [OP_STORE] = CUP_SURFACE_STORE,
                                         [OP_REDUCE] = CUP_SURFACE_REDUCE};
    uint64_t values[4][LANES] = {{0}};
    struct cup_surface_request r = {
        .mask = 1,
        .geometry = s->asked,
        .operation = operations[s->operation],
        .boundary = strcmp(s->boundary, "trap") == 0    ? CUP_BOUNDARY_TRAP
                    : strcmp(s->boundary, "clamp") == 0 ? CUP_BOUNDARY_CLAMP
                                                        : CUP_BOUNDARY_ZERO,
        .formatted = s->formatted,
        .element_bits = (uint8_t)(s->operation == OP_REDUCE ? 32 : s->element_bits),
        .components = (uint8_t)(s->operation == OP_REDUCE ? 1 : s->components),
        .is_signed = s->result == 's',
        .layer = inputs + OPERAND_LAYER * s->lanes + lane,
    };

    for (uint8_t i = 0; i < 5 && s->operation == OP_REDUCE; i++)
        if (strcmp(reductions[i], s->reduction) == 0)
            r.reduction = i;
    for (int i = 0; i < 3; i++)
        r.coordinates[i] = (const int32_t *)inputs + (size_t)i * s->lanes + lane;
    for (int i = 0; i < 4; i++)
        r.values[i] = values[i];
    if (s->operation != OP_LOAD)
        surface_values(s, inputs, lane, values);
    enum cup_surface_fault fault = cup_view_surface(view, &r);
    if (s->operation != OP_LOAD)
        return fault;
    for (unsigned i = 0; i < 4; i++)
        answer[lane * WORDS + i] = s->element_bits == 64
                                       ? (uint32_t)(values[i / 2][0] >> i % 2 * 32)
                                       : (uint32_t)values[i][0];
    return fault;
}

static void query_lanes(const struct sample *s, struct cup_view *view, const uint32_t *inputs,
                        uint32_t *answer)
{
    bool by_level = strstr(s->reduction, ".level.") != NULL;

    for (unsigned lane = 0; lane < s->lanes; lane++)
        for (unsigned i = 0; i < 3; i++)
            answer[lane * WORDS + i] =
                cup_view_query(view, (enum cup_texture_query)(CUP_QUERY_WIDTH + (int)i),
                               by_level ? inputs[lane] : 0);
}

static bool is_surface(const struct sample *s)
{
    return s->operation == OP_LOAD || s->operation == OP_STORE || s->operation == OP_REDUCE ||
           (s->operation == OP_QUERY && s->reduction[0] == 's');
}

static CUresult lanes_run(const struct sample *s, struct cup_view *view, uint32_t *answer)
{
    uint32_t *inputs = calloc(OPERANDS * 4, s->lanes);
    enum cup_surface_fault fault = CUP_SURFACE_DONE;

    operands_fill(s, inputs);
    if (s->operation == OP_QUERY)
        query_lanes(s, view, inputs, answer);
    else if (s->operation == OP_SAMPLE)
        for (unsigned first = 0; first < s->lanes; first += LANES)
            texture_lanes(s, view, inputs, first, answer);
    else
        for (unsigned lane = 0; lane < s->lanes && fault == CUP_SURFACE_DONE; lane++)
            fault = surface_lane(s, view, inputs, lane, answer);
    free(inputs);
    return fault == CUP_SURFACE_DONE      ? CUDA_SUCCESS
           : fault == CUP_SURFACE_OUTSIDE ? CUDA_ERROR_ILLEGAL_ADDRESS
                                          : CUDA_ERROR_MISALIGNED_ADDRESS;
}

CUresult sample_run(const struct sample *s, void *answer)
{
    struct cup_view *view;
    struct image image;
    CUresult result = image_create(s, &image);

    if (result)
        return result;
    result = cup_view_create(&image.resource, is_surface(s) ? NULL : &s->texture,
                             s->has_view ? &s->view : NULL, NULL, &view);
    if (!result) {
        result = lanes_run(s, view, answer);
        if (!result && (s->operation == OP_STORE || s->operation == OP_REDUCE))
            result = image_read(s, &image, answer);
        cup_view_destroy(view);
    }
    image_destroy(&image);
    return result;
}
