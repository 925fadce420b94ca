/* SPDX-License-Identifier: MIT */
/* Tensor maps: result code and the 128 bytes of every descriptor. The key of a line is the whole
 * argument list: dt data type, r rank, a address, d dims, s strides, b box, e element strides, i
 * interleave, w swizzle, l L2 promotion, o fill. */
#include "rest.h"
static const int bits[16] = {8, 16, 32, 32, 64, 64, 16, 32, 64, 16, 32, 32, 32, 4, 4, 6};
#define ADDR0 0x7f0000000000ull
struct tt {
    int kind, dt;
    unsigned rank;
    uint64_t addr, dim[6], st[6];
    unsigned box[6], es[6];
    int il, sw, l2, oob;
    int lo[3], hi[3];
    unsigned cpp, ppc;
    int mode;
};
static int ebits(int dt)
{
    return dt >= 0 && dt < 16 ? bits[dt] : 16;
}
static const char *num(uint64_t v)
{
    return v < 1u << 20 ? format("%llu", (unsigned long long)v)
                        : format("0x%llx", (unsigned long long)v);
}
static const char *list64(const uint64_t *v, int n)
{
    char b[200] = "";
    for (int i = 0; i < n; i++) {
        if (i)
            strcat(b, "x");
        strcat(b, num(v[i]));
    }
    return format("%s", b);
}
static const char *list32(const unsigned *v, int n)
{
    uint64_t w[6];
    for (int i = 0; i < n; i++)
        w[i] = v[i];
    return list64(w, n);
}
static const char *listi(const int *v, int n)
{
    char b[100] = "";
    for (int i = 0; i < n; i++)
        strcat(b, format(i ? "x%d" : "%d", v[i]));
    return format("%s", b);
}
static const char *key(const struct tt *t)
{
    int n = t->rank > 5 ? 5 : t->rank, m = n ? n - 1 : 0, c = n > 2 ? n - 2 : 0;
    if (t->kind == 0)
        return format("dt%d.r%d.a%llx.d%s.s%s.b%s.e%s.i%d.w%d.l%d.o%d", t->dt, (int)t->rank,
                      (unsigned long long)t->addr, list64(t->dim, n), list64(t->st, m),
                      list32(t->box, n), list32(t->es, n), t->il, t->sw, t->l2, t->oob);
    if (t->kind == 1)
        return format("dt%d.r%d.a%llx.d%s.s%s.lo%s.hi%s.c%s.p%s.e%s.i%d.w%d.l%d.o%d", t->dt,
                      (int)t->rank, (unsigned long long)t->addr, list64(t->dim, n),
                      list64(t->st, m), listi(t->lo, c), listi(t->hi, c), num(t->cpp), num(t->ppc),
                      list32(t->es, n), t->il, t->sw, t->l2, t->oob);
    return format("dt%d.r%d.a%llx.d%s.s%s.lo%d.hi%d.c%s.p%s.e%s.i%d.m%d.w%d.l%d.o%d", t->dt,
                  (int)t->rank, (unsigned long long)t->addr, list64(t->dim, n), list64(t->st, m),
                  t->lo[0], t->hi[0], num(t->cpp), num(t->ppc), list32(t->es, n), t->il, t->mode,
                  t->sw, t->l2, t->oob);
}
static const char *hex(const void *p, int n)
{
    const unsigned char *c = p;
    char b[300];
    for (int i = 0; i < n; i++)
        sprintf(b + 2 * i, "%02x", c[i]);
    return format("%s", b);
}
static CUtensorMap tmm __attribute__((aligned(128)));
static const char *mapstr(const CUtensorMap *m, CUresult r)
{
    const char *k = equal_bytes(m, sizeof *m);
    if (!r)
        return hex(m, 128);
    return !strcmp(k, "all=a5") ? "kept" : hex(m, 128);
}
static CUresult enc(CUtensorMap *m, const struct tt *t)
{
    void *a = (void *)(uintptr_t)t->addr;
    if (t->kind == 0)
        return cuda.cuTensorMapEncodeTiled(m, t->dt, t->rank, a, (const cuuint64_t *)t->dim,
                                           (const cuuint64_t *)t->st, t->box, t->es, t->il, t->sw,
                                           t->l2, t->oob);
    if (t->kind == 1)
        return cuda.cuTensorMapEncodeIm2col(m, t->dt, t->rank, a, (const cuuint64_t *)t->dim,
                                            (const cuuint64_t *)t->st, t->lo, t->hi, t->cpp, t->ppc,
                                            t->es, t->il, t->sw, t->l2, t->oob);
    return cuda.cuTensorMapEncodeIm2colWide(m, t->dt, t->rank, a, (const cuuint64_t *)t->dim,
                                            (const cuuint64_t *)t->st, t->lo[0], t->hi[0], t->cpp,
                                            t->ppc, t->es, t->il, t->mode, t->sw, t->l2, t->oob);
}
static void go(const struct tt *t)
{
    const char *o;
    memset(&tmm, 0xa5, sizeof tmm);
    CHECK_THEN(key(t), enc(&tmm, t), o = mapstr(&tmm, result), "%s", o);
}
static void fit(struct tt *t)
{ /* strides: rows padded to 32 bytes, the rest dense */
    t->st[0] = (t->dim[0] * ebits(t->dt) / 8 + 31) / 32 * 32;
    for (int i = 1; i < 5; i++)
        t->st[i] = t->st[i - 1] * t->dim[i];
}
static void inner(struct tt *t, unsigned bytes)
{
    t->box[0] = t->cpp = bytes * 8 / ebits(t->dt);
}
static struct tt base(int kind, int dt, unsigned rank)
{
    struct tt t;
    memset(&t, 0, sizeof t);
    t.kind = kind;
    t.dt = dt;
    t.rank = rank;
    t.addr = ADDR0;
    static const uint64_t d[5] = {256, 32, 16, 8, 4};
    static const unsigned b[5] = {0, 8, 4, 2, 1};
    for (int i = 0; i < 5; i++)
        t.dim[i] = d[i], t.box[i] = b[i], t.es[i] = 1;
    t.es[5] = t.box[5] = t.dim[5] = 1;
    fit(&t);
    t.ppc = 64;
    if (kind == 2)
        t.sw = 3;
    if (dt >= 13 && dt < 16)
        t.box[0] = t.cpp = 128;
    else
        inner(&t, 32);
    return t;
}
/* ---- tiled ---- */
GROUP(100, tmtype, "tm-type")
{
    use_primary_context();
    cases_independent = 1;
    for (int dt = -1; dt < 19; dt++)
        for (unsigned r = 1; r <= 5; r++) {
            struct tt t = base(0, dt, r);
            go(&t);
            if (dt >= 13 && dt < 16) {
                inner(&t, 32);
                go(&t);
                t.box[0] = 64;
                go(&t);
            }
        }
}
GROUP(101, tmrank, "tm-rank")
{
    use_primary_context();
    cases_independent = 1;
    static const unsigned rk[] = {0, 1,  2,   3,   4,          5,           6,
                                  7, 16, 255, 256, 0x7fffffff, 0x80000000u, ~0u};
    for (size_t i = 0; i < COUNT_OF(rk); i++)
        for (int il = 0; il < 4; il++) {
            struct tt t = base(0, 6, rk[i]);
            t.il = il;
            t.sw = il == 2;
            go(&t);
        }
}
GROUP(102, tmmode, "tm-mode")
{ /* every type x interleave x swizzle, at several inner sizes */
    use_primary_context();
    cases_independent = 1;
    static const unsigned in[] = {16, 32, 64, 128};
    for (int dt = 0; dt < 16; dt++)
        for (int il = -1; il < 4; il++)
            for (int sw = -1; sw < 8; sw++) {
                if ((il < 0 || il > 2 || sw < 0 || sw > 6) && dt != 6)
                    continue;
                for (size_t k = 0; k < COUNT_OF(in); k++) {
                    if (dt >= 13 && k)
                        continue;
                    struct tt t = base(0, dt, 3);
                    t.il = il;
                    t.sw = sw;
                    if (dt < 13)
                        inner(&t, in[k]);
                    go(&t);
                }
            }
}
GROUP(103, tminner, "tm-inner")
{
    use_primary_context();
    cases_independent = 1;
    static const int dts[] = {0, 1, 7, 8};
    static const unsigned in[] = {8,   24,  40,  48,  80,  96,  112,  136,
                                  144, 160, 192, 240, 256, 512, 1024, 2048};
    for (size_t d = 0; d < COUNT_OF(dts); d++)
        for (int il = 0; il < 3; il++)
            for (int sw = 0; sw < 7; sw++)
                for (size_t k = 0; k < COUNT_OF(in); k++) {
                    struct tt t = base(0, dts[d], 3);
                    t.dim[0] = 4096;
                    fit(&t);
                    t.il = il;
                    t.sw = sw;
                    inner(&t, in[k]);
                    if (t.box[0])
                        go(&t);
                }
}
GROUP(104, tml2, "tm-l2oob")
{
    use_primary_context();
    cases_independent = 1;
    for (int dt = 0; dt < 16; dt++)
        for (int l = -1; l < 6; l++)
            for (int o = -1; o < 4; o++) {
                if ((l < 0 || l > 4 || o < 0 || o > 2) && dt != 7)
                    continue;
                struct tt t = base(0, dt, 2);
                t.l2 = l;
                t.oob = o;
                go(&t);
            }
}
static const uint64_t addrs[] = {0,
                                 1,
                                 4,
                                 8,
                                 15,
                                 16,
                                 32,
                                 48,
                                 64,
                                 0x1000,
                                 0x7f0000000001ull,
                                 0x7f0000000008ull,
                                 0x7f0000000010ull,
                                 0x7f0000000020ull,
                                 0x7f0000000030ull,
                                 0x7f0000000040ull,
                                 0x7f0000000080ull,
                                 0x123456789ab0ull,
                                 0x7fffffffffe0ull,
                                 0x7ffffffffff0ull,
                                 0x800000000000ull,
                                 0xffffffffffe0ull,
                                 0x1000000000000ull,
                                 0x1ffffffffffe0ull,
                                 0x2000000000000ull,
                                 0x100000000000000ull,
                                 0x1ffffffffffffe0ull,
                                 0x200000000000000ull,
                                 0x7fffffffffffffe0ull,
                                 0x8000000000000000ull,
                                 0xffff800000000000ull,
                                 0xfffffffffffffff0ull};
