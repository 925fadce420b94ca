/* SPDX-License-Identifier: MIT */
/* Models of logic and bit fields: bit by bit. */
#include "harness.h"

static unsigned width(const struct ptx_instruction *i)
{
    return model_bits(i->types[0]);
}

static void logic(const struct ptx_instruction *i, const uint64_t *s, uint64_t *r)
{
    switch (i->op) {
    case PTX_OP_and:
        r[0] = s[0] & s[1];
        break;
    case PTX_OP_or:
        r[0] = s[0] | s[1];
        break;
    case PTX_OP_xor:
        r[0] = s[0] ^ s[1];
        break;
    case PTX_OP_not:
        r[0] = mask_bits(~s[0], width(i));
        break;
    default:
        r[0] = s[0] == 0;
    }
}

static void shift(const struct ptx_instruction *i, const uint64_t *s, uint64_t *r)
{
    bool is_signed = model_signed(i->types[0]);
    unsigned bits = width(i);

    if (i->op == PTX_OP_shl)
        r[0] = s[1] >= bits ? 0 : mask_bits(s[0] << s[1], bits);
    else if (is_signed)
        r[0] = mask_bits((uint64_t)(sign_extend(s[0], bits) >> (s[1] > 63 ? 63 : s[1])), bits);
    else
        r[0] = s[1] >= bits ? 0 : s[0] >> s[1];
}

static void funnel(const struct ptx_instruction *i, const uint64_t *s, uint64_t *r)
{
    unsigned n = ptx_has(i, PTX_MOD_WRAP) ? s[2] & 31 : s[2] > 32 ? 32 : (unsigned)s[2];
    unsigned __int128 both = (unsigned __int128)(s[1] << 32 | s[0]);

    r[0] = (uint32_t)(ptx_has(i, PTX_MOD_L) ? (both << n) >> 32 : both >> n);
}

static void lop3(const struct ptx_instruction *i, const uint64_t *s, uint64_t *r)
{
    r[0] = 0;
    for (unsigned k = 0; k < 32; k++)
        r[0] |=
            (uint64_t)(i->lut >> ((s[0] >> k & 1) << 2 | (s[1] >> k & 1) << 1 | (s[2] >> k & 1)) &
                       1)
            << k;
    if (i->dst[1].kind != PTX_OPERAND_NONE)
        r[1] = ptx_has(i, PTX_MOD_AND) ? (r[0] != 0) & s[4] : (r[0] != 0) | s[4];
}

static void prmt(const struct ptx_instruction *i, const uint64_t *s, uint64_t *r)
{
    static const uint8_t f4e[4][4] = {{0, 1, 2, 3}, {1, 2, 3, 4}, {2, 3, 4, 5}, {3, 4, 5, 6}};
    static const uint8_t b4e[4][4] = {{0, 7, 6, 5}, {1, 0, 7, 6}, {2, 1, 0, 7}, {3, 2, 1, 0}};
    static const uint8_t rc8[4][4] = {{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}};
    static const uint8_t ecl[4][4] = {{0, 1, 2, 3}, {1, 1, 2, 3}, {2, 2, 2, 3}, {3, 3, 3, 3}};
    static const uint8_t ecr[4][4] = {{0, 0, 0, 0}, {0, 1, 1, 1}, {0, 1, 2, 2}, {0, 1, 2, 3}};
    static const uint8_t rc16[4][4] = {{0, 1, 0, 1}, {2, 3, 2, 3}, {0, 1, 0, 1}, {2, 3, 2, 3}};
    const uint8_t(*table)[4] = ptx_has(i, PTX_MOD_F4E)    ? f4e
                               : ptx_has(i, PTX_MOD_B4E)  ? b4e
                               : ptx_has(i, PTX_MOD_RC8)  ? rc8
                               : ptx_has(i, PTX_MOD_ECL)  ? ecl
                               : ptx_has(i, PTX_MOD_ECR)  ? ecr
                               : ptx_has(i, PTX_MOD_RC16) ? rc16
                                                          : 0;
    uint64_t both = s[1] << 32 | s[0];

    r[0] = 0;
    for (unsigned k = 0; k < 4; k++) {
        unsigned selector = table ? table[s[2] & 3][k] : s[2] >> 4 * k & 15;
        uint64_t byte = both >> 8 * (selector & 7) & 0xff;

        if (selector & 8)
            byte = byte & 0x80 ? 0xff : 0;
        r[0] |= byte << 8 * k;
    }
}

