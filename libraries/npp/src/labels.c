/* SPDX-License-Identifier: MIT */
/* Labels of connected regions: pixels of one value that touch have the index of the first of them,
 * counted row by row. Compression replaces labels by their ranks. */
#include "handlers.h"
#include "pixels.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct image {
    char *data;
    long long step;
    NppiSize size;
};

/* A tree of pixels of one region; its root is the first of them. */
static uint32_t root_of(uint32_t *parents, uint32_t at)
{
    while (parents[at] != at) {
        parents[at] = parents[parents[at]];
        at = parents[at];
    }
    return at;
}

static void join(uint32_t *parents, uint32_t a, uint32_t b)
{
    a = root_of(parents, a);
    b = root_of(parents, b);
    if (a < b)
        parents[b] = a;
    else
        parents[a] = b;
}

/* Joins a pixel with those before it that have its value. */
static void join_pixel(const struct image *source, size_t bytes, uint32_t *parents, int x, int y,
                       bool diagonal)
{
    int width = source->size.width;
    const char *row = source->data + y * source->step, *pixel = row + (size_t)x * bytes;
    const char *above = row - source->step;
    uint32_t at = (uint32_t)y * (uint32_t)width + (uint32_t)x;

    if (x && memcmp(pixel, pixel - bytes, bytes) == 0)
        join(parents, at, at - 1);
    for (int i = diagonal ? -1 : 0; y && i <= (diagonal ? 1 : 0); i++) {
        if (x + i >= 0 && x + i < width &&
            memcmp(pixel, above + (size_t)(x + i) * bytes, bytes) == 0)
            join(parents, at, at - (uint32_t)width + (uint32_t)i);
    }
}

static NppStatus label(const struct image *source, const struct image *target, size_t bytes,
                       bool diagonal)
{
    int width = source->size.width, height = source->size.height;
    uint32_t *parents = malloc((size_t)width * (size_t)height * sizeof(*parents));

    if (!parents)
        return NPP_NO_MEMORY_ERROR;
    for (size_t i = 0; i < (size_t)width * (size_t)height; i++)
        parents[i] = (uint32_t)i;
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++)
            join_pixel(source, bytes, parents, x, y, diagonal);
    }
    for (int y = 0; y < height; y++) {
        uint32_t *row = (uint32_t *)(target->data + y * target->step);

        for (int x = 0; x < width; x++)
            row[x] = root_of(parents, (uint32_t)y * (uint32_t)width + (uint32_t)x);
    }
    free(parents);
    return NPP_SUCCESS;
}

static NppStatus check_norm(long long norm)
{
    return norm == nppiNormInf || norm == nppiNormL1 ? NPP_SUCCESS : NPP_BAD_ARGUMENT_ERROR;
}

NppStatus npp_label_markers(const struct npp_function *function, const struct npp_call *call,
                            bool checks)
{
    const struct image source = {(char *)call->src, call->src_step, call->size_roi};
    const struct image target = {(char *)call->dst, call->dst_step, call->size_roi};

    if (!call->src || !call->dst)
        return NPP_NULL_POINTER_ERROR;
    if (call->size_roi.width <= 0 || call->size_roi.height <= 0)
        return NPP_SIZE_ERROR;
    if (call->src_step <= 0 || call->dst_step <= 0)
        return NPP_STEP_ERROR;
    if (checks)
        return check_norm(call->norm_form);
    return label(&source, &target, npp_bytes(function->type), call->norm_form == nppiNormInf);
}

static struct image image_of(const NppiImageDescriptor *descriptor, NppiSize size, bool own_size)
{
    return (struct image){descriptor->pData, descriptor->nStep,
                          own_size ? descriptor->oSize : size};
}

static bool is_advanced(const struct npp_function *function)
{
    return strstr(function->name, "Advanced") != NULL;
}

static NppiSize batch_size_of(const struct npp_function *function, const struct npp_call *call)
{
    return is_advanced(function) ? call->max_size_roi : call->size_roi;
}

