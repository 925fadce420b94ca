/* SPDX-License-Identifier: MIT */
/* LTO-IR is a format of NVIDIA's, which its own library compiles: to PTX, which -ptx asks for. */
#include "common/nvidia_library.h"
#include "module/log.h"
#include "nvjitlink/link.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* The functions of NVIDIA's library. */
static struct {
#define POINTER(name, parameters) nvJitLinkResult(*name) parameters;
    NVJITLINK_FUNCTIONS(POINTER)
#undef POINTER
} nvidia;
static bool loaded;

static void load(void)
{
    static const char *const wheels[] = {"/nvidia/cu13/lib", "/nvidia/nvjitlink/lib", NULL};
    void *library = cup_nvidia_library_open(CUP_LIBRARY_NAME, "CUPIPE_NVJITLINK", wheels);

    if (!library)
        return;
#define RESOLVE(name, parameters) *(void **)&nvidia.name = dlsym(library, #name);
    NVJITLINK_FUNCTIONS(RESOLVE)
#undef RESOLVE
    loaded = nvidia.nvJitLinkCreate && nvidia.nvJitLinkDestroy && nvidia.nvJitLinkAddData &&
             nvidia.nvJitLinkComplete && nvidia.nvJitLinkGetLinkedPtxSize &&
             nvidia.nvJitLinkGetLinkedPtx && nvidia.nvJitLinkGetErrorLogSize &&
             nvidia.nvJitLinkGetErrorLog;
}

static void copy_log(struct nvJitLink *link, nvJitLinkHandle handle)
{
    size_t bytes = 0;

    if (nvidia.nvJitLinkGetErrorLogSize(handle, &bytes) != NVJITLINK_SUCCESS || bytes == 0)
        return;
    char *text = calloc(1, bytes + 1);
    if (!text)
        return;
    if (nvidia.nvJitLinkGetErrorLog(handle, text) == NVJITLINK_SUCCESS)
        for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
            cup_module_log(&link->errors, "%s", line);
    free(text);
}

/* The options as given, with -lto and -ptx. */
static nvJitLinkResult create(const struct nvJitLink *link, nvJitLinkHandle *handle)
{
    const char **options = calloc(link->option_count + 2, sizeof *options);
    uint32_t count = 0;

    if (!options)
        return NVJITLINK_ERROR_INTERNAL;
    for (uint32_t i = 0; i < link->option_count; i++)
        if (strcmp(link->options[i], "-lto") != 0 && strcmp(link->options[i], "-ptx") != 0)
            options[count++] = link->options[i];
    options[count++] = "-lto";
    options[count++] = "-ptx";
    nvJitLinkResult result = nvidia.nvJitLinkCreate(handle, count, options);
    free(options);
    return result;
}

static nvJitLinkResult fetch_ptx(nvJitLinkHandle handle, char **ptx, size_t *bytes)
{
    nvJitLinkResult result = nvidia.nvJitLinkGetLinkedPtxSize(handle, bytes);

    *ptx = result == NVJITLINK_SUCCESS ? calloc(1, *bytes + 1) : NULL;
    if (result == NVJITLINK_SUCCESS && !*ptx)
        result = NVJITLINK_ERROR_INTERNAL;
    if (result == NVJITLINK_SUCCESS)
        result = nvidia.nvJitLinkGetLinkedPtx(handle, *ptx);
    if (result != NVJITLINK_SUCCESS)
        free(*ptx);
    return result;
}

nvJitLinkResult link_compile_lto(struct nvJitLink *link, char **ptx, size_t *bytes)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    nvJitLinkHandle handle = NULL;

    pthread_once(&once, load);
    if (!loaded) {
        cup_module_log(&link->errors,
                       "ERROR: LTO-IR is compiled by NVIDIA's " CUP_LIBRARY_NAME
                       ", which was not found: install it or name it in CUPIPE_NVJITLINK");
        return NVJITLINK_ERROR_NVVM_COMPILE;
    }
    nvJitLinkResult result = create(link, &handle);
    for (size_t i = 0; result == NVJITLINK_SUCCESS && i < link->lto_inputs.count; i++) {
        const struct lto_input *input = &link->lto_inputs.items[i];
        result = nvidia.nvJitLinkAddData(handle, NVJITLINK_INPUT_LTOIR, input->data, input->bytes,
                                         input->name);
    }
    if (result == NVJITLINK_SUCCESS)
        result = nvidia.nvJitLinkComplete(handle);
    if (result == NVJITLINK_SUCCESS)
        result = fetch_ptx(handle, ptx, bytes);
    else if (handle)
        copy_log(link, handle);
    if (handle)
        nvidia.nvJitLinkDestroy(&handle);
    return result;
}
