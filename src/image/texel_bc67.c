/* SPDX-License-Identifier: MIT */
/* BC6H and BC7: blocks of up to three regions with two endpoints each. A mode at the start of the
 * block selects the layout. The layouts are tables of the formats' specification. */
#include "image/view.h"

#include <string.h>

struct bc_block {
    uint64_t low, high;
    unsigned at;
};

static unsigned read_bits(struct bc_block *block, unsigned bits)
{
    unsigned at = block->at;
    uint64_t value;

    if (bits == 0)
        return 0;
    if (at >= 64)
        value = block->high >> (at - 64);
    else
        value = block->low >> at | (at && at + bits > 64 ? block->high << (64 - at) : 0);
    block->at += bits;
    return (unsigned)(value & (((uint64_t)1 << bits) - 1));
}

static void block_init(struct bc_block *block, const void *bytes)
{
    memcpy(&block->low, bytes, 8);
    memcpy(&block->high, (const char *)bytes + 8, 8);
    block->at = 0;
}

/* The region of each texel: one bit per texel for two regions, two bits for three. */
static const uint16_t partitions2[64] = {
    0xcccc, 0x8888, 0xeeee, 0xecc8, 0xc880, 0xfeec, 0xfec8, 0xec80, 0xc800, 0xffec, 0xfe80,
    0xe800, 0xffe8, 0xff00, 0xfff0, 0xf000, 0xf710, 0x008e, 0x7100, 0x08ce, 0x008c, 0x7310,
    0x3100, 0x8cce, 0x088c, 0x3110, 0x6666, 0x366c, 0x17e8, 0x0ff0, 0x718e, 0x399c, 0xaaaa,
    0xf0f0, 0x5a5a, 0x33cc, 0x3c3c, 0x55aa, 0x9696, 0xa55a, 0x73ce, 0x13c8, 0x324c, 0x3bdc,
    0x6996, 0xc33c, 0x9966, 0x0660, 0x0272, 0x04e4, 0x4e40, 0x2720, 0xc936, 0x936c, 0x39c6,
    0x639c, 0x9336, 0x9cc6, 0x817e, 0xe718, 0xccf0, 0x0fcc, 0x7744, 0xee22};
static const uint32_t partitions3[64] = {
    0xaa685050, 0x6a5a5040, 0x5a5a4200, 0x5450a0a8, 0xa5a50000, 0xa0a05050, 0x5555a0a0, 0x5a5a5050,
    0xaa550000, 0xaa555500, 0xaaaa5500, 0x90909090, 0x94949494, 0xa4a4a4a4, 0xa9a59450, 0x2a0a4250,
    0xa5945040, 0x0a425054, 0xa5a5a500, 0x55a0a0a0, 0xa8a85454, 0x6a6a4040, 0xa4a45000, 0x1a1a0500,
    0x0050a4a4, 0xaaa59090, 0x14696914, 0x69691400, 0xa08585a0, 0xaa821414, 0x50a4a450, 0x6a5a0200,
    0xa9a58000, 0x5090a0a8, 0xa8a09050, 0x24242424, 0x00aa5500, 0x24924924, 0x24499224, 0x50a50a50,
    0x500aa550, 0xaaaa4444, 0x66660000, 0xa5a0a5a0, 0x50a050a0, 0x69286928, 0x44aaaa44, 0x66666600,
    0xaa444444, 0x54a854a8, 0x95809580, 0x96969600, 0xa85454a8, 0x80959580, 0xaa141414, 0x96960000,
    0xaaaa1414, 0xa05050a0, 0xa0a5a5a0, 0x96000000, 0x40804080, 0xa9a8a9a8, 0xaaaaaa44, 0x2a4a5254};
/* The anchor texel of each region, whose index has one bit less; the first region's is texel 0. */
static const uint8_t anchors2[64] = {
    15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 2,  8, 2, 2, 8,
    8,  15, 2,  8,  2,  2,  8,  8,  2,  2,  15, 15, 6,  8,  2,  8,  15, 15, 2, 8, 2, 2,
    2,  15, 15, 6,  6,  2,  6,  8,  15, 15, 2,  2,  15, 15, 15, 15, 15, 2,  2, 15};
