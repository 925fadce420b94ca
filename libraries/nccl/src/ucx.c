/* SPDX-License-Identifier: MIT */
/* Loads UCX when the first communicator spans hosts. A program whose ranks are on one host never
 * has it in its process. */
#include "ucx.h"

#include "backend.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const files[] = {"libucp.so.0", "libucx/lib/libucp.so.0", NULL};
static const struct lib_backend ucx_backend = {
    .name = "UCX", .variable = "CUPIPE_UCX", .files = files};

static struct nccl_ucx functions;
static bool is_complete;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* UCX would take the signals of faults and patch mmap() and munmap() in the process, both of which
 * are the driver's and the program's. Without the patches it registers memory for each message. */
static void restrain(void)
{
    setenv("UCX_HANDLE_ERRORS", "none", 0);
    setenv("UCX_MEM_MMAP_HOOK_MODE", "none", 0);
    setenv("UCX_MEM_MALLOC_HOOKS", "n", 0);
    setenv("UCX_LOG_LEVEL", "error", 0); /* a notice that nobody waits for any more is normal */
}

static void load(void)
{
    static const struct {
        const char *name;
        void **place;
    } symbols[] = {
#define UCX_SYMBOL(result, name, parameters) {"ucp_" #name, (void **)&functions.name},
        UCX_FUNCTIONS(UCX_SYMBOL)
#undef UCX_SYMBOL
    };
    const char *missing = NULL;
    void *library;

    restrain();
    library = lib_backend_load(&ucx_backend);
    if (!library) {
        fprintf(stderr, "cupipe: NCCL needs UCX between hosts, and libucp.so.0 cannot be loaded. "
                        "Install libucx0 (Debian, Ubuntu), ucx (Fedora, conda) or libucx-cu13 "
                        "(pip), or name the file in CUPIPE_UCX.\n");
        return;
    }
    for (size_t i = 0; i < sizeof(symbols) / sizeof(*symbols) && !missing; i++) {
        *symbols[i].place = dlsym(library, symbols[i].name);
        if (!*symbols[i].place)
            missing = symbols[i].name;
    }
    if (missing)
        fprintf(stderr, "cupipe: NCCL needs UCX 1.10 or newer between hosts; this one has no %s.\n",
                missing);
    is_complete = !missing;
}

const struct nccl_ucx *nccl_ucx_load(void)
{
    pthread_once(&once, load);
    return is_complete ? &functions : NULL;
}
