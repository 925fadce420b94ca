/* SPDX-License-Identifier: MIT */
/* Descriptions of labelled regions: their sizes and boxes, which pixels are on their contours, and
 * in which directions a contour goes on from each of them. Labels are those that were compressed,
 * from 0 to one less than their count; pixels with others belong to no region. */
#include "contours.h"

#include "bands.h"
#include "handlers.h"

#include <stdlib.h>
#include <string.h>

struct described {
    const struct npp_call *call;
    struct npp_label_image labels;
    NppiCompressedMarkerLabelsInfo *regions;
    uint32_t count;
};

static const struct {
    signed char x, y;
    unsigned char direction;
} directions[8] = {
    {1, 1, NPP_CONTOUR_DIRECTION_SOUTH_EAST},  {0, 1, NPP_CONTOUR_DIRECTION_SOUTH},
    {-1, 1, NPP_CONTOUR_DIRECTION_SOUTH_WEST}, {-1, 0, NPP_CONTOUR_DIRECTION_WEST},
    {1, 0, NPP_CONTOUR_DIRECTION_EAST},        {1, -1, NPP_CONTOUR_DIRECTION_NORTH_EAST},
    {0, -1, NPP_CONTOUR_DIRECTION_NORTH},      {-1, -1, NPP_CONTOUR_DIRECTION_NORTH_WEST},
};

/* A box has its right and lower ends in place of a width and a height. */
static void add_pixel(NppiCompressedMarkerLabelsInfo *region, int x, int y, bool on_contour)
{
    NppiRect *box = &region->oMarkerLabelBoundingBox;

    if (!region->nMarkerLabelPixelCount)
        *box = (NppiRect){x, y, x, y};
    region->nMarkerLabelPixelCount++;
    box->x = x < box->x ? x : box->x;
    box->width = x > box->width ? x : box->width;
    box->height = y;
    if (!on_contour)
        return;
    if (!region->nContourPixelCount)
        region->oContourFirstPixelLocation = (NppiPoint){x, y};
    region->nContourPixelCount++;
}

static void describe_regions(struct described *described)
{
    const struct npp_label_image *labels = &described->labels;

    memset(described->regions, 0, described->count * sizeof(*described->regions));
    for (int y = 0; y < labels->height; y++) {
        for (int x = 0; x < labels->width; x++) {
            uint32_t label = npp_label_at(labels, x, y);

            if (label < described->count)
                add_pixel(&described->regions[label], x, y, npp_on_contour(labels, x, y));
        }
    }
}

static NppiPoint beside(int x, int y, unsigned direction)
{
    for (int i = 0; i < 8; i++) {
        if (directions[i].direction == direction)
            return (NppiPoint){x + directions[i].x, y + directions[i].y};
    }
    return (NppiPoint){x, y};
}

/* Which neighbours are of the same region, on its contour or not. */
static unsigned same_neighbours(const struct npp_label_image *labels, int x, int y, bool on_contour)
{
    unsigned result = 0;

    for (int i = 0; i < 8; i++) {
        int nx = x + directions[i].x, ny = y + directions[i].y;

        if (npp_label_inside(labels, nx, ny) &&
            npp_label_at(labels, nx, ny) == npp_label_at(labels, x, y) &&
            npp_on_contour(labels, nx, ny) == on_contour)
            result |= directions[i].direction;
    }
    return result;
}

/* Every pixel has its label, which is all that the lists are made of; the rest is for pixels of a
 * contour. */
static void describe_directions(const struct npp_label_image *labels, int x, int y, bool on_contour,
                                NppiContourPixelDirectionInfo *info)
{
    unsigned along, inside;

    memset(info, 0, sizeof(*info));
    info->nMarkerLabelID = npp_label_at(labels, x, y);
    if (!on_contour)
        return;
    along = same_neighbours(labels, x, y, true);
    inside = same_neighbours(labels, x, y, false);
    info->nContourDirectionCenterPixel = (Npp8u)along;
    info->nContourInteriorDirectionCenterPixel = (Npp8u)inside;
    info->nConnected = (Npp8u)along;
    info->nGeometryInfoIsValid = 1;
    info->oContourPixelGeometryInfo.oContourCenterPixelLocation = (NppiPoint){x, y};
    info->oContourPixelGeometryInfo.nContourInteriorDirection = (Npp8u)inside;
    info->nEast1 = beside(x, y, NPP_CONTOUR_DIRECTION_EAST);
    info->nNorthEast1 = beside(x, y, NPP_CONTOUR_DIRECTION_NORTH_EAST);
    info->nNorth1 = beside(x, y, NPP_CONTOUR_DIRECTION_NORTH);
    info->nNorthWest1 = beside(x, y, NPP_CONTOUR_DIRECTION_NORTH_WEST);
    info->nWest1 = beside(x, y, NPP_CONTOUR_DIRECTION_WEST);
    info->nSouthWest1 = beside(x, y, NPP_CONTOUR_DIRECTION_SOUTH_WEST);
    info->nSouth1 = beside(x, y, NPP_CONTOUR_DIRECTION_SOUTH);
    info->nSouthEast1 = beside(x, y, NPP_CONTOUR_DIRECTION_SOUTH_EAST);
    info->nTest1EastConnected = (along & NPP_CONTOUR_DIRECTION_EAST) != 0;
    info->nTest1NorthEastConnected = (along & NPP_CONTOUR_DIRECTION_NORTH_EAST) != 0;
    info->nTest1NorthConnected = (along & NPP_CONTOUR_DIRECTION_NORTH) != 0;
    info->nTest1NorthWestConnected = (along & NPP_CONTOUR_DIRECTION_NORTH_WEST) != 0;
    info->nTest1WestConnected = (along & NPP_CONTOUR_DIRECTION_WEST) != 0;
    info->nTest1SouthWestConnected = (along & NPP_CONTOUR_DIRECTION_SOUTH_WEST) != 0;
    info->nTest1SouthConnected = (along & NPP_CONTOUR_DIRECTION_SOUTH) != 0;
    info->nTest1SouthEastConnected = (along & NPP_CONTOUR_DIRECTION_SOUTH_EAST) != 0;
}