static const uint8_t anchors3[2][64] = {
    {3,  3,  15, 15, 8, 3,  15, 15, 8,  8,  6, 6,  6, 5,  3, 3,  3,  3,  8,  15, 3,  3,
     6,  10, 5,  8,  8, 6,  8,  5,  15, 15, 8, 15, 3, 5,  6, 10, 8,  15, 15, 3,  15, 5,
     15, 15, 15, 15, 3, 15, 5,  5,  5,  8,  5, 10, 5, 10, 8, 13, 15, 12, 3,  3},
    {15, 8, 8, 3,  15, 15, 3,  8,  15, 15, 15, 15, 15, 15, 15, 8,  15, 8,  15, 3,  15, 8,
     15, 8, 3, 15, 6,  10, 15, 15, 10, 8,  15, 3,  15, 10, 10, 8,  9,  10, 6,  15, 8,  15,
     3,  6, 6, 8,  15, 3,  15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 3,  15, 15, 8}};
static const uint8_t weights[3][16] = {
    {0, 21, 43, 64},
    {0, 9, 18, 27, 37, 46, 55, 64},
    {0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64}};

static unsigned region_of(unsigned regions, unsigned partition, unsigned texel)
{
    return regions == 1   ? 0
           : regions == 2 ? partitions2[partition] >> texel & 1
                          : partitions3[partition] >> 2 * texel & 3;
}

static bool is_anchor(unsigned regions, unsigned partition, unsigned texel)
{
    return texel == 0 || (regions == 2 && texel == anchors2[partition]) ||
           (regions == 3 && (texel == anchors3[0][partition] || texel == anchors3[1][partition]));
}

/* Reads the index of one texel; the block's position is at the first index. */
static unsigned index_of(struct bc_block *block, unsigned bits, unsigned regions,
                         unsigned partition, unsigned texel)
{
    unsigned at = block->at + texel * bits;

    for (unsigned i = 0; i < texel; i++)
        at -= is_anchor(regions, partition, i);
    block->at = at;
    return read_bits(block, bits - is_anchor(regions, partition, texel));
}

static unsigned blend(unsigned first, unsigned second, unsigned weight)
{
    return (first * (64 - weight) + second * weight + 32) >> 6;
}

static const struct bc7_mode {
    uint8_t regions, partition_bits, rotation_bits, selection_bits, colour_bits, alpha_bits;
    bool unique_p, shared_p;
    uint8_t index_bits, second_bits;
} bc7_modes[8] = {{3, 4, 0, 0, 4, 0, true, false, 3, 0},  {2, 6, 0, 0, 6, 0, false, true, 3, 0},
                  {3, 6, 0, 0, 5, 0, false, false, 2, 0}, {2, 6, 0, 0, 7, 0, true, false, 2, 0},
                  {1, 0, 2, 1, 5, 6, false, false, 2, 3}, {1, 0, 2, 0, 7, 8, false, false, 2, 2},
                  {1, 0, 0, 0, 7, 7, true, false, 4, 0},  {2, 6, 0, 0, 5, 5, true, false, 2, 0}};

static unsigned widen(unsigned value, unsigned bits)
{
    return bits >= 8 ? value : (value << (8 - bits) | value >> (2 * bits - 8)) & 255;
}

