// SPDX-License-Identifier: MIT
// Kernels for programs that a host compiler builds: PTX as a text, loaded as a library, and
// registered as compiled programs do it, so that &add_entry is a host function.
#ifndef PTX_KERNELS_H
#define PTX_KERNELS_H

#include "check.h"
#include <cuda_runtime.h>

extern "C" {
void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFatBinaryEnd(void **);
void __cudaRegisterFunction(void **, const char *, char *, const char *, int, uint3 *, uint3 *,
                            dim3 *, dim3 *, int *);
}

// void add(int *memory, int value) { *memory += value; }    void nothing() {}
static const char ptx_text[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                               ".visible .entry add(.param .u64 memory, .param .u32 value)\n{\n"
                               ".reg .b32 %r<4>;\n.reg .b64 %rd<3>;\n"
                               "ld.param.u64 %rd1, [memory];\nld.param.u32 %r1, [value];\n"
                               "cvta.to.global.u64 %rd2, %rd1;\nld.global.u32 %r2, [%rd2];\n"
                               "add.s32 %r3, %r2, %r1;\nst.global.u32 [%rd2], %r3;\nret;\n}\n"
                               ".visible .entry nothing()\n{\nret;\n}\n";
static char add_entry, add_name[] = "add";
static cudaLibrary_t ptx_library;

static inline void load_kernels()
{
    static struct {
        int magic, version;
        const void *image;
        const void *const *objects;
    } wrapper = {0x466243b1, 1, ptx_text, nullptr};
    void **handle = __cudaRegisterFatBinary(&wrapper);

    __cudaRegisterFunction(handle, &add_entry, add_name, add_name, -1, 0, 0, 0, 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
    CHECK_CUDA(cudaLibraryLoadData(&ptx_library, ptx_text, 0, 0, 0, 0, 0, 0));
}

static inline cudaKernel_t kernel_by_name(const char *name)
{
    cudaKernel_t kernel;

    CHECK_CUDA(cudaLibraryGetKernel(&kernel, ptx_library, name));
    return kernel;
}

#endif
