/* SPDX-License-Identifier: MIT */
/* The interface of NVIDIA's PTX compiler library: names and numbers are those of its header. */
#ifndef CUP_NVPTXCOMPILER_H
#define CUP_NVPTXCOMPILER_H

#include <stddef.h>

typedef struct nvPTXCompiler *nvPTXCompilerHandle;

typedef enum {
    NVPTXCOMPILE_SUCCESS = 0,
    NVPTXCOMPILE_ERROR_INVALID_COMPILER_HANDLE = 1,
    NVPTXCOMPILE_ERROR_INVALID_INPUT = 2,
    NVPTXCOMPILE_ERROR_COMPILATION_FAILURE = 3,
    NVPTXCOMPILE_ERROR_OUT_OF_MEMORY = 5,
    NVPTXCOMPILE_ERROR_COMPILER_INVOCATION_INCOMPLETE = 6,
    NVPTXCOMPILE_ERROR_UNSUPPORTED_PTX_VERSION = 7,
    NVPTXCOMPILE_ERROR_CANCELLED = 9,
} nvPTXCompileResult;

nvPTXCompileResult nvPTXCompilerGetVersion(unsigned *major, unsigned *minor);
nvPTXCompileResult nvPTXCompilerGetNumSupportedVersions(int *count);
nvPTXCompileResult nvPTXCompilerGetSupportedVersions(int (*versions)[2]);
nvPTXCompileResult nvPTXCompilerCreate(nvPTXCompilerHandle *handle, size_t length,
                                       const char *text);
nvPTXCompileResult nvPTXCompilerDestroy(nvPTXCompilerHandle *handle);
nvPTXCompileResult nvPTXCompilerCompile(nvPTXCompilerHandle handle, int count,
                                        const char *const *options);
nvPTXCompileResult nvPTXCompilerGetCompiledProgramSize(nvPTXCompilerHandle handle, size_t *bytes);
nvPTXCompileResult nvPTXCompilerGetCompiledProgram(nvPTXCompilerHandle handle, void *image);
nvPTXCompileResult nvPTXCompilerGetErrorLogSize(nvPTXCompilerHandle handle, size_t *bytes);
nvPTXCompileResult nvPTXCompilerGetErrorLog(nvPTXCompilerHandle handle, char *log);
nvPTXCompileResult nvPTXCompilerGetInfoLogSize(nvPTXCompilerHandle handle, size_t *bytes);
nvPTXCompileResult nvPTXCompilerGetInfoLog(nvPTXCompilerHandle handle, char *log);
nvPTXCompileResult nvPTXCompilerSetFlowCallback(nvPTXCompilerHandle handle,
                                                int (*callback)(void *, void *), void *payload);

#endif
