/* SPDX-License-Identifier: MIT */
/* NPP: descriptions of labelled regions and the lists of their contours' pixels. Answers are
 * counted here, pixel by pixel, or follow from small pictures. */
#include "test.h"

#include <npp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 15, HEIGHT = 11, PIXELS = WIDTH * HEIGHT, REGIONS = 5 };

/* A frame with a hole in which a square lies, and a region that is one pixel wide in places and
 * bends; all on a ground that touches the image's border. */
static const char picture[HEIGHT][WIDTH + 1] = {
    "000000000000000", "011111111100000", "011111111100440", "011222221104440",
    "011233321104000", "011233321104400", "011222221100444", "011111111100004",
    "011111111104444", "000000000000000", "000000000000000",
};

static NppStreamContext context;

static void check_status(NppStatus status, NppStatus expected)
{
    check(status == expected);
}

static void *device_memory(size_t bytes)
{
    CUdeviceptr memory;

    check_success(cuMemAlloc(&memory, bytes));
    check_success(cuMemsetD8(memory, 0xA5, bytes));
    return (void *)(uintptr_t)memory;
}

static void *device_copy(const void *data, size_t bytes)
{
    void *memory = device_memory(bytes);

    check_success(cuMemcpyHtoD((CUdeviceptr)(uintptr_t)memory, data, bytes));
    return memory;
}

static void fetch(void *to, const void *memory, size_t bytes)
{
    check_success(cuCtxSynchronize());
    check_success(cuMemcpyDtoH(to, (CUdeviceptr)(uintptr_t)memory, bytes));
}

/* What a program has in memory for one picture. */
struct program {
    NppiSize size;
    unsigned count; /* of regions */
    Npp32u labels[PIXELS];
    Npp32u *labels_dev, *counts_dev, *offsets_dev, *found_dev;
    NppiCompressedMarkerLabelsInfo *infos_dev;
    Npp8u *contours_dev;
    NppiContourPixelDirectionInfo *directions_dev;
    NppiContourPixelGeometryInfo *lists_dev;
    NppiContourBlockSegment *segments_dev, *segments;
    NppiContourTotalsInfo totals;
    Npp32u counts[REGIONS], offsets[REGIONS + 1], found[REGIONS];
    NppiCompressedMarkerLabelsInfo infos[REGIONS];
    NppiContourPixelGeometryInfo *lists;
    Npp8u contours[PIXELS], drawn[PIXELS];
};

static void start(struct program *program)
{
    unsigned info_bytes;

    with_context();
    check_status(nppGetStreamContext(&context), NPP_SUCCESS);
    memset(program, 0, sizeof(*program));
    program->size = (NppiSize){WIDTH, HEIGHT};
    program->count = REGIONS;
    for (int i = 0; i < PIXELS; i++)
        program->labels[i] = (Npp32u)(picture[i / WIDTH][i % WIDTH] - '0');
    program->labels_dev = device_copy(program->labels, sizeof(program->labels));
    check_status(nppiCompressedMarkerLabelsUFGetInfoListSize_32u_C1R(REGIONS, &info_bytes),
                 NPP_SUCCESS);
    check(info_bytes >= REGIONS * sizeof(NppiCompressedMarkerLabelsInfo));
    program->infos_dev = device_memory(info_bytes);
    program->contours_dev = device_memory(PIXELS);
    program->directions_dev = device_memory(PIXELS * sizeof(*program->directions_dev));
    program->counts_dev = device_memory(sizeof(program->counts));
    program->offsets_dev = device_memory(sizeof(program->offsets));
    program->found_dev = device_memory(sizeof(program->found));
}

static NppStatus describe(struct program *program)
{
    return nppiCompressedMarkerLabelsUFInfo_32u_C1R_Ctx(
        program->labels_dev, WIDTH * 4, program->size, program->count, program->infos_dev,
        program->contours_dev, WIDTH, program->directions_dev,
        WIDTH * (int)sizeof(*program->directions_dev), &program->totals, program->counts_dev,
        program->counts, program->offsets_dev, program->offsets, context);
}

