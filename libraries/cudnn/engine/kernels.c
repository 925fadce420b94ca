/* SPDX-License-Identifier: MIT */
/* The choice follows that of products, and so does CUPIPE_CPU. */
#include "kernels.h"

#include "isa.h"

#include <stdatomic.h>
#include <string.h>

static const struct dnn_kernels *choose(void)
{
#if defined(__x86_64__)
    const char *name = product_isa()->name;

    if (strcmp(name, "avx512") == 0)
        return &dnn_kernels_avx512;
    if (strcmp(name, "avx2") == 0)
        return &dnn_kernels_avx2;
#endif
    return &dnn_kernels_baseline;
}

/* Every thread would choose the same. */
const struct dnn_kernels *dnn_kernels(void)
{
    static _Atomic(const struct dnn_kernels *) chosen;
    const struct dnn_kernels *kernels = atomic_load_explicit(&chosen, memory_order_relaxed);

    if (!kernels) {
        kernels = choose();
        atomic_store_explicit(&chosen, kernels, memory_order_relaxed);
    }
    return kernels;
}
