/* SPDX-License-Identifier: MIT */
/* LTO-IR is a format of NVIDIA's, which its own library compiles: to PTX, which -ptx asks for. The
 * format changes with versions, and a library reads its own and older ones. */
#include "common/nvidia_library.h"
#include "module/log.h"
#include "nvjitlink/link.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* The functions of one of NVIDIA's libraries. */
struct functions {
#define POINTER(name, parameters) nvJitLinkResult(*name) parameters;
    NVJITLINK_FUNCTIONS(POINTER)
#undef POINTER
};

/* One attempt to compile. */
struct attempt {
    struct functions nvidia;
    nvJitLinkHandle handle;
    nvJitLinkResult result;
    struct ptx_log errors;
    bool outdated; /* the library is older than an option or an input */
};

static struct cup_nvidia_libraries libraries; /* guarded by lock */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void find_libraries(void)
{
    cup_nvidia_find(&libraries, CUP_NVIDIA_NVJITLINK, CUP_CUDA_MAJOR, NULL);
}

/* As cup_nvidia_next(). */
static const struct cup_nvidia_library *next_library(const struct cup_nvidia_library *older)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, find_libraries);
    pthread_mutex_lock(&lock);
    const struct cup_nvidia_library *library = cup_nvidia_next(&libraries, older);
    pthread_mutex_unlock(&lock);
    return library;
}

static bool resolve(struct functions *nvidia, void *handle)
{
#define RESOLVE(name, parameters) *(void **)&nvidia->name = dlsym(handle, #name);
    NVJITLINK_FUNCTIONS(RESOLVE)
#undef RESOLVE
    return nvidia->nvJitLinkCreate && nvidia->nvJitLinkDestroy && nvidia->nvJitLinkAddData &&
           nvidia->nvJitLinkComplete && nvidia->nvJitLinkGetLinkedPtxSize &&
           nvidia->nvJitLinkGetLinkedPtx && nvidia->nvJitLinkGetErrorLogSize &&
           nvidia->nvJitLinkGetErrorLog;
}

static void copy_log(struct attempt *attempt)
{
    size_t bytes = 0;

    if (attempt->nvidia.nvJitLinkGetErrorLogSize(attempt->handle, &bytes) != NVJITLINK_SUCCESS ||
        bytes == 0)
        return;
    char *text = calloc(1, bytes + 1), *rest = NULL;
    if (!text)
        return;
    if (attempt->nvidia.nvJitLinkGetErrorLog(attempt->handle, text) == NVJITLINK_SUCCESS)
        for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
            cup_module_log(&attempt->errors, "%s", line);
    free(text);
}

/* The options as given, with -lto and -ptx. */
static nvJitLinkResult create(const struct nvJitLink *link, struct attempt *attempt)
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
    nvJitLinkResult result = attempt->nvidia.nvJitLinkCreate(&attempt->handle, count, options);
    free(options);
    return result;
}

static nvJitLinkResult fetch_ptx(struct attempt *attempt, char **ptx, size_t *bytes)
{
    nvJitLinkResult result = attempt->nvidia.nvJitLinkGetLinkedPtxSize(attempt->handle, bytes);

    *ptx = result == NVJITLINK_SUCCESS ? calloc(1, *bytes + 1) : NULL;
    if (result == NVJITLINK_SUCCESS && !*ptx)
        result = NVJITLINK_ERROR_INTERNAL;
    if (result == NVJITLINK_SUCCESS)
        result = attempt->nvidia.nvJitLinkGetLinkedPtx(attempt->handle, *ptx);
    if (result != NVJITLINK_SUCCESS)
        free(*ptx);
    return result;
}

/* What a library answers when it does not know an option, an architecture or the version of the
 * LTO-IR. */
static bool says_outdated(nvJitLinkResult result)
{
    return result == NVJITLINK_ERROR_UNRECOGNIZED_OPTION ||
           result == NVJITLINK_ERROR_UNRECOGNIZED_ARCH ||
           result == NVJITLINK_ERROR_OUTDATED_LIBRARY;
}

static void compile(const struct nvJitLink *link, struct attempt *attempt, char **ptx,
                    size_t *bytes)
{
    nvJitLinkResult result = create(link, attempt);

    for (size_t i = 0; result == NVJITLINK_SUCCESS && i < link->lto_inputs.count; i++) {
        const struct lto_input *input = &link->lto_inputs.items[i];
        result = attempt->nvidia.nvJitLinkAddData(attempt->handle, NVJITLINK_INPUT_LTOIR,
                                                  input->data, input->bytes, input->name);
    }
    attempt->outdated = says_outdated(result);
    if (result == NVJITLINK_SUCCESS)
        result = attempt->nvidia.nvJitLinkComplete(attempt->handle);
    if (result == NVJITLINK_SUCCESS)
        result = fetch_ptx(attempt, ptx, bytes);
    else if (attempt->handle)
        copy_log(attempt);
    if (attempt->handle)
        attempt->nvidia.nvJitLinkDestroy(&attempt->handle);
    attempt->result = result;
}

/* Reports why nothing was compiled: in the words of the last library that was tried. */
static nvJitLinkResult report(struct nvJitLink *link, const struct attempt *attempt,
                              const struct cup_nvidia_library *library)
{
    const char *line = attempt->errors.text ? attempt->errors.text : "";

    while (*line) {
        size_t length = strcspn(line, "\n");
        cup_module_log(&link->errors, "%.*s", (int)length, line);
        line += length + (line[length] == '\n');
    }
    if (attempt->outdated)
        cup_module_log(&link->errors,
                       "ERROR: the LTO-IR or an option is newer than %s (CUDA %u.%u), and no newer "
                       "library was found: install one or name it in CUPIPE_NVJITLINK",
                       library->path, library->major, library->minor);
    return attempt->result;
}

nvJitLinkResult link_compile_lto(struct nvJitLink *link, char **ptx, size_t *bytes)
{
    const struct cup_nvidia_library *library = next_library(NULL);

    if (!library) {
        cup_module_log(&link->errors,
                       "ERROR: LTO-IR is compiled by NVIDIA's " CUP_LIBRARY_NAME
                       ", which was not found: install it or name it in CUPIPE_NVJITLINK");
        return NVJITLINK_ERROR_NVVM_COMPILE;
    }
    for (;;) {
        struct attempt attempt = {.result = NVJITLINK_ERROR_INTERNAL};
        if (resolve(&attempt.nvidia, library->handle))
            compile(link, &attempt, ptx, bytes);
        const struct cup_nvidia_library *newer = attempt.outdated ? next_library(library) : NULL;
        nvJitLinkResult result = attempt.result;
        if (result != NVJITLINK_SUCCESS && !newer)
            result = report(link, &attempt, library);
        ptx_log_free(&attempt.errors);
        if (!newer)
            return result;
        library = newer;
    }
}

bool link_lto_version(unsigned *major, unsigned *minor)
{
    const struct cup_nvidia_library *library = next_library(NULL);

    if (library) {
        *major = library->major;
        *minor = library->minor;
    }
    return library;
}
