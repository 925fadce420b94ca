/* SPDX-License-Identifier: MIT */
/* The exit report of cuGetExportTable. Some programs query a private table of NVIDIA's driver and
 * work without it. NVIDIA's runtime library gives up instead, before it creates a context, and the
 * program only sees "operation not supported". So a process that was refused a table and exits
 * without having created a context logs what to do. */
#include "api/export_table.h"

#include "core/log.h"
#include "device/context.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

static atomic_bool refused;

void cup_api_export_table_refused(void)
{
    atomic_store_explicit(&refused, true, memory_order_relaxed);
}

void cup_api_export_table_report(void)
{
    const char *folder = "cupipe's folder", *end;
    int length = (int)strlen(folder);
    Dl_info self;

    if (!atomic_load_explicit(&refused, memory_order_relaxed) || cup_context_was_made())
        return;
    if (dladdr((void *)&refused, &self) && self.dli_fname && (end = strrchr(self.dli_fname, '/'))) {
        folder = self.dli_fname;
        length = (int)(end - folder);
    }
    cup_log(
        CUP_LOG_ERROR,
        "NVIDIA's CUDA runtime gave up because it needs private tables of NVIDIA's driver; run "
        "the program with cupipe's runtime instead: if it loads libcudart.so, put %.*s first in "
        "LD_LIBRARY_PATH; if it has the runtime inside, link it again with -L%.*s "
        "-lcudart_static (nvcc: NVCC_APPEND_FLAGS=-L%.*s)",
        length, folder, length, folder, length, folder);
}
