/* SPDX-License-Identifier: MIT */
/* Reports textures that a kernel must not use (CUPIPE_CHECK). On a device such a kernel reads
 * whatever is in the memory; here it reads zeros, or an image that is kept alive for it. */
#include "exec/texture_validate.h"

#include "core/check.h"
#include "core/check_report.h"
#include "core/config.h"
#include "exec/upcalls.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>

static void report_use(const struct cup_grid *grid, enum cup_object_type type, uint64_t number,
                       const char *why, const struct cup_check_record *about)
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
    cup_check_report(&report);
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

static void validate_image(const struct cup_grid *grid, enum cup_object_type type, uint64_t number,
                           const struct cup_texture *texture)
{
    bool is_array = texture->resource.resType == CU_RESOURCE_TYPE_ARRAY;
    const void *handle = is_array ? (const void *)texture->resource.res.array.hArray
                                  : (const void *)texture->resource.res.mipmap.hMipmappedArray;
    enum cup_object_type image = is_array ? CUP_OBJECT_ARRAY : CUP_OBJECT_MIPMAP;
    struct cup_check_record record;
    bool known = cup_check_find((int)image, (uint64_t)(uintptr_t)handle, &record);

    if (is_gone(image, handle)) {
        if (!was_reported(grid, type, number))
            report_use(grid, type, number, "whose array was destroyed", known ? &record : NULL);
    } else if (cup_exec_upcalls.is_unmapped(texture->image)) {
        if (!was_reported(grid, type, number))
            report_use(grid, type, number, "whose graphics resource is not mapped", NULL);
    }
}

void cup_texcall_validate(const struct cup_grid *grid, enum cup_object_type type, uint64_t number,
                          const struct cup_texture *texture)
{
    struct cup_check_record record;
    /* has no record: that of its number, if any, is of an object that had it before */
    bool of_reference = texture && texture->of_reference;

    if (!cup_config_get()->check_memory || number == 0)
        return;
    if (!of_reference && cup_check_find((int)type, number, &record) && record.freed.call) {
        if (!was_reported(grid, type, number))
            report_use(grid, type, number, "which was destroyed", &record);
    } else if (texture && texture->image) {
        validate_image(grid, type, number, texture);
    }
}
