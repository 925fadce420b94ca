/* SPDX-License-Identifier: MIT */
/* A block that grows to what the calls between two resets take. What does not fit yet is allocated
 * piece by piece. */
#include "lapack_memory.h"

#include <stdlib.h>

enum { ALIGNMENT = 64 };

struct piece {
    struct piece *next;
    char pad[ALIGNMENT - sizeof(void *)];
};

void *lapack_memory_take(struct lapack_memory *memory, size_t bytes)
{
    const size_t rounded = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    struct piece *piece;

    memory->taken += rounded;
    if (rounded <= memory->bytes - memory->used) {
        memory->used += rounded;
        return memory->block + memory->used - rounded;
    }
    piece = aligned_alloc(ALIGNMENT, sizeof(*piece) + rounded);
    if (!piece)
        return NULL;
    piece->next = memory->pieces;
    memory->pieces = piece;
    return piece + 1;
}

static void free_pieces(struct lapack_memory *memory)
{
    while (memory->pieces) {
        struct piece *next = ((struct piece *)memory->pieces)->next;

        free(memory->pieces);
        memory->pieces = next;
    }
}

void lapack_memory_reset(struct lapack_memory *memory)
{
    if (memory->pieces) {
        free_pieces(memory);
        free(memory->block);
        memory->block = aligned_alloc(ALIGNMENT, memory->taken);
        memory->bytes = memory->block ? memory->taken : 0;
    }
    memory->used = memory->taken = 0;
}

void lapack_memory_free(struct lapack_memory *memory)
{
    free_pieces(memory);
    free(memory->block);
    *memory = (struct lapack_memory){0};
}

CUresult lapack_with_memory(struct lapack_memory *memory, enum openblas_type type,
                            lapack_call *call, const void *job, openblas_int *info)
{
    double wanted[2] = {0, 0};
    void *work;

    if (!memory->has_sizes) {
        *info = call(job, wanted, -1);
        if (*info != 0)
            return CUDA_SUCCESS;
        memory->sizes.numbers = (openblas_int)lapack_get(type, wanted, 0);
        memory->sizes.numbers = memory->sizes.numbers > 1 ? memory->sizes.numbers : 1;
        memory->has_sizes = true;
    }
    work = lapack_memory_take(memory, (size_t)memory->sizes.numbers * lapack_bytes(type));
    if (!work)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *info = call(job, work, memory->sizes.numbers);
    return CUDA_SUCCESS;
}
