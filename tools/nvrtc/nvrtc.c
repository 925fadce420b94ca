/* SPDX-License-Identifier: MIT */
/* libnvrtc: stands in front of NVIDIA's compiler of CUDA C++ and forwards every call to it. Where a
 * program asks for machine code (-arch=sm_90), NVIDIA's library is asked for PTX (compute_90), and
 * the cubin is a carrier of that PTX. */
#include "common/image.h"
#include "common/input.h"
#include "common/nvidia_library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

typedef enum {
    NVRTC_SUCCESS = 0,
    NVRTC_ERROR_OUT_OF_MEMORY = 1,
    NVRTC_ERROR_INVALID_INPUT = 3,
    NVRTC_ERROR_BUILTIN_OPERATION_FAILURE = 7,
} nvrtcResult;
typedef struct nvrtc_program *nvrtcProgram; /* NVIDIA's */

/* Marks the library as cupipe's. */
EXPORTED extern const char cupipe_version[];
const char cupipe_version[] = CUPIPE_VERSION;

/* The functions of NVIDIA's library; NULL if it does not have one. */
static struct {
#define NVRTC(name, parameters, arguments) nvrtcResult(*name) parameters;
#include "nvrtc/nvrtc.def"
#undef NVRTC
    const char *(*nvrtcGetErrorString)(nvrtcResult);
    nvrtcResult (*nvrtcDestroyProgram)(nvrtcProgram *);
    nvrtcResult (*nvrtcCompileProgram)(nvrtcProgram, int, const char *const *);
    nvrtcResult (*nvrtcGetCUBINSize)(nvrtcProgram, size_t *);
    nvrtcResult (*nvrtcGetCUBIN)(nvrtcProgram, char *);
} nvidia;

static void load(void)
{
    static const char *const wheels[] = {"/nvidia/cu13/lib", "/nvidia/cuda_nvrtc/lib", NULL};
    void *library = cup_nvidia_library_open(CUP_LIBRARY_NAME, "CUPIPE_NVRTC", wheels);

    if (!library) {
        fprintf(stderr,
                "cupipe: NVIDIA's " CUP_LIBRARY_NAME " compiles CUDA C++ and was not found: "
                "install it or name it in CUPIPE_NVRTC\n");
        return;
    }
#define RESOLVE(name) *(void **)&nvidia.name = dlsym(library, #name);
#define NVRTC(name, parameters, arguments) RESOLVE(name)
#include "nvrtc/nvrtc.def"
#undef NVRTC
    RESOLVE(nvrtcGetErrorString)
    RESOLVE(nvrtcDestroyProgram)
    RESOLVE(nvrtcCompileProgram)
    RESOLVE(nvrtcGetCUBINSize)
    RESOLVE(nvrtcGetCUBIN)
}

static void need_nvidia(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, load);
}

#define NVRTC(name, parameters, arguments)                                                         \
    EXPORTED nvrtcResult name parameters;                                                          \
    nvrtcResult name parameters                                                                    \
    {                                                                                              \
        need_nvidia();                                                                             \
        return nvidia.name ? nvidia.name arguments : NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;        \
    }
#include "nvrtc/nvrtc.def"
#undef NVRTC

/* A program that was compiled for a real architecture. */
struct compiled {
    struct compiled *next;
    nvrtcProgram program;
    unsigned capability;
    bool relocatable;
    void *cubin; /* made when it is asked for */
    size_t cubin_bytes;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct compiled *all; /* guarded by lock */

static void forget_locked(nvrtcProgram program)
{
    for (struct compiled **at = &all; *at; at = &(*at)->next)
        if ((*at)->program == program) {
            struct compiled *gone = *at;
            *at = gone->next;
            free(gone->cubin);
            free(gone);
            return;
        }
}

static struct compiled *find_locked(nvrtcProgram program)
{
    for (struct compiled *compiled = all; compiled; compiled = compiled->next)
        if (compiled->program == program)
            return compiled;
    return NULL;
}

/* The options, and what they say. */
struct request {
    const char **options; /* with compute_ in place of sm_ */
    char *replaced;       /* the option that was changed */
    unsigned capability;  /* of sm_; 0: no machine code is asked for */
    bool lto, relocatable;
};

/* Returns what follows in the option if it begins with one of its names and a sign or nothing. */
static const char *value_of(const char *option, const char *longer, const char *brief)
{
    const char *names[] = {longer, brief};

    for (unsigned i = 0; i < 2; i++) {
        size_t length = strlen(names[i]);
        if (strncmp(option, names[i], length) == 0 && (option[length] == '=' || !option[length]))
            return option[length] ? option + length + 1 : option + length;
    }
    return NULL;
}

/* The value of -arch may be the next option. */
static bool replace_architecture(struct request *request, int count, int at)
{
    const char *value = value_of(request->options[at], "--gpu-architecture", "-arch");

    if (value && !*value && at + 1 < count)
        value = request->options[++at];
    if (!value || strncmp(value, "sm_", 3) != 0 || cup_input_architecture(value) == 0)
        return true;
    size_t prefix = (size_t)(value - request->options[at]);
    free(request->replaced);
    request->replaced = malloc(strlen(request->options[at]) + sizeof "compute_");
    if (!request->replaced)
        return false;
    sprintf(request->replaced, "%.*scompute_%s", (int)prefix, request->options[at], value + 3);
    request->capability = cup_input_architecture(value);
    request->options[at] = request->replaced;
    return true;
}

static bool read_request(struct request *request, int count, const char *const *options)
{
    *request = (struct request){.options = calloc((size_t)count + 1, sizeof(char *))};
    if (!request->options)
        return false;
    memcpy(request->options, options, (size_t)count * sizeof(char *));
    for (int i = 0; i < count; i++) {
        const char *rdc = value_of(options[i], "--relocatable-device-code", "-rdc");
        request->lto = request->lto || strcmp(options[i], "-dlto") == 0 ||
                       strcmp(options[i], "--dlink-time-opt") == 0;
        request->relocatable = request->relocatable || (rdc && strcmp(rdc, "true") == 0) ||
                               strcmp(options[i], "-dc") == 0 ||
                               strcmp(options[i], "--device-c") == 0;
        if (!replace_architecture(request, count, i))
            return false;
    }
    return true;
}

static bool remember(nvrtcProgram program, const struct request *request)
{
    struct compiled *compiled = calloc(1, sizeof *compiled);

    if (!compiled)
        return false;
    *compiled = (struct compiled){
        .program = program, .capability = request->capability, .relocatable = request->relocatable};
    pthread_mutex_lock(&lock);
    forget_locked(program);
    compiled->next = all;
    all = compiled;
    pthread_mutex_unlock(&lock);
    return true;
}

EXPORTED nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count,
                                         const char *const *options);
nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count, const char *const *options)
{
    struct request request = {0};
    nvrtcResult result = NVRTC_ERROR_OUT_OF_MEMORY;

    need_nvidia();
    if (!nvidia.nvrtcCompileProgram)
        return NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;
    bool usual = count > 0 && options;
    for (int i = 0; usual && i < count; i++)
        usual = options[i] != NULL;
    if (!usual)
        return nvidia.nvrtcCompileProgram(program, count, options);
    if (read_request(&request, count, options)) {
        /* LTO-IR is made for an architecture, and there is no cubin beside it */
        bool wraps = request.capability && !request.lto;
        result = nvidia.nvrtcCompileProgram(program, count, wraps ? request.options : options);
        if (result == NVRTC_SUCCESS && wraps && !remember(program, &request))
            result = NVRTC_ERROR_OUT_OF_MEMORY;
    }
    free(request.options);
    free(request.replaced);
    return result;
}

/* Makes the carrier of a program from its PTX. */
static nvrtcResult wrap_locked(struct compiled *compiled)
{
    struct cup_source source = {0};
    size_t bytes = 0;
    nvrtcResult result = nvidia.nvrtcGetPTXSize(compiled->program, &bytes);

    if (result != NVRTC_SUCCESS)
        return result;
    struct cup_source_text text = {.bytes = calloc(1, bytes + 1), .length = bytes ? bytes - 1 : 0};
    if (!text.bytes)
        return NVRTC_ERROR_OUT_OF_MEMORY;
    result = nvidia.nvrtcGetPTX(compiled->program, text.bytes);
    if (cup_source_add(&source, text) != CUDA_SUCCESS)
        return NVRTC_ERROR_OUT_OF_MEMORY;
    if (result == NVRTC_SUCCESS &&
        cup_image_write(&source, compiled->capability,
                        compiled->relocatable ? CUP_CARRIER_RELOCATABLE : CUP_CARRIER_WHOLE,
                        &compiled->cubin, &compiled->cubin_bytes) != CUDA_SUCCESS)
        result = NVRTC_ERROR_OUT_OF_MEMORY;
    cup_source_finish(&source);
    return result;
}

/* Answers the cubin's size or contents. Returns false if NVIDIA's library is to be asked. */
static bool answer_cubin(nvrtcProgram program, size_t *bytes, char *contents, nvrtcResult *result)
{
    pthread_mutex_lock(&lock);
    struct compiled *compiled = find_locked(program);
    if (compiled) {
        *result = compiled->cubin ? NVRTC_SUCCESS : wrap_locked(compiled);
        if (*result == NVRTC_SUCCESS && bytes)
            *bytes = compiled->cubin_bytes;
        if (*result == NVRTC_SUCCESS && contents)
            memcpy(contents, compiled->cubin, compiled->cubin_bytes);
    }
    pthread_mutex_unlock(&lock);
    return compiled != NULL;
}

EXPORTED nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t *bytes);
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t *bytes)
{
    nvrtcResult result;

    need_nvidia();
    if (bytes && answer_cubin(program, bytes, NULL, &result))
        return result;
    return nvidia.nvrtcGetCUBINSize ? nvidia.nvrtcGetCUBINSize(program, bytes)
                                    : NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;
}

EXPORTED nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char *cubin);
nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char *cubin)
{
    nvrtcResult result;

    need_nvidia();
    if (cubin && answer_cubin(program, NULL, cubin, &result))
        return result;
    return nvidia.nvrtcGetCUBIN ? nvidia.nvrtcGetCUBIN(program, cubin)
                                : NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;
}

EXPORTED nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program);
nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program)
{
    need_nvidia();
    if (program) {
        pthread_mutex_lock(&lock);
        forget_locked(*program);
        pthread_mutex_unlock(&lock);
    }
    return nvidia.nvrtcDestroyProgram ? nvidia.nvrtcDestroyProgram(program)
                                      : NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;
}

EXPORTED const char *nvrtcGetErrorString(nvrtcResult result);
const char *nvrtcGetErrorString(nvrtcResult result)
{
    need_nvidia();
    return nvidia.nvrtcGetErrorString ? nvidia.nvrtcGetErrorString(result)
                                      : "NVIDIA's " CUP_LIBRARY_NAME " was not found";
}
