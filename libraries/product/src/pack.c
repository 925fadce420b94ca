/* SPDX-License-Identifier: MIT */
/* A chunk of a panel is packed in two steps that stay in the first cache: lines of the source are
 * converted to the panel's elements, then units are put in order. Lines along k are a panel of the
 * right operand as they are; lines across k, once interleaved, are one of the left operand; the
 * other two cases are transposed. */
#include "pack.h"

#include <string.h>

enum { ELEMENTS_MOST = CHUNK_UNITS * 4, LINE_MOST = 64 };
_Static_assert(LINE_MOST >= (int)ELEMENTS_MOST && LINE_MOST >= (int)TILE_SIDE_MOST, "a line");

/* Chunks of a panel that one part packs. */
enum { PART_CHUNKS = 64 };

void packing_finish(struct packing *packing)
{
    packing->unit_elements = packing->form == FORM_F32 ? 1 : packing->form == FORM_S8 ? 4 : 2;
    packing->units = (packing->k + packing->unit_elements - 1) / packing->unit_elements;
    packing->chunks = (packing->units + CHUNK_UNITS - 1) / CHUNK_UNITS;
    packing->panel_bytes = packing->chunks * packing->width * CHUNK_BYTES;
}

static size_t parts_of_panel(const struct packing *packing)
{
    return (packing->chunks + PART_CHUNKS - 1) / PART_CHUNKS;
}

size_t packing_parts(const struct packing *packing)
{
    return packing->panels * parts_of_panel(packing);
}

static void round_line(const struct packing *packing, float *line, size_t count)
{
    uint16_t small[LINE_MOST];

    switch (packing->rounding) {
    case ROUND_NOT:
        break;
    case ROUND_TF32:
        packing->isa->to_tf32(line, line, count);
        break;
    case ROUND_BF16:
        packing->isa->to_bf16(small, line, count);
        packing->isa->from_bf16(line, small, count);
        break;
    case ROUND_F16:
        packing->isa->to_f16(small, line, count);
        packing->isa->from_f16(line, small, count);
        break;
    }
}

/* Converts a contiguous line to the form's elements. */
static void convert_line(const struct packing *packing, void *out, const void *in, size_t count)
{
    float line[LINE_MOST];

    switch (packing->form) {
    case FORM_F32:
        product_to_f32(packing->isa, out, packing->type, in, 1, count);
        round_line(packing, out, count);
        break;
    case FORM_BF16:
        if (packing->type == CUDA_R_16BF) {
            memcpy(out, in, count * 2);
            break;
        }
        product_to_f32(packing->isa, line, packing->type, in, 1, count);
        packing->isa->to_bf16(out, line, count);
        break;
    case FORM_S16:
        for (size_t i = 0; i < count; i++)
            ((int16_t *)out)[i] = ((const int8_t *)in)[i];
        break;
    default:
        memcpy(out, in, count);
    }
}

/* True if the source has the panel's elements as they are. */
static bool is_identity(const struct packing *packing)
{
    return (packing->form == FORM_BF16 && packing->type == CUDA_R_16BF) ||
           (packing->form == FORM_S8 && packing->type == CUDA_R_8I) ||
           (packing->form == FORM_F32 && packing->type == CUDA_R_32F &&
            packing->rounding == ROUND_NOT);
}

/* A whole chunk of a panel from a source that needs no conversion. */
static void pack_identity(const struct packing *packing, uint32_t *out, size_t first, size_t k)
{
    uint32_t units[CHUNK_UNITS * TILE_SIDE_MOST];
    size_t bytes = product_type_bytes(packing->type), width = packing->width;
    size_t group = packing->unit_elements, pitch;
    const char *source;

    if (packing->along == 1) {
        source = product_at(packing->source, (int64_t)first * packing->across + (int64_t)k, bytes);
        pitch = (size_t)packing->across * bytes;
        for (size_t i = 0; !packing->left && i < width; i++)
            memcpy(out + i * CHUNK_UNITS, source + i * pitch, CHUNK_BYTES);
        if (packing->left)
            packing->isa->transpose_to(out, source, pitch, width);
        return;
    }
    source = product_at(packing->source, (int64_t)k * packing->along + (int64_t)first, bytes);
    pitch = (size_t)packing->along * group * bytes;
    for (size_t u = 0; u < CHUNK_UNITS; u++, source += pitch) {
        uint32_t *line = (packing->left ? out : units) + u * width;

        if (group == 4)
            packing->isa->interleave4(line, (const uint8_t *)source, (size_t)packing->along, width);
        else if (group == 2)
            packing->isa->interleave2(line, (const uint16_t *)source, (size_t)packing->along,
                                      width);
        else
            memcpy(line, source, width * 4);
    }
    if (!packing->left)
        packing->isa->transpose_from(out, units, width);
}

