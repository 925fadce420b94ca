/* SPDX-License-Identifier: MIT */
/*
 * The values of operands: first the special ones of each class crossed with each other, then a
 * mixture of special, random and nearly equal ones. A function of class, operand and lane alone.
 */
#include "variants.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* The first of each list are crossed: 20 of them for two operands, 7 for three. */
static const uint64_t integers[] = {0,
                                    1,
                                    ~0ull,
                                    0x8000000000000000ull,
                                    0x7fffffffffffffffull,
                                    0x123456789abcdef1ull,
                                    3,
                                    2,
                                    ~1ull,
                                    0x8000000000000001ull,
                                    0x7ffffffffffffffeull,
                                    0x5555555555555555ull,
                                    0xaaaaaaaaaaaaaaaaull,
                                    31,
                                    32,
                                    7,
                                    0x80,
                                    0xff,
                                    10,
                                    0x8080808080808080ull,
                                    33,
                                    63,
                                    64,
                                    65,
                                    0x7f,
                                    0x100,
                                    ~0x7full,
                                    ~0x80ull,
                                    0x7fff,
                                    0x8000,
                                    0xffff,
                                    0x10000,
                                    0x7fffff,
                                    0x800000,
                                    0xffffff,
                                    0x1000000,
                                    0x00ff00ff00ff00ffull,
                                    0xff00ff00ff00ff00ull,
                                    1000,
                                    ~999ull,
                                    0x0f0f0f0f0f0f0f0full,
                                    0x7fff7fff7fff7fffull,
                                    0x8000800080008000ull,
                                    0x00010001ffffffffull,
                                    0x0102030405060708ull,
                                    0xfffefdfcfbfaf9f8ull};

static const uint64_t singles[] = {
    0x00000000, 0xbf800000, 0x7f800000, 0x7fc00001, 0x00000003, 0x7f7fffff, 0x3f800001, 0x80000000,
    0xff800000, 0x3f800000, 0x7f800001, 0xffc12345, 0x00800000, 0x80800000, 0x007fffff, 0xff7fffff,
    0x3f000000, 0x3fc00000, 0x4b000000, 0x4f000000, 0x40200000, 0x3effffff, 0x3f7fffff, 0x4effffff,
    0xcf000000, 0xcf000001, 0x4f800000, 0x4f7fffff, 0x5f000000, 0x5effffff, 0x5f800000, 0xdf000000,
    0xdf000001, 0x437f8000, 0x42ff0000, 0xc3008000, 0x477fff80, 0x46ffff00, 0xc7000080, 0xbf000000,
    0xbefffffe, 0x3e800000, 0x40490fdb, 0x42c80000, 0x501502f9, 0x2edbe6ff, 0x477fe000, 0x477ff000,
    0x477fefff, 0x38800000, 0x33800000, 0x33000000, 0x33000001, 0x387fc000, 0x3f801000, 0x3f803000,
    0x3f801001, 0x3f808000, 0x3f818000, 0x3f808001, 0x7f7f8000, 0x7f7f7fff, 0x43e00000, 0x43e80000,
    0x43e80001, 0x47600000, 0x47700000, 0x47700001, 0x80000001, 0x80000003, 0x807fffff, 0xffffffff,
    0x7fffffff, 0xff800001, 0x7fa00000, 0xbfc00000, 0xc0200000, 0x40600000, 0x4b7fffff, 0x4b800000,
    0xcb000001, 0x7e800000, 0x7f000000, 0x7e800001, 0x01000000, 0x0d800000, 0x3fb504f3, 0x3f3504f3,
    0x3c800000, 0x3b000000, 0x3f802000, 0x3f804000};

