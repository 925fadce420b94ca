/* SPDX-License-Identifier: MIT */
/* Watersheds: a pixel flows to its lowest neighbour; pixels without a lower one that touch and have
 * one value are the bottom of a basin. All pixels of a basin take the value of its bottom. A basin
 * has the index of the first pixel of its bottom as label. */
#include "handlers.h"
#include "neighbours.h"

#include <stdint.h>
#include <stdlib.h>

struct basins {
    const struct npp_function *function;
    const struct npp_call *call;
    int width, height;
    const struct npp_neighbour *neighbours;
    int neighbour_count;
    uint32_t *parents; /* where a pixel flows to; the bottom of a basin flows to its first pixel */
    uint16_t *values;
};

static uint32_t root_of(uint32_t *parents, uint32_t at)
{
    uint32_t root = at;

    while (parents[root] != root)
        root = parents[root];
    while (parents[at] != root) {
        uint32_t next = parents[at];

        parents[at] = root;
        at = next;
    }
    return root;
}

static bool is_inside(const struct basins *basins, int x, int y)
{
    return x >= 0 && x < basins->width && y >= 0 && y < basins->height;
}

/* The lowest of the neighbours that are lower; the pixel itself if none is. */
static uint32_t lowest_of(const struct basins *basins, int x, int y)
{
    uint32_t best = (uint32_t)y * (uint32_t)basins->width + (uint32_t)x;

    for (int i = 0; i < basins->neighbour_count; i++) {
        int nx = x + basins->neighbours[i].x, ny = y + basins->neighbours[i].y;
        uint32_t at = (uint32_t)ny * (uint32_t)basins->width + (uint32_t)nx;

        if (is_inside(basins, nx, ny) && basins->values[at] < basins->values[best])
            best = at;
    }
    return best;
}

/* Joins a pixel without lower neighbours with those before it that have its value and none. */
static void join_bottom(struct basins *basins, const uint8_t *flows, int x, int y)
{
    uint32_t at = (uint32_t)y * (uint32_t)basins->width + (uint32_t)x;

    for (int i = 0; i < basins->neighbour_count / 2; i++) {
        int nx = x + basins->neighbours[i].x, ny = y + basins->neighbours[i].y;
        uint32_t other = (uint32_t)ny * (uint32_t)basins->width + (uint32_t)nx, a, b;

        if (!is_inside(basins, nx, ny) || flows[other] ||
            basins->values[other] != basins->values[at])
            continue;
        a = root_of(basins->parents, at);
        b = root_of(basins->parents, other);
        basins->parents[a > b ? a : b] = a < b ? a : b;
    }
}

static void find_basins(struct basins *basins, uint8_t *flows)
{
    for (int y = 0; y < basins->height; y++) {
        for (int x = 0; x < basins->width; x++) {
            uint32_t at = (uint32_t)y * (uint32_t)basins->width + (uint32_t)x;

            basins->parents[at] = lowest_of(basins, x, y);
            flows[at] = basins->parents[at] != at;
        }
    }
    for (int y = 0; y < basins->height; y++) {
        for (int x = 0; x < basins->width; x++) {
            if (!flows[(uint32_t)y * (uint32_t)basins->width + (uint32_t)x])
                join_bottom(basins, flows, x, y);
        }
    }
    for (uint32_t i = 0; i < (uint32_t)basins->width * (uint32_t)basins->height; i++)
        root_of(basins->parents, i);
}

static unsigned segment_at(const struct basins *basins, int x, int y)
{
    uint32_t at = (uint32_t)y * (uint32_t)basins->width + (uint32_t)x;

    return basins->values[basins->parents[at]];
}

/* A pixel is on a boundary if the segment above it or to the left has another value. */
static unsigned shown_at(const struct basins *basins, int x, int y, unsigned most)
{
    unsigned value = segment_at(basins, x, y);
    bool boundary = (y && segment_at(basins, x, y - 1) != value) ||
                    (x && segment_at(basins, x - 1, y) != value);

    switch (basins->call->segment_boundary_type) {
    case NPP_WATERSHED_SEGMENT_BOUNDARIES_BLACK:
        return boundary ? 0 : value;
    case NPP_WATERSHED_SEGMENT_BOUNDARIES_WHITE:
        return boundary ? most : value;
    case NPP_WATERSHED_SEGMENT_BOUNDARIES_CONTRAST:
        return !boundary ? value : value <= most / 2 ? most : 0;
    case NPP_WATERSHED_SEGMENT_BOUNDARIES_ONLY:
        return boundary ? 0 : most;
    default:
        return value;
    }
}

static void read_image(struct basins *basins)
{
    const struct npp_call *call = basins->call;
    bool wide = basins->function->type == NPP_T_16U;

    for (int y = 0; y < basins->height; y++) {
        const char *row = (const char *)call->src_dst + y * call->src_dst_step;
        uint16_t *values = basins->values + (size_t)y * (size_t)basins->width;

        for (int x = 0; x < basins->width; x++)
            values[x] = wide ? ((const uint16_t *)row)[x] : ((const uint8_t *)row)[x];
    }
}

static void write_images(const struct basins *basins)
{
    const struct npp_call *call = basins->call;
    bool wide = basins->function->type == NPP_T_16U;

    for (int y = 0; y < basins->height; y++) {
        char *row = (char *)call->src_dst + y * call->src_dst_step;
        uint32_t *labels = (uint32_t *)((char *)call->marker_labels + y * call->marker_labels_step);

        for (int x = 0; x < basins->width; x++) {
            unsigned value = shown_at(basins, x, y, wide ? 65535 : 255);

            if (wide)
                ((uint16_t *)row)[x] = (uint16_t)value;
            else
                ((uint8_t *)row)[x] = (uint8_t)value;
            if (call->marker_labels)
                labels[x] = basins->parents[(size_t)y * (size_t)basins->width + (size_t)x];
        }
    }
}

static NppStatus check(const struct npp_call *call)
{
    if (!call->src_dst)
        return NPP_NULL_POINTER_ERROR;
    if (call->size_roi.width <= 0 || call->size_roi.height <= 0)
        return NPP_SIZE_ERROR;
    if (call->src_dst_step <= 0 || (call->marker_labels && call->marker_labels_step <= 0))
        return NPP_STEP_ERROR;
    if (call->norm_form != nppiNormInf && call->norm_form != nppiNormL1)
        return NPP_BAD_ARGUMENT_ERROR;
    return NPP_SUCCESS;
}

NppStatus npp_watershed(const struct npp_function *function, const struct npp_call *call,
                        bool checks)
{
    bool all = call->norm_form == nppiNormInf;
    struct basins basins = {.function = function,
                            .call = call,
                            .width = call->size_roi.width,
                            .height = call->size_roi.height,
                            .neighbours = all ? npp_neighbours_8 : npp_neighbours_4,
                            .neighbour_count = all ? 8 : 4};
    size_t count = (size_t)call->size_roi.width * (size_t)call->size_roi.height;
    NppStatus status = check(call);
    uint8_t *flows;

    if (status != NPP_SUCCESS || checks)
        return status;
    basins.parents = malloc(count * sizeof(*basins.parents));
    basins.values = malloc(count * sizeof(*basins.values));
    flows = malloc(count);
    if (basins.parents && basins.values && flows) {
        read_image(&basins);
        find_basins(&basins, flows);
        write_images(&basins);
    } else {
        status = NPP_NO_MEMORY_ERROR;
    }
    free(flows);
    free(basins.values);
    free(basins.parents);
    return status;
}
