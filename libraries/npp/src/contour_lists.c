/* SPDX-License-Identifier: MIT */
/* The pixels of contours in the order in which one walks along them. A walk follows the edges
 * between a region and what is outside of it, around the region and around each of its holes, and
 * lists the contour's pixels as it meets them. All walks go clockwise in the picture and begin with
 * the first pixel, row by row; lists in the other order are these lists from their end. */
#include "contours.h"
#include "handlers.h"

#include <stdlib.h>
#include <string.h>

enum { EAST, SOUTH, WEST, NORTH };                   /* where a walk goes */
enum { ABOVE_SEEN = 1, BELOW_SEEN = 2, LISTED = 4 }; /* marks of a pixel */

static const signed char step_x[4] = {1, 0, -1, 0}, step_y[4] = {0, 1, 0, -1};

struct lists {
    struct npp_label_image labels;
    uint8_t *marks;
    uint32_t *pixels; /* of all contours */
    uint32_t *starts; /* of each region's; one more than there are regions */
    uint32_t *found;  /* how many pixels each region has already */
    uint32_t first, last, count;
};

static size_t index_of(const struct lists *lists, int x, int y)
{
    return (size_t)y * (size_t)lists->labels.width + (size_t)x;
}

static bool has_label(const struct lists *lists, int x, int y, uint32_t label)
{
    return npp_label_inside(&lists->labels, x, y) && npp_label_at(&lists->labels, x, y) == label;
}

static void list_pixel(struct lists *lists, int x, int y, uint32_t label)
{
    size_t at = index_of(lists, x, y);

    if ((lists->marks[at] & LISTED) || !npp_on_contour(&lists->labels, x, y))
        return;
    lists->marks[at] |= LISTED;
    lists->pixels[lists->starts[label] + lists->found[label]++] = (uint32_t)at;
}

/* Along an edge the region is on the right. Where the region turns to the left, the pixel in the
 * corner touches the outside by its corner alone. Pixels that touch by corners are connected. */
static void walk(struct lists *lists, int start_x, int start_y, int start_direction)
{
    uint32_t label = npp_label_at(&lists->labels, start_x, start_y);
    int x = start_x, y = start_y, direction = start_direction;

    do {
        int left = (direction + 3) % 4;
        int ahead_x = x + step_x[direction], ahead_y = y + step_y[direction];
        int beyond_x = ahead_x + step_x[left], beyond_y = ahead_y + step_y[left];

        if (direction == EAST)
            lists->marks[index_of(lists, x, y)] |= ABOVE_SEEN;
        else if (direction == WEST)
            lists->marks[index_of(lists, x, y)] |= BELOW_SEEN;
        list_pixel(lists, x, y, label);
        if (has_label(lists, beyond_x, beyond_y, label)) {
            if (has_label(lists, ahead_x, ahead_y, label))
                list_pixel(lists, ahead_x, ahead_y, label);
            x = beyond_x;
            y = beyond_y;
            direction = left;
        } else if (has_label(lists, ahead_x, ahead_y, label)) {
            x = ahead_x;
            y = ahead_y;
        } else {
            direction = (direction + 1) % 4;
        }
    } while (x != start_x || y != start_y || direction != start_direction);
}

static void reverse(uint32_t *pixels, uint32_t count)
{
    for (uint32_t i = 0; i < count / 2; i++) {
        uint32_t other = pixels[count - 1 - i];

        pixels[count - 1 - i] = pixels[i];
        pixels[i] = other;
    }
}

/* The edge above a pixel is met first on the outside of a region, the edge below it in a hole. The
 * walk around a hole goes the other way. */
static void walk_from(struct lists *lists, int x, int y, uint32_t label)
{
    const uint8_t *marks = &lists->marks[index_of(lists, x, y)];
    uint32_t before;

    if (!(*marks & ABOVE_SEEN) && !has_label(lists, x, y - 1, label))
        walk(lists, x, y, EAST);
    if ((*marks & BELOW_SEEN) || has_label(lists, x, y + 1, label))
        return;
    before = lists->found[label];
    walk(lists, x, y, WEST);
    if (lists->found[label] > before + 1)
        reverse(&lists->pixels[lists->starts[label] + before + 1],
                lists->found[label] - before - 1);
}

