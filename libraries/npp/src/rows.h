/* SPDX-License-Identifier: MIT */
/* Functions that make each row of an image, or a signal, of the same row of its sources. */
#ifndef NPP_ROWS_H
#define NPP_ROWS_H

#include "call.h"
#include "typed_rows.h"

/* Numbers on their way: whole pixels of one row. A function of a family writes its result over
 * `a`. */
struct npp_row {
    const struct npp_function *function;
    const struct npp_call *call;
    double *a;         /* of the first source */
    const double *b;   /* of the second, or the constants of the channels, again and again */
    size_t count;      /* of numbers */
    unsigned channels; /* numbers of a pixel */
};

typedef void npp_row_function(const struct npp_row *row);

/* Runs a row function over the region. A scale factor divides what it computed by a power of 2;
 * then integers are rounded. */
NppStatus npp_rows(const struct npp_function *function, const struct npp_call *call, bool checks,
                   NppRoundMode rounding, npp_row_function *compute);

/* The same, rounded to the nearest; types that have a loop of their own take that. */
NppStatus npp_rows_typed(const struct npp_function *function, const struct npp_call *call,
                         bool checks, npp_row_function *compute,
                         const struct npp_typed_loops *loops);

/* Where a function's images are, whatever its parameters are called. */
struct npp_images {
    const void *a, *b;
    void *d;
    long long a_step, b_step, d_step;
    NppiSize size;
};

struct npp_images npp_images_of(const struct npp_function *function, const struct npp_call *call);

/* Checks pointers, sizes and steps of the images that a function has. */
NppStatus npp_check_images(const struct npp_function *function, const struct npp_images *images,
                           bool is_signal);

static inline const void *npp_at(const void *image, long long step, long long y, size_t offset)
{
    return (const char *)image + y * step + (ptrdiff_t)offset;
}

#endif