GROUP(105, tmaddr, "tm-addr")
{
    use_primary_context();
    cases_independent = 1;
    static const int dts[] = {0, 6, 8, 13, 14, 15};
    for (size_t d = 0; d < COUNT_OF(dts); d++)
        for (int il = 0; il < 3; il++)
            for (size_t i = 0; i < COUNT_OF(addrs); i++) {
                if (il && d != 1)
                    continue;
                struct tt t = base(0, dts[d], 3);
                t.il = il;
                t.sw = il == 2;
                t.addr = addrs[i];
                go(&t);
            }
}
static const uint64_t dimv[] = {0,
                                1,
                                2,
                                3,
                                5,
                                7,
                                8,
                                15,
                                16,
                                17,
                                31,
                                33,
                                127,
                                128,
                                255,
                                256,
                                257,
                                384,
                                65535,
                                65536,
                                0x7fffffff,
                                0x80000000ull,
                                0xffffffffull,
                                0x100000000ull,
                                0x100000001ull,
                                0x10000000000ull,
                                0x8000000000000000ull,
                                ~0ull};
GROUP(106, tmdim, "tm-dim")
{
    use_primary_context();
    cases_independent = 1;
    static const unsigned rk[] = {1, 2, 3, 5};
    for (size_t r = 0; r < COUNT_OF(rk); r++)
        for (unsigned k = 0; k < rk[r]; k++)
            for (size_t i = 0; i < COUNT_OF(dimv); i++) {
                struct tt t = base(0, 6, rk[r]);
                t.dim[k] = dimv[i];
                go(&t);
            } /* strides as they were */
    for (unsigned k = 0; k < 3; k++)
        for (size_t i = 0; i < COUNT_OF(dimv); i++) {
            struct tt t = base(0, 7, 3);
            t.dim[k] = dimv[i];
            fit(&t);
            go(&t);
        } /* strides that fit */
    static const int dts[] = {0, 8, 13, 14, 15};
    for (size_t d = 0; d < COUNT_OF(dts); d++)
        for (size_t i = 0; i < COUNT_OF(dimv); i++) {
            struct tt t = base(0, dts[d], 2);
            t.dim[0] = dimv[i];
            go(&t);
        }
    for (unsigned il = 1; il < 3; il++)
        for (unsigned k = 0; k < 3; k++)
            for (size_t i = 0; i < COUNT_OF(dimv); i++) {
                struct tt t = base(0, 6, 3);
                t.il = il;
                t.sw = il == 2;
                t.dim[k] = dimv[i];
                go(&t);
            }
}
static const uint64_t strv[] = {0,
                                1,
                                2,
                                8,
                                15,
                                16,
                                17,
                                24,
                                31,
                                32,
                                48,
                                64,
                                80,
                                96,
                                128,
                                256,
                                496,
                                512,
                                528,
                                1024,
                                1040,
                                0x10000,
                                0x10010,
                                0x100000,
                                0xfffffff0ull,
                                0x100000000ull,
                                0xffffffff0ull,
                                0x1000000000ull,
                                0x1000000010ull,
                                0x7ffffffff0ull,
                                0x8000000000ull,
                                0xfffffffff0ull,
                                0xffffffffe0ull,
                                0xffffffffffull,
                                0x10000000000ull,
                                0x10000000010ull,
                                0x20000000000ull,
                                0x100000000000ull,
                                0x8000000000000000ull,
                                0xfffffffffffffff0ull};