static const uint64_t doubles[] = {
    0x0000000000000000, 0xbff0000000000000, 0x7ff0000000000000, 0x7ff8000000000001,
    0x0000000000000003, 0x7fefffffffffffff, 0x3ff0000000000001, 0x8000000000000000,
    0xfff0000000000000, 0x3ff0000000000000, 0x7ff0000000000001, 0xfff8123456789abc,
    0x0010000000000000, 0x8010000000000000, 0x000fffffffffffff, 0xffefffffffffffff,
    0x3fe0000000000000, 0x3ff8000000000000, 0x4330000000000000, 0x41e0000000000000,
    0x4004000000000000, 0x3fdfffffffffffff, 0x3fefffffffffffff, 0x41dfffffffc00000,
    0x41dfffffffe00000, 0xc1e0000000000000, 0xc1e0000000100000, 0xc1e0000000200000,
    0x41f0000000000000, 0x41efffffffe00000, 0x43e0000000000000, 0x43dfffffffffffff,
    0x43f0000000000000, 0xc3e0000000000000, 0xc3e0000000000001, 0x406ff00000000000,
    0x406fe00000000000, 0xc060100000000000, 0x40efffe000000000, 0x40dfffc000000000,
    0xc0e0001000000000, 0xbfe0000000000000, 0x3fd0000000000000, 0x400921fb54442d18,
    0x4059000000000000, 0x40effc0000000000, 0x40effe0000000000, 0x3ff0000010000000,
    0x3ff0000030000000, 0x3ff0000010000001, 0x47efffffe0000000, 0x47effffff0000000,
    0x47efffffefffffff, 0x3810000000000000, 0x380fffffc0000000, 0x36a0000000000000,
    0x3690000000000000, 0x3690000000000001, 0x3ff0040000000000, 0x3ff0010000000000,
    0x4340000000000000, 0x433fffffffffffff, 0xc330000000000001, 0x7fd0000000000000,
    0x7fe0000000000000, 0x0020000000000000, 0x3ff6a09e667f3bcd, 0x8000000000000001,
    0x800fffffffffffff, 0xffffffffffffffff, 0x7fffffffffffffff, 0xfff0000000000001};

static const uint64_t halves[] = {
    0x0000, 0xbc00, 0x7c00, 0x7e01, 0x0003, 0x7bff, 0x3c01, 0x8000, 0xfc00, 0x3c00, 0x7c01,
    0xfe35, 0x0400, 0x8400, 0x03ff, 0xfbff, 0x3800, 0x3e00, 0x6400, 0x6800, 0x4100, 0x37ff,
    0x3bff, 0x4248, 0x5640, 0x57f8, 0x57e0, 0xd804, 0x5bf8, 0x5bfc, 0xb800, 0x3400, 0x0001,
    0x8001, 0x83ff, 0x7fff, 0xffff, 0xfc01, 0x7d00, 0xbe00, 0xc100, 0x4300, 0x67ff, 0xe401,
    0x7800, 0x7801, 0x1400, 0x39a8, 0x3da8, 0x0800, 0x5c80, 0x5f00};

static const uint64_t brains[] = {
    0x0000, 0xbf80, 0x7f80, 0x7fc1, 0x0003, 0x7f7f, 0x3f81, 0x8000, 0xff80, 0x3f80, 0x7f81,
    0xffd2, 0x0080, 0x8080, 0x007f, 0xff7f, 0x3f00, 0x3fc0, 0x4300, 0x4f00, 0x4020, 0x3eff,
    0x3f7f, 0x4049, 0x42c8, 0x4eff, 0xcf00, 0xcf01, 0x4f80, 0x5f00, 0x5eff, 0x5f80, 0xdf00,
    0x437f, 0x42ff, 0xc301, 0x477f, 0xbf00, 0x3e80, 0x0001, 0x8001, 0x807f, 0x7fff, 0xffff,
    0xff81, 0x7f90, 0xbfc0, 0xc020, 0x437e, 0xc381, 0x7e80, 0x7f00, 0x0100, 0x3fb5};