static void reserve_lists(struct program *program)
{
    Npp32u bytes;

    check_status(
        nppiCompressedMarkerLabelsUFGetGeometryListsSize_C1R(program->offsets[REGIONS], &bytes),
        NPP_SUCCESS);
    check(bytes >= program->offsets[REGIONS] * sizeof(*program->lists));
    program->lists_dev = device_memory(bytes);
    program->lists = malloc(bytes);
    check_status(nppiCompressedMarkerLabelsUFGetContoursBlockSegmentListSize_C1R(
                     program->counts, program->totals.nTotalImagePixelContourCount, REGIONS, 0,
                     REGIONS, &bytes),
                 NPP_SUCCESS);
    program->segments_dev = device_memory(bytes);
    program->segments = malloc(bytes);
    check(program->lists && program->segments);
}

static NppStatus list(struct program *program, unsigned first, unsigned last, bool counterclockwise)
{
    return nppiCompressedMarkerLabelsUFContoursGenerateGeometryLists_C1R_Ctx(
        program->infos_dev, program->infos, program->directions_dev,
        WIDTH * (int)sizeof(*program->directions_dev), program->lists_dev, program->lists,
        program->drawn, WIDTH, program->counts_dev, program->found_dev, program->found,
        program->offsets_dev, program->offsets, program->totals.nTotalImagePixelContourCount,
        program->count, first, last, program->segments_dev, program->segments, counterclockwise,
        program->size, context);
}

static bool on_contour(int x, int y)
{
    for (int i = 0; i < 9; i++) {
        int nx = x + i % 3 - 1, ny = y + i / 3 - 1;

        if (nx >= 0 && nx < WIDTH && ny >= 0 && ny < HEIGHT && picture[ny][nx] != picture[y][x])
            return true;
    }
    return false;
}

TEST(regions_are_counted_and_boxed)
{
    static struct program program;
    NppiCompressedMarkerLabelsInfo infos[REGIONS];
    Npp32u total = 0, longest = 0, dev[REGIONS + 1];

    start(&program);
    check_status(describe(&program), NPP_SUCCESS);
    fetch(program.contours, program.contours_dev, PIXELS);
    fetch(infos, program.infos_dev, sizeof(infos));
    fetch(dev, program.offsets_dev, sizeof(dev));
    for (int region = 0; region < REGIONS; region++) {
        Npp32u pixels = 0, contour = 0;
        NppiRect box = {WIDTH, HEIGHT, -1, -1};
        NppiPoint first = {-1, -1};

        for (int i = 0; i < PIXELS; i++) {
            int x = i % WIDTH, y = i / WIDTH;

            if (picture[y][x] != '0' + region)
                continue;
            check(program.contours[i] == (on_contour(x, y) ? 0 : 255));
            if (on_contour(x, y) && !contour++)
                first = (NppiPoint){x, y};
            pixels++;
            box.x = x < box.x ? x : box.x;
            box.y = y < box.y ? y : box.y;
            box.width = x > box.width ? x : box.width;
            box.height = y > box.height ? y : box.height;
        }
        check(infos[region].nMarkerLabelPixelCount == pixels);
        check(infos[region].nContourPixelCount == contour && program.counts[region] == contour);
        check(memcmp(&infos[region].oMarkerLabelBoundingBox, &box, sizeof(box)) == 0);
        check(memcmp(&infos[region].oContourFirstPixelLocation, &first, sizeof(first)) == 0);
        check(program.offsets[region] == total && dev[region] == total);
        total += contour;
        longest = contour > longest ? contour : longest;
    }
    check(program.offsets[REGIONS] == total && dev[REGIONS] == total);
    check(program.totals.nTotalImagePixelContourCount == total);
    check(program.totals.nLongestImageContourPixelCount == longest);
}

