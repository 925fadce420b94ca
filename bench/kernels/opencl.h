/* SPDX-License-Identifier: MIT */
/* Just enough of OpenCL to run the kernels on PoCL: loaded when it is there, left out when not. */
#ifndef BENCH_KERNELS_OPENCL_H
#define BENCH_KERNELS_OPENCL_H

#include <stdbool.h>
#include <stddef.h>

/* Compiles the text; false, with the reason, when there is no OpenCL on the processor here. */
bool opencl_open(const char *text, const char **why);

/* Memory that kernels can use; `host` is where it lies. */
struct opencl_buffer {
    void *memory;
    void *host;
};

struct opencl_buffer opencl_wrap(void *host, size_t bytes);
void opencl_release(struct opencl_buffer buffer);

struct opencl_argument {
    size_t bytes;
    const void *value;
};

/* Runs a kernel and waits for it. */
void opencl_run(const char *kernel, const size_t global[2], const size_t local[2],
                const struct opencl_argument *arguments, unsigned count);

#endif