static uint64_t mixed(uint64_t x)
{
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

struct family {
    const uint64_t *special;
    unsigned count;
    int bits, exponent_bits, fraction_bits; /* no exponent: integers */
};

static struct family family_of(enum class class)
{
    switch (class) {
    case F16:
    case F16X2:
        return (struct family){halves, COUNT_OF(halves), 16, 5, 10};
    case BF16:
    case BF16X2:
        return (struct family){brains, COUNT_OF(brains), 16, 8, 7};
    case F32:
        return (struct family){singles, COUNT_OF(singles), 32, 8, 23};
    case F64:
        return (struct family){doubles, COUNT_OF(doubles), 64, 11, 52};
    case I8:
        return (struct family){integers, COUNT_OF(integers), 8, 0, 0};
    case I16:
    case I16X2:
        return (struct family){integers, COUNT_OF(integers), 16, 0, 0};
    case I64:
        return (struct family){integers, COUNT_OF(integers), 64, 0, 0};
    default:
        return (struct family){integers, COUNT_OF(integers), 32, 0, 0};
    }
}

int input_bytes(enum class class)
{
    switch (class) {
    case F16X2:
    case BF16X2:
    case I16X2:
        return 4;
    case FEW64:
        return 8;
    default:
        return family_of(class).bits / 8;
    }
}

/* The list is written for 64 bits: the extremes of a narrower width stand in the top bits. */
static uint64_t special_value(const struct family *family, unsigned index)
{
    uint64_t value = family->special[index % family->count];

    if (family->exponent_bits || family->bits == 64)
        return value;
    switch (index) {
    case 3:
    case 4:
    case 9:
    case 10:
        return (value >> (64 - family->bits)) | (value & 1);
    default:
        return value & ((1ull << family->bits) - 1);
    }
}

/* A float near one, or a small integer and a half; an integer of few bits. */
static uint64_t moderate_value(const struct family *family, uint64_t random)
{
    if (!family->exponent_bits) {
        uint64_t value = random & 0xff;
        uint64_t wide = random & 0x100   ? value
                        : random & 0x200 ? (uint64_t) - (int64_t)value
                                         : 1ull << (random >> 10 & 63);
        return wide + ((random >> 16 & 3) == 3) - ((random >> 16 & 3) == 2);
    }
    uint64_t bias = (1ull << (family->exponent_bits - 1)) - 1;
    uint64_t exponent = bias + (random >> 8 & 15) - 8;
    uint64_t fraction = (random >> 12) & ((1ull << family->fraction_bits) - 1);
    uint64_t sign = random & 1;

    if (random & 2) /* few bits, so that sums and products are often exact or halves */
        fraction &= ~((1ull << (family->fraction_bits - 4)) - 1);
    return sign << (family->bits - 1) | exponent << family->fraction_bits | fraction;
}

static uint64_t mixture_value(const struct family *family, int operand, unsigned lane)
{
    uint64_t random =
        mixed(lane * 8ull + operand + 1000003ull * family->bits + family->exponent_bits);
    uint64_t more = mixed(random);

    switch (random % 5) {
    case 0:
        return more;
    case 1:
    case 2:
        return moderate_value(family, more);
    case 3:
        return special_value(family, more % family->count);
    default:
        break;
    }
    if (!operand)
        return more;
    /* Near the operand before, with either sign. */
    uint64_t near = mixture_value(family, operand - 1, lane) + more % 7 - 3;
    return more & 0x100 ? near ^ 1ull << (family->bits - 1) : near;
}

static uint64_t family_value(const struct family *family, int operand, int operand_count,
                             unsigned lane)
{
    unsigned side = operand_count == 1 ? family->count : operand_count == 2 ? 20 : 7;
    unsigned crossed = 1, divisor = 1;

    for (int i = 0; i < operand_count; i++)
        crossed *= side;
    for (int i = 0; i < operand; i++)
        divisor *= side;
    /* Every fourth lane is of the mixture, so that variants of few lanes have some of it too. */
    unsigned place = lane / 4 * 3 + lane % 4;
    if (operand_count <= 3 && lane % 4 != 3 && place < crossed)
        return special_value(family, place / divisor % side);
    return mixture_value(family, operand, lane);
}

static uint64_t plain_value(enum class class, int operand, int operand_count, unsigned lane)
{
    struct family family = family_of(class);
    uint64_t random = mixed(lane * 4ull + operand + 77);

    switch (class) {
    case SHIFT: {
        static const uint64_t beyond[] = {255, 256, 0x80000000, 0xffffffff, 31, 32, 33, 63, 64, 65};
        return random % 4 ? random / 4 % 72 : beyond[random / 4 % COUNT_OF(beyond)];
    }
    case FEW:
        return random % 4;
    case FEW64:
        return (random % 4) << 32 | random / 4 % 2;
    case LANE:
        return random % 3 ? random / 4 % 32 : random / 4 & 0x1f1f;
    case BOOL:
        return random % 2;
    default:
        return family_value(&family, operand, operand_count, lane);
    }
}

/* The operands that are crossed: those whose class is a family of numbers. */
static int is_crossed(enum class class)
{
    return class < SHIFT;
}

uint64_t input_value(const struct variant *variant, int operand, unsigned lane)
{
    enum class class = variant->operands[operand];
    int bytes = input_bytes(class), index = operand, count = 0;

    for (int i = 0; i < variant->operand_count; i++)
        count += is_crossed(variant->operands[i]);
    if (is_crossed(class)) {
        index = 0;
        for (int i = 0; i < operand; i++)
            index += is_crossed(variant->operands[i]);
    }
    uint64_t value = plain_value(class, index, count, lane);
    if (class == F16X2 || class == BF16X2 || class == I16X2) {
        uint64_t other = plain_value(class, index, count, (unsigned)(mixed(lane) % 400));
        return (value & 0xffff) | (other & 0xffff) << 16;
    }
    return bytes == 8 ? value : value & ((1ull << bytes * 8) - 1);
}