static bool is_wanted(const struct lists *lists, uint32_t label)
{
    return label >= lists->first && label < lists->last;
}

static void count_pixels(struct lists *lists)
{
    for (int y = 0; y < lists->labels.height; y++) {
        for (int x = 0; x < lists->labels.width; x++) {
            uint32_t label = npp_label_at(&lists->labels, x, y);

            if (label < lists->count && npp_on_contour(&lists->labels, x, y))
                lists->starts[label + 1]++;
        }
    }
    for (uint32_t i = 0; i < lists->count; i++)
        lists->starts[i + 1] += lists->starts[i];
}

static void find_lists(struct lists *lists, bool counterclockwise)
{
    for (int y = 0; y < lists->labels.height; y++) {
        for (int x = 0; x < lists->labels.width; x++) {
            uint32_t label = npp_label_at(&lists->labels, x, y);

            if (is_wanted(lists, label))
                walk_from(lists, x, y, label);
        }
    }
    for (uint32_t i = lists->first; i < lists->last && counterclockwise; i++)
        reverse(&lists->pixels[lists->starts[i]], lists->found[i]);
}

static NppiPoint point_of(const struct lists *lists, uint32_t pixel)
{
    int width = lists->labels.width;

    return (NppiPoint){(int)(pixel % (uint32_t)width), (int)(pixel / (uint32_t)width)};
}

/* The first pixel has the region's box in place of its neighbours. */
static void write_list(const struct lists *lists, uint32_t label, const NppiRect *box,
                       NppiContourPixelGeometryInfo *list)
{
    const uint32_t *pixels = &lists->pixels[lists->starts[label]];
    uint32_t count = lists->found[label];

    for (uint32_t i = 0; i < count; i++) {
        uint32_t next = i + 1 < count ? i + 1 : 0, previous = i ? i - 1 : count - 1;

        list[i] = (NppiContourPixelGeometryInfo){
            .oContourOrderedGeometryLocation = point_of(lists, pixels[i]),
            .oContourPrevPixelLocation = point_of(lists, pixels[previous]),
            .oContourCenterPixelLocation = point_of(lists, pixels[i]),
            .oContourNextPixelLocation = point_of(lists, pixels[next]),
            .nOrderIndex = (Npp32s)i,
            .nReverseOrderIndex = (Npp32s)(count - 1 - i),
            .nLastIndex = count - 1,
            .nNextContourPixelIndex = next,
            .nPrevContourPixelIndex = previous,
            .nAlreadyOutput = 1,
        };
    }
    if (count) {
        list->oContourPrevPixelLocation = (NppiPoint){box->x, box->y};
        list->oContourNextPixelLocation = (NppiPoint){box->width, box->height};
    }
}

static void write_image(const struct lists *lists, const struct npp_call *call)
{
    for (int y = 0; y < lists->labels.height; y++)
        memset((char *)call->contours_geometry_image_host + y * call->contours_geometry_image_step,
               255, (size_t)lists->labels.width);
    for (uint32_t i = lists->first; i < lists->last; i++) {
        for (uint32_t j = 0; j < lists->found[i]; j++) {
            NppiPoint at = point_of(lists, lists->pixels[lists->starts[i] + j]);

            ((uint8_t *)call->contours_geometry_image_host +
             at.y * call->contours_geometry_image_step)[at.x] = 0;
        }
    }
}

/* Each contour is one segment. */
static void write_segment(const struct lists *lists, uint32_t label, void *list)
{
    if (list)
        ((NppiContourBlockSegment *)list)[label - lists->first] = (NppiContourBlockSegment){
            label, lists->starts[label + 1] - lists->starts[label], lists->starts[label], 0};
}

static void write_number(const void *list, uint32_t at, uint32_t number)
{
    if (list)
        ((uint32_t *)list)[at] = number;
}