/* Positions and lengths: a byte of 32-bit forms; 64-bit forms cut them. */
static unsigned place(const struct ptx_instruction *i, uint64_t a)
{
    return width(i) == 32 ? a & 255 : a > 255 ? 255 : (unsigned)a;
}

static void bfe(const struct ptx_instruction *i, const uint64_t *s, uint64_t *r)
{
    unsigned position = place(i, s[1]), length = place(i, s[2]), top = width(i) - 1;
    unsigned last = position + length - 1 > top ? top : position + length - 1;
    bool sign = model_signed(i->types[0]) && length && s[0] >> last & 1;

    r[0] = 0;
    for (unsigned k = 0; k <= top; k++)
        if (k < length && position + k <= top ? s[0] >> (position + k) & 1 : sign)
            r[0] |= UINT64_C(1) << k;
}

static void bfi(const struct ptx_instruction *i, const uint64_t *s, uint64_t *r)
{
    unsigned position = place(i, s[2]), length = place(i, s[3]);

    r[0] = s[1];
    for (unsigned k = 0; k < length && position + k < width(i); k++) {
        uint64_t bit = UINT64_C(1) << (position + k);

        r[0] = k < width(i) && s[0] >> k & 1 ? r[0] | bit : r[0] & ~bit;
    }
}

static void find(const struct ptx_instruction *i, const uint64_t *s, uint64_t *r)
{
    uint64_t a = s[0];

    if (model_signed(i->types[0]) && a >> (width(i) - 1))
        a = mask_bits(~a, width(i));
    r[0] = 0xffffffff;
    for (unsigned k = 0; k < width(i); k++)
        if (a >> k & 1)
            r[0] = ptx_has(i, PTX_MOD_SHIFTAMT) ? width(i) - 1 - k : k;
}

static void count(const struct ptx_instruction *i, const uint64_t *s, uint64_t *r)
{
    r[0] = 0;
    for (unsigned k = 0; k < width(i); k++) {
        bool bit = s[0] >> k & 1;

        if (i->op == PTX_OP_popc)
            r[0] += bit;
        else if (i->op == PTX_OP_clz)
            r[0] = bit ? 0 : r[0] + 1;
        else
            r[0] |= (uint64_t)bit << (width(i) - 1 - k);
    }
}

static void bmsk(const struct ptx_instruction *i, const uint64_t *s, uint64_t *r)
{
    uint64_t a = s[0], b = s[1];

    if (ptx_has(i, PTX_MOD_WRAP)) {
        a &= 31;
        b &= 31;
    }
    r[0] = 0;
    for (uint64_t k = 0; k < 32; k++)
        if (k >= a && k - a < b)
            r[0] |= UINT64_C(1) << k;
}

static void fns(const struct ptx_instruction *i, const uint64_t *s, uint64_t *r)
{
    int64_t offset = sign_extend(s[2], 32), left = offset < 0 ? -offset : offset;
    int64_t step = offset < 0 ? -1 : 1;

    (void)i;
    r[0] = 0xffffffff;
    if (s[1] > 31)
        return;
    if (offset == 0) {
        if (s[0] >> s[1] & 1)
            r[0] = s[1];
        return;
    }
    for (int64_t k = (int64_t)s[1]; k >= 0 && k < 32; k += step)
        if (s[0] >> k & 1 && --left == 0) {
            r[0] = (uint64_t)k;
            return;
        }
}

static void szext(const struct ptx_instruction *i, const uint64_t *s, uint64_t *r)
{
    uint64_t n = ptx_has(i, PTX_MOD_WRAP) ? s[1] & 31 : s[1] > 32 ? 32 : s[1];

    r[0] = mask_bits(s[0], (unsigned)n);
    if (model_signed(i->types[0]) && n)
        r[0] = (uint32_t)sign_extend(r[0], (unsigned)n);
}

