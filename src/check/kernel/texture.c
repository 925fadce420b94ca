/* SPDX-License-Identifier: MIT */
/* Reports textures that a kernel must not use (CUPIPE_CHECK). On a device such a kernel reads
 * whatever is in the memory; here it reads zeros, or an image that is kept alive for it. */
#include "check/kernel/texture.h"

#include "check/report/records.h"
#include "check/report/report.h"
#include "image/array.h"
#include "image/mipmap.h"
#include "interop/resource.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>

static void report_use(const struct cup_grid *grid, enum cup_object_type type, uint64_t number,
                       const char *why, const struct cup_tracked *about)
{
    const char *name = type == CUP_OBJECT_SURFACE ? "surface object" : "texture object";
    char text[512];
    struct cup_report report = {.check = CUP_REPORT_MEMORY,
                                .fault = "bad-texture",
                                .text = text,
                                .places = {{.kernel = grid->kernel_name, .in_text = true}},
                                .place_count = 1,
                                .memory = about,
                                .ended = "destroyed"};

    snprintf(text, sizeof(text), "kernel %s used the %s 0x%" PRIx64 ", %s", grid->kernel_name, name,
             number, why);
    cup_report_write(&report);
}

static bool is_gone(enum cup_object_type type, const void *handle)
{
    struct cup_object *object;

    if (cup_object_find(type, handle, &object) != CUDA_SUCCESS)
        return true;
    cup_object_unref(object);
    return false;
}

/* Every lane may detect the error; it is reported once. */
static bool was_reported(const struct cup_grid *grid, enum cup_object_type type, uint64_t number)
{
    static _Atomic(uint64_t) last;
    uint64_t mark = (uint64_t)(uintptr_t)grid ^ number << 1 ^ (type == CUP_OBJECT_SURFACE);

    return atomic_exchange(&last, mark) == mark;
}

/* Whether the image belongs to a graphics resource that is not mapped. Levels and planes are parts
 * of the resource's array. */
static bool is_unmapped(const struct cup_object *image)
{
    while (image && image->type != CUP_OBJECT_GRAPHICS)
        image = image->type == CUP_OBJECT_ARRAY ? ((const struct CUarray_st *)image)->parent
                : image->type == CUP_OBJECT_MIPMAP
                    ? ((const struct CUmipmappedArray_st *)image)->owner
                    : NULL;
    return image && !cup_resource_is_mapped((struct CUgraphicsResource_st *)image);
}

static void validate_image(const struct cup_grid *grid, enum cup_object_type type, uint64_t number,
                           const struct cup_texture *texture)
{
    bool is_array = texture->resource.resType == CU_RESOURCE_TYPE_ARRAY;
    const void *handle = is_array ? (const void *)texture->resource.res.array.hArray
                                  : (const void *)texture->resource.res.mipmap.hMipmappedArray;
    enum cup_object_type image = is_array ? CUP_OBJECT_ARRAY : CUP_OBJECT_MIPMAP;
    struct cup_tracked record;
    bool known = cup_tracked_find((int)image, (uint64_t)(uintptr_t)handle, &record);

    if (is_gone(image, handle)) {
        if (!was_reported(grid, type, number))
            report_use(grid, type, number, "whose array was destroyed", known ? &record : NULL);
    } else if (is_unmapped(texture->image)) {
        if (!was_reported(grid, type, number))
            report_use(grid, type, number, "whose graphics resource is not mapped", NULL);
    }
}

void cup_kcheck_texture(const struct cup_grid *grid, int kind, uint64_t number,
                        const struct cup_texture *texture)
{
    struct cup_tracked record;
    /* has no record: that of its number, if any, is of an object that had it before */
    bool of_reference = texture && texture->of_reference;
    enum cup_object_type type = (enum cup_object_type)kind;

    if (number == 0)
        return;
    if (!of_reference && cup_tracked_find((int)type, number, &record) && record.freed.call) {
        if (!was_reported(grid, type, number))
            report_use(grid, type, number, "which was destroyed", &record);
    } else if (texture && texture->image) {
        validate_image(grid, type, number, texture);
    }
}
