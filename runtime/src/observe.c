/* SPDX-License-Identifier: MIT */
#include "observe.h"

#include "registry.h"

#include <cupipe_table.h>

static const unsigned unknown = 1, never = 0;
const volatile unsigned *_Atomic rt_observed_word = &unknown;
static const struct cupipe_driver_table *table; /* NULL: another driver or build, or not loaded */

void rt_observe_start(void)
{
    static const CUuuid id = CUPIPE_DRIVER_TABLE_ID;
    struct cupipe_refusal why; /* nobody's concern: without the table tools are not told of calls */

    table = cupipe_find_table(rt_driver.cuGetExportTable, &id, sizeof(*table), &why);
    atomic_store(&rt_observed_word, table ? table->observed : &never);
}

bool rt_calls_are_told(void)
{
    return atomic_load_explicit(&rt_driver_ready, memory_order_acquire) && table &&
           rt_is_observed();
}

void rt_call_begins(struct cupipe_call *call)
{
    table->begin_call(call);
}

cudaError_t rt_call_ends(struct cupipe_call *call, cudaError_t result)
{
    table->end_call(call, (int)result);
    return result;
}

const char *rt_kernel_name(cudaKernel_t kernel)
{
    CUkernel resolved = (CUkernel)kernel;
    const char *name;

    if (rt_is_unresolved_kernel(kernel) && rt_registry_resolve(kernel, &resolved) != cudaSuccess)
        return NULL;
    return rt_driver.cuKernelGetName(&name, resolved) == CUDA_SUCCESS ? name : NULL;
}

const char *rt_function_name(const void *function)
{
    CUkernel kernel;

    return rt_registry_kernel(function, &kernel) == cudaSuccess ? rt_kernel_name(kernel) : NULL;
}
