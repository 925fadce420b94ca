/* SPDX-License-Identifier: MIT */
/* The video libraries are found beside the driver and say that they support nothing. */
#include "nvml_test.h"

#include <dlfcn.h>

/* Loads by name, as GStreamer and FFmpeg do. */
static void *function(const char *library, const char *name)
{
    void *handle = dlopen(library, RTLD_NOW), *found;

    if (!handle)
        test_fail(__FILE__, __LINE__, "%s", dlerror());
    found = dlsym(handle, name);
    check(found);
    return found;
}

TEST(no_codec_is_decoded)
{
    CUresult (*get_caps)(unsigned *caps), (*create)(void **decoder, void *info);
    unsigned caps[22];

    *(void **)&get_caps = function("libnvcuvid.so.1", "cuvidGetDecoderCaps");
    *(void **)&create = function("libnvcuvid.so.1", "cuvidCreateDecoder");
    check_result(get_caps(NULL), CUDA_ERROR_INVALID_VALUE);
    memset(caps, 0xff, sizeof(caps));
    caps[0] = 4; /* H.264 */
    check_success(get_caps(caps));
    check(caps[0] == 4 && caps[1] == UINT32_MAX); /* the question stays */
    for (size_t i = 6; i < sizeof(caps) / sizeof(caps[0]); i++)
        check(caps[i] == 0);
    check_result(create(NULL, NULL), CUDA_ERROR_NOT_SUPPORTED);
}

TEST(no_device_encodes)
{
    int (*get_version)(uint32_t * version), (*create)(void *functions);
    uint32_t version = 0, functions[512] = {0};

    *(void **)&get_version = function("libnvidia-encode.so.1", "NvEncodeAPIGetMaxSupportedVersion");
    *(void **)&create = function("libnvidia-encode.so.1", "NvEncodeAPICreateInstance");
    check(get_version(NULL) == 6);
    check(get_version(&version) == 0 && version >> 4 == 13);
    check(create(NULL) == 6);
    check(create(functions) == 1);
}
