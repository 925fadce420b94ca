/* SPDX-License-Identifier: MIT */
/* Models of the video instructions: the SIMD ones as the PTX manual has them, the scalar ones as
 * NVIDIA's compiler makes them of others. */
#include "harness.h"

typedef __int128 wide;

static wide clamp(wide a, unsigned bits, bool is_signed)
{
    wide high = ((wide)1 << (bits - is_signed)) - 1, low = is_signed ? -high - 1 : 0;

    return a < low ? low : a > high ? high : a;
}

static unsigned selected(unsigned selector, unsigned *first)
{
    static const unsigned starts[] = {0, 0, 8, 16, 24, 0, 16};

    *first = starts[selector];
    return selector == 0 ? 32 : selector < 5 ? 8 : 16;
}

static wide part(const struct ptx_operand *operand, enum ptx_type type, uint64_t a)
{
    unsigned first, bits = selected(operand->selector, &first);
    uint64_t value = mask_bits(a >> first, bits);

    return model_signed(type) ? (wide)sign_extend(value, bits) : (wide)value;
}

static bool compared(const struct ptx_instruction *i, wide a, wide b)
{
    return ptx_has(i, PTX_MOD_EQ)   ? a == b
           : ptx_has(i, PTX_MOD_NE) ? a != b
           : ptx_has(i, PTX_MOD_LT) ? a < b
           : ptx_has(i, PTX_MOD_LE) ? a <= b
           : ptx_has(i, PTX_MOD_GT) ? a > b
                                    : a >= b;
}

static wide computed(const struct ptx_instruction *i, char what, wide a, wide b)
{
    switch (what) {
    case '+':
        return a + b;
    case '-':
        return a - b;
    case 'd':
        return a < b ? b - a : a - b;
    case '<':
        return a < b ? a : b;
    case '>':
        return a < b ? b : a;
    case 'a':
        return (a + b + (a + b >= 0)) >> 1;
    case '=':
        return compared(i, a, b);
    case 'l':
    case 'r':
        b = ptx_has(i, PTX_MOD_WRAP) ? b & 31 : b > 32 ? 32 : b;
        return what == 'l' ? a * ((wide)1 << b) : a >> b;
    default:
        return 0;
    }
}

static char meaning(const struct ptx_instruction *i)
{
    switch (i->op) {
    case PTX_OP_vadd:
    case PTX_OP_vadd2:
    case PTX_OP_vadd4:
        return '+';
    case PTX_OP_vsub:
    case PTX_OP_vsub2:
    case PTX_OP_vsub4:
        return '-';
    case PTX_OP_vabsdiff:
    case PTX_OP_vabsdiff2:
    case PTX_OP_vabsdiff4:
        return 'd';
    case PTX_OP_vmin:
    case PTX_OP_vmin2:
    case PTX_OP_vmin4:
        return '<';
    case PTX_OP_vmax:
    case PTX_OP_vmax2:
    case PTX_OP_vmax4:
        return '>';
    case PTX_OP_vavrg2:
    case PTX_OP_vavrg4:
        return 'a';
    case PTX_OP_vshl:
        return 'l';
    case PTX_OP_vshr:
        return 'r';
    default:
        return '=';
    }
}

/* What .sat makes of a result that goes into so many bits. */
static wide saturated(const struct ptx_instruction *i, wide a, unsigned bits, bool is_signed)
{
    if (i->op == PTX_OP_vshl || i->op == PTX_OP_vshr || (bits == 32 && is_signed))
        return clamp(a, 32, is_signed);
    if (bits == 32)
        return a < 0 ? 0 : a;
    /* Into a part: what is negative counts as large. */
    return a < 0 ? clamp((wide)1 << 40, bits, is_signed) : clamp(a, bits, is_signed);
}

static wide of_34_bits(wide a)
{
    return (wide)(int64_t)((uint64_t)a << 30) >> 30;
}

/* Whether minimum and maximum see 32 bits of the result, with their sign. */
static bool is_compared_as_32_bits(const struct ptx_instruction *i)
{
    bool shifts = i->op == PTX_OP_vshl || i->op == PTX_OP_vshr;

    return i->op == PTX_OP_vadd || i->op == PTX_OP_vsub || (shifts && ptx_has(i, PTX_MOD_SAT));
}

