/* SPDX-License-Identifier: MIT */
/* Selects the views that compiled kernels sample inline. */
#include "image/view_inline.h"

#include "image/view.h"

static bool fits(const struct cup_view *view, enum cup_view_inline_kind kind)
{
    const struct cup_texel_format *format = &view->format;

    if (kind == CUP_VIEW_SURFACE)
        return view->is_surface;
    if (!view->plan.samplers || view->level_count > 1 || view->is_buffer || view->linear ||
        view->normalized || view->address[0] != CU_TR_ADDRESS_MODE_CLAMP ||
        view->address[1] != CU_TR_ADDRESS_MODE_CLAMP || format->bytes != 4)
        return false;
    switch (kind) {
    case CUP_VIEW_WORDS:
        return format->channels == 1 &&
               (format->kind == CUP_TEXEL_RAW || format->kind == CUP_TEXEL_FLOAT);
    case CUP_VIEW_BYTES:
        return format->channels == 4 && format->kind == CUP_TEXEL_RAW && !format->is_signed;
    case CUP_VIEW_UNORM:
        return format->channels == 4 && format->kind == CUP_TEXEL_UNORM;
    default:
        return false;
    }
}

bool cup_view_inline_find(const struct cup_view *view, enum cup_view_inline_kind kind,
                          struct cup_view_inline *inlined)
{
    const struct cup_view_level *level = &view->levels[0];
    uint64_t row_units =
        kind == CUP_VIEW_SURFACE ? (uint64_t)level->width * view->format.bytes : level->width;

    if (view->geometry != CUP_GEOMETRY_2D || row_units > INT32_MAX || !fits(view, kind))
        return false;
    inlined->base = level->base;
    inlined->row_bytes = level->row_bytes;
    inlined->last[0] = (int32_t)row_units - 1;
    inlined->last[1] = (int32_t)level->height - 1;
    return true;
}