GROUP(107, tmstride, "tm-stride")
{
    use_primary_context();
    cases_independent = 1;
    static const unsigned rk[] = {2, 3, 5};
    for (size_t r = 0; r < COUNT_OF(rk); r++)
        for (unsigned k = 0; k + 1 < rk[r]; k++)
            for (size_t i = 0; i < COUNT_OF(strv); i++) {
                struct tt t = base(0, 6, rk[r]);
                t.st[k] = strv[i];
                go(&t);
            }
    for (int il = 1; il < 3; il++)
        for (unsigned k = 0; k < 2; k++)
            for (size_t i = 0; i < COUNT_OF(strv); i++) {
                struct tt t = base(0, 6, 3);
                t.il = il;
                t.sw = il == 2;
                t.st[k] = strv[i];
                go(&t);
            }
    static const int dts[] = {0, 8, 13, 14, 15};
    for (size_t d = 0; d < COUNT_OF(dts); d++)
        for (size_t i = 0; i < COUNT_OF(strv); i++) {
            struct tt t = base(0, dts[d], 2);
            t.st[0] = strv[i];
            go(&t);
        }
    struct tt t = base(0, 6, 1);
    t.st[0] = 7;
    go(&t);
    t = base(0, 6, 5);
    t.st[3] = 32, t.st[0] = 65536;
    go(&t); /* strides that go down */
}
static const unsigned boxv[] = {
    0,  1,  2,   3,   4,   7,   8,   9,   12,  15,  16,  17,  20,   24,    31,    32,          48,
    64, 96, 100, 128, 129, 160, 192, 255, 256, 257, 272, 512, 1024, 65536, 65537, 0x80000000u, ~0u};
