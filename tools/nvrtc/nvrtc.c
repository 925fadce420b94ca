/* SPDX-License-Identifier: MIT */
/* libnvrtc: stands in front of NVIDIA's compiler of CUDA C++ and forwards every call to it. Where a
 * program asks for machine code (-arch=sm_90), NVIDIA's library is asked for PTX (compute_90), and
 * the cubin is a carrier of that PTX. Where it does not know an option or an architecture, the next
 * newer one that is installed is asked. */
#include "common/image.h"
#include "nvrtc/program.h"
#include "nvrtc/request.h"
#include "os/mutex.h"

#include <pthread.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

/* Marks the library as cupipe's. */
EXPORTED extern const char cupipe_version[];
const char cupipe_version[] = CUPIPE_VERSION;

#define NVRTC(name, parameters, arguments)                                                         \
    EXPORTED nvrtcResult name parameters;                                                          \
    nvrtcResult name parameters                                                                    \
    {                                                                                              \
        const struct nvrtc_compiler *compiler = nvrtc_compiler_first();                            \
        return compiler->name ? compiler->name arguments : NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;  \
    }
#define OF_PROGRAM(name, parameters, arguments)                                                    \
    EXPORTED nvrtcResult name parameters;                                                          \
    nvrtcResult name parameters                                                                    \
    {                                                                                              \
        if (!nvrtc_program_exists(program))                                                        \
            return NVRTC_ERROR_INVALID_PROGRAM;                                                    \
        const struct nvrtc_compiler *compiler = program->compiler;                                 \
        program = program->inner;                                                                  \
        return compiler->name ? compiler->name arguments : NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;  \
    }
#include "nvrtc/nvrtc.def"
#undef OF_PROGRAM
#undef NVRTC

EXPORTED nvrtcResult nvrtcCreateProgram(nvrtcProgram *program, const char *source, const char *name,
                                        int count, const char *const *headers,
                                        const char *const *names);
nvrtcResult nvrtcCreateProgram(nvrtcProgram *program, const char *source, const char *name,
                               int count, const char *const *headers, const char *const *names)
{
    return nvrtc_program_create(program, source, name, count, headers, names);
}

EXPORTED nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program);
nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program)
{
    return program ? nvrtc_program_destroy(program) : NVRTC_ERROR_INVALID_PROGRAM;
}

EXPORTED nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char *expression);
nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char *expression)
{
    return nvrtc_program_exists(program) ? nvrtc_program_add_expression(program, expression)
                                         : NVRTC_ERROR_INVALID_PROGRAM;
}

EXPORTED nvrtcResult nvrtcSetFlowCallback(nvrtcProgram program, int (*callback)(void *, void *),
                                          void *payload);
nvrtcResult nvrtcSetFlowCallback(nvrtcProgram program, int (*callback)(void *, void *),
                                 void *payload)
{
    if (!nvrtc_program_exists(program))
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (!program->compiler->nvrtcSetFlowCallback)
        return NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;
    nvrtcResult result = program->compiler->nvrtcSetFlowCallback(program->inner, callback, payload);
    if (result == NVRTC_SUCCESS) {
        program->callback = callback;
        program->payload = payload;
    }
    return result;
}

/* Compiles with the compiler that has the program, or with the first newer one that knows all
 * options. */
static nvrtcResult compile(nvrtcProgram program, int count, const char *const *options)
{
    for (;;) {
        nvrtcResult result = program->compiler->nvrtcCompileProgram(program->inner, count, options);
        if (result != NVRTC_ERROR_INVALID_OPTION || !nvrtc_program_move(program))
            return result;
    }
}

/* Compiles for the virtual architecture in place of the real one. */
static nvrtcResult compile_request(nvrtcProgram program, int count, const char *const *options)
{
    struct nvrtc_request request;
    nvrtcResult result = NVRTC_ERROR_OUT_OF_MEMORY;

    if (nvrtc_request_init(&request, count, options)) {
        /* LTO-IR is made for an architecture, and there is no cubin beside it */
        bool wraps = request.capability && !request.lto;
        result = compile(program, count, wraps ? request.options : options);
        if (result == NVRTC_SUCCESS && wraps) {
            program->capability = request.capability;
            program->relocatable = request.relocatable;
        }
    }
    nvrtc_request_finish(&request);
    return result;
}

EXPORTED nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count,
                                         const char *const *options);
nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count, const char *const *options)
{
    bool usual = count > 0 && options;

    if (!nvrtc_program_exists(program))
        return NVRTC_ERROR_INVALID_PROGRAM;
    free(program->cubin);
    program->cubin = NULL;
    program->capability = 0;
    for (int i = 0; usual && i < count; i++)
        usual = options[i] != NULL;
    return usual ? compile_request(program, count, options) : compile(program, count, options);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the carriers of programs */

/* Makes the carrier of a program from its PTX. */
static nvrtcResult wrap_locked(struct nvrtc_program *program)
{
    cup_mutex_assert_held(&lock);
    const struct nvrtc_compiler *compiler = program->compiler;
    struct cup_source source = {0};
    size_t bytes = 0;
    nvrtcResult result = compiler->nvrtcGetPTXSize(program->inner, &bytes);

    if (result != NVRTC_SUCCESS)
        return result;
    struct cup_source_text text = {.bytes = calloc(1, bytes + 1), .length = bytes ? bytes - 1 : 0};
    if (!text.bytes)
        return NVRTC_ERROR_OUT_OF_MEMORY;
    result = compiler->nvrtcGetPTX(program->inner, text.bytes);
    if (cup_source_add(&source, text) != CUDA_SUCCESS)
        return NVRTC_ERROR_OUT_OF_MEMORY;
    if (result == NVRTC_SUCCESS &&
        cup_image_write(&source, program->capability,
                        program->relocatable ? CUP_CARRIER_RELOCATABLE : CUP_CARRIER_WHOLE,
                        &program->cubin, &program->cubin_bytes) != CUDA_SUCCESS)
        result = NVRTC_ERROR_OUT_OF_MEMORY;
    cup_source_finish(&source);
    return result;
}

/* Makes the carrier if this was not done yet. */
static nvrtcResult need_cubin(struct nvrtc_program *program)
{
    pthread_mutex_lock(&lock);
    nvrtcResult result = program->cubin ? NVRTC_SUCCESS : wrap_locked(program);
    pthread_mutex_unlock(&lock);
    return result;
}

EXPORTED nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t *bytes);
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t *bytes)
{
    if (!nvrtc_program_exists(program))
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (!bytes || !program->capability)
        return program->compiler->nvrtcGetCUBINSize(program->inner, bytes);
    nvrtcResult result = need_cubin(program);
    if (result == NVRTC_SUCCESS)
        *bytes = program->cubin_bytes;
    return result;
}

EXPORTED nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char *cubin);
nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char *cubin)
{
    if (!nvrtc_program_exists(program))
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (!cubin || !program->capability)
        return program->compiler->nvrtcGetCUBIN(program->inner, cubin);
    nvrtcResult result = need_cubin(program);
    if (result == NVRTC_SUCCESS)
        memcpy(cubin, program->cubin, program->cubin_bytes);
    return result;
}

EXPORTED const char *nvrtcGetErrorString(nvrtcResult result);
const char *nvrtcGetErrorString(nvrtcResult result)
{
    const struct nvrtc_compiler *compiler = nvrtc_compiler_first();

    return compiler->nvrtcGetErrorString ? compiler->nvrtcGetErrorString(result)
                                         : "NVIDIA's " CUP_LIBRARY_NAME " was not found";
}
