/* SPDX-License-Identifier: MIT */
/* Version, names of results, and the last error of the process. */
#include "comm.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static _Thread_local char last_error[1024];

/* NCCL_DEBUG=WARN and above show messages of errors, INFO and above communicators, too. */
static bool is_shown(bool is_info)
{
    const char *level = secure_getenv("NCCL_DEBUG");

    return level && ((strcasecmp(level, "WARN") == 0 && !is_info) ||
                     strcasecmp(level, "INFO") == 0 || strcasecmp(level, "TRACE") == 0);
}

void nccl_info(const char *format, ...)
{
    va_list arguments;
    char text[256];

    if (!is_shown(true))
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    fprintf(stderr, "NCCL INFO %s\n", text);
}

ncclResult_t nccl_error(ncclResult_t result, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(last_error, sizeof(last_error), format, arguments);
    va_end(arguments);
    if (is_shown(false))
        fprintf(stderr, "NCCL WARN %s\n", last_error);
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

/* Nothing is kept of NCCL_DEBUG. */
void ncclResetDebugInit(void)
{
}

void ncclResetDebugInitInternal(void);

void ncclResetDebugInitInternal(void)
{
    ncclResetDebugInit();
}
