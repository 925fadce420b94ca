/* SPDX-License-Identifier: MIT */
/* Distance transforms: each pixel learns the nearest of the sites, which are the pixels with a
 * value in a range, and how far it is. Edges that cover a part of a pixel are not taken into
 * account: smoothed distances are refused. Columns are searched first, then rows by lower envelopes
 * of parabolas (Felzenszwalb and Huttenlocher), so the distances are exact. */
#include "bands.h"
#include "handlers.h"

#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

enum { NO_SITE = -32768, LEAST_SIDE = 64, MOST_SIDE = 32767 };

struct transform {
    const struct npp_function *function;
    const struct npp_call *call;
    int width, height;
    int16_t *rows; /* for each pixel the row of the nearest site of its column */
    atomic_bool failed;
};

static bool is_site(const struct transform *transform, int x, int y)
{
    const struct npp_call *call = transform->call;
    enum npp_type type = transform->function->type;
    double value;

    npp_load(type, (const char *)call->src + y * call->src_step + (size_t)x * npp_bytes(type),
             &value, 1);
    return value >= call->min_site_value_v[0] && value <= call->max_site_value_v[0];
}

/* Looks down and then up; of two sites at one distance the upper one stays. */
static void search_column(struct transform *transform, int x)
{
    size_t width = (size_t)transform->width;
    int last = NO_SITE;

    for (int y = 0; y < transform->height; y++) {
        if (is_site(transform, x, y))
            last = y;
        transform->rows[(size_t)y * width + (size_t)x] = (int16_t)last;
    }
    last = NO_SITE;
    for (int y = transform->height - 1; y >= 0; y--) {
        int16_t *row = &transform->rows[(size_t)y * width + (size_t)x];

        if (*row == y)
            last = y;
        if (last != NO_SITE && (*row == NO_SITE || last - y < y - *row))
            *row = (int16_t)last;
    }
}

static void search_columns(void *arguments, int first, int last)
{
    for (int x = first; x < last; x++)
        search_column(arguments, x);
}

struct envelope {
    int *columns;   /* of parabolas */
    double *starts; /* where each becomes the lowest */
    int count;
};

static double height_at(const int16_t *rows, int column, int y)
{
    double distance = rows[column] - y;

    return distance * distance;
}

static void build_envelope(const struct transform *transform, int y, struct envelope *envelope)
{
    const int16_t *rows = transform->rows + (size_t)y * (size_t)transform->width;

    envelope->count = 0;
    for (int x = 0; x < transform->width; x++) {
        double start = -INFINITY;

        if (rows[x] == NO_SITE)
            continue;
        while (envelope->count) {
            int before = envelope->columns[envelope->count - 1];

            start = (height_at(rows, x, y) + (double)x * x - height_at(rows, before, y) -
                     (double)before * before) /
                    (2.0 * (x - before));
            if (start > envelope->starts[envelope->count - 1])
                break;
            envelope->count--;
        }
        envelope->columns[envelope->count] = x;
        envelope->starts[envelope->count] = envelope->count ? start : -INFINITY;
        envelope->count++;
    }
}

static void put_pair(const void *image, long long step, int x, int y, int a, int b)
{
    if (image) {
        int16_t *at = (int16_t *)((char *)image + y * step) + 2 * (size_t)x;

        at[0] = (int16_t)a;
        at[1] = (int16_t)b;
    }
}

static void put_pixel(const struct transform *transform, int x, int y, int site_x, int site_y)
{
    const struct npp_call *call = transform->call;
    enum npp_type type = transform->function->target_type;
    int dx = x - site_x, dy = y - site_y;
    double distance = sqrt((double)dx * dx + (double)dy * dy);

    put_pair(call->dst_voronoi, call->dst_voronoi_step, x, y, site_x, site_y);
    put_pair(call->dst_voronoi_indices, call->dst_voronoi_indices_step, x, y, site_x, site_y);
    put_pair(call->dst_voronoi_relative_manhattan_distances,
             call->dst_voronoi_relative_manhattan_distances_step, x, y, dx, dy);
    put_pair(call->dst_voronoi_absolute_manhattan_distances,
             call->dst_voronoi_absolute_manhattan_distances_step, x, y, abs(dx), abs(dy));
    if (call->dst_transform)
        npp_store_rounded(type, &distance,
                          (char *)call->dst_transform + y * call->dst_transform_step +
                              (size_t)x * npp_bytes(type),
                          1, NPP_RND_ZERO);
}

static void fill_rows(void *arguments, int first, int last)
{
    struct transform *transform = arguments;
    size_t width = (size_t)transform->width;
    struct envelope envelope = {.columns = malloc(width * sizeof(int)),
                                .starts = malloc(width * sizeof(double))};

    if (!envelope.columns || !envelope.starts)
        atomic_store(&transform->failed, true);
    for (int y = first; y < last && envelope.columns && envelope.starts; y++) {
        const int16_t *rows = transform->rows + (size_t)y * width;
        int at = 0;

        build_envelope(transform, y, &envelope);
        for (int x = 0; x < transform->width && envelope.count; x++) {
            while (at + 1 < envelope.count && envelope.starts[at + 1] < x)
                at++;
            put_pixel(transform, x, y, envelope.columns[at], rows[envelope.columns[at]]);
        }
    }
    free(envelope.starts);
    free(envelope.columns);
}

NppStatus npp_distance(const struct npp_function *function, const struct npp_call *call,
                       bool checks)
{
    struct transform transform = {.function = function,
                                  .call = call,
                                  .width = call->size_roi.width,
                                  .height = call->size_roi.height};
    size_t count;

    if (!call->src)
        return NPP_NULL_POINTER_ERROR;
    if (transform.width < LEAST_SIDE || transform.height < LEAST_SIDE ||
        transform.width > MOST_SIDE || transform.height > MOST_SIDE)
        return NPP_SIZE_ERROR;
    if (call->src_step <= 0)
        return NPP_STEP_ERROR;
    if (call->antialiasing_device_buffer)
        return NPP_NOT_IMPLEMENTED_ERROR;
    if (checks)
        return NPP_SUCCESS;
    count = (size_t)transform.width * (size_t)transform.height;
    transform.rows = malloc(count * sizeof(*transform.rows));
    if (!transform.rows)
        return NPP_NO_MEMORY_ERROR;
    npp_bands(transform.width, (size_t)transform.height * 4, search_columns, &transform);
    npp_bands(transform.height, (size_t)transform.width * 8, fill_rows, &transform);
    free(transform.rows);
    return atomic_load(&transform.failed) ? NPP_NO_MEMORY_ERROR : NPP_SUCCESS;
}
