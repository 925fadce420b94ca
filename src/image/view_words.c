/* SPDX-License-Identifier: MIT */
#include "image/view_words.h"

#include "image/view.h"

bool cup_view_words(const struct cup_view *view, struct cup_view_words *words)
{
    const struct cup_view_level *level = &view->levels[0];
    const struct cup_texel_format *format = &view->format;

    if (!view->fast || view->geometry != CUP_GEOMETRY_2D || view->linear || view->normalized ||
        view->address[0] != CU_TR_ADDRESS_MODE_CLAMP ||
        view->address[1] != CU_TR_ADDRESS_MODE_CLAMP)
        return false;
    if (format->bytes != 4 || format->channels != 1 ||
        (format->kind != CUP_TEXEL_RAW && format->kind != CUP_TEXEL_FLOAT))
        return false;
    words->base = level->base;
    words->row_bytes = level->row_bytes;
    words->last[0] = (int32_t)level->width - 1;
    words->last[1] = (int32_t)level->height - 1;
    return true;
}