const struct lower_row bits_rows[] = {
    {"and.b32", 2, logic, 0},
    {"or.b64", 2, logic, 0},
    {"xor.b16", 2, logic, 0},
    {"xor.pred", 2, logic, 0},
    {"not.b32", 1, logic, 0},
    {"not.pred", 1, logic, 0},
    {"cnot.b16", 1, logic, 0},
    {"cnot.b64", 1, logic, 0},
    {"shl.b16", 2, shift, 0},
    {"shl.b32", 2, shift, 0},
    {"shl.b64", 2, shift, 0},
    {"shr.b16", 2, shift, 0},
    {"shr.u32", 2, shift, 0},
    {"shr.u64", 2, shift, 0},
    {"shr.s16", 2, shift, 0},
    {"shr.s32", 2, shift, 0},
    {"shr.s64", 2, shift, 0},
    {"shf.l.wrap.b32", 3, funnel, 0},
    {"shf.l.clamp.b32", 3, funnel, 0},
    {"shf.r.wrap.b32", 3, funnel, 0},
    {"shf.r.clamp.b32", 3, funnel, 0},
    {"lop3.b32 lut=0x96", 4, lop3, 0},
    {"lop3.b32 lut=0xca", 4, lop3, 0},
    {"lop3.b32 lut=0x1b", 4, lop3, 0},
    {"lop3.b32 lut=0x80", 4, lop3, 0},
    {"lop3.b32 lut=0xfe", 4, lop3, 0},
    {"lop3.b32 lut=0x00", 4, lop3, 0},
    {"lop3.b32 lut=0xff", 4, lop3, 0},
    {"lop3.b32 lut=0xe8", 4, lop3, 0},
    {"lop3.and.b32 lut=0x42 q", 5, lop3, 0},
    {"lop3.or.b32 lut=0x42 q", 5, lop3, 0},
    {"prmt.b32", 3, prmt, 0},
    {"prmt.b32 c#7654", 3, prmt, 0},
    {"prmt.b32 c#5410", 3, prmt, 0},
    {"prmt.b32 c#8c3f", 3, prmt, 0},
    {"prmt.b32 c#2b91", 3, prmt, 0},
    {"shl.b32 b#5", 2, shift, 0},
    {"shl.b32 b#20", 2, shift, 0},
    {"shr.s64 b#40", 2, shift, 0},
    {"prmt.b32.f4e", 3, prmt, 0},
    {"prmt.b32.b4e", 3, prmt, 0},
    {"prmt.b32.rc8", 3, prmt, 0},
    {"prmt.b32.ecl", 3, prmt, 0},
    {"prmt.b32.ecr", 3, prmt, 0},
    {"prmt.b32.rc16", 3, prmt, 0},
    {"bfe.u32", 3, bfe, 0},
    {"bfe.s32", 3, bfe, 0},
    {"bfe.u64", 3, bfe, 0},
    {"bfe.s64", 3, bfe, 0},
    {"bfi.b32", 4, bfi, 0},
    {"bfi.b64", 4, bfi, 0},
    {"bfind.u32", 1, find, 0},
    {"bfind.s32", 1, find, 0},
    {"bfind.s64", 1, find, 0},
    {"bfind.shiftamt.u64", 1, find, 0},
    {"bfind.shiftamt.s32", 1, find, 0},
    {"popc.b32", 1, count, 0},
    {"popc.b64", 1, count, 0},
    {"clz.b32", 1, count, 0},
    {"clz.b64", 1, count, 0},
    {"brev.b32", 1, count, 0},
    {"brev.b64", 1, count, 0},
    {"bmsk.clamp.b32", 2, bmsk, 0},
    {"bmsk.wrap.b32", 2, bmsk, 0},
    {"fns.b32", 3, fns, 0},
    {"szext.clamp.u32", 2, szext, 0},
    {"szext.clamp.s32", 2, szext, 0},
    {"szext.wrap.u32", 2, szext, 0},
    {"szext.wrap.s32", 2, szext, 0},
    {0},
};