/* Endpoints of all regions, 8 bits per channel. */
static void bc7_ends(struct bc_block *block, const struct bc7_mode *mode, unsigned ends[6][4])
{
    unsigned count = mode->regions * 2u, p[6] = {0};
    bool has_p = mode->unique_p || mode->shared_p;

    for (unsigned c = 0; c < 4; c++)
        for (unsigned e = 0; e < count; e++)
            ends[e][c] = read_bits(block, c < 3 ? mode->colour_bits : mode->alpha_bits);
    for (unsigned e = 0; e < count && has_p; e++)
        p[e] = mode->shared_p && (e & 1) ? p[e - 1] : read_bits(block, 1);
    for (unsigned e = 0; e < count; e++)
        for (unsigned c = 0; c < 4; c++) {
            unsigned bits = c < 3 ? mode->colour_bits : mode->alpha_bits;
            if (c == 3 && bits == 0)
                ends[e][c] = 255;
            else if (has_p)
                ends[e][c] = widen(ends[e][c] << 1 | p[e], bits + 1);
            else
                ends[e][c] = widen(ends[e][c], bits);
        }
}

void cup_texel_bc7(const void *bytes, unsigned x, unsigned y, union cup_texel *texel)
{
    struct bc_block block;
    unsigned number = 0, at = 4 * y + x, ends[6][4];

    block_init(&block, bytes);
    while (number < 8 && !read_bits(&block, 1))
        number++;
    *texel = (union cup_texel){.u = {0}};
    if (number == 8)
        return;
    const struct bc7_mode *mode = &bc7_modes[number];
    unsigned partition = read_bits(&block, mode->partition_bits);
    unsigned rotation = read_bits(&block, mode->rotation_bits);
    unsigned selection = read_bits(&block, mode->selection_bits);
    bc7_ends(&block, mode, ends);
    unsigned start = block.at;
    unsigned first = index_of(&block, mode->index_bits, mode->regions, partition, at);
    unsigned colour = weights[mode->index_bits - 2][first], alpha = colour;
    if (mode->second_bits) {
        block.at = start + 16u * mode->index_bits - 1;
        unsigned second = index_of(&block, mode->second_bits, 1, 0, at);
        alpha = weights[mode->second_bits - 2][second];
    }
    if (selection) {
        unsigned swap = colour;
        colour = alpha;
        alpha = swap;
    }
    unsigned region = region_of(mode->regions, partition, at);
    for (unsigned c = 0; c < 4; c++)
        texel->i[c] =
            (int32_t)blend(ends[2 * region][c], ends[2 * region + 1][c], c < 3 ? colour : alpha) *
            257;
    if (rotation) {
        int32_t swap = texel->i[3];
        texel->i[3] = texel->i[rotation - 1];
        texel->i[rotation - 1] = swap;
    }
}

/* BC6H. Endpoint bits are scattered; a mode's layout is a list of pieces in block order: endpoint
 * (0 to 3), channel, first bit, and count, negative if the highest bit comes first. */
struct bc_piece {
    uint8_t end, channel, bit;
    int8_t count;
};

struct bc6_mode {
    uint8_t regions, bits;
    bool transformed;
    uint8_t delta[3];
    struct bc_piece pieces[24];
};

