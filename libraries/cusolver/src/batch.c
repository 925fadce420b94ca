/* SPDX-License-Identifier: MIT */
/* The matrices of a batch. Small ones are cut into parts for the driver's worker threads: a part is
 * long enough that its start costs little, and there are enough of them for all threads. */
#include "solver.h"

/* The operations of a part, and those that a call of LAPACK costs beside its own. */
enum { PART_OPERATIONS = 1 << 16, CALL_OPERATIONS = 256, PARTS_EACH_THREAD = 4 };

struct batch {
    solver_matrix *compute;
    const void *arguments;
    int64_t count, each; /* matrices, of all and of a part */
    CUresult result;
};

static void run_part(void *arguments, size_t index)
{
    struct batch *batch = arguments;
    struct lapack_memory memory = {0};
    const int64_t first = (int64_t)index * batch->each;
    const int64_t last = solver_min(first + batch->each, batch->count);

    for (int64_t i = first; i < last; i++) {
        CUresult result = batch->compute(batch->arguments, i, &memory);

        if (result != CUDA_SUCCESS)
            __atomic_store_n(&batch->result, result, __ATOMIC_RELAXED);
        lapack_memory_reset(&memory);
    }
    lapack_memory_free(&memory);
}

CUresult solver_for_batch(int64_t count, double operations, solver_matrix *compute,
                          const void *arguments)
{
    struct batch batch = {compute, arguments, count, solver_max(count, 1), CUDA_SUCCESS};

    if (operations <= OPENBLAS_SERIAL_PRODUCT && (double)count * operations > 4096) {
        const int64_t threads = (int64_t)lib_parallel_width() * PARTS_EACH_THREAD;
        const int64_t wanted = (int64_t)(PART_OPERATIONS / (operations + CALL_OPERATIONS)) + 1;

        /* A part for each share of a thread, but none that is too short. */
        batch.each = solver_max(wanted, (count + threads - 1) / threads);
    }
    lib_parallel((size_t)((count + batch.each - 1) / batch.each), run_part, &batch);
    return batch.result;
}