/* Label 3 has six pixels in two rows, the first of them at (4, 4). */
TEST(a_contour_is_walked_from_its_first_pixel)
{
    static const NppiPoint clockwise[6] = {{4, 4}, {5, 4}, {6, 4}, {6, 5}, {5, 5}, {4, 5}};
    static struct program program;
    const NppiContourPixelGeometryInfo *pixels;

    start(&program);
    check_status(describe(&program), NPP_SUCCESS);
    for (int i = 0; i < 6; i++)
        check(picture[clockwise[i].y][clockwise[i].x] == '3');
    reserve_lists(&program);
    for (int order = 0; order < 2; order++) {
        check_status(list(&program, 3, 4, order == 1), NPP_SUCCESS);
        check(program.found[3] == 6 && program.infos[3].nContourPixelsFound == 6);
        pixels = &program.lists[program.offsets[3]];
        for (int i = 0; i < 6; i++) {
            const NppiPoint *at = &pixels[i].oContourOrderedGeometryLocation;

            check(at->x == clockwise[order ? 5 - i : i].x);
            check(at->y == clockwise[order ? 5 - i : i].y);
        }
        check(pixels[0].oContourPrevPixelLocation.x == 4);
        check(pixels[0].oContourPrevPixelLocation.y == 4);
        check(pixels[0].oContourNextPixelLocation.x == 6);
        check(pixels[0].oContourNextPixelLocation.y == 5);
    }
    for (int i = 0; i < PIXELS; i++)
        check(program.drawn[i] == (picture[i / WIDTH][i % WIDTH] == '3' ? 0 : 255));
}

static int distance(const NppiContourPixelGeometryInfo *a, const NppiContourPixelGeometryInfo *b)
{
    int dx = abs(a->oContourOrderedGeometryLocation.x - b->oContourOrderedGeometryLocation.x);
    int dy = abs(a->oContourOrderedGeometryLocation.y - b->oContourOrderedGeometryLocation.y);

    return dx > dy ? dx : dy;
}

/* Every pixel of a contour is listed once. Around a region and around a hole each pixel touches the
 * one before, so the list of a region with one hole jumps once; label 2 is one pixel wide, and both
 * walks meet the same pixels. The contour of the ground is interrupted by the image's border. */
TEST(lists_have_every_pixel_of_a_contour_once)
{
    static const int jumps_expected[REGIONS] = {0, 1, 0, 0, 0};
    static struct program program;
    NppiContourPixelGeometryInfo *copy;

    start(&program);
    check_status(describe(&program), NPP_SUCCESS);
    reserve_lists(&program);
    check_status(list(&program, 0, REGIONS, true), NPP_SUCCESS);
    copy = malloc(program.offsets[REGIONS] * sizeof(*copy));
    check(copy != NULL);
    fetch(copy, program.lists_dev, program.offsets[REGIONS] * sizeof(*copy));
    check(memcmp(copy, program.lists, program.offsets[REGIONS] * sizeof(*copy)) == 0);
    for (unsigned region = 0; region < REGIONS; region++) {
        const NppiContourPixelGeometryInfo *pixels = &program.lists[program.offsets[region]];
        char seen[PIXELS] = {0};
        int jumps = 0;

        check(program.found[region] == program.counts[region]);
        for (unsigned i = 0; i < program.found[region]; i++) {
            NppiPoint at = pixels[i].oContourOrderedGeometryLocation;

            check(on_contour(at.x, at.y) && picture[at.y][at.x] == (char)('0' + region));
            check(!seen[at.y * WIDTH + at.x]++);
            jumps += i && distance(&pixels[i - 1], &pixels[i]) > 1;
        }
        check(region == 0 || jumps == jumps_expected[region]);
    }
}

