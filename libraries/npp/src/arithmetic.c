/* SPDX-License-Identifier: MIT */
/* Arithmetic and logic of pixels and samples, with a second image or with constants. */
#include "vector.h"

#include "handlers.h"
#include "rows.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#define ROW(name, expression)                                                                      \
    NPP_VECTOR static void name(const struct npp_row *row)                                         \
    {                                                                                              \
        double *restrict to = row->a;                                                              \
        const double *restrict others = row->b;                                                    \
                                                                                                   \
        for (size_t i = 0; i < row->count; i++) {                                                  \
            double a = to[i], b = others[i];                                                       \
                                                                                                   \
            (void)b;                                                                               \
            to[i] = (expression);                                                                  \
        }                                                                                          \
    }

#define HANDLER(name, compute)                                                                     \
    NppStatus name(const struct npp_function *function, const struct npp_call *call, bool checks)  \
    {                                                                                              \
        return npp_rows(function, call, checks, NPP_RND_NEAR, compute);                            \
    }

#define TYPED_HANDLER(name, compute, loops)                                                        \
    NppStatus name(const struct npp_function *function, const struct npp_call *call, bool checks)  \
    {                                                                                              \
        return npp_rows_typed(function, call, checks, compute, &(loops));                          \
    }

static bool is_complex(const struct npp_row *row)
{
    return npp_numbers(row->function->type) == 2;
}

/* Floats are multiplied and added as a card does, since little may be left of their difference. */
static void multiply_complex(const struct npp_row *row)
{
    bool single = row->function->type == NPP_T_32FC;

    for (size_t i = 0; i < row->count; i += 2) {
        double re = row->a[i], im = row->a[i + 1], x = row->b[i], y = row->b[i + 1];

        row->a[i] = single ? fmaf((float)re, (float)x, -((float)im * (float)y)) : re * x - im * y;
        row->a[i + 1] = single ? fmaf((float)re, (float)y, (float)im * (float)x) : re * y + im * x;
    }
}

static void divide_complex(const struct npp_row *row)
{
    for (size_t i = 0; i < row->count; i += 2) {
        double re = row->a[i], im = row->a[i + 1], x = row->b[i], y = row->b[i + 1];
        double norm = x * x + y * y;

        row->a[i] = (re * x + im * y) / norm;
        row->a[i + 1] = (im * x - re * y) / norm;
    }
}

/* Integers divided by 0: 0 by 0 is 0, others are the largest of their sign. */
ROW(divide_integers, b == 0 ? (a > 0 ? HUGE_VAL : a < 0 ? -HUGE_VAL : 0) : a / b)
ROW(divide_floats, a / b)
ROW(add_row, a + b)
ROW(subtract_row, a - b)
ROW(subtract_reversed_row, b - a)
ROW(multiply_real, a *b)
ROW(difference_row, fabs(a - b))
ROW(and_row, (double)((int64_t)a &(int64_t)b))
ROW(or_row, (double)((int64_t)a | (int64_t)b))
ROW(xor_row, (double)((int64_t)a ^ (int64_t)b))
ROW(absolute_row, fabs(a))
ROW(square_real, a *a)
ROW(root_row, sqrt(a))
ROW(least_row, b < a ? b : a)
ROW(most_row, b > a ? b : a)

static void not_row(const struct npp_row *row)
{
    double most = ldexp(1, 8 * (int)npp_bytes(row->function->type)) - 1;

    for (size_t i = 0; i < row->count; i++)
        row->a[i] = most - row->a[i];
}

/* Exponentials of floats end at the greatest float. */
static void exponential_row(const struct npp_row *row)
{
    double most = row->function->target_type == NPP_T_32F ? (double)FLT_MAX : HUGE_VAL;

    for (size_t i = 0; i < row->count; i++)
        row->a[i] = fmin(exp(row->a[i]), most);
}

/* Without a scale, logarithms of negative numbers are the least number of 16 bits. */
static void logarithm_row(const struct npp_row *row)
{
    bool least = row->function->type == NPP_T_16S && !row->call->scale_factor;

    for (size_t i = 0; i < row->count; i++)
        row->a[i] = least && row->a[i] < 0 ? -HUGE_VAL : log(row->a[i]);
}

/* Products of floats that become integers are rounded before they are scaled. */
static void multiply_row(const struct npp_row *row)
{
    bool rounds = npp_is_float(row->function->type) && !npp_is_float(row->function->target_type);

    if (is_complex(row))
        multiply_complex(row);
    else
        multiply_real(row);
    for (size_t i = 0; rounds && i < row->count; i++)
        row->a[i] = rint(row->a[i]);
}