static void scalar(const struct ptx_instruction *i, const uint64_t *s, uint64_t *r)
{
    bool set = i->op == PTX_OP_vset, is_signed = model_signed(i->types[0]);
    unsigned first, bits = selected(i->dst[0].selector, &first);
    wide a = part(&i->src[0], i->types[!set], s[0]), b = part(&i->src[1], i->types[1 + !set], s[1]);
    wide result = computed(i, meaning(i), a, b), c = is_signed ? (int32_t)s[2] : (wide)s[2];
    uint64_t mask = mask_bits(UINT64_MAX, bits) << first;

    if (ptx_has(i, PTX_MOD_SAT))
        result = saturated(i, i->op == PTX_OP_vshl ? of_34_bits(result) : result, bits, is_signed);
    r[0] = (uint32_t)result;
    if (i->source_count < 3)
        return;
    if ((ptx_has(i, PTX_MOD_MIN) || ptx_has(i, PTX_MOD_MAX)) && is_compared_as_32_bits(i))
        result = (int32_t)result;
    if (!is_signed && result < 0)
        result += (wide)1 << 64;
    if (ptx_has(i, PTX_MOD_ADD))
        r[0] = (uint32_t)(result + c);
    else if (ptx_has(i, PTX_MOD_MIN))
        r[0] = (uint32_t)(result < c ? result : c);
    else if (ptx_has(i, PTX_MOD_MAX))
        r[0] = (uint32_t)(result < c ? c : result);
    else if (i->dst[0].selector == 6)
        r[0] = ((uint64_t)result & 0xffff0000) | (s[2] & 0xffff);
    else
        r[0] = (((uint64_t)result << first) & mask) | (s[2] & ~mask);
}

static void vmad(const struct ptx_instruction *i, const uint64_t *s, uint64_t *r)
{
    bool minus = i->src[0].negated != i->src[1].negated, minus_c = i->src[2].negated;
    bool is_signed = model_signed(i->types[1]) || model_signed(i->types[2]) || minus || minus_c;
    wide a = part(&i->src[0], i->src[0].selector ? i->types[1] : PTX_S32, s[0]);
    wide b = part(&i->src[1], i->src[1].selector ? i->types[2] : PTX_S32, s[1]);
    wide result = a * b, c = (int32_t)s[2];
    unsigned by = ptx_has(i, PTX_MOD_SHR7) ? 7 : ptx_has(i, PTX_MOD_SHR15) ? 15 : 0;

    if (ptx_has(i, PTX_MOD_PO))
        result += 1;
    else if (minus)
        result = -result;
    else if (minus_c)
        c = -c;
    result += c;
    if (by && !is_signed)
        result = (uint64_t)result;
    result >>= by;
    if (ptx_has(i, PTX_MOD_SAT))
        result = clamp(result, 32, is_signed);
    r[0] = (uint32_t)result;
}

static uint64_t element(const struct ptx_operand *o, const uint64_t *s, unsigned k, unsigned count,
                        unsigned otherwise)
{
    unsigned index = o->selector == 7 ? o->value >> 4 * k & 15 : k + otherwise;
    unsigned bits = 32 / count;

    return mask_bits((s[1] << 32 | s[0]) >> index * bits, bits);
}

static void simd(const struct ptx_instruction *i, const uint64_t *s, uint64_t *r, unsigned count)
{
    bool set = meaning(i) == '=', is_signed = !set && model_signed(i->types[0]);
    unsigned bits = 32 / count, written = i->dst[0].selector == 7 ? (unsigned)i->dst[0].value : 15;
    uint64_t merged = s[2], sum = s[2];

    for (unsigned k = 0; k < count; k++) {
        uint64_t ua = element(&i->src[0], s, k, count, 0);
        uint64_t ub = element(&i->src[1], s, k, count, count);
        wide a = model_signed(i->types[!set]) ? (wide)sign_extend(ua, bits) : (wide)ua;
        wide b = model_signed(i->types[1 + !set]) ? (wide)sign_extend(ub, bits) : (wide)ub;
        wide result = computed(i, meaning(i), a, b);
        uint64_t mask = mask_bits(UINT64_MAX, bits) << k * bits;

        if (ptx_has(i, PTX_MOD_SAT))
            result = clamp(result, bits, is_signed);
        if (!(written >> k & 1))
            continue;
        merged = (merged & ~mask) | ((uint64_t)result << k * bits & mask);
        sum += (uint64_t)result;
    }
    r[0] = ptx_has(i, PTX_MOD_ADD) ? (uint32_t)sum : merged;
}