GROUP(108, tmbox, "tm-box")
{
    use_primary_context();
    cases_independent = 1;
    for (int dt = 0; dt < 16; dt++)
        for (size_t i = 0; i < COUNT_OF(boxv); i++) {
            struct tt t = base(0, dt, 2);
            t.dim[0] = 4096;
            fit(&t);
            t.box[0] = boxv[i];
            go(&t);
        }
    static const unsigned rk[] = {1, 3, 5};
    for (size_t r = 0; r < COUNT_OF(rk); r++)
        for (unsigned k = rk[r] > 1; k < rk[r]; k++)
            for (size_t i = 0; i < COUNT_OF(boxv); i++) {
                struct tt t = base(0, 6, rk[r]);
                t.box[k] = boxv[i];
                go(&t);
            }
    for (int il = 1; il < 3; il++)
        for (unsigned k = 0; k < 3; k++)
            for (size_t i = 0; i < COUNT_OF(boxv); i++) {
                struct tt t = base(0, 6, 3);
                t.il = il;
                t.sw = il == 2;
                t.box[k] = boxv[i];
                go(&t);
            }
    /* boxes bigger than the tensor and bigger than shared memory */
    static const unsigned vol[][5] = {
        {256, 256, 1, 1, 1}, {256, 128, 1, 1, 1},   {128, 128, 2, 1, 1},       {256, 256, 2, 1, 1},
        {256, 256, 4, 1, 1}, {256, 256, 256, 1, 1}, {256, 256, 256, 256, 256}, {16, 256, 256, 1, 1},
        {128, 227, 8, 1, 1}, {16, 1, 1, 1, 256},    {16, 227, 64, 1, 1},       {16, 228, 64, 1, 1},
        {16, 256, 64, 1, 1}};
    static const int dts[] = {0, 6, 7, 8};
    for (size_t d = 0; d < COUNT_OF(dts); d++)
        for (size_t i = 0; i < COUNT_OF(vol); i++) {
            struct tt t = base(0, dts[d], 5);
            memcpy(t.box, vol[i], sizeof vol[i]);
            go(&t);
            for (int k = 0; k < 5; k++)
                t.dim[k] = 1024;
            fit(&t);
            go(&t);
        }
}
static const unsigned esv[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 16, 255, 256, 65536, ~0u};
GROUP(109, tmes, "tm-estride")
{
    use_primary_context();
    cases_independent = 1;
    static const unsigned rk[] = {1, 2, 3, 5};
    for (size_t r = 0; r < COUNT_OF(rk); r++)
        for (unsigned k = 0; k < rk[r]; k++)
            for (size_t i = 0; i < COUNT_OF(esv); i++) {
                struct tt t = base(0, 6, rk[r]);
                t.es[k] = esv[i];
                go(&t);
                t.box[k] = 64;
                go(&t);
            }
    for (int il = 1; il < 3; il++)
        for (unsigned k = 0; k < 3; k++)
            for (size_t i = 0; i < COUNT_OF(esv); i++) {
                struct tt t = base(0, 6, 3);
                t.il = il;
                t.sw = il == 2;
                t.es[k] = esv[i];
                go(&t);
            }
    for (int sw = 0; sw < 4; sw++)
        for (unsigned e = 1; e < 9; e++) {
            struct tt t = base(0, 7, 2);
            t.sw = sw;
            t.es[0] = t.es[1] = e;
            go(&t);
            t.box[1] = 256;
            go(&t);
        }
    for (int dt = 13; dt < 16; dt++)
        for (unsigned e = 0; e < 10; e++) {
            struct tt t = base(0, dt, 2);
            t.es[0] = e;
            go(&t);
            t.es[0] = 1;
            t.es[1] = e;
            go(&t);
        }
}
static uint64_t seed;
static unsigned rnd(void)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return seed >> 33;
}
static unsigned pick(unsigned n)
{
    return rnd() % n;
}
static uint64_t logu(int maxbits)
{
    int b = 1 + pick(maxbits);
    uint64_t v = ((uint64_t)rnd() << 31) ^ rnd();
    return (v & ((1ull << b) - 1)) + 1;
}
static void common(struct tt *t)
{ /* mostly valid, sometimes one thing wrong */
    t->dt = pick(13);
    t->addr = ADDR0 + 32ull * rnd();
    int e = bits[t->dt];
    for (int i = 0; i < 5; i++)
        t->dim[i] = logu(pick(8) ? 14 : 32), t->es[i] = pick(3) ? 1 : 1 + pick(8);
    t->il = pick(4) ? 0 : pick(3);
    t->sw = t->il == 2 ? 1 : pick(pick(10) ? 4 : 7);
    t->l2 = pick(4);
    t->oob = e >= 16 && t->dt >= 6 ? pick(2) : 0;
    unsigned lim = t->il        ? 256 * e / 8
                   : t->sw == 0 ? 256 * e / 8
                   : t->sw == 1 ? 32
                   : t->sw == 2 ? 64
                                : 128,
             by = 16 * (1 + pick(lim / 16));
    t->box[0] = t->cpp = by * 8 / e;
    uint64_t s = (t->dim[0] * e / 8 + 31) / 32 * 32;
    for (int i = 0; i < 4; i++) {
        if (!pick(4))
            s += 32 * pick(64);
        if (s >= 1ull << 40)
            s = 32 * (1 + pick(1 << 20));
        t->st[i] = s;
        s *= t->dim[i + 1];
    }
}
static void spoil(struct tt *t)
{
    switch (pick(12)) {
    case 0:
        t->addr += 1 + pick(31);
        break;
    case 1:
        t->dim[pick(5)] = dimv[pick(COUNT_OF(dimv))];
        break;
    case 2:
        t->st[pick(4)] = strv[pick(COUNT_OF(strv))];
        break;
    case 3:
        t->box[pick(5)] = boxv[pick(COUNT_OF(boxv))];
        break;
    case 4:
        t->es[pick(5)] = esv[pick(COUNT_OF(esv))];
        break;
    case 5:
        t->il = pick(4);
        break;
    case 6:
        t->sw = pick(8);
        break;
    case 7:
        t->l2 = pick(6);
        break;
    case 8:
        t->oob = pick(3);
        break;
    case 9:
        t->dt = pick(18);
        break;
    case 10:
        t->rank = pick(8);
        break;
    default:
        t->addr ^= 1ull << (47 + pick(17));
    }
}
GROUP(110, tmrand, "tm-rand")
{
    use_primary_context();
    cases_independent = 1;
    seed = 42;
    for (int n = 0; n < 1200; n++) {
        struct tt t = base(0, 0, 0);
        common(&t);
        t.rank = (t.il ? 3 : 1) + pick(t.il ? 3 : 5);
        for (int i = 1; i < 5; i++)
            t.box[i] = pick(4) ? 1 + pick(16) : 1 + pick(256);
        if (!pick(5))
            spoil(&t);
        go(&t);
    }
}
GROUP(111, tmptr, "tm-ptr")
{
    use_primary_context();
    static char raw[512] __attribute__((aligned(256)));
    struct tt t = base(0, 6, 2), u = base(1, 6, 4);
    void *a = (void *)(uintptr_t)ADDR0;
    CUtensorMap *m = &tmm;
    const char *o;
#define TILE(m, r, d, s, b, e)                                                                     \
    cuda.cuTensorMapEncodeTiled(m, 6, r, a, (const cuuint64_t *)(d), (const cuuint64_t *)(s), b,   \
                                e, 0, 0, 0, 0)
#define I2C(m, r, d, s, l, h, e)                                                                   \
    cuda.cuTensorMapEncodeIm2col(m, 6, r, a, (const cuuint64_t *)(d), (const cuuint64_t *)(s), l,  \
                                 h, 16, 64, e, 0, 0, 0, 0)
    CHECK("tiled-map-null", TILE(NULL, 2, t.dim, t.st, t.box, t.es));
    CHECK("tiled-dim-null", TILE(m, 2, NULL, t.st, t.box, t.es));
    CHECK("tiled-stride-null-r2", TILE(m, 2, t.dim, NULL, t.box, t.es));
    CHECK("tiled-box-null", TILE(m, 2, t.dim, t.st, NULL, t.es));
    CHECK("tiled-es-null", TILE(m, 2, t.dim, t.st, t.box, NULL));
    CHECK("tiled-addr-null",
          cuda.cuTensorMapEncodeTiled(m, 6, 2, NULL, (const cuuint64_t *)t.dim,
                                      (const cuuint64_t *)t.st, t.box, t.es, 0, 0, 0, 0));
    memset(m, 0xa5, 128);
    CHECK_THEN("tiled-stride-null-r1", TILE(m, 1, t.dim, NULL, t.box, t.es), o = mapstr(m, result),
               "%s", o);
    for (int off = 0; off <= 128; off += off < 16 ? 4 : 16) {
        m = (void *)(raw + off);
        memset(raw, 0xa5, sizeof raw);
        CHECK_THEN(format("tiled-map-offset%d", off), TILE(m, 2, t.dim, t.st, t.box, t.es),
                   o = mapstr(m, result), "%s", o);
        memset(raw, 0xa5, sizeof raw);
        CHECK_THEN(format("im2col-map-offset%d", off), I2C(m, 4, u.dim, u.st, u.lo, u.hi, u.es),
                   o = mapstr(m, result), "%s", o);
    }
    m = &tmm;
    CHECK("im2col-map-null", I2C(NULL, 4, u.dim, u.st, u.lo, u.hi, u.es));
    CHECK("im2col-dim-null", I2C(m, 4, NULL, u.st, u.lo, u.hi, u.es));
    CHECK("im2col-stride-null", I2C(m, 4, u.dim, NULL, u.lo, u.hi, u.es));
    CHECK("im2col-lo-null", I2C(m, 4, u.dim, u.st, NULL, u.hi, u.es));
    CHECK("im2col-hi-null", I2C(m, 4, u.dim, u.st, u.lo, NULL, u.es));
    CHECK("im2col-es-null", I2C(m, 4, u.dim, u.st, u.lo, u.hi, NULL));
    CHECK("wide-map-null", cuda.cuTensorMapEncodeIm2colWide(
                               NULL, 6, 4, a, (const cuuint64_t *)u.dim, (const cuuint64_t *)u.st,
                               0, 0, 64, 64, u.es, 0, 0, 3, 0, 0));
    CHECK("wide-dim-null",
          cuda.cuTensorMapEncodeIm2colWide(m, 6, 4, a, NULL, (const cuuint64_t *)u.st, 0, 0, 64, 64,
                                           u.es, 0, 0, 3, 0, 0));
    CHECK("wide-es-null", cuda.cuTensorMapEncodeIm2colWide(m, 6, 4, a, (const cuuint64_t *)u.dim,
                                                           (const cuuint64_t *)u.st, 0, 0, 64, 64,
                                                           NULL, 0, 0, 3, 0, 0));
    CUdeviceptr d = device_alloc(1 << 20);
    void *hp = pinned_alloc(4096);
    struct tt v = base(0, 6, 2);
    CUtensorMap m1, m2;
    (void)m1;
    (void)m2;
    v.addr = d;
    CHECK("tiled-device-memory", enc(m, &v));
    v.addr = (uintptr_t)hp;
    CHECK("tiled-pinned-memory", enc(m, &v));
    v.addr = (uintptr_t)raw;
    CHECK("tiled-pageable-memory", enc(m, &v));
    v.addr = managed_alloc(4096);
    CHECK("tiled-managed-memory", enc(m, &v));
    v.addr = d;
    cuda.cuMemFree(d);
    CHECK("tiled-freed-memory", enc(m, &v));
}
/* ---- im2col ---- */
GROUP(120, imtype, "tm-im2col-type")
{
    use_primary_context();
    cases_independent = 1;
    for (int dt = -1; dt < 18; dt++)
        for (unsigned r = 0; r <= 6; r++) {
            struct tt t = base(1, dt, r);
            go(&t);
        }
    static const unsigned rk[] = {8, 255, 0x80000000u, ~0u};
    for (size_t i = 0; i < COUNT_OF(rk); i++) {
        struct tt t = base(1, 6, rk[i]);
        go(&t);
    }
}
GROUP(121, immode, "tm-im2col-mode")
{
    use_primary_context();
    cases_independent = 1;
    static const int dts[] = {0, 6, 7, 8, 13, 14, 15};
    static const unsigned in[] = {16, 32, 48, 64, 128, 256};
    for (size_t d = 0; d < COUNT_OF(dts); d++)
        for (int il = 0; il < 4; il++)
            for (int sw = 0; sw < 8; sw++)
                for (size_t k = 0; k < COUNT_OF(in); k++) {
                    if (d > 3 && k)
                        continue;
                    if ((il > 2 || sw > 6) && d != 1)
                        continue;
                    struct tt t = base(1, dts[d], 4);
                    t.il = il;
                    t.sw = sw;
                    if (d <= 3)
                        inner(&t, in[k]);
                    go(&t);
                }
}
static const int cor[] = {0,     1,     -1,     2,      -2,     7,     8,       14,
                          15,    16,    -15,    -16,    -17,    31,    32,      126,
                          127,   128,   -127,   -128,   -129,   255,   256,     32766,
                          32767, 32768, -32767, -32768, -32769, 65535, INT_MAX, INT_MIN};
