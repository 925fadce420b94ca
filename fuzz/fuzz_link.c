/* SPDX-License-Identifier: MIT */
/* Fuzzes what takes cubins' place: the stand-in of nvJitLink is given the input as every type that
 * it knows, and what it links is given to it again. Inputs are in fuzz/corpus/fatbin and
 * fuzz/corpus/ptx: fatbins, carriers and texts. */
#include "nvjitlink/nvjitlink.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void die(const char *why)
{
    fprintf(stderr, "fuzz_link: %s\n", why);
    abort();
}

static nvJitLinkHandle begin(void)
{
    const char *options[] = {"-arch=sm_90"};
    nvJitLinkHandle handle;

    if (nvJitLinkCreate(&handle, 1, options) != NVJITLINK_SUCCESS)
        die("there is no handle");
    return handle;
}

/* A failure has a reason in the log. */
static void look_at_log(nvJitLinkHandle handle, nvJitLinkResult result)
{
    size_t bytes = 0;

    if (nvJitLinkGetErrorLogSize(handle, &bytes) != NVJITLINK_SUCCESS)
        die("the log has no size");
    char *log = calloc(bytes + 1, 1);
    if (!log || nvJitLinkGetErrorLog(handle, log) != NVJITLINK_SUCCESS)
        die("there is no log");
    if (result != NVJITLINK_SUCCESS && !log[0])
        die("a link fails without a reason");
    free(log);
}

/* Returns what was linked, to be freed; NULL: nothing. */
static void *link_one(nvJitLinkInputType type, const void *data, size_t size, size_t *bytes)
{
    nvJitLinkHandle handle = begin();
    void *cubin = NULL;
    nvJitLinkResult result = nvJitLinkAddData(handle, type, data, size, "input");

    if (result == NVJITLINK_SUCCESS)
        result = nvJitLinkComplete(handle);
    look_at_log(handle, result);
    if (result == NVJITLINK_SUCCESS) {
        if (nvJitLinkGetLinkedCubinSize(handle, bytes) != NVJITLINK_SUCCESS || *bytes == 0)
            die("what was linked has no size");
        cubin = malloc(*bytes);
        if (!cubin || nvJitLinkGetLinkedCubin(handle, cubin) != NVJITLINK_SUCCESS)
            die("what was linked is not there");
    }
    if (nvJitLinkDestroy(&handle) != NVJITLINK_SUCCESS)
        die("a handle cannot be destroyed");
    return cubin;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const nvJitLinkInputType types[] = {NVJITLINK_INPUT_ANY,    NVJITLINK_INPUT_PTX,
                                               NVJITLINK_INPUT_CUBIN,  NVJITLINK_INPUT_FATBIN,
                                               NVJITLINK_INPUT_OBJECT, NVJITLINK_INPUT_LIBRARY};
    size_t bytes, again_bytes;
    /* A copy whose end is the allocation's: a byte too many is seen. */
    uint8_t *copy = malloc(size ? size : 1);

    if (!copy)
        return 0;
    memcpy(copy, data, size);
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        void *cubin = link_one(types[i], copy, size, &bytes);
        void *again = cubin ? link_one(NVJITLINK_INPUT_CUBIN, cubin, bytes, &again_bytes) : NULL;

        if (cubin && !again)
            die("what was linked cannot be linked again");
        free(cubin);
        free(again);
    }
    free(copy);
    return 0;
}