static void divide_row(const struct npp_row *row)
{
    if (is_complex(row))
        divide_complex(row);
    else if (npp_is_float(row->function->type))
        divide_floats(row);
    else
        divide_integers(row);
}

/* Squares of bytes in images are numbers of 16 bits with a sign if nothing scales them. */
static void wrap_squares(const struct npp_row *row)
{
    for (size_t i = 0; i < row->count; i++)
        row->a[i] = row->a[i] > INT16_MAX ? 0 : row->a[i];
}

static void square_row(const struct npp_row *row)
{
    for (size_t i = 0; is_complex(row) && i < row->count; i += 2) {
        double re = row->a[i], im = row->a[i + 1];

        row->a[i] = re * re - im * im;
        row->a[i + 1] = 2 * re * im;
    }
    if (!is_complex(row))
        square_real(row);
    if (row->function->type == NPP_T_8U && !row->call->scale_factor && !row->call->length)
        wrap_squares(row);
}

/* Products of whole ranges: 255 by 255 is 255. */
static void multiply_scaled_row(const struct npp_row *row)
{
    double range = row->function->type == NPP_T_8U ? 255.0 : 65535.0;

    for (size_t i = 0; i < row->count; i++)
        row->a[i] = floor(row->a[i] * row->b[i] / range);
}

/* How far the shift of a channel is. */
static int shift_of(const struct npp_row *row, size_t i)
{
    return row->call->length ? (int)row->call->value : (int)row->b[i];
}

static void shift_left_row(const struct npp_row *row)
{
    size_t bits = 8 * npp_bytes(row->function->type);
    uint64_t mask = (UINT64_C(1) << bits) - 1;
    bool is_signed = row->function->type == NPP_T_16S || row->function->type == NPP_T_32S;

    for (size_t i = 0; i < row->count; i++) {
        int shift = shift_of(row, i);
        uint64_t bits_of_value = (uint64_t)(int64_t)row->a[i];

        bits_of_value = shift < 64 ? (bits_of_value << shift) & mask : 0;
        if (is_signed && bits_of_value >> (bits - 1))
            bits_of_value |= ~mask;
        row->a[i] = (double)(int64_t)bits_of_value;
    }
}

static void shift_right_row(const struct npp_row *row)
{
    for (size_t i = 0; i < row->count; i++) {
        int shift = shift_of(row, i);

        row->a[i] = floor(ldexp(row->a[i], -(shift < 64 ? shift : 64)));
    }
}

/* Quotients of 32 bits lose their fractions, but for scales of one bit; so do complex ones of 16
 * bits without a scale. */
NppStatus npp_divide(const struct npp_function *function, const struct npp_call *call, bool checks)
{
    long long scale = call->scale_factor;
    bool truncates = function->type == NPP_T_32SC ||
                     (function->type == NPP_T_32S && scale != 1 && scale != -1) ||
                     (function->type == NPP_T_16SC && !scale);

    return npp_rows(function, call, checks, truncates ? NPP_RND_ZERO : NPP_RND_NEAR, divide_row);
}

TYPED_HANDLER(npp_add, add_row, npp_typed_add)
TYPED_HANDLER(npp_subtract, subtract_row, npp_typed_subtract)
TYPED_HANDLER(npp_subtract_reversed, subtract_reversed_row, npp_typed_subtract_reversed)
TYPED_HANDLER(npp_multiply, multiply_row, npp_typed_multiply)
TYPED_HANDLER(npp_absolute_difference, difference_row, npp_typed_difference)
TYPED_HANDLER(npp_and, and_row, npp_typed_and)
TYPED_HANDLER(npp_or, or_row, npp_typed_or)
TYPED_HANDLER(npp_xor, xor_row, npp_typed_xor)
HANDLER(npp_not, not_row)
HANDLER(npp_absolute, absolute_row)
HANDLER(npp_square, square_row)
HANDLER(npp_root, root_row)
HANDLER(npp_exponential, exponential_row)
HANDLER(npp_logarithm, logarithm_row)
TYPED_HANDLER(npp_least, least_row, npp_typed_least)
TYPED_HANDLER(npp_most, most_row, npp_typed_most)
HANDLER(npp_multiply_scaled, multiply_scaled_row)
HANDLER(npp_shift_left, shift_left_row)
HANDLER(npp_shift_right, shift_right_row)

/* Magnitudes of complex numbers, which take half as much room. */
static void take_magnitudes(const struct npp_row *row)
{
    bool squared = strstr(row->function->name, "Sqr") != NULL;

    for (size_t i = 0; i < row->count / 2; i++) {
        double re = row->a[2 * i], im = row->a[2 * i + 1], square = re * re + im * im;

        row->a[i] = squared ? square : sqrt(square);
    }
}

HANDLER(npp_magnitude, take_magnitudes)
