/* SPDX-License-Identifier: MIT */
/* Working memory for calls of LAPACK that follow each other with the same sizes, as those for the
 * matrices of a batch do. The first call allocates what it takes and asks LAPACK how much it wants;
 * the next ones get one block for all and the same answers.
 *
 *     struct lapack_memory memory = {0};
 *     for (each matrix) {
 *         lapack_memory_reset(&memory);
 *         work = lapack_memory_take(&memory, bytes);
 *     }
 *     lapack_memory_free(&memory); */
#ifndef CUSOLVER_LAPACK_MEMORY_H
#define CUSOLVER_LAPACK_MEMORY_H

#include "lapack.h"

#include <stdbool.h>

/* How many numbers of the type, real numbers and integers a routine wants. */
struct lapack_sizes {
    openblas_int numbers, reals, integers;
};

/* All zeros are an empty one. */
struct lapack_memory {
    char *block;
    size_t bytes, used; /* of the block */
    size_t taken;       /* since the last reset, pieces included */
    void *pieces;       /* a list of what did not fit into the block */
    bool has_sizes;     /* LAPACK was asked */
    struct lapack_sizes sizes;
};

/* Memory that is valid until the next reset; NULL: there is none. */
void *lapack_memory_take(struct lapack_memory *memory, size_t bytes);

/* Takes back everything; the next calls get what the last ones got without an allocation. */
void lapack_memory_reset(struct lapack_memory *memory);
void lapack_memory_free(struct lapack_memory *memory);

/* lapack_with_work() with such memory: the routine is asked for its size once. */
CUresult lapack_with_memory(struct lapack_memory *memory, enum openblas_type type,
                            lapack_call *call, const void *job, openblas_int *info);

#endif
