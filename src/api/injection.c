/* SPDX-License-Identifier: MIT */
/* Profilers are loaded into a program that knows nothing of them: the driver opens the library that
 * CUDA_INJECTION64_PATH names and calls its InitializeInjection(), which takes no arguments. There
 * the tool subscribes to CUPTI. The program runs without the tool if the library cannot be used:
 * that is reported, and is no error of cuInit(). */
#include "api/injection.h"

#include "core/config.h"
#include "core/config_value.h"
#include "os/dynlib.h"

#include <dlfcn.h>

#define ENTRY "InitializeInjection"

void cup_api_injection_start(void)
{
    const char *path = cup_config_get()->injection_path;
    int (*start)(void);
    void *tool;

    if (!path || !*path)
        return;
    tool = cup_dynlib_open(path, CUP_DYNLIB_LOAD);
    if (!tool) {
        const char *reason = dlerror();

        (void)cup_config_report(CUDA_SUCCESS, "CUDA_INJECTION64_PATH=\"%s\" cannot be loaded: %s",
                                path, reason ? reason : "no reason is known");
        return;
    }
    if (!cup_dynlib_resolve(tool, &(struct cup_dynlib_symbol){ENTRY, &start}, 1)) {
        (void)cup_config_report(CUDA_SUCCESS, "CUDA_INJECTION64_PATH=\"%s\" has no function " ENTRY,
                                path);
        return;
    }
    (void)start(); /* its result says nothing to the program: tools return 1 and 0 alike */
}
