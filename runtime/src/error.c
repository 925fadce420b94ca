/* SPDX-License-Identifier: MIT */
/* The thread's last error; names and texts of errors. */
#include "error.h"

#include "enter.h"
#include "observe.h"
#include "runtime_impl.h"
#include "version.h"

static __thread cudaError_t last_error;

cudaError_t rt_error_record(cudaError_t error)
{
    if (error != cudaErrorNotReady)
        last_error = error;
    return error;
}

cudaError_t rt_not_supported(const char *name)
{
    (void)name;
    return rt_error_record(cudaErrorNotSupported);
}

/* Both return the error that keeps the driver from starting, if there is one. */
static cudaError_t take_last_error(void)
{
    cudaError_t result = rt_enter();

    if (result != cudaSuccess)
        return result;
    result = last_error;
    last_error = cudaSuccess;
    return result;
}

static cudaError_t peek_at_last_error(void)
{
    cudaError_t result = rt_enter();

    return result == cudaSuccess ? last_error : result;
}

/* The tool's own calls must not change what the program is told. */
static RT_COLD cudaError_t observed(const char *name, cudaError_t (*run)(void))
{
    struct cupipe_call told = {.name = name, .is_runtime = 1};

    (void)rt_enter();
    if (!rt_calls_are_told())
        return run();
    cudaError_t before = last_error;
    rt_call_begins(&told);
    last_error = before;
    cudaError_t result = run(), left = last_error;
    rt_call_ends(&told, result);
    last_error = left;
    return result;
}

RT_EXPORT cudaError_t CUDARTAPI cudaGetLastError(void)
{
    return rt_likely(!rt_is_observed()) ? take_last_error()
                                        : observed("cudaGetLastError", take_last_error);
}

RT_EXPORT cudaError_t CUDARTAPI cudaPeekAtLastError(void)
{
    return rt_likely(!rt_is_observed()) ? peek_at_last_error()
                                        : observed("cudaPeekAtLastError", peek_at_last_error);
}

struct error_text {
    cudaError_t error;
    int since; /* the runtime's version; 0 if it is in all */
    const char *name;
    const char *string;
};

static const struct error_text error_texts[] = {
#define RT_ERROR(name, string) {name, 0, #name, string},
#define RT_ERROR_SINCE(since, name, string) {name, since, #name, string},
#include "error_strings.inc"
#undef RT_ERROR
#undef RT_ERROR_SINCE
};

static const struct error_text *find_text(cudaError_t error)
{
    static const struct error_text unknown = {cudaErrorUnknown, 0, "unrecognized error code",
                                              "unrecognized error code"};
    size_t low = 0, high = sizeof error_texts / sizeof *error_texts;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (error_texts[middle].error == error)
            return error_texts[middle].since <= rt_version() ? &error_texts[middle] : &unknown;
        if ((int)error_texts[middle].error < (int)error)
            low = middle + 1;
        else
            high = middle;
    }
    return &unknown;
}

/* Programs may query a name first; NVIDIA's library starts the driver in this call too. */
RT_EXPORT const char *CUDARTAPI cudaGetErrorName(cudaError_t error)
{
    (void)rt_enter();
    return find_text(error)->name;
}

RT_EXPORT const char *CUDARTAPI cudaGetErrorString(cudaError_t error)
{
    (void)rt_enter();
    return find_text(error)->string;
}