static void two(const struct ptx_instruction *i, const uint64_t *s, uint64_t *r)
{
    simd(i, s, r, 2);
}

static void four(const struct ptx_instruction *i, const uint64_t *s, uint64_t *r)
{
    simd(i, s, r, 4);
}

#define SCALAR(op)                                                                                 \
    {op ".s32.s32.s32", 2, scalar, 0}, {op ".u32.u32.u32.sat", 2, scalar, 0},                      \
        {op ".s32.u32.s32.sat", 2, scalar, 0}, {op ".u32.s32.u32 a.b1 b.h1", 2, scalar, 0},        \
        {op ".s32.s32.s32.sat a.h0 b.b3", 2, scalar, 0}, {op ".s32.s32.s32.add", 3, scalar, 0},    \
        {op ".u32.s32.s32.min", 3, scalar, 0}, {op ".s32.u32.u32.sat.max", 3, scalar, 0},          \
        {op ".s32.s32.u32.sat d.b2 a.b1", 3, scalar, 0},                                           \
    {                                                                                              \
        op ".u32.s32.s32.sat d.h1", 3, scalar, 0                                                   \
    }
#define SIMD(op, model)                                                                            \
    {op ".s32.s32.s32", 3, model, 0}, {op ".u32.u32.u32.sat", 3, model, 0},                        \
        {op ".s32.u32.s32.sat", 3, model, 0}, {op ".u32.s32.u32.sat", 3, model, 0},                \
        {op ".s32.s32.s32.add", 3, model, 0},                                                      \
    {                                                                                              \
        op ".u32.u32.u32.add", 3, model, 0                                                         \
    }

const struct lower_row video_rows[] = {
    SCALAR("vadd"),
    SCALAR("vsub"),
    SCALAR("vabsdiff"),
    SCALAR("vmin"),
    SCALAR("vmax"),
    {"vshl.s32.s32.u32.clamp", 2, scalar, 0},
    {"vshl.u32.u32.u32.sat.wrap", 2, scalar, 0},
    {"vshl.s32.s32.u32.sat.clamp d.b1", 3, scalar, 0},
    {"vshr.s32.s32.u32.clamp", 2, scalar, 0},
    {"vshr.u32.u32.u32.wrap.add a.h1", 3, scalar, 0},
    {"vset.s32.u32.lt", 2, scalar, 0},
    {"vset.u32.u32.ge.add", 3, scalar, 0},
    {"vset.s32.s32.eq d.b3 a.b0", 3, scalar, 0},
    {"vmad.s32.s32.s32", 3, vmad, 0},
    {"vmad.u32.u32.u32", 3, vmad, 0},
    {"vmad.u32.u32.u32.sat", 3, vmad, 0},
    {"vmad.s32.s32.u32.sat a.h0 b.h1", 3, vmad, 0},
    {"vmad.s32.s32.s32.sat.shr7 -a", 3, vmad, 0},
    {"vmad.s32.u32.u32.shr15 -c", 3, vmad, 0},
    {"vmad.u32.u32.u32.po.shr7", 3, vmad, 0},
    SIMD("vadd2", two),
    SIMD("vsub2", two),
    SIMD("vavrg2", two),
    SIMD("vabsdiff2", two),
    SIMD("vmin2", two),
    SIMD("vmax2", two),
    SIMD("vadd4", four),
    SIMD("vsub4", four),
    SIMD("vavrg4", four),
    SIMD("vabsdiff4", four),
    SIMD("vmin4", four),
    SIMD("vmax4", four),
    {"vadd2.s32.s32.s32 d=2 a=31 b=02", 3, two, 0},
    {"vadd4.u32.u32.u32.add d=5 a=7210 b=3654", 3, four, 0},
    {"vadd4.s32.s32.s32.sat d=9 a=0123", 3, four, 0},
    {"vset2.s32.s32.lt", 3, two, 0},
    {"vset4.u32.s32.ge", 3, four, 0},
    {"vset4.u32.u32.ne.add", 3, four, 0},
    {0},
};