static NppStatus check_batch(const struct npp_function *function, const struct npp_call *call)
{
    NppiSize size = batch_size_of(function, call);

    if (call->batch_size <= 0 || size.width <= 0 || size.height <= 0)
        return NPP_SIZE_ERROR;
    return NPP_SUCCESS;
}

/* Images stand in lists in device memory. Those of the advanced form have sizes of their own: those
 * of the labels count, and the sources' need not be set. */
NppStatus npp_label_batch(const struct npp_function *function, const struct npp_call *call,
                          bool checks)
{
    const NppiImageDescriptor *sources = call->src_batch_list, *targets = call->dst_batch_list;
    NppStatus status = check_batch(function, call);

    if (!sources || !targets)
        return NPP_NULL_POINTER_ERROR;
    if (status == NPP_SUCCESS)
        status = check_norm(call->norm_form);
    for (long long i = 0; i < call->batch_size && status == NPP_SUCCESS && !checks; i++) {
        struct image target = image_of(&targets[i], call->size_roi, is_advanced(function));
        struct image source = image_of(&sources[i], target.size, false);

        status = label(&source, &target, npp_bytes(function->type), call->norm_form == nppiNormInf);
    }
    return status;
}

/* Replaces labels below `limit` by their ranks; how many there are. */
static NppStatus compress(const struct image *labels, uint32_t limit, uint32_t *count)
{
    uint32_t *ranks = calloc((size_t)limit + 1, sizeof(*ranks)), used = 0;

    if (!ranks)
        return NPP_NO_MEMORY_ERROR;
    for (int y = 0; y < labels->size.height; y++) {
        const uint32_t *row = (const uint32_t *)(labels->data + y * labels->step);

        for (int x = 0; x < labels->size.width; x++) {
            if (row[x] < limit)
                ranks[row[x]] = 1;
        }
    }
    for (size_t i = 0; i < limit; i++) {
        uint32_t rank = used;

        used += ranks[i];
        ranks[i] = rank;
    }
    for (int y = 0; y < labels->size.height; y++) {
        uint32_t *row = (uint32_t *)(labels->data + y * labels->step);

        for (int x = 0; x < labels->size.width; x++)
            row[x] = row[x] < limit ? ranks[row[x]] : row[x];
    }
    free(ranks);
    *count = used;
    return NPP_SUCCESS;
}

NppStatus npp_compress_labels(const struct npp_function *function, const struct npp_call *call,
                              bool checks)
{
    const struct image labels = {(char *)call->src_dst, call->src_dst_step, call->size_roi};
    NppStatus status;
    uint32_t count;

    (void)function;
    if (!call->src_dst || !call->new_number)
        return NPP_NULL_POINTER_ERROR;
    if (call->size_roi.width <= 0 || call->size_roi.height <= 0)
        return NPP_SIZE_ERROR;
    if (call->src_dst_step <= 0)
        return NPP_STEP_ERROR;
    if (call->starting_number <= 0)
        return NPP_BAD_ARGUMENT_ERROR;
    if (checks)
        return NPP_SUCCESS;
    status = compress(&labels, (uint32_t)call->starting_number, &count);
    if (status == NPP_SUCCESS)
        *(int *)call->new_number = (int)count;
    return status;
}

/* The list of new counts has one for each image, in device memory. */
NppStatus npp_compress_batch(const struct npp_function *function, const struct npp_call *call,
                             bool checks)
{
    const NppiImageDescriptor *images = call->src_dst_batch_list;
    uint32_t *counts = (uint32_t *)call->new_max_label_id_list;
    NppStatus status = check_batch(function, call);

    if (!images || !counts)
        return NPP_NULL_POINTER_ERROR;
    for (long long i = 0; i < call->batch_size && status == NPP_SUCCESS && !checks; i++) {
        struct image image = image_of(&images[i], call->size_roi, is_advanced(function));

        status =
            compress(&image, (uint32_t)image.size.width * (uint32_t)image.size.height, &counts[i]);
    }
    return status;
}
