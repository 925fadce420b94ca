/* SPDX-License-Identifier: MIT */
/* The choice follows that of products, and so does CUPIPE_CPU. */
#include "kernels.h"

#include "isa.h"

#include <string.h>

const struct dnn_kernels *dnn_kernels(void)
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