#define R 0
#define G 1
#define B 2
static const struct bc6_mode bc6_modes[14] = {
    {2,
     10,
     true,
     {5, 5, 5},
     {{2, G, 4, 1},
      {2, B, 4, 1},
      {3, B, 4, 1},
      {0, R, 0, 10},
      {0, G, 0, 10},
      {0, B, 0, 10},
      {1, R, 0, 5},
      {3, G, 4, 1},
      {2, G, 0, 4},
      {1, G, 0, 5},
      {3, B, 0, 1},
      {3, G, 0, 4},
      {1, B, 0, 5},
      {3, B, 1, 1},
      {2, B, 0, 4},
      {2, R, 0, 5},
      {3, B, 2, 1},
      {3, R, 0, 5},
      {3, B, 3, 1}}},
    {2, 7, true, {6, 6, 6}, {{2, G, 5, 1}, {3, G, 4, 1}, {3, G, 5, 1}, {0, R, 0, 7}, {3, B, 0, 1},
                             {3, B, 1, 1}, {2, B, 4, 1}, {0, G, 0, 7}, {2, B, 5, 1}, {3, B, 2, 1},
                             {2, G, 4, 1}, {0, B, 0, 7}, {3, B, 3, 1}, {3, B, 5, 1}, {3, B, 4, 1},
                             {1, R, 0, 6}, {2, G, 0, 4}, {1, G, 0, 6}, {3, G, 0, 4}, {1, B, 0, 6},
                             {2, B, 0, 4}, {2, R, 0, 6}, {3, R, 0, 6}}},
    {2,
     11,
     true,
     {5, 4, 4},
     {{0, R, 0, 10},
      {0, G, 0, 10},
      {0, B, 0, 10},
      {1, R, 0, 5},
      {0, R, 10, 1},
      {2, G, 0, 4},
      {1, G, 0, 4},
      {0, G, 10, 1},
      {3, B, 0, 1},
      {3, G, 0, 4},
      {1, B, 0, 4},
      {0, B, 10, 1},
      {3, B, 1, 1},
      {2, B, 0, 4},
      {2, R, 0, 5},
      {3, B, 2, 1},
      {3, R, 0, 5},
      {3, B, 3, 1}}},
    {2, 11, true, {4, 5, 4}, {{0, R, 0, 10}, {0, G, 0, 10}, {0, B, 0, 10}, {1, R, 0, 4},
                              {0, R, 10, 1}, {3, G, 4, 1},  {2, G, 0, 4},  {1, G, 0, 5},
                              {0, G, 10, 1}, {3, G, 0, 4},  {1, B, 0, 4},  {0, B, 10, 1},
                              {3, B, 1, 1},  {2, B, 0, 4},  {2, R, 0, 4},  {3, B, 0, 1},
                              {3, B, 2, 1},  {3, R, 0, 4},  {2, G, 4, 1},  {3, B, 3, 1}}},
    {2, 11, true, {4, 4, 5}, {{0, R, 0, 10}, {0, G, 0, 10}, {0, B, 0, 10}, {1, R, 0, 4},
                              {0, R, 10, 1}, {2, B, 4, 1},  {2, G, 0, 4},  {1, G, 0, 4},
                              {0, G, 10, 1}, {3, B, 0, 1},  {3, G, 0, 4},  {1, B, 0, 5},
                              {0, B, 10, 1}, {2, B, 0, 4},  {2, R, 0, 4},  {3, B, 1, 1},
                              {3, B, 2, 1},  {3, R, 0, 4},  {3, B, 4, 1},  {3, B, 3, 1}}},
    {2,
     9,
     true,
     {5, 5, 5},
     {{0, R, 0, 9},
      {2, B, 4, 1},
      {0, G, 0, 9},
      {2, G, 4, 1},
      {0, B, 0, 9},
      {3, B, 4, 1},
      {1, R, 0, 5},
      {3, G, 4, 1},
      {2, G, 0, 4},
      {1, G, 0, 5},
      {3, B, 0, 1},
      {3, G, 0, 4},
      {1, B, 0, 5},
      {3, B, 1, 1},
      {2, B, 0, 4},
      {2, R, 0, 5},
      {3, B, 2, 1},
      {3, R, 0, 5},
      {3, B, 3, 1}}},
    {2,
     8,
     true,
     {6, 5, 5},
     {{0, R, 0, 8},
      {3, G, 4, 1},
      {2, B, 4, 1},
      {0, G, 0, 8},
      {3, B, 2, 1},
      {2, G, 4, 1},
      {0, B, 0, 8},
      {3, B, 3, 1},
      {3, B, 4, 1},
      {1, R, 0, 6},
      {2, G, 0, 4},
      {1, G, 0, 5},
      {3, B, 0, 1},
      {3, G, 0, 4},
      {1, B, 0, 5},
      {3, B, 1, 1},
      {2, B, 0, 4},
      {2, R, 0, 6},
      {3, R, 0, 6}}},
    {2, 8, true, {5, 6, 5}, {{0, R, 0, 8}, {3, B, 0, 1}, {2, B, 4, 1}, {0, G, 0, 8}, {2, G, 5, 1},
                             {2, G, 4, 1}, {0, B, 0, 8}, {3, G, 5, 1}, {3, B, 4, 1}, {1, R, 0, 5},
                             {3, G, 4, 1}, {2, G, 0, 4}, {1, G, 0, 6}, {3, G, 0, 4}, {1, B, 0, 5},
                             {3, B, 1, 1}, {2, B, 0, 4}, {2, R, 0, 5}, {3, B, 2, 1}, {3, R, 0, 5},
                             {3, B, 3, 1}}},
    {2, 8, true, {5, 5, 6}, {{0, R, 0, 8}, {3, B, 1, 1}, {2, B, 4, 1}, {0, G, 0, 8}, {2, B, 5, 1},
                             {2, G, 4, 1}, {0, B, 0, 8}, {3, B, 5, 1}, {3, B, 4, 1}, {1, R, 0, 5},
                             {3, G, 4, 1}, {2, G, 0, 4}, {1, G, 0, 5}, {3, B, 0, 1}, {3, G, 0, 4},
                             {1, B, 0, 6}, {2, B, 0, 4}, {2, R, 0, 5}, {3, B, 2, 1}, {3, R, 0, 5},
                             {3, B, 3, 1}}},
    {2, 6, false, {6, 6, 6}, {{0, R, 0, 6}, {3, G, 4, 1}, {3, B, 0, 1}, {3, B, 1, 1}, {2, B, 4, 1},
                              {0, G, 0, 6}, {2, G, 5, 1}, {2, B, 5, 1}, {3, B, 2, 1}, {2, G, 4, 1},
                              {0, B, 0, 6}, {3, G, 5, 1}, {3, B, 3, 1}, {3, B, 5, 1}, {3, B, 4, 1},
                              {1, R, 0, 6}, {2, G, 0, 4}, {1, G, 0, 6}, {3, G, 0, 4}, {1, B, 0, 6},
                              {2, B, 0, 4}, {2, R, 0, 6}, {3, R, 0, 6}}},
    {1,
     10,
     false,
     {10, 10, 10},
     {{0, R, 0, 10}, {0, G, 0, 10}, {0, B, 0, 10}, {1, R, 0, 10}, {1, G, 0, 10}, {1, B, 0, 10}}},
    {1,
     11,
     true,
     {9, 9, 9},
     {{0, R, 0, 10},
      {0, G, 0, 10},
      {0, B, 0, 10},
      {1, R, 0, 9},
      {0, R, 10, 1},
      {1, G, 0, 9},
      {0, G, 10, 1},
      {1, B, 0, 9},
      {0, B, 10, 1}}},
    {1,
     12,
     true,
     {8, 8, 8},
     {{0, R, 0, 10},
      {0, G, 0, 10},
      {0, B, 0, 10},
      {1, R, 0, 8},
      {0, R, 10, -2},
      {1, G, 0, 8},
      {0, G, 10, -2},
      {1, B, 0, 8},
      {0, B, 10, -2}}},
    {1,
     16,
     true,
     {4, 4, 4},
     {{0, R, 0, 10},
      {0, G, 0, 10},
      {0, B, 0, 10},
      {1, R, 0, 4},
      {0, R, 10, -6},
      {1, G, 0, 4},
      {0, G, 10, -6},
      {1, B, 0, 4},
      {0, B, 10, -6}}},
};
#undef R
#undef G
#undef B

