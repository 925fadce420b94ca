/* SPDX-License-Identifier: MIT */
/* BC1 to BC5: blocks of 4 x 4 texels that interpolate between two endpoints. Each call decodes one
 * texel and computes only what this texel needs. */
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

/* Interpolates two 5-bit endpoints at a third or half of the way, with the hardware's
 * approximation. */
static unsigned interpolate5(unsigned a, unsigned b, bool half)
{
    return half ? (a + b) * 33 / 8 : (2 * a + b) * 22 / 8;
}

/* The same for 6-bit endpoints, already expanded to 8 bits. */
static unsigned interpolate6(int a, int b, bool half)
{
    int difference = b - a;

    return (unsigned)(256 * a + difference / 4 + 128 + difference * (half ? 128 : 80)) >> 8;
}

/* Decodes a colour to 8 bits per channel. If the first endpoint is not the larger, BC1 has one
 * interpolated colour and transparent black. */
static void colours(uint64_t block, unsigned x, unsigned y, bool three, union cup_texel *texel)
{
    unsigned a = block & 0xffff, b = block >> 16 & 0xffff;
    unsigned index = block >> (32 + 2 * (4 * y + x)) & 3;

    three = three && a <= b;
    if (index == 1 || (index == 3 && !three)) { /* from the other endpoint */
        unsigned swap = a;
        a = b;
        b = swap;
    }
    unsigned red = expand5(a >> 11), green = expand6(a >> 5 & 63), blue = expand5(a & 31);
    if (index >= 2) {
        red = interpolate5(a >> 11, b >> 11, three);
        green = interpolate6((int)green, (int)expand6(b >> 5 & 63), three);
        blue = interpolate5(a & 31, b & 31, three);
    }
    bool clear = three && index == 3;
    texel->i[0] = clear ? 0 : (int32_t)red * 257;
    texel->i[1] = clear ? 0 : (int32_t)green * 257;
    texel->i[2] = clear ? 0 : (int32_t)blue * 257;
    texel->i[3] = clear ? 0 : 65535;
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

/* The hardware's interpolation weights for each index, out of 257, or of 258 for signed values;
 * `from_second` says which endpoint they start from. */
static const struct step {
    uint8_t from_second, weight;
} eights[8] = {{0, 0}, {1, 0}, {0, 36}, {0, 72}, {1, 144}, {0, 144}, {1, 72}, {1, 36}},
  sixes[6] = {{0, 0}, {1, 0}, {0, 48}, {0, 96}, {1, 96}, {1, 48}};

static struct step step_at(bool eight, unsigned index)
{
    return eight ? eights[index] : sixes[index];
}

static unsigned index_at(uint64_t block, unsigned x, unsigned y)
{
    return block >> (16 + 3 * (4 * y + x)) & 7;
}

/* Decodes one channel with 8-bit endpoints and 3-bit indices to a 16-bit normalised value. */
static int32_t unsigned_channel(uint64_t block, unsigned x, unsigned y)
{
    const int ends[2] = {block & 255, block >> 8 & 255};
    unsigned index = index_at(block, x, y);
    bool eight = ends[0] > ends[1];

    if (!eight && index >= 6)
        return index == 6 ? 0 : 65535;
    struct step step = step_at(eight, index);
    unsigned from = step.from_second;
    int weight = step.weight;
    return ends[from] * 257 + (ends[!from] - ends[from]) * weight;
}

static int32_t signed_channel(uint64_t block, unsigned x, unsigned y)
{
    int ends[2] = {(int8_t)(block & 255), (int8_t)(block >> 8 & 255)};
    unsigned index = index_at(block, x, y);
    bool eight = ends[0] > ends[1];

    if (!eight && index >= 6)
        return (index == 6 ? -32767 : 32767) * CUP_SNORM_UNIT;
    for (unsigned i = 0; i < 2; i++)
        ends[i] = ends[i] < -127 ? -127 : ends[i];
    struct step step = step_at(eight, index);
    unsigned from = step.from_second;
    int weight = step.weight;
    int base = ends[from] * 258 + (ends[from] >= 64) - (ends[from] <= -64);
    return (base + (ends[!from] - ends[from]) * weight) * CUP_SNORM_UNIT;
}

/* The same weights at 8 bits, out of about 255: plus one part for every 8, 4 or 2. */
static int32_t alpha_channel(uint64_t block, unsigned x, unsigned y)
{
    const int ends[2] = {block & 255, block >> 8 & 255};
    unsigned index = index_at(block, x, y);
    bool eight = ends[0] > ends[1];

    if (!eight && index >= 6)
        return index == 6 ? 0 : 65535;
    struct step step = step_at(eight, index);
    unsigned from = step.from_second;
    int weight = step.weight;
    int difference = ends[!from] - ends[from], shift = weight > 100 ? 1 : weight > 50 ? 2 : 3;
    if (weight == 0)
        return ends[from] * 257;
    return (ends[from] + ((difference * weight + 128 + (difference >> shift)) >> 8)) * 257;
}

void cup_texel_bc3(const void *bytes, unsigned x, unsigned y, union cup_texel *texel)
{
    colours(load64((const char *)bytes + 8), x, y, false, texel);
    texel->i[3] = alpha_channel(load64(bytes), x, y);
}

void cup_texel_bc4(const void *bytes, unsigned x, unsigned y, union cup_texel *texel)
{
    *texel = (union cup_texel){.i = {unsigned_channel(load64(bytes), x, y), 0, 0, 0}};
}

void cup_texel_bc4_signed(const void *bytes, unsigned x, unsigned y, union cup_texel *texel)
{
    *texel = (union cup_texel){.i = {signed_channel(load64(bytes), x, y), 0, 0, 0}};
}

void cup_texel_bc5(const void *bytes, unsigned x, unsigned y, union cup_texel *texel)
{
    *texel =
        (union cup_texel){.i = {unsigned_channel(load64(bytes), x, y),
                                unsigned_channel(load64((const char *)bytes + 8), x, y), 0, 0}};
}

void cup_texel_bc5_signed(const void *bytes, unsigned x, unsigned y, union cup_texel *texel)
{
    *texel = (union cup_texel){.i = {signed_channel(load64(bytes), x, y),
                                     signed_channel(load64((const char *)bytes + 8), x, y), 0, 0}};
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
