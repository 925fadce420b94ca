/* SPDX-License-Identifier: MIT */
/* Decoders of uncompressed texels, one per layout, and the table from formats to decoders.
 *
 * The hardware widens normalised values to 16 bits for filtering: an 8-bit v becomes v * 257.
 * Signed values keep more precision, and -128 is slightly below -1 until the final conversion.
 * Missing channels are zero. */
#include "image/view.h"

#include <string.h>

static float half_to_float(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16, magnitude = half & 0x7fff;
    union {
        uint32_t u;
        float f;
    } bits;

    if (magnitude >= 0x7c00) { /* infinity, NaN */
        bits.u = sign | 0x7f800000 | (magnitude & 0x3ff) << 13;
    } else {
        bits.u = magnitude << 13;
        bits.f *= 0x1p112f; /* also correct for subnormals */
        bits.u |= sign;
    }
    return bits.f;
}

/* Defines a decoder of n channels of a type; the expression converts the channel's value `v`. */
#define DECODER(name, type, channels, member, expression)                                          \
    static void decode_##name(const void *bytes, unsigned x, unsigned y, union cup_texel *texel)   \
    {                                                                                              \
        type values[4] = {0};                                                                      \
        (void)x;                                                                                   \
        (void)y;                                                                                   \
        memcpy(values, bytes, sizeof(type) * (channels));                                          \
        for (unsigned c = 0; c < (channels); c++) {                                                \
            type v = values[c];                                                                    \
            texel->member[c] = (expression);                                                       \
        }                                                                                          \
        for (unsigned c = (channels); c < 4; c++)                                                  \
            texel->u[c] = 0;                                                                       \
    }
