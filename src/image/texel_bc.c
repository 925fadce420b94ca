/* SPDX-License-Identifier: MIT */
/* Blocks of 4 x 4 texels with colours between two end points: BC1 to BC5. A block is decoded anew for
 * each texel: only what the one texel needs is worked out. */
#include "image/view.h"

#include <string.h>

static inline uint64_t load64(const void *bytes)
{
    uint64_t value;

    memcpy(&value, bytes, 8);
    return value;
}

static inline unsigned expand5(unsigned value)
{
    return value << 3 | value >> 2;
}

static inline unsigned expand6(unsigned value)
{
    return value << 2 | value >> 4;
}

/* Eight bits a channel. Where the first end point is not the larger, BC1 has one colour between and
 * black without alpha. */
static void colours(uint64_t block, unsigned x, unsigned y, bool three, union cup_texel *texel)
{
    unsigned a = block & 0xffff, b = block >> 16 & 0xffff;
    unsigned index = block >> (32 + 2 * (4 * y + x)) & 3;
    const unsigned first[3] = {expand5(a >> 11), expand6(a >> 5 & 63), expand5(a & 31)};
    const unsigned second[3] = {expand5(b >> 11), expand6(b >> 5 & 63), expand5(b & 31)};

    three = three && a <= b;
    for (unsigned c = 0; c < 3; c++) {
        unsigned value = first[c];
        if (index == 1)
            value = second[c];
        else if (index == 2)
            value = three ? (first[c] + second[c]) / 2 : (2 * first[c] + second[c]) / 3;
        else if (index == 3)
            value = three ? 0 : (first[c] + 2 * second[c]) / 3;
        texel->i[c] = (int32_t)value * 257;
    }
    texel->i[3] = three && index == 3 ? 0 : 65535;
}

void cup_texel_bc1(const void *bytes, unsigned x, unsigned y, union cup_texel *texel)
{
    colours(load64(bytes), x, y, true, texel);
}

void cup_texel_bc2(const void *bytes, unsigned x, unsigned y, union cup_texel *texel)
{
    colours(load64((const char *)bytes + 8), x, y, false, texel);
    texel->i[3] = (int32_t)(load64(bytes) >> 4 * (4 * y + x) & 15) * 0x1111;
}

/* One channel of 8-bit end points and 3-bit indices, as a 16-bit fraction: n / d of the way. */
static int32_t unsigned_channel(uint64_t block, unsigned x, unsigned y)
{
    unsigned a = block & 255, b = block >> 8 & 255;
    unsigned index = block >> (16 + 3 * (4 * y + x)) & 7;

    if (index < 2)
        return (int32_t)(index ? b : a) * 257;
    if (a > b)
        return (int32_t)(((8 - index) * a + (index - 1) * b) * 257 / 7);
    if (index >= 6)
        return index == 6 ? 0 : 65535;
    return (int32_t)(((6 - index) * a + (index - 1) * b) * 257 / 5);
}

static int32_t signed_channel(uint64_t block, unsigned x, unsigned y)
{
    int a = (int8_t)(block & 255), b = (int8_t)(block >> 8 & 255);
    unsigned index = block >> (16 + 3 * (4 * y + x)) & 7;
    bool eight = a > b;

    a = a < -127 ? -127 : a;
    b = b < -127 ? -127 : b;
    int i = (int)index;
    if (index < 2)
        return (index ? b : a) * 32767 / 127 * CUP_SNORM_UNIT;
    if (eight)
        return ((8 - i) * a + (i - 1) * b) * 32767 / (7 * 127) * CUP_SNORM_UNIT;
    if (index >= 6)
        return (index == 6 ? -32767 : 32767) * CUP_SNORM_UNIT;
    return ((6 - i) * a + (i - 1) * b) * 32767 / (5 * 127) * CUP_SNORM_UNIT;
}

void cup_texel_bc3(const void *bytes, unsigned x, unsigned y, union cup_texel *texel)
{
    colours(load64((const char *)bytes + 8), x, y, false, texel);
    texel->i[3] = unsigned_channel(load64(bytes), x, y);
}

void cup_texel_bc4(const void *bytes, unsigned x, unsigned y, union cup_texel *texel)
{
    *texel = (union cup_texel){.i = {unsigned_channel(load64(bytes), x, y), 0, 0, 65535}};
}

void cup_texel_bc4_signed(const void *bytes, unsigned x, unsigned y, union cup_texel *texel)
{
    *texel = (union cup_texel){.i = {signed_channel(load64(bytes), x, y), 0, 0, 32767 * CUP_SNORM_UNIT}};
}

void cup_texel_bc5(const void *bytes, unsigned x, unsigned y, union cup_texel *texel)
{
    *texel = (union cup_texel){
        .i = {unsigned_channel(load64(bytes), x, y),
              unsigned_channel(load64((const char *)bytes + 8), x, y), 0, 65535}};
}

void cup_texel_bc5_signed(const void *bytes, unsigned x, unsigned y, union cup_texel *texel)
{
    *texel = (union cup_texel){.i = {signed_channel(load64(bytes), x, y),
                                     signed_channel(load64((const char *)bytes + 8), x, y), 0,
                                     32767 * CUP_SNORM_UNIT}};
}

void cup_texel_bc1_srgb(const void *bytes, unsigned x, unsigned y, union cup_texel *texel)
{
    cup_texel_bc1(bytes, x, y, texel);
    cup_texel_to_srgb(texel);
}

void cup_texel_bc2_srgb(const void *bytes, unsigned x, unsigned y, union cup_texel *texel)
{
    cup_texel_bc2(bytes, x, y, texel);
    cup_texel_to_srgb(texel);
}

void cup_texel_bc3_srgb(const void *bytes, unsigned x, unsigned y, union cup_texel *texel)
{
    cup_texel_bc3(bytes, x, y, texel);
    cup_texel_to_srgb(texel);
}

void cup_texel_bc7_srgb(const void *bytes, unsigned x, unsigned y, union cup_texel *texel)
{
    cup_texel_bc7(bytes, x, y, texel);
    cup_texel_to_srgb(texel);
}
