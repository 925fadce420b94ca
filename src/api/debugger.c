/* SPDX-License-Identifier: MIT */
/* The debugger's interface, to which no debugger can attach. A client gets a table of functions, as
 * from NVIDIA's driver, and each of them answers that the debugger is not initialised.
 *
 * cudbgApiAttach and the like are places for a debugger's breakpoints; they do nothing and have no
 * result. Nothing here writes to the log or passes the gate: a debugger may call it in a stopped
 * process. */
#include "impl.h"

#include "core/compiler.h"

/* Numbers of the debugger's interface; 0 is success. */
enum {
    INVALID_ARGUMENTS = 4,
    UNINITIALIZED = 5,
    INCOMPATIBLE_API = 19,
    COMMUNICATION_FAILURE = 28,
};

/* The version of the interface that NVIDIA's driver of CUDA 13.0 was recorded to have. */
enum { MAJOR = 13, MINOR = 0, REVISION = 163 };

enum { TABLE_FUNCTIONS = 512 }; /* more than any version of the interface has */

static int no_debugger(void)
{
    return UNINITIALIZED;
}

/* Clients call functions with arguments, which this one ignores. */
#define EIGHT(function)                                                                            \
    function, function, function, function, function, function, function, function
#define SIXTY_FOUR(function)                                                                       \
    EIGHT(function), EIGHT(function), EIGHT(function), EIGHT(function), EIGHT(function),           \
        EIGHT(function), EIGHT(function), EIGHT(function)

static int (*const table[])(void) = {
    SIXTY_FOUR(no_debugger), SIXTY_FOUR(no_debugger), SIXTY_FOUR(no_debugger),
    SIXTY_FOUR(no_debugger), SIXTY_FOUR(no_debugger), SIXTY_FOUR(no_debugger),
    SIXTY_FOUR(no_debugger), SIXTY_FOUR(no_debugger),
};

_Static_assert(CUP_ARRAY_COUNT(table) == TABLE_FUNCTIONS, "every function has an entry");

/* A client of a later revision is refused; the other two numbers do not matter, as recorded. */
CUresult impl_cudbgGetAPI(unsigned int major, unsigned int minor, unsigned int revision,
                          const void **api)
{
    (void)major;
    (void)minor;
    if (!api)
        return (CUresult)INVALID_ARGUMENTS;
    if (revision > REVISION)
        return (CUresult)INCOMPATIBLE_API;
    *api = table;
    return CUDA_SUCCESS;
}

CUresult impl_cudbgGetAPIVersion(unsigned int *major, unsigned int *minor, unsigned int *revision)
{
    if (!major || !minor || !revision)
        return (CUresult)INVALID_ARGUMENTS;
    *major = MAJOR;
    *minor = MINOR;
    *revision = REVISION;
    return CUDA_SUCCESS;
}

/* The debugger's own thread, which finds no debugger to talk to. */
CUresult impl_cudbgMain(void)
{
    return (CUresult)COMMUNICATION_FAILURE;
}

CUresult impl_cudbgApiAttach(void)
{
    return CUDA_SUCCESS;
}

CUresult impl_cudbgApiDetach(void)
{
    return CUDA_SUCCESS;
}

CUresult impl_cudbgApiInit(unsigned int flags)
{
    (void)flags;
    return CUDA_SUCCESS;
}

CUresult impl_cudbgReportDriverApiError(void)
{
    return CUDA_SUCCESS;
}

CUresult impl_cudbgReportDriverInternalError(void)
{
    return CUDA_SUCCESS;
}
