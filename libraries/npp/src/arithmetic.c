/* SPDX-License-Identifier: MIT */
/* Arithmetic and logic of pixels and samples, with a second image or with constants. */
#include "handlers.h"
#include "rows.h"

#include <math.h>
#include <stdint.h>

/* The number to combine with number i of a row. */
static double other(const struct npp_row *row, size_t i)
{
    return row->b ? row->b[i] : row->constants[i % row->channels];
}

#define ROW(name, expression)                                                                      \
    static void name(const struct npp_row *row)                                                    \
    {                                                                                              \
        for (size_t i = 0; i < row->count; i++) {                                                  \
            double a = row->a[i], b = other(row, i);                                               \
                                                                                                   \
            (void)b;                                                                               \
            row->a[i] = (expression);                                                              \
        }                                                                                          \
    }

/* A function whose second operand is subtracted or divides: in place, the first image is the
 * destination. */
#define HANDLER(name, reads_target, compute)                                                       \
    NppStatus name(const struct npp_function *function, const struct npp_call *call, bool checks)  \
    {                                                                                              \
        return npp_rows(function, call, checks, reads_target, compute);                            \
    }

static bool is_complex(const struct npp_row *row)
{
    return npp_numbers(row->function->type) == 2;
}

static void multiply_complex(const struct npp_row *row)
{
    for (size_t i = 0; i < row->count; i += 2) {
        double re = row->a[i], im = row->a[i + 1], x = other(row, i), y = other(row, i + 1);

        row->a[i] = re * x - im * y;
        row->a[i + 1] = re * y + im * x;
    }
}

static void divide_complex(const struct npp_row *row)
{
    for (size_t i = 0; i < row->count; i += 2) {
        double re = row->a[i], im = row->a[i + 1], x = other(row, i), y = other(row, i + 1);
        double norm = x * x + y * y;

        row->a[i] = (re * x + im * y) / norm;
        row->a[i + 1] = (im * x - re * y) / norm;
    }
}

/* Integers divided by 0: 0 by 0 is 0, others are the largest of their sign. */
static double divide(const struct npp_row *row, double a, double b)
{
    if (b == 0 && !npp_is_float(row->function->type))
        return a > 0 ? INFINITY : a < 0 ? -INFINITY : 0;
    return a / b;
}

ROW(add_row, a + b)
ROW(subtract_row, a - b)
ROW(multiply_real, a *b)
ROW(divide_real, divide(row, a, b))
ROW(difference_row, fabs(a - b))
ROW(and_row, (double)((int64_t)a &(int64_t)b))
ROW(or_row, (double)((int64_t)a | (int64_t)b))
ROW(xor_row, (double)((int64_t)a ^ (int64_t)b))
ROW(not_row, ldexp(1, 8 * (int)npp_bytes(row->function->type)) - 1 - a)
ROW(absolute_row, fabs(a))
ROW(square_real, a *a)
ROW(root_row, sqrt(a))
ROW(exponential_row, exp(a))
ROW(logarithm_row, log(a))
ROW(least_row, b < a ? b : a)
ROW(most_row, b > a ? b : a)

static void multiply_row(const struct npp_row *row)
{
    if (is_complex(row))
        multiply_complex(row);
    else
        multiply_real(row);
}

static void divide_row(const struct npp_row *row)
{
    if (is_complex(row))
        divide_complex(row);
    else
        divide_real(row);
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
}

/* Products of whole ranges: 255 by 255 is 255. */
static double range_of(enum npp_type type)
{
    return type == NPP_T_8U ? 255.0 : 65535.0;
}

static void multiply_scaled_row(const struct npp_row *row)
{
    double range = range_of(row->function->type);

    for (size_t i = 0; i < row->count; i++)
        row->a[i] = floor(row->a[i] * other(row, i) / range);
}

/* How far the shift of a channel is. */
static int shift_of(const struct npp_row *row, size_t i)
{
    if (row->call->length)
        return (int)row->call->value;
    return (int)row->constants[i % row->channels];
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

HANDLER(npp_add, false, add_row)
HANDLER(npp_subtract, false, subtract_row)
HANDLER(npp_multiply, false, multiply_row)
HANDLER(npp_divide, false, divide_row)
HANDLER(npp_absolute_difference, false, difference_row)
HANDLER(npp_and, false, and_row)
HANDLER(npp_or, false, or_row)
HANDLER(npp_xor, false, xor_row)
HANDLER(npp_not, false, not_row)
HANDLER(npp_absolute, false, absolute_row)
HANDLER(npp_square, false, square_row)
HANDLER(npp_root, false, root_row)
HANDLER(npp_exponential, false, exponential_row)
HANDLER(npp_logarithm, false, logarithm_row)
HANDLER(npp_least, false, least_row)
HANDLER(npp_most, false, most_row)
HANDLER(npp_multiply_scaled, false, multiply_scaled_row)
HANDLER(npp_shift_left, false, shift_left_row)
HANDLER(npp_shift_right, false, shift_right_row)
