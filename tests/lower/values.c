/* SPDX-License-Identifier: MIT */
/* Rows become instructions, types become values: special ones, small ones and random ones. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    uint8_t type;
} type_names[] = {
    {"b8", PTX_B8},         {"b16", PTX_B16},       {"b32", PTX_B32},   {"b64", PTX_B64},
    {"u8", PTX_U8},         {"u16", PTX_U16},       {"u32", PTX_U32},   {"u64", PTX_U64},
    {"s8", PTX_S8},         {"s16", PTX_S16},       {"s32", PTX_S32},   {"s64", PTX_S64},
    {"u16x2", PTX_U16X2},   {"s16x2", PTX_S16X2},   {"f16", PTX_F16},   {"f16x2", PTX_F16X2},
    {"bf16", PTX_BF16},     {"bf16x2", PTX_BF16X2}, {"tf32", PTX_TF32}, {"e4m3x2", PTX_E4M3X2},
    {"e5m2x2", PTX_E5M2X2}, {"f32", PTX_F32},       {"f64", PTX_F64},   {"pred", PTX_PRED},
    {"f32x2", PTX_F32X2},   {"u4", PTX_U4},         {"s4", PTX_S4},     {"u2", PTX_U2},
    {"s2", PTX_S2},
};

static const char *const opcode_names[] = {
#define PTX_OPCODE(name) #name,
#include "ptx/opcodes.def"
#undef PTX_OPCODE
};

static const char *const modifier_names[] = {
#define PTX_MODIFIER(name, text) text,
#include "ptx/modifiers.def"
#undef PTX_MODIFIER
};

float as_float(uint64_t bits)
{
    uint32_t narrow = (uint32_t)bits;
    float value;

    memcpy(&value, &narrow, 4);
    return value;
}

double as_double(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, 8);
    return value;
}

uint64_t float_bits(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, 4);
    return bits;
}

uint64_t double_bits(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, 8);
    return bits;
}

uint64_t mask_bits(uint64_t value, unsigned bits)
{
    return bits >= 64 ? value : value & ((UINT64_C(1) << bits) - 1);
}

int64_t sign_extend(uint64_t value, unsigned bits)
{
    return (int64_t)(value << (64 - bits)) >> (64 - bits);
}

static void die(const char *what, const char *text)
{
    fprintf(stderr, "%s: %s\n", what, text);
    exit(1);
}

unsigned model_bits(enum ptx_type type)
{
    for (unsigned k = 0; k < sizeof type_names / sizeof type_names[0]; k++) {
        const char *digits = type_names[k].name + strcspn(type_names[k].name, "0123456789");

        if (type_names[k].type != type)
            continue;
        if (type == PTX_E4M3X2 || type == PTX_E5M2X2)
            return 16;
        if (type == PTX_PRED)
            return 1;
        return (unsigned)atoi(digits) * (strstr(digits, "x2") ? 2 : 1);
    }
    return 0;
}

bool model_signed(enum ptx_type type)
{
    return type == PTX_S8 || type == PTX_S16 || type == PTX_S32 || type == PTX_S64 ||
           type == PTX_S4 || type == PTX_S2;
}

static void read_word(struct ptx_instruction *i, const char *word, const char *text)
{
    for (unsigned k = 0; k < sizeof type_names / sizeof type_names[0]; k++)
        if (!strcmp(word, type_names[k].name)) {
            i->types[i->type_count++] = type_names[k].type;
            return;
        }
    for (unsigned k = 0; k < PTX_MODIFIER_COUNT; k++)
        if (!strcmp(word, modifier_names[k])) {
            i->modifiers[k / 64] |= UINT64_C(1) << (k % 64);
            return;
        }
    die("unknown word", text);
}

/* "a.b1" and "d.h0"; of SIMD forms "a=3210" and "d=5"; "-a"; "c#1234" is a constant. */
static void read_extra(struct ptx_instruction *i, const char *word, const char *text)
{
    bool negated = word[0] == '-';
    struct ptx_operand *o;

    word += negated;
    o = word[0] == 'd' ? &i->dst[0] : &i->src[word[0] - 'a'];
    if (word[0] != 'd' && (word[0] < 'a' || word[0] > 'c'))
        die("unknown operand", text);
    o->negated = negated;
    if (word[1] == '.')
        o->selector = (uint8_t)((word[2] == 'b' ? 1 : 5) + (word[3] - '0'));
    if (word[1] == '#') {
        o->kind = PTX_OPERAND_IMMEDIATE;
        o->value = strtoull(word + 2, NULL, 16);
    }
    if (word[1] == '=') {
        o->selector = 7;
        o->value = strtoull(word + 2, NULL, 16);
    }
}

struct ptx_instruction read_instruction(const struct lower_row *row)
{
    struct ptx_instruction i = {.width = 1, .guard = PTX_NO_REGISTER};
    char text[128], *rest, *word;

    snprintf(text, sizeof text, "%s", row->text);
    rest = strchr(text, ' ');
    if (rest)
        *rest++ = 0;
    word = strtok(text, ".");
    for (i.op = 0; i.op < PTX_OPCODE_COUNT; i.op++)
        if (!strcmp(word, opcode_names[i.op]))
            break;
    while ((word = strtok(NULL, ".")))
        read_word(&i, word, row->text);
    i.source_count = (uint8_t)row->source_count;
    i.dst[0].kind = PTX_OPERAND_REGISTER;
    for (unsigned k = 0; k < row->source_count; k++)
        i.src[k].kind = PTX_OPERAND_REGISTER;
    for (word = rest ? strtok(rest, " ") : NULL; word; word = strtok(NULL, " ")) {
        if (!strncmp(word, "lut=", 4))
            i.lut = (uint8_t)strtoul(word + 4, NULL, 0);
        else if (!strcmp(word, "q"))
            i.dst[1].kind = PTX_OPERAND_REGISTER;
        else
            read_extra(&i, word, row->text);
    }
    return i;
}

