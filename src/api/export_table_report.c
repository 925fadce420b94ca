/* SPDX-License-Identifier: MIT */
/* The exit report of cuGetExportTable. Some programs query a private table of NVIDIA's driver and
 * work without it. NVIDIA's runtime library gives up instead, before it creates a context, and the
 * program only sees "operation not supported". So a process that was refused a table and exits
 * without having created a context logs what to do. Where the caller is a library of a package that
 * is known to have that runtime inside, the report does not wait for that: other libraries of the
 * process may have created contexts. */
#include "api/export_table.h"

#include "core/log.h"
#include "core/rebuild.h"
#include "device/context.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { FRAMES = 16 };

/* The file that was refused a table, the first one of those that are known and of the others. Its
 * path is copied: the library may be closed before the process ends. */
struct refusal {
    atomic_uint state; /* 0: none; 1: being written; 2: complete */
    char path[PATH_MAX];
};

static struct refusal known, other;

/* The file of the code that called this library. NULL: it was not found. */
static const char *find_caller(void)
{
    void *frames[FRAMES];
    int count = backtrace(frames, FRAMES), i = 0;
    Dl_info own, info = {0};

    if (!dladdr((void *)&known, &own))
        return NULL;
    for (bool inside = false; i < count; i++) {
        bool here = dladdr(frames[i], &info) && info.dli_fbase == own.dli_fbase;

        if (inside && !here) /* frames before the first of ours are a sanitizer's */
            break;
        inside = here;
    }
    return i < count ? info.dli_fname : NULL;
}

void cup_api_export_table_refused(void)
{
    const char *path = find_caller();
    struct refusal *refusal = path && cup_rebuild_find(path) ? &known : &other;
    unsigned none = 0;

    if (!atomic_compare_exchange_strong(&refusal->state, &none, 1))
        return;
    snprintf(refusal->path, sizeof refusal->path, "%s", path ? path : "");
    atomic_store(&refusal->state, 2);
}

static bool is_complete(struct refusal *refusal)
{
    return atomic_load(&refusal->state) == 2;
}

/* Where libcuda.so.1 lies. */
static int own_folder(const char **folder)
{
    Dl_info self;
    const char *end;

    *folder = "cupipe's folder";
    if (dladdr((void *)&known, &self) && self.dli_fname && (end = strrchr(self.dli_fname, '/'))) {
        *folder = self.dli_fname;
        return (int)(end - self.dli_fname);
    }
    return (int)strlen(*folder);
}

void cup_api_export_table_report(void)
{
    const char *folder;
    int length = own_folder(&folder);

    if (is_complete(&known)) {
        const struct cup_rebuild *package = cup_rebuild_find(known.path);
        cup_log(CUP_LOG_ERROR,
                "%s has NVIDIA's CUDA runtime inside, which gave up because it needs private "
                "tables of NVIDIA's driver; to build %s again with cupipe's: cupipe rebuild %s",
                known.path, package->title, package->name);
    } else if (is_complete(&other) && !cup_context_was_made()) {
        cup_log(CUP_LOG_ERROR,
                "NVIDIA's CUDA runtime in %s gave up because it needs private tables of NVIDIA's "
                "driver; run the program with cupipe's runtime instead: if it loads libcudart.so, "
                "put %.*s first in LD_LIBRARY_PATH; if it has the runtime inside, link it again "
                "with -L%.*s -lcudart_static (nvcc: NVCC_APPEND_FLAGS=-L%.*s)",
                other.path[0] ? other.path : "the program", length, folder, length, folder, length,
                folder);
    }
}