/* The mode is two bits if they are 0 or 1, otherwise five bits. -1: reserved. */
static int bc6_mode_of(struct bc_block *block)
{
    static const int8_t by_number[32] = {
        [2] = 2,  [6] = 3,  [10] = 4,  [14] = 5,  [18] = 6,  [22] = 7,  [26] = 8,  [30] = 9,
        [3] = 10, [7] = 11, [11] = 12, [15] = 13, [19] = -1, [23] = -1, [27] = -1, [31] = -1};
    unsigned low = read_bits(block, 2);

    if (low < 2)
        return (int)low;
    return by_number[read_bits(block, 3) << 2 | low];
}

static int extended(int value, unsigned bits)
{
    return (int)((unsigned)value << (32 - bits)) >> (32 - bits);
}

static int unquantize(int value, unsigned bits, bool is_signed)
{
    if (!is_signed) {
        if (bits >= 15 || value == 0)
            return value;
        return value == (1 << bits) - 1 ? 0xffff : ((value << 16) + 0x8000) >> bits;
    }
    if (bits >= 16 || value == 0)
        return value;
    int magnitude = value < 0 ? -value : value;
    if (magnitude >= (1 << (bits - 1)) - 1)
        magnitude = 0x7fff;
    else
        magnitude = ((magnitude << 15) + 0x4000) >> (bits - 1);
    return value < 0 ? -magnitude : magnitude;
}