/* Lists stand in the device's and in the host's memory alike. */
static void write_lists(const struct lists *lists, const struct npp_call *call)
{
    NppiCompressedMarkerLabelsInfo *infos =
        (NppiCompressedMarkerLabelsInfo *)call->marker_labels_info_list_dev;
    NppiContourPixelGeometryInfo *host =
        (NppiContourPixelGeometryInfo *)call->contours_pixel_geometry_lists_host;
    NppiContourPixelGeometryInfo *device =
        (NppiContourPixelGeometryInfo *)call->contours_pixel_geometry_lists_dev;

    for (uint32_t i = 0; i <= lists->count; i++) {
        write_number(call->contours_pixels_starting_offset_dev, i, lists->starts[i]);
        write_number(call->contours_pixels_starting_offset_host, i, lists->starts[i]);
    }
    for (uint32_t i = lists->first; i < lists->last; i++) {
        write_list(lists, i, &infos[i].oMarkerLabelBoundingBox, &host[lists->starts[i]]);
        memcpy(&device[lists->starts[i]], &host[lists->starts[i]], lists->found[i] * sizeof(*host));
        write_number(call->contours_pixels_found_list_dev, i, lists->found[i]);
        write_number(call->contours_pixels_found_list_host, i, lists->found[i]);
        infos[i].nContourPixelsFound = lists->found[i];
        write_segment(lists, i, (void *)call->contours_block_segment_list_dev);
        write_segment(lists, i, (void *)call->contours_block_segment_list_host);
    }
    memcpy((void *)call->marker_labels_info_list_host, infos, lists->count * sizeof(*infos));
    if (call->contours_geometry_image_host)
        write_image(lists, call);
}

static NppStatus check(const struct npp_call *call)
{
    if (!call->marker_labels_info_list_dev || !call->marker_labels_info_list_host ||
        !call->contours_direction_image_dev || !call->contours_pixel_geometry_lists_dev ||
        !call->contours_pixel_geometry_lists_host || !call->contours_pixels_found_list_dev ||
        !call->contours_pixels_found_list_host)
        return NPP_NULL_POINTER_ERROR;
    if (call->size_roi.width <= 0 || call->size_roi.height <= 0 || call->max_marker_label_id <= 0)
        return NPP_SIZE_ERROR;
    if (call->contours_direction_image_step <= 0 ||
        (call->contours_geometry_image_host && call->contours_geometry_image_step <= 0))
        return NPP_STEP_ERROR;
    if (call->first_contour_geometry_list_id < 0 ||
        call->last_contour_geometry_list_id <= call->first_contour_geometry_list_id ||
        call->last_contour_geometry_list_id > call->max_marker_label_id)
        return NPP_BAD_ARGUMENT_ERROR;
    return NPP_SUCCESS;
}

NppStatus npp_contour_lists(const struct npp_function *function, const struct npp_call *call,
                            bool checks)
{
    struct lists lists = {
        .labels = {call->contours_direction_image_dev, call->contours_direction_image_step,
                   sizeof(NppiContourPixelDirectionInfo), call->size_roi.width,
                   call->size_roi.height},
        .first = (uint32_t)call->first_contour_geometry_list_id,
        .last = (uint32_t)call->last_contour_geometry_list_id,
        .count = (uint32_t)call->max_marker_label_id,
    };
    NppStatus status = check(call);

    (void)function;
    if (status != NPP_SUCCESS || checks)
        return status;
    lists.marks = calloc((size_t)call->size_roi.width * (size_t)call->size_roi.height, 1);
    lists.starts = calloc((size_t)lists.count + 1, sizeof(*lists.starts));
    lists.found = calloc(lists.count, sizeof(*lists.found));
    if (lists.marks && lists.starts && lists.found)
        count_pixels(&lists);
    if (lists.starts)
        lists.pixels = malloc(((size_t)lists.starts[lists.count] + 1) * sizeof(*lists.pixels));
    if (lists.marks && lists.found && lists.pixels) {
        find_lists(&lists, call->b_output_in_counterclockwise_order != 0);
        write_lists(&lists, call);
    } else {
        status = NPP_NO_MEMORY_ERROR;
    }
    free(lists.pixels);
    free(lists.found);
    free(lists.starts);
    free(lists.marks);
    return status;
}