static void draw_rows(void *arguments, int first, int last)
{
    const struct described *described = arguments;
    const struct npp_call *call = described->call;

    for (int y = first; y < last; y++) {
        uint8_t *contours = (uint8_t *)call->contours_image + y * call->contours_image_step;
        char *infos =
            (char *)call->contours_direction_image + y * call->contours_direction_image_step;

        for (int x = 0; x < described->labels.width; x++) {
            bool on_contour = npp_on_contour(&described->labels, x, y);

            if (call->contours_image)
                contours[x] = on_contour ? 0 : 255;
            if (call->contours_direction_image)
                describe_directions(&described->labels, x, y, on_contour,
                                    (NppiContourPixelDirectionInfo *)infos + x);
        }
    }
}

/* The last offset is the count of all contour pixels. */
static void write_counts(const struct described *described)
{
    const struct npp_call *call = described->call;
    uint32_t *counts[2] = {(uint32_t *)call->contours_pixel_counts_list_dev,
                           (uint32_t *)call->contours_pixel_counts_list_host};
    uint32_t *offsets[2] = {(uint32_t *)call->contours_pixel_starting_offset_dev,
                            (uint32_t *)call->contours_pixel_starting_offset_host};
    NppiContourTotalsInfo totals = {0, 0};

    for (uint32_t i = 0; i <= described->count; i++) {
        uint32_t pixels = i < described->count ? described->regions[i].nContourPixelCount : 0;

        for (int place = 0; place < 2; place++) {
            if (offsets[place])
                offsets[place][i] = totals.nTotalImagePixelContourCount;
            if (counts[place] && i < described->count)
                counts[place][i] = pixels;
        }
        totals.nTotalImagePixelContourCount += pixels;
        if (pixels > totals.nLongestImageContourPixelCount)
            totals.nLongestImageContourPixelCount = pixels;
    }
    if (call->contours_totals_info_host)
        *(NppiContourTotalsInfo *)call->contours_totals_info_host = totals;
}

static NppStatus check(const struct npp_call *call)
{
    if (!call->compressed_marker_labels || !call->marker_labels_info_list)
        return NPP_NULL_POINTER_ERROR;
    if (call->size_roi.width <= 0 || call->size_roi.height <= 0 || call->max_marker_label_id <= 0)
        return NPP_SIZE_ERROR;
    if (call->compressed_marker_labels_step <= 0 ||
        (call->contours_image && call->contours_image_step <= 0) ||
        (call->contours_direction_image && call->contours_direction_image_step <= 0))
        return NPP_STEP_ERROR;
    return NPP_SUCCESS;
}

NppStatus npp_contours(const struct npp_function *function, const struct npp_call *call,
                       bool checks)
{
    struct described described = {
        .call = call,
        .labels = {call->compressed_marker_labels, call->compressed_marker_labels_step,
                   sizeof(uint32_t), call->size_roi.width, call->size_roi.height},
        .regions = (NppiCompressedMarkerLabelsInfo *)call->marker_labels_info_list,
        .count = (uint32_t)call->max_marker_label_id,
    };
    NppStatus status = check(call);

    (void)function;
    if (status != NPP_SUCCESS || checks)
        return status;
    describe_regions(&described);
    write_counts(&described);
    if (call->contours_image || call->contours_direction_image)
        npp_bands(described.labels.height, (size_t)described.labels.width * 16, draw_rows,
                  &described);
    return NPP_SUCCESS;
}

/* Sizes as NVIDIA's library gives them, with some elements more than are used. */
static uint32_t list_bytes(const struct npp_function *function, const struct npp_call *call)
{
    const uint32_t *counts = call->contours_pixel_counts_list_host;
    uint32_t segments = (uint32_t)call->compressed_label_count;

    if (strstr(function->name, "InfoList"))
        return ((uint32_t)call->max_marker_label_id + 3) * sizeof(NppiCompressedMarkerLabelsInfo);
    if (strstr(function->name, "GeometryLists"))
        return ((uint32_t)call->max_contour_pixel_geometry_info_count + 4) *
               sizeof(NppiContourPixelGeometryInfo);
    for (long long i = 0; i < call->compressed_label_count; i++)
        segments += counts[i] / 256 + (counts[i] % 256 != 0);
    return segments * 4 * sizeof(NppiContourBlockSegment);
}

NppStatus npp_contour_sizes(const struct npp_function *function, const struct npp_call *call,
                            bool checks)
{
    if (!call->buffer_size ||
        (strstr(function->name, "BlockSegment") && !call->contours_pixel_counts_list_host))
        return NPP_NULL_POINTER_ERROR;
    if (strstr(function->name, "InfoList") && call->max_marker_label_id <= 0)
        return NPP_SIZE_ERROR;
    if (checks)
        *(uint32_t *)call->buffer_size = list_bytes(function, call);
    return NPP_SUCCESS;
}
