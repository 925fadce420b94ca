/* SPDX-License-Identifier: MIT */
/* A product is split into pieces whose sizes OpenBLAS' integers of 32 bits express. A matrix with a
 * leading dimension that they do not express is taken a column at a time, which needs none. Such
 * columns lie 8 gigabytes apart, so there are few of them. */
#include "openblas_gemm.h"

#include <limits.h>
#include <stdbool.h>

enum { PIECE_MOST = 1 << 30 };

/* A product, or a piece of one. */
struct gemm {
    enum openblas_type type;
    char transa, transb;
    int64_t m, n, k, lda, ldb, ldc;
    const void *alpha, *a, *b, *beta;
    void *c;
};

/* How long a piece may be along m, n and k. */
struct pieces {
    int64_t m, n, k;
};

static const void *one_of(enum openblas_type type)
{
    static const float single_one[2] = {1, 0};
    static const double double_one[2] = {1, 0};

    return type == OPENBLAS_S || type == OPENBLAS_C ? (const void *)single_one : double_one;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static struct pieces pieces_of(const struct gemm *gemm)
{
    struct pieces pieces = {PIECE_MOST, PIECE_MOST, PIECE_MOST};

    if (gemm->lda > INT_MAX)
        *(gemm->transa == 'N' ? &pieces.k : &pieces.m) = 1;
    if (gemm->ldb > INT_MAX)
        *(gemm->transb == 'N' ? &pieces.n : &pieces.k) = 1;
    if (gemm->ldc > INT_MAX)
        pieces.n = 1;
    return pieces;
}

/* A leading dimension for OpenBLAS: that of one column is its length. */
static openblas_int leading(int64_t ld, int64_t rows)
{
    return (openblas_int)(ld <= INT_MAX ? ld : rows > 0 ? rows : 1);
}

static void multiply(const struct gemm *piece)
{
    const openblas_int m = (openblas_int)piece->m, n = (openblas_int)piece->n;
    const openblas_int k = openblas_depth(piece->type, piece->alpha, (openblas_int)piece->k);
    const openblas_int lda = leading(piece->lda, piece->transa == 'N' ? piece->m : piece->k),
                       ldb = leading(piece->ldb, piece->transb == 'N' ? piece->k : piece->n),
                       ldc = leading(piece->ldc, piece->m);

    openblas()->gemm[piece->type](&piece->transa, &piece->transb, &m, &n, &k, piece->alpha,
                                  piece->a, &lda, piece->b, &ldb, piece->beta, piece->c, &ldc, 1,
                                  1);
}

/* The address of a row and a column of op(matrix). */
static const void *part_of(const struct gemm *gemm, const void *matrix, char trans, int64_t row,
                           int64_t column, int64_t ld)
{
    const int64_t bytes[] = {4, 8, 8, 16};
    int64_t index = trans == 'N' ? row + column * ld : column + row * ld;

    return (const char *)matrix + index * bytes[gemm->type];
}

/* Rows from i on and columns from j on: the first piece along k has the caller's beta, the others
 * add to it. */
static void multiply_over_k(const struct gemm *gemm, const struct pieces *pieces, int64_t i,
                            int64_t j)
{
    struct gemm piece = *gemm;
    int64_t begin = 0;

    piece.m = least(gemm->m - i, pieces->m);
    piece.n = least(gemm->n - j, pieces->n);
    piece.c = (void *)part_of(gemm, gemm->c, 'N', i, j, gemm->ldc);
    do {
        piece.k = least(gemm->k - begin, pieces->k);
        piece.a = part_of(gemm, gemm->a, gemm->transa, i, begin, gemm->lda);
        piece.b = part_of(gemm, gemm->b, gemm->transb, begin, j, gemm->ldb);
        multiply(&piece);
        piece.beta = one_of(gemm->type);
        begin += piece.k;
    } while (begin < gemm->k);
}

void lib_gemm(enum openblas_type type, char transa, char transb, int64_t m, int64_t n, int64_t k,
              const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb,
              const void *beta, void *c, int64_t ldc)
{
    const struct gemm gemm = {type, transa, transb, m, n, k, lda, ldb, ldc, alpha, a, b, beta, c};
    const struct pieces pieces = pieces_of(&gemm);

    for (int64_t j = 0; j < n; j += pieces.n)
        for (int64_t i = 0; i < m; i += pieces.m)
            multiply_over_k(&gemm, &pieces, i, j);
}