static void bc6_ends(struct bc_block *block, const struct bc6_mode *mode, bool is_signed,
                     int ends[4][3])
{
    memset(ends, 0, 12 * sizeof(int));
    for (const struct bc_piece *piece = mode->pieces; piece->count; piece++) {
        int *end = &ends[piece->end][piece->channel];
        if (piece->count > 0)
            *end |= (int)(read_bits(block, (unsigned)piece->count) << piece->bit);
        for (int i = -piece->count; i > 0; i--)
            *end |= (int)(read_bits(block, 1) << (piece->bit + i - 1));
    }
    for (unsigned c = 0; c < 3; c++) {
        if (is_signed)
            ends[0][c] = extended(ends[0][c], mode->bits);
        for (unsigned e = 1; e < mode->regions * 2u; e++) {
            if (mode->transformed || is_signed)
                ends[e][c] = extended(ends[e][c], mode->delta[c]);
            if (mode->transformed) {
                ends[e][c] = (ends[0][c] + ends[e][c]) & ((1 << mode->bits) - 1);
                if (is_signed)
                    ends[e][c] = extended(ends[e][c], mode->bits);
            }
        }
        for (unsigned e = 0; e < mode->regions * 2u; e++)
            ends[e][c] = unquantize(ends[e][c], mode->bits, is_signed);
    }
}

static float half_of_bits(unsigned bits)
{
    union {
        uint32_t u;
        float f;
    } value = {(bits & 0x7fff) << 13};

    value.f *= 0x1p112f;
    value.u |= (bits & 0x8000) << 16;
    return value.f;
}

static float bc6_finish(int value, bool is_signed)
{
    if (!is_signed)
        return half_of_bits((unsigned)(value * 31) >> 6);
    unsigned magnitude = (unsigned)((value < 0 ? -value : value) * 31) >> 5;
    return half_of_bits(magnitude | (value < 0 ? 0x8000 : 0));
}

static void bc6h(const void *bytes, unsigned x, unsigned y, bool is_signed, union cup_texel *texel)
{
    struct bc_block block;
    unsigned partition = 0, at = 4 * y + x;
    int ends[4][3];

    block_init(&block, bytes);
    int number = bc6_mode_of(&block);
    *texel = (union cup_texel){.f = {0}};
    if (number < 0)
        return;
    const struct bc6_mode *mode = &bc6_modes[number];
    bc6_ends(&block, mode, is_signed, ends);
    if (mode->regions == 2)
        partition = read_bits(&block, 5);
    unsigned bits = mode->regions == 2 ? 3 : 4;
    unsigned index = index_of(&block, bits, mode->regions, partition, at);
    int weight = weights[bits - 2][index];
    unsigned region = region_of(mode->regions, partition, at);
    for (unsigned c = 0; c < 3; c++) {
        int value =
            (ends[2 * region][c] * (64 - weight) + ends[2 * region + 1][c] * weight + 32) >> 6;
        texel->f[c] = bc6_finish(value, is_signed);
    }
}

void cup_texel_bc6h(const void *bytes, unsigned x, unsigned y, union cup_texel *texel)
{
    bc6h(bytes, x, y, false, texel);
}

void cup_texel_bc6h_signed(const void *bytes, unsigned x, unsigned y, union cup_texel *texel)
{
    bc6h(bytes, x, y, true, texel);
}