/* Values. */

static uint64_t random_state = 88172645463325252u;

uint64_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state * UINT64_C(0x2545f4914f6cdd1d);
}

static const uint64_t float_specials[] = {
    0,          0x80000000, 0x3f800000, 0xbf800000, 0x3f000000, 0x7f800000, 0xff800000, 0x7fc00000,
    0x7fffffff, 0xffc12345, 0x7f800001, 0xff801234, 1,          0x80000001, 0x007fffff, 0x807fffff,
    0x00800000, 0x80800000, 0x7f7fffff, 0xff7fffff, 0x3f7fffff, 0x3f800001, 0x4b800000, 0x4f000000,
    0xcf000000, 0x4effffff, 0x4f800000, 0x5f000000, 0x5f800000, 0x7e800000, 0x7e800001, 0x40490fdb,
    0x3fc00000, 0x40200000, 0xbf000000, 0x477fe000, 0x477ff000, 0x38800000, 0x33000000, 0x33000001,
};
static const uint64_t double_specials[] = {
    0,
    0x8000000000000000,
    0x3ff0000000000000,
    0xbff0000000000000,
    0x3fe0000000000000,
    0x7ff0000000000000,
    0xfff0000000000000,
    0x7ff8000000000000,
    0x7fffffffffffffff,
    0xfff8000000012345,
    0x7ff0000000000001,
    1,
    0x8000000000000001,
    0x000fffffffffffff,
    0x0010000000000000,
    0x8010000000000000,
    0x7fefffffffffffff,
    0xffefffffffffffff,
    0x3fefffffffffffff,
    0x3ff0000000000001,
    0x41e0000000000000,
    0xc1e0000000000000,
    0x41dfffffffc00000,
    0x43e0000000000000,
    0x43f0000000000000,
    0x43dfffffffffffff,
    0x3ff8000000000000,
    0x4004000000000000,
    0x47efffffe0000000,
    0x47effffff0000000,
    0x36a0000000000000,
    0x3690000000000000,
    0x3690000000000001,
    0x380fffffffffffff,
};
static const uint64_t half_specials[] = {
    0,      0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 0x7fff, 0xfe12, 0x7c01, 1,
    0x8001, 0x03ff, 0x0400, 0x8400, 0x7bff, 0xfbff, 0x3bff, 0x3c01, 0x3f80, 0xbf80, 0x7f80,
    0xff80, 0x7f7f, 0xff7f, 0x0080, 0x007f, 0x807f, 0x3800, 0x4248, 0x6400, 0x5bff, 0xffff,
};
static const uint64_t integer_specials[] = {
    0,
    1,
    2,
    3,
    31,
    32,
    33,
    63,
    64,
    65,
    127,
    128,
    255,
    256,
    0x7fff,
    0x8000,
    0xffff,
    0x10000,
    0x7fffffff,
    0x80000000,
    0x80000001,
    0xfffffffe,
    0xffffffff,
    0x100000000,
    UINT64_C(1) << 53,
    (UINT64_C(1) << 53) + 1,
    INT64_MAX,
    UINT64_C(1) << 63,
    UINT64_MAX,
    UINT64_MAX - 1,
    0x1000001,
    0x1000003,
    UINT64_C(0xffffff8000000000),
    UINT64_C(0x7fffffbfffffffff),
    0x80808080,
    0x7f7f7f7f,
};

#define PICK(table) table[next_random() % (sizeof table / sizeof table[0])]

static uint64_t half_value(void)
{
    return next_random() % 3 ? next_random() & 0xffff : PICK(half_specials);
}

static uint64_t float_value(void)
{
    switch (next_random() % 5) {
    case 0:
    case 1:
        return PICK(float_specials);
    case 2: /* small whole numbers and halves */
        return float_bits((float)((int)(next_random() % 2001) - 1000) / 2);
    case 3: /* near one */
        return 0x3e000000 + next_random() % 0x3000000;
    default:
        return next_random() & 0xffffffff;
    }
}

static uint64_t double_value(void)
{
    switch (next_random() % 5) {
    case 0:
    case 1:
        return PICK(double_specials);
    case 2:
        return double_bits((double)((int)(next_random() % 2001) - 1000) / 2);
    case 3: /* of the size of .f32, with few or many digits */
        return double_bits((double)as_float(next_random()) *
                           (next_random() % 2 ? 1 : 1 + (double)(next_random() >> 32) * 0x1p-52));
    default:
        return next_random();
    }
}

uint64_t make_value(enum ptx_type type)
{
    unsigned bits = model_bits(type);

    switch (type) {
    case PTX_F16:
    case PTX_BF16:
        return half_value();
    case PTX_F16X2:
    case PTX_BF16X2:
        return half_value() << 16 | half_value();
    case PTX_F32:
        return float_value();
    case PTX_F32X2:
        return float_value() << 32 | float_value();
    case PTX_F64:
        return double_value();
    default:
        if (next_random() % 2)
            return mask_bits(PICK(integer_specials), bits);
        return mask_bits(next_random() >> next_random() % 64, bits);
    }
}
