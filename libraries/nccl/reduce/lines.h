/* SPDX-License-Identifier: MIT */
/* What isa_body.h has for elements of BITS bits. An operation is a constant where a line is
 * called, so it is expanded there. `out` may be an operand: that is no dependence between
 * elements. */
#define JOIN_(name, bits, end) name##bits##end
#define JOIN(name, bits, end) JOIN_(name, bits, end)
#define ELEMENT JOIN(uint, BITS, _t)
#define SIGNED JOIN(int, BITS, _t)

INLINE void JOIN(line, BITS, )(void *out, const void *a, const void *b, size_t count,
                               ELEMENT (*op)(ELEMENT, ELEMENT))
{
    ELEMENT *to = out;
    const ELEMENT *x = a, *y = b;

#pragma omp simd
    for (size_t i = 0; i < count; i++)
        to[i] = op(x[i], y[i]);
}

INLINE void JOIN(scale, BITS, )(void *out, const void *in, uint64_t factor, size_t count,
                                ELEMENT (*op)(ELEMENT, ELEMENT))
{
    ELEMENT *to = out, y = (ELEMENT)factor;
    const ELEMENT *x = in;

#pragma omp simd
    for (size_t i = 0; i < count; i++)
        to[i] = op(x[i], y);
}

/* The lesser or greater of two floats. `infinity` is the greatest that is no NaN. Bits whose lower
 * part is inverted for negative numbers have the order of the numbers. */
INLINE ELEMENT JOIN(best, BITS, )(ELEMENT a, ELEMENT b, ELEMENT infinity, bool greater)
{
    const ELEMENT rest = (ELEMENT)((ELEMENT)-1 >> 1);
    SIGNED x = (SIGNED)(a ^ (((SIGNED)a >> (BITS - 1)) & rest));
    SIGNED y = (SIGNED)(b ^ (((SIGNED)b >> (BITS - 1)) & rest));
    ELEMENT best = (greater ? x > y : x < y) ? a : b;

    best = (b & rest) > infinity ? a : best;
    best = (a & rest) > infinity ? b : best;
    return (best & rest) > infinity ? rest : best;
}

#undef JOIN_
#undef JOIN
#undef ELEMENT
#undef SIGNED
#undef BITS