GROUP(122, imcorner, "tm-im2col-corner")
{
    use_primary_context();
    cases_independent = 1;
    for (unsigned r = 3; r <= 5; r++)
        for (unsigned k = 0; k + 2 < r; k++)
            for (size_t i = 0; i < COUNT_OF(cor); i++) {
                struct tt t = base(1, 6, r);
                t.lo[k] = cor[i];
                go(&t);
                t.lo[k] = 0;
                t.hi[k] = cor[i];
                go(&t);
                t.lo[k] = cor[i];
                go(&t);
                t.lo[k] = cor[i] == INT_MIN ? 1 : -cor[i];
                go(&t);
            }
    for (unsigned r = 3; r <= 5; r++)
        for (int w = -36; w <= 8; w++) {
            struct tt t = base(1, 6, r);
            for (int k = 0; k < 3; k++)
                t.lo[k] = w < -15 ? -16 + (w + 36) / 4 : w,
                t.hi[k] = w < -15 ? w + 20 < -16 ? -16 : w + 20 : w;
            go(&t);
        } /* against an extent of 32, 16, 8 */
    for (unsigned r = 3; r <= 5; r++)
        for (int w = -40; w <= 40; w += 2) {
            struct tt t = base(1, 6, r);
            t.dim[1] = 16;
            t.hi[0] = w;
            fit(&t);
            go(&t);
        }
}
GROUP(123, imcount, "tm-im2col-count")
{
    use_primary_context();
    cases_independent = 1;
    static const unsigned cv[] = {0,  1,   2,   4,   7,   8,   12,  16,  24,  32,   40,    64,
                                  96, 128, 129, 192, 255, 256, 257, 264, 512, 1024, 65536, ~0u},
                          pv[] = {0,   1,    2,    3,    7,    8,    16,    31,  32,
                                  64,  127,  128,  129,  255,  256,  257,   511, 512,
                                  513, 1000, 1023, 1024, 1025, 2048, 65536, ~0u};
    for (int dt = 0; dt < 16; dt++)
        for (size_t i = 0; i < COUNT_OF(cv); i++) {
            struct tt t = base(1, dt, 4);
            t.dim[0] = 1024;
            fit(&t);
            t.cpp = cv[i];
            go(&t);
        }
    for (unsigned r = 3; r <= 5; r++)
        for (size_t i = 0; i < COUNT_OF(pv); i++) {
            struct tt t = base(1, 6, r);
            t.ppc = pv[i];
            go(&t);
            t.cpp = 256;
            go(&t);
        }
}
GROUP(124, imargs, "tm-im2col-args")
{
    use_primary_context();
    cases_independent = 1;
    for (unsigned r = 3; r <= 5; r += 2) {
        for (unsigned k = 0; k < r; k++)
            for (size_t i = 0; i < COUNT_OF(esv); i++) {
                struct tt t = base(1, 6, r);
                t.es[k] = esv[i];
                go(&t);
            }
        for (unsigned k = 0; k < r; k++)
            for (size_t i = 0; i < COUNT_OF(dimv); i++) {
                struct tt t = base(1, 6, r);
                t.dim[k] = dimv[i];
                go(&t);
            }
        for (unsigned k = 0; k + 1 < r; k++)
            for (size_t i = 0; i < COUNT_OF(strv); i++) {
                struct tt t = base(1, 6, r);
                t.st[k] = strv[i];
                go(&t);
            }
    }
    for (int il = 0; il < 3; il++)
        for (size_t i = 0; i < COUNT_OF(addrs); i++) {
            struct tt t = base(1, 6, 4);
            t.il = il;
            t.sw = il == 2;
            t.addr = addrs[i];
            go(&t);
        }
    for (int dt = 0; dt < 16; dt++)
        for (int l = -1; l < 5; l++)
            for (int o = -1; o < 3; o++) {
                if ((l < 0 || l > 3 || o < 0 || o > 1) && dt != 7)
                    continue;
                struct tt t = base(1, dt, 3);
                t.l2 = l;
                t.oob = o;
                go(&t);
            }
}
static void imcorners(struct tt *t)
{
    int lim = t->rank == 3 ? 32768 : t->rank == 4 ? 128 : 16;
    if (pick(4))
        lim = 4;
    for (int k = 0; k < 3; k++)
        t->lo[k] = (int)pick(2 * lim) - lim, t->hi[k] = (int)pick(2 * lim) - lim;
    t->ppc = pick(4) ? 1 + pick(256) : 1 + pick(1024);
}
GROUP(125, imrand, "tm-im2col-rand")
{
    use_primary_context();
    cases_independent = 1;
    seed = 77;
    for (int n = 0; n < 800; n++) {
        struct tt t = base(1, 0, 0);
        common(&t);
        t.rank = 3 + pick(3);
        imcorners(&t);
        if (!pick(6))
            spoil(&t);
        go(&t);
    }
}
/* ---- im2col wide ---- */
GROUP(130, widetype, "tm-wide-type")
{
    use_primary_context();
    cases_independent = 1;
    for (int dt = -1; dt < 17; dt++)
        for (unsigned r = 2; r <= 6; r++) {
            struct tt t = base(2, dt, r);
            go(&t);
        }
    for (int il = 0; il < 4; il++)
        for (int mode = -1; mode < 3; mode++)
            for (int sw = 0; sw < 8; sw++) {
                struct tt t = base(2, 6, 4);
                t.il = il;
                t.mode = mode;
                t.sw = sw;
                inner(&t, 64);
                go(&t);
            }
}
GROUP(131, wideargs, "tm-wide-args")
{
    use_primary_context();
    cases_independent = 1;
    for (int mode = 0; mode < 2; mode++) {
        for (size_t i = 0; i < COUNT_OF(cor); i++) {
            struct tt t = base(2, 6, 4);
            t.mode = mode;
            t.lo[0] = cor[i];
            go(&t);
            t.lo[0] = 0;
            t.hi[0] = cor[i];
            go(&t);
        }
        static const unsigned pv[] = {0, 1, 32, 128, 256, 1024, 1025};
        for (size_t i = 0; i < COUNT_OF(pv); i++) {
            struct tt t = base(2, 6, 4);
            t.mode = mode;
            t.ppc = pv[i];
            go(&t);
            t.ppc = 64;
            t.cpp = pv[i];
            go(&t);
        }
    }
    for (unsigned k = 0; k < 4; k++)
        for (size_t i = 0; i < COUNT_OF(esv); i++) {
            struct tt t = base(2, 6, 4);
            t.es[k] = esv[i];
            go(&t);
        }
}
/* ---- replace address ---- */
GROUP(140, replace, "tm-replace")
{
    use_primary_context();
    cases_independent = 1;
    const char *o;
    for (int kind = 0; kind < 2; kind++)
        for (int il = 0; il < 3; il++)
            for (size_t i = 0; i < COUNT_OF(addrs); i++) {
                struct tt t = base(kind, 6, 4);
                t.il = il;
                t.sw = il == 2;
                memset(&tmm, 0xa5, 128);
                if (enc(&tmm, &t))
                    continue;
                CHECK_THEN(format("kind%d.i%d.a%llx", kind, il, (unsigned long long)addrs[i]),
                           cuda.cuTensorMapReplaceAddress(&tmm, (void *)(uintptr_t)addrs[i]),
                           o = hex(&tmm, 128), "%s", o);
            }
    for (int dt = 0; dt < 16; dt++)
        for (int k = 0; k < 3; k++) {
            struct tt t = base(0, dt, 2);
            memset(&tmm, 0xa5, 128);
            if (enc(&tmm, &t))
                continue;
            CHECK_THEN(format("dt%d.a+%d", dt, 8 << k),
                       cuda.cuTensorMapReplaceAddress(&tmm, (void *)(uintptr_t)(ADDR0 + (8 << k))),
                       o = hex(&tmm, 128), "%s", o);
        }
    CHECK("map-null", cuda.cuTensorMapReplaceAddress(NULL, (void *)(uintptr_t)ADDR0));
    CHECK("both-null", cuda.cuTensorMapReplaceAddress(NULL, NULL));
    for (int v = 0; v < 3; v++) {
        memset(&tmm, v == 0 ? 0 : v == 1 ? 0xff : 0xa5, 128);
        CHECK_THEN(format("map-not-made-%d", v),
                   cuda.cuTensorMapReplaceAddress(&tmm, (void *)(uintptr_t)ADDR0),
                   o = hex(&tmm, 128), "%s", o);
    }
    static char raw[512] __attribute__((aligned(256)));
    for (int off = 0; off <= 64; off += off < 16 ? 8 : 16) {
        struct tt t = base(0, 6, 2);
        if (enc(&tmm, &t))
            continue;
        memcpy(raw + off, &tmm, 128);
        CHECK_THEN(format("map-offset%d", off),
                   cuda.cuTensorMapReplaceAddress((CUtensorMap *)(raw + off),
                                                  (void *)(uintptr_t)(ADDR0 + 4096)),
                   o = hex(raw + off, 128), "%s", o);
    }
}
