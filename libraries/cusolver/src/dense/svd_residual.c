/* SPDX-License-Identifier: MIT */
/* With vectors the difference is computed element by element: the norms of A and of the values
 * nearly cancel. Without them their difference is all that is known. */
#include "svd_residual.h"

#include "number.h"

#include <math.h>

static double squared(double complex value)
{
    return creal(value) * creal(value) + cimag(value) * cimag(value);
}

/* Element (i, j) of U * S * V^H. */
static double complex product_at(const struct svd_problem *p, int64_t i, int64_t j)
{
    double complex sum = 0;

    for (int64_t k = 0; k < p->rank; k++)
        sum += number_load(p->type, p->u, i + k * p->ldu) *
               lapack_get(lapack_real(p->type), p->s, k) *
               conj(number_load(p->type, p->vt, j + k * p->ldvt));
    return sum;
}

double svd_residual(const struct svd_problem *p)
{
    const bool has_vectors = p->jobu != 'N';
    double rest = 0;

    for (int64_t j = 0; j < p->n; j++)
        for (int64_t i = 0; i < p->m; i++)
            rest += squared(number_load(p->type, p->a, i + j * p->lda) -
                            (has_vectors ? product_at(p, i, j) : 0));
    for (int64_t k = 0; !has_vectors && k < p->rank; k++)
        rest -= pow(lapack_get(lapack_real(p->type), p->s, k), 2);
    return sqrt(rest > 0 ? rest : 0);
}
