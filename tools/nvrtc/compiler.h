/* SPDX-License-Identifier: MIT */
/* NVIDIA's compilers of CUDA C++: each library that is installed, and its functions. */
#ifndef CUP_NVRTC_COMPILER_H
#define CUP_NVRTC_COMPILER_H

#include <stddef.h>

typedef enum {
    NVRTC_SUCCESS = 0,
    NVRTC_ERROR_OUT_OF_MEMORY = 1,
    NVRTC_ERROR_INVALID_INPUT = 3,
    NVRTC_ERROR_INVALID_PROGRAM = 4,
    NVRTC_ERROR_INVALID_OPTION = 5,
    NVRTC_ERROR_BUILTIN_OPERATION_FAILURE = 7,
} nvrtcResult;

/* A handle: NVIDIA's, or what ours points to (program.h). */
typedef struct nvrtc_program *nvrtcProgram;

/* The functions of one of NVIDIA's libraries; NULL if it does not have one. */
struct nvrtc_compiler {
#define NVRTC(name, parameters, arguments) nvrtcResult(*name) parameters;
#define OF_PROGRAM(name, parameters, arguments) NVRTC(name, parameters, arguments)
#include "nvrtc/nvrtc.def"
#undef OF_PROGRAM
#undef NVRTC
    const char *(*nvrtcGetErrorString)(nvrtcResult);
    nvrtcResult (*nvrtcCreateProgram)(nvrtcProgram *, const char *, const char *, int,
                                      const char *const *, const char *const *);
    nvrtcResult (*nvrtcDestroyProgram)(nvrtcProgram *);
    nvrtcResult (*nvrtcCompileProgram)(nvrtcProgram, int, const char *const *);
    nvrtcResult (*nvrtcAddNameExpression)(nvrtcProgram, const char *);
    nvrtcResult (*nvrtcSetFlowCallback)(nvrtcProgram, int (*)(void *, void *), void *);
    nvrtcResult (*nvrtcGetCUBINSize)(nvrtcProgram, size_t *);
    nvrtcResult (*nvrtcGetCUBIN)(nvrtcProgram, char *);
};

/* The compiler that is taken. One without functions, after a message on stderr, if none is
 * installed. */
const struct nvrtc_compiler *nvrtc_compiler_first(void);

/* The next newer one that is installed, or NULL. */
const struct nvrtc_compiler *nvrtc_compiler_newer(const struct nvrtc_compiler *compiler);

#endif
