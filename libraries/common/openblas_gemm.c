/* SPDX-License-Identifier: MIT */
/* A product is split into pieces whose sizes OpenBLAS' integers of 32 bits express. A matrix with a
 * leading dimension that they do not express is taken a column at a time, which needs none. Such
 * columns lie 8 gigabytes apart, so there are few of them.
 *
 * A large product is split further, and the driver's threads compute the pieces: threads of
 * OpenBLAS' own would spin beside them after the product. */
#include "openblas_gemm.h"

#include "work.h"

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

/* Multiplications of a type in a nanosecond on one processor, about. */
static double speed_of(enum openblas_type type)
{
    static const double speeds[] = {40, 20, 10, 5};

    return speeds[type];
}

/* A longer product is worth more threads than one. */
static bool is_long(const struct gemm *gemm)
{
    double ns = (double)gemm->m * (double)gemm->n * (double)gemm->k / speed_of(gemm->type);

    return ns > (lib_parallel_width() < 4 ? 30000 : 10000);
}

static int64_t pieces_along(int64_t length, int64_t piece)
{
    return (length + piece - 1) / piece;
}

/* Halves the pieces until every thread has one. Short pieces cost: each packs its rows and columns
 * for itself. Lengths are multiples of those that OpenBLAS' kernels compute at once. */
static void split_for_threads(const struct gemm *gemm, struct pieces *pieces)
{
    enum { SHORTEST = 64, UNIT = 16 };
    const int64_t wanted = lib_parallel_width();

    pieces->m = least(pieces->m, gemm->m);
    pieces->n = least(pieces->n, gemm->n);
    while (pieces_along(gemm->m, pieces->m) * pieces_along(gemm->n, pieces->n) < wanted) {
        int64_t *longer = pieces->m >= pieces->n ? &pieces->m : &pieces->n;

        if (*longer < 2 * SHORTEST)
            break;
        *longer = ((*longer + 1) / 2 + UNIT - 1) / UNIT * UNIT;
    }
}

struct pieces_of_gemm {
    const struct gemm *gemm;
    struct pieces pieces;
};

static void multiply_piece(void *argument, size_t index)
{
    const struct pieces_of_gemm *all = argument;
    int64_t rows = pieces_along(all->gemm->m, all->pieces.m);

    multiply_over_k(all->gemm, &all->pieces, (int64_t)index % rows * all->pieces.m,
                    (int64_t)index / rows * all->pieces.n);
}

void lib_gemm(enum openblas_type type, char transa, char transb, int64_t m, int64_t n, int64_t k,
              const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb,
              const void *beta, void *c, int64_t ldc)
{
    const struct gemm gemm = {type, transa, transb, m, n, k, lda, ldb, ldc, alpha, a, b, beta, c};
    struct pieces_of_gemm all = {&gemm, pieces_of(&gemm)};

    if (m == 0 || n == 0)
        return;
    bool serial = is_long(&gemm) && lib_parallel_width() > 1 && openblas_begin_serial();
    if (serial)
        split_for_threads(&gemm, &all.pieces);
    size_t count = (size_t)(pieces_along(m, all.pieces.m) * pieces_along(n, all.pieces.n));
    if (serial)
        openblas_run_serial(count, multiply_piece, &all);
    else
        for (size_t i = 0; i < count; i++)
            multiply_piece(&all, i);
}
