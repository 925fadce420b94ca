/* SPDX-License-Identifier: MIT */
/* Core dumps: the attributes of the process and of a context, and the dump of a failed launch. */
#include "test.h"

static const char ptx_fault[] = ".version 7.8\n.target sm_75\n.address_size 64\n"
                                ".visible .entry stray(.param .u64 at)\n"
                                "{\n"
                                "    .reg .b64 %rd<2>;\n"
                                "    ld.param.u64 %rd1, [at];\n"
                                "    st.global.u32 [%rd1], 1;\n"
                                "    ret;\n"
                                "}\n";

TEST(attributes_have_fixed_sizes)
{
    static const struct {
        CUcoredumpSettings attribute;
        size_t size;
    } sizes[] = {{CU_COREDUMP_ENABLE_ON_EXCEPTION, 1},
                 {CU_COREDUMP_TRIGGER_HOST, 1},
                 {CU_COREDUMP_LIGHTWEIGHT, 1},
                 {CU_COREDUMP_FILE, 1024},
                 {CU_COREDUMP_PIPE, 1024},
                 {CU_COREDUMP_GENERATION_FLAGS, 4}};
    unsigned char value[4];
    size_t size;

    check_success(cuInit(0));
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        size = 0;
        check_success(cuCoredumpGetAttributeGlobal(sizes[i].attribute, NULL, &size));
        check(size == sizes[i].size);
        check_result(cuCoredumpGetAttributeGlobal(sizes[i].attribute, value, NULL),
                     CUDA_ERROR_INVALID_VALUE);
    }
    size = 2;
    check_result(cuCoredumpGetAttributeGlobal(CU_COREDUMP_TRIGGER_HOST, value, &size),
                 CUDA_ERROR_INVALID_VALUE);
    size = 4;
    check_result(cuCoredumpGetAttributeGlobal((CUcoredumpSettings)8, value, &size),
                 CUDA_ERROR_INVALID_VALUE);
}

TEST(lightweight_is_a_set_of_flags)
{
    unsigned char yes = 1, got = 0;
    unsigned flags = 0;
    size_t byte = 1, word = 4;

    check_success(cuInit(0));
    check_success(cuCoredumpSetAttributeGlobal(CU_COREDUMP_LIGHTWEIGHT, &yes, &byte));
    check_success(cuCoredumpGetAttributeGlobal(CU_COREDUMP_GENERATION_FLAGS, &flags, &word));
    check(flags == CU_COREDUMP_LIGHTWEIGHT_FLAGS);
    flags = CU_COREDUMP_SKIP_GLOBAL_MEMORY;
    check_success(cuCoredumpSetAttributeGlobal(CU_COREDUMP_GENERATION_FLAGS, &flags, &word));
    check_success(cuCoredumpGetAttributeGlobal(CU_COREDUMP_LIGHTWEIGHT, &got, &byte));
    check(got == 0);
}

TEST(a_context_inherits_when_it_is_created)
{
    unsigned flags = 3, got = 0;
    size_t word = 4;

    check_success(cuInit(0));
    check_success(cuCoredumpSetAttributeGlobal(CU_COREDUMP_GENERATION_FLAGS, &flags, &word));
    with_context();
    flags = 1;
    check_success(cuCoredumpSetAttributeGlobal(CU_COREDUMP_GENERATION_FLAGS, &flags, &word));
    check_success(cuCoredumpGetAttribute(CU_COREDUMP_GENERATION_FLAGS, &got, &word));
    check(got == 3);
    /* the process alone has a pipe */
    check_result(cuCoredumpGetAttribute(CU_COREDUMP_PIPE, NULL, &word), CUDA_ERROR_INVALID_VALUE);
}

TEST(a_failed_launch_writes_a_dump)
{
    char pattern[] = "/tmp/cuda-dump-%p", path[64], text[2000] = "";
    unsigned char yes = 1;
    size_t size = sizeof(pattern), byte = 1;
    CUdeviceptr address = 0x112200000000ull;
    void *parameters[] = {&address};
    CUmodule module;
    CUfunction function;

    with_context();
    only_cupipe(); /* NVIDIA's driver aborts the process, and its dump is binary */
    snprintf(path, sizeof(path), "/tmp/cuda-dump-%d", (int)getpid());
    check_success(cuCoredumpSetAttribute(CU_COREDUMP_FILE, pattern, &size));
    check_success(cuCoredumpSetAttribute(CU_COREDUMP_ENABLE_ON_EXCEPTION, &yes, &byte));
    check_success(cuModuleLoadData(&module, ptx_fault));
    check_success(cuModuleGetFunction(&function, module, "stray"));
    check_success(cuLaunchKernel(function, 2, 1, 1, 32, 1, 1, 0, NULL, parameters, NULL));
    check_result(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    FILE *file = fopen(path, "r");
    check(file != NULL);
    check(fread(text, 1, sizeof(text) - 1, file) > 0);
    fclose(file);
    unlink(path);
    check(strstr(text, "stray") && strstr(text, "CUDA_ERROR_ILLEGAL_ADDRESS") &&
          strstr(text, "0x112200000000"));
}
