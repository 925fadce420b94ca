/* SPDX-License-Identifier: MIT */
/* Version, names of results, and the last error of the process. */
#include "comm.h"
#include "debug.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char last_error[1024];

ncclResult_t nccl_error(ncclResult_t result, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(last_error, sizeof(last_error), format, arguments);
    va_end(arguments);
    nccl_warn(last_error);
    return result;
}

ncclResult_t nccl_report(ncclResult_t result, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(last_error, sizeof(last_error), format, arguments);
    va_end(arguments);
    fprintf(stderr, "cupipe: NCCL: %s\n", last_error);
    return result;
}

ncclResult_t ncclGetVersion(int *version)
{
    if (!version)
        return ncclInvalidArgument;
    *version = NCCL_VERSION_CODE;
    return ncclSuccess;
}

const char *ncclGetErrorString(ncclResult_t result)
{
    static const char *const texts[] = {
        [ncclSuccess] = "no error",
        [ncclUnhandledCudaError] = "unhandled cuda error (run with NCCL_DEBUG=INFO for details)",
        [ncclSystemError] = "unhandled system error (run with NCCL_DEBUG=INFO for details)",
        [ncclInternalError] = "internal error - please report this issue to the NCCL developers",
        [ncclInvalidArgument] = "invalid argument (run with NCCL_DEBUG=WARN for details)",
        [ncclInvalidUsage] = "invalid usage (run with NCCL_DEBUG=WARN for details)",
        [ncclRemoteError] = "remote process exited or there was a network error",
        [ncclInProgress] = "NCCL operation in progress",
    };
    unsigned index = (unsigned)result;

    return index < sizeof(texts) / sizeof(texts[0]) ? texts[index] : "unknown result code";
}

const char *ncclGetLastError(ncclComm_t comm)
{
    (void)comm;
    return last_error;
}