TEST(wrong_arguments_are_refused)
{
    static struct program program;
    Npp32u bytes;

    start(&program);
    check_status(describe(&program), NPP_SUCCESS);
    reserve_lists(&program);
    check_status(list(&program, 3, 3, true), NPP_BAD_ARGUMENT_ERROR);
    check_status(list(&program, 0, REGIONS + 1, true), NPP_BAD_ARGUMENT_ERROR);
    program.directions_dev = NULL;
    check_status(list(&program, 0, 1, true), NPP_NULL_POINTER_ERROR);
    check_status(describe(&program), NPP_SUCCESS);
    program.infos_dev = NULL;
    check_status(describe(&program), NPP_NULL_POINTER_ERROR);
    check_status(nppiCompressedMarkerLabelsUFGetInfoListSize_32u_C1R(0, &bytes), NPP_SIZE_ERROR);
    check_status(nppiCompressedMarkerLabelsUFGetInfoListSize_32u_C1R(1, NULL),
                 NPP_NULL_POINTER_ERROR);
}

/* As NVIDIA's library answers without a card. */
TEST(lists_have_the_sizes_of_nvidias_library)
{
    static Npp32u counts[8] = {10, 300, 256, 257, 1000, 5, 0, 4};
    Npp32u bytes;

    start(&(struct program){0});
    check_status(nppiCompressedMarkerLabelsUFGetInfoListSize_32u_C1R(249, &bytes), NPP_SUCCESS);
    check(bytes == 9072);
    check_status(nppiCompressedMarkerLabelsUFGetGeometryListsSize_C1R(249, &bytes), NPP_SUCCESS);
    check(bytes == 15180);
    check_status(nppiCompressedMarkerLabelsUFGetContoursBlockSegmentListSize_C1R(counts, 1832, 8, 1,
                                                                                 8, &bytes),
                 NPP_SUCCESS);
    check(bytes == 1280);
}

/* The sizes of sources are not looked at: those of the labels count. */
TEST(batches_have_the_sizes_of_their_labels)
{
    static const Npp8u first[6] = {7, 7, 1, 1, 7, 1}, second[4] = {3, 4, 4, 3};
    static const Npp32u expected[10] = {0, 0, 1, 2, 0, 1, 0, 1, 1, 0};
    NppiImageDescriptor sources[2], targets[2];
    NppiBufferDescriptor buffers[2];
    NppiSize most = {3, 2};
    Npp32u result[10], *labels, *counts, count[2];
    NppiImageDescriptor *targets_dev;

    start(&(struct program){0});
    memset(sources, 0xEE, sizeof(sources));
    labels = device_memory(sizeof(result));
    sources[0].pData = device_copy(first, sizeof(first));
    sources[0].nStep = 3;
    sources[1].pData = device_copy(second, sizeof(second));
    sources[1].nStep = 2;
    targets[0] = (NppiImageDescriptor){labels, 12, {3, 2}};
    targets[1] = (NppiImageDescriptor){labels + 6, 8, {2, 2}};
    targets_dev = device_copy(targets, sizeof(targets));
    buffers[0] = buffers[1] = (NppiBufferDescriptor){device_memory(4096), 4096};
    counts = device_memory(sizeof(count));
    check_status(
        nppiLabelMarkersUFBatch_8u32u_C1R_Advanced_Ctx(device_copy(sources, sizeof(sources)),
                                                       targets_dev, 2, most, nppiNormInf, context),
        NPP_SUCCESS);
    check_status(
        nppiCompressMarkerLabelsUFBatch_32u_C1IR_Advanced_Ctx(
            targets_dev, device_copy(buffers, sizeof(buffers)), counts, 2, most, 4096, context),
        NPP_SUCCESS);
    fetch(result, labels, sizeof(result));
    fetch(count, counts, sizeof(count));
    check(count[0] == 3 && count[1] == 2);
    check(memcmp(result, expected, sizeof(result)) == 0);
}