#define DECODERS_ONLY(name, type, member, expression)                                              \
    DECODER(name##_1, type, 1, member, expression)                                                 \
    DECODER(name##_2, type, 2, member, expression)                                                 \
    DECODER(name##_4, type, 4, member, expression)
#define DECODERS(name, type, member, expression)                                                   \
    DECODERS_ONLY(name, type, member, expression)                                                  \
    static const cup_texel_decode name[] = {decode_##name##_1, decode_##name##_2,                  \
                                            decode_##name##_4};

DECODERS(u8, uint8_t, i, v)
DECODERS(s8, int8_t, i, v)
DECODERS(u16, uint16_t, i, v)
DECODERS(s16, int16_t, i, v)
DECODERS(snorm16s, int16_t, i, v *CUP_SNORM_UNIT)
DECODERS(b32, uint32_t, u, v)
DECODERS(unorm8, uint8_t, i, v * 257)
DECODERS(snorm8s, int8_t, i, v * 32767 * 32)
DECODERS(half, uint16_t, f, half_to_float(v))
DECODERS_ONLY(srgb8, uint8_t, f, cup_srgb(v))

static void decode_srgb8_alpha(const void *bytes, unsigned x, unsigned y, union cup_texel *texel)
{
    decode_srgb8_4(bytes, x, y, texel);
    texel->i[3] = ((const uint8_t *)bytes)[3] * 257;
}

/* The second of two channels is alpha. */
static void decode_srgb8_two(const void *bytes, unsigned x, unsigned y, union cup_texel *texel)
{
    decode_srgb8_2(bytes, x, y, texel);
    texel->i[1] = ((const uint8_t *)bytes)[1] * 257;
}

static const cup_texel_decode srgb8_alpha[] = {decode_srgb8_1, decode_srgb8_two,
                                               decode_srgb8_alpha};

static void decode_1010102(const void *bytes, unsigned x, unsigned y, union cup_texel *texel)
{
    uint32_t value;

    (void)x;
    (void)y;
    memcpy(&value, bytes, 4);
    for (unsigned c = 0; c < 3; c++) {
        uint32_t v = value >> c * 10 & 1023;
        texel->i[c] = (int32_t)(v << 6 | v >> 4);
    }
    texel->i[3] = (int32_t)(value >> 30) * 0x5555;
}

struct texel_row {
    const cup_texel_decode *decoders; /* indexed by channels: 1, 2, 4 */
    uint8_t kind, bytes, channel_bits;
    bool is_signed;
};

enum {
    U8,
    U16,
    U32,
    S8,
    S16,
    S32,
    HALF,
    FLOAT,
    UNORM8,
    UNORM16,
    SNORM8,
    SNORM16,
    SRGB8,
};

static const struct texel_row rows[] = {
    [U8] = {u8, CUP_TEXEL_RAW, 1, 8, false},
    [U16] = {u16, CUP_TEXEL_RAW, 2, 16, false},
    [U32] = {b32, CUP_TEXEL_RAW, 4, 32, false},
    [S8] = {s8, CUP_TEXEL_RAW, 1, 8, true},
    [S16] = {s16, CUP_TEXEL_RAW, 2, 16, true},
    [S32] = {b32, CUP_TEXEL_RAW, 4, 32, true},
    [HALF] = {half, CUP_TEXEL_HALF, 2, 16, true},
    [FLOAT] = {b32, CUP_TEXEL_FLOAT, 4, 32, true},
    [UNORM8] = {unorm8, CUP_TEXEL_UNORM, 1, 8, false},
    [UNORM16] = {u16, CUP_TEXEL_UNORM, 2, 16, false},
    [SNORM8] = {snorm8s, CUP_TEXEL_SNORM, 1, 8, true},
    [SNORM16] = {snorm16s, CUP_TEXEL_SNORM, 2, 16, true},
    [SRGB8] = {srgb8_alpha, CUP_TEXEL_SRGB, 1, 8, false},
};

static void from_row(unsigned row, unsigned channels, struct cup_texel_format *format)
{
    *format = (struct cup_texel_format){
        .kind = (enum cup_texel_kind)rows[row].kind,
        .bytes = (uint8_t)(rows[row].bytes * channels),
        .block = 1,
        .channels = (uint8_t)channels,
        .channel_bits = rows[row].channel_bits,
        .is_signed = rows[row].is_signed,
        .decode = rows[row].decoders[channels == 4 ? 2 : channels - 1],
    };
}

static void from_block(cup_texel_decode decode, enum cup_texel_kind kind, unsigned bytes,
                       unsigned channels, struct cup_texel_format *format)
{
    *format = (struct cup_texel_format){.kind = kind,
                                        .bytes = (uint8_t)bytes,
                                        .block = 4,
                                        .channels = (uint8_t)channels,
                                        .channel_bits = channels < 3 ? 16 : 8,
                                        .is_signed = kind == CUP_TEXEL_SNORM,
                                        .decode = decode};
}

/* `id` is a compressed format, BC1 or later. */
static bool block_format(CUresourceViewFormat id, bool srgb, struct cup_texel_format *format)
{
    static const struct {
        cup_texel_decode plain, srgb;
        uint8_t kind, bytes, channels;
    } blocks[] = {
        {cup_texel_bc1, cup_texel_bc1_srgb, CUP_TEXEL_UNORM, 8, 4},
        {cup_texel_bc2, cup_texel_bc2_srgb, CUP_TEXEL_UNORM, 16, 4},
        {cup_texel_bc3, cup_texel_bc3_srgb, CUP_TEXEL_UNORM, 16, 4},
        {cup_texel_bc4, NULL, CUP_TEXEL_UNORM, 8, 1},
        {cup_texel_bc4_signed, NULL, CUP_TEXEL_SNORM, 8, 1},
        {cup_texel_bc5, NULL, CUP_TEXEL_UNORM, 16, 2},
        {cup_texel_bc5_signed, NULL, CUP_TEXEL_SNORM, 16, 2},
        {cup_texel_bc6h, NULL, CUP_TEXEL_HALF, 16, 3},
        {cup_texel_bc6h_signed, NULL, CUP_TEXEL_HALF, 16, 3},
        {cup_texel_bc7, cup_texel_bc7_srgb, CUP_TEXEL_UNORM, 16, 4},
    };
    unsigned row = (unsigned)id - CU_RES_VIEW_FORMAT_UNSIGNED_BC1;

    if (row >= sizeof(blocks) / sizeof(*blocks))
        return false;
    if (srgb && blocks[row].srgb)
        from_block(blocks[row].srgb, CUP_TEXEL_SRGB, blocks[row].bytes, 4, format);
    else
        from_block(blocks[row].plain, (enum cup_texel_kind)blocks[row].kind, blocks[row].bytes,
                   blocks[row].channels, format);
    return true;
}

/* 8- and 16-bit integers are normalised unless CU_TRSF_READ_AS_INTEGER is set. */
static unsigned plain_row(unsigned row, unsigned flags)
{
    static const uint8_t fractions[] = {
        [U8] = UNORM8,   [U16] = UNORM16, [U32] = U32,   [S8] = SNORM8,
        [S16] = SNORM16, [S32] = S32,     [HALF] = HALF, [FLOAT] = FLOAT};

    if (flags & CU_TRSF_READ_AS_INTEGER)
        return row;
    if (row == U8 && (flags & CU_TRSF_SRGB))
        return SRGB8;
    return fractions[row];
}

bool cup_texel_format_of_view(CUresourceViewFormat id, unsigned texture_flags,
                              struct cup_texel_format *format)
{
    static const uint8_t by_three[] = {U8, S8, U16, S16, U32, S32, HALF, FLOAT};
    static const uint8_t channels[] = {1, 2, 4};
    unsigned index = (unsigned)id - 1;

    if (id >= CU_RES_VIEW_FORMAT_UNSIGNED_BC1)
        return block_format(id, texture_flags & CU_TRSF_SRGB, format);
    if (index >= 24)
        return false;
    from_row(plain_row(by_three[index / 3], texture_flags), channels[index % 3], format);
    return true;
}

static bool plain_of_array(CUarray_format id, unsigned *row)
{
    static const struct {
        CUarray_format id;
        uint8_t row;
    } plain[] = {
        {CU_AD_FORMAT_UNSIGNED_INT8, U8},   {CU_AD_FORMAT_UNSIGNED_INT16, U16},
        {CU_AD_FORMAT_UNSIGNED_INT32, U32}, {CU_AD_FORMAT_SIGNED_INT8, S8},
        {CU_AD_FORMAT_SIGNED_INT16, S16},   {CU_AD_FORMAT_SIGNED_INT32, S32},
        {CU_AD_FORMAT_HALF, HALF},          {CU_AD_FORMAT_FLOAT, FLOAT},
    };

    for (unsigned i = 0; i < sizeof(plain) / sizeof(*plain); i++) {
        if (plain[i].id == id) {
            *row = plain[i].row;
            return true;
        }
    }
    return false;
}

bool cup_texel_format_of_array(CUarray_format id, unsigned channels, unsigned texture_flags,
                               struct cup_texel_format *format)
{
    static const CUresourceViewFormat blocks[] = {
        [0] = CU_RES_VIEW_FORMAT_UNSIGNED_BC1,   [1] = CU_RES_VIEW_FORMAT_UNSIGNED_BC1,
        [2] = CU_RES_VIEW_FORMAT_UNSIGNED_BC2,   [3] = CU_RES_VIEW_FORMAT_UNSIGNED_BC2,
        [4] = CU_RES_VIEW_FORMAT_UNSIGNED_BC3,   [5] = CU_RES_VIEW_FORMAT_UNSIGNED_BC3,
        [6] = CU_RES_VIEW_FORMAT_UNSIGNED_BC4,   [7] = CU_RES_VIEW_FORMAT_SIGNED_BC4,
        [8] = CU_RES_VIEW_FORMAT_UNSIGNED_BC5,   [9] = CU_RES_VIEW_FORMAT_SIGNED_BC5,
        [10] = CU_RES_VIEW_FORMAT_UNSIGNED_BC6H, [11] = CU_RES_VIEW_FORMAT_SIGNED_BC6H,
        [12] = CU_RES_VIEW_FORMAT_UNSIGNED_BC7,  [13] = CU_RES_VIEW_FORMAT_UNSIGNED_BC7};
    unsigned row, block = (unsigned)id - CU_AD_FORMAT_BC1_UNORM;
    bool srgb = texture_flags & CU_TRSF_SRGB;

    if (block < 14) {
        bool found = block_format(blocks[block], srgb, format);
        /* but not if uncompressed elements are viewed as blocks */
        format->opaque = format->channels < 4;
        return found;
    }
    if (plain_of_array(id, &row)) {
        if (channels == 0 || channels == 3 || channels > 4)
            return false;
        from_row(plain_row(row, texture_flags), channels, format);
        return true;
    }
    if (id == CU_AD_FORMAT_UNORM_INT_101010_2) {
        from_row(UNORM8, 4, format);
        format->channel_bits = 10;
        format->decode = decode_1010102;
        return true;
    }
    static const uint8_t fixed[] = {UNORM8, UNORM16, SNORM8, SNORM16}, counts[] = {1, 2, 4};
    unsigned index = (unsigned)id - CU_AD_FORMAT_UNORM_INT8X1;
    if (index >= 12)
        return false;
    row = fixed[index / 3];
    from_row(row == UNORM8 && srgb ? SRGB8 : row, counts[index % 3], format);
    return true;
}