static float factor_at(const struct packing *packing, size_t line, size_t k)
{
    const struct product_scales *scales = packing->scales;
    int64_t block = (packing->first_line + (int64_t)line) / scales->block_lines;

    return scales
        ->memory[block * scales->line_stride + (int64_t)(k / PRODUCT_BLOCK) * scales->k_stride];
}

/* Lines along k: units[width][16]. A chunk lies in one block of k. */
static void lines_along(const struct packing *packing, uint32_t *units, size_t first, size_t width,
                        size_t k, size_t elements)
{
    size_t bytes = product_type_bytes(packing->type);

    if (elements < CHUNK_UNITS * packing->unit_elements || width < packing->width)
        memset(units, 0, packing->width * CHUNK_BYTES);
    for (size_t i = 0; i < width; i++)
        convert_line(
            packing, units + i * CHUNK_UNITS,
            product_at(packing->source, (int64_t)(first + i) * packing->across + (int64_t)k, bytes),
            elements);
    for (size_t i = 0; packing->scales && i < width; i++)
        packing->isa->scale((float *)(units + i * CHUNK_UNITS), factor_at(packing, first + i, k),
                            elements);
}

/* Lines across k: units[16][width]. */
static void lines_across(const struct packing *packing, uint32_t *units, size_t first, size_t width,
                         size_t k, size_t elements)
{
    uint32_t lines[ELEMENTS_MOST * TILE_SIDE_MOST / 4];
    size_t bytes = product_type_bytes(packing->type), size = 4 / packing->unit_elements;
    char *out = packing->form == FORM_F32 ? (char *)units : (char *)lines;
    size_t pitch = packing->width * size;

    if (elements < CHUNK_UNITS * packing->unit_elements || width < packing->width)
        memset(out, 0, CHUNK_UNITS * packing->unit_elements * pitch);
    for (size_t p = 0; p < elements; p++)
        convert_line(
            packing, out + p * pitch,
            product_at(packing->source, (int64_t)(k + p) * packing->along + (int64_t)first, bytes),
            width);
    for (size_t i = 0; packing->scales && i < elements * width; i++)
        ((float *)out)[i / width * packing->width + i % width] *=
            factor_at(packing, first + i % width, k);
    for (size_t u = 0; packing->form != FORM_F32 && u < CHUNK_UNITS; u++) {
        if (packing->form == FORM_S8)
            packing->isa->interleave4(units + u * packing->width,
                                      (const uint8_t *)lines + u * 4 * pitch, packing->width,
                                      packing->width);
        else
            packing->isa->interleave2(units + u * packing->width,
                                      (const uint16_t *)lines + u * 2 * packing->width,
                                      packing->width, packing->width);
    }
}

static void pack_chunk(const struct packing *packing, size_t panel, size_t chunk)
{
    uint32_t units[CHUNK_UNITS * TILE_SIDE_MOST];
    uint32_t *out = (uint32_t *)packed_at(packing, panel, chunk * CHUNK_UNITS);
    size_t first = panel * packing->width, k = chunk * CHUNK_UNITS * packing->unit_elements;
    size_t width = packing->count - first, elements = packing->k - k;

    if (width > packing->width)
        width = packing->width;
    if (elements > CHUNK_UNITS * packing->unit_elements)
        elements = CHUNK_UNITS * packing->unit_elements;
    if (width == packing->width && elements == CHUNK_UNITS * packing->unit_elements &&
        is_identity(packing)) {
        pack_identity(packing, out, first, k);
    } else if (packing->along == 1 && !packing->left) {
        lines_along(packing, out, first, width, k, elements);
    } else if (packing->along == 1) {
        lines_along(packing, units, first, width, k, elements);
        packing->isa->transpose_to(out, units, CHUNK_BYTES, packing->width);
    } else if (packing->left) {
        lines_across(packing, out, first, width, k, elements);
    } else {
        lines_across(packing, units, first, width, k, elements);
        packing->isa->transpose_from(out, units, packing->width);
    }
}

void packing_run(void *argument, size_t part)
{
    const struct packing *packing = argument;
    size_t of_panel = parts_of_panel(packing), first = part % of_panel * PART_CHUNKS;

    for (size_t chunk = first; chunk < first + PART_CHUNKS && chunk < packing->chunks; chunk++)
        pack_chunk(packing, part / of_panel, chunk);
}
