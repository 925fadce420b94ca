/* SPDX-License-Identifier: MIT */
#include "nvrtc/compiler.h"

#include "common/nvidia_library.h"
#include "os/mutex.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool found;                            /* guarded by lock */
static struct cup_nvidia_libraries libraries; /* guarded by lock; complete once it is found */
static struct nvrtc_compiler *compilers;      /* one of each library; NULL: memory is out */
static const struct nvrtc_compiler none;

static void resolve(struct nvrtc_compiler *compiler, void *library)
{
#define RESOLVE(name) *(void **)&compiler->name = dlsym(library, #name);
#define NVRTC(name, parameters, arguments) RESOLVE(name)
#define OF_PROGRAM(name, parameters, arguments) RESOLVE(name)
#include "nvrtc/nvrtc.def"
#undef OF_PROGRAM
#undef NVRTC
    RESOLVE(nvrtcGetErrorString)
    RESOLVE(nvrtcCreateProgram)
    RESOLVE(nvrtcDestroyProgram)
    RESOLVE(nvrtcCompileProgram)
    RESOLVE(nvrtcAddNameExpression)
    RESOLVE(nvrtcSetFlowCallback)
    RESOLVE(nvrtcGetCUBINSize)
    RESOLVE(nvrtcGetCUBIN)
#undef RESOLVE
}

/* The compiler of the first library that is newer than `older`; of all, if that is NULL. */
static const struct nvrtc_compiler *next_locked(const struct cup_nvidia_library *older)
{
    cup_mutex_assert_held(&lock);
    const struct cup_nvidia_library *library = cup_nvidia_next(&libraries, older);

    if (!library || !compilers)
        return NULL;
    struct nvrtc_compiler *compiler = &compilers[library - libraries.items];
    if (!compiler->nvrtcCompileProgram)
        resolve(compiler, library->handle);
    return compiler;
}

static const struct nvrtc_compiler *find_locked(void)
{
    cup_mutex_assert_held(&lock);
    static const struct nvrtc_compiler *first; /* guarded by lock */

    if (found)
        return first;
    found = true;
    cup_nvidia_find(&libraries, CUP_NVIDIA_NVRTC, CUP_CUDA_MAJOR, NULL);
    compilers = calloc(libraries.count + 1, sizeof *compilers);
    first = next_locked(NULL);
    if (!first) {
        fprintf(stderr,
                "cupipe: NVIDIA's " CUP_LIBRARY_NAME " compiles CUDA C++ and was not found: "
                "install it or name it in CUPIPE_NVRTC\n");
        first = &none;
    }
    return first;
}

const struct nvrtc_compiler *nvrtc_compiler_first(void)
{
    pthread_mutex_lock(&lock);
    const struct nvrtc_compiler *compiler = find_locked();
    pthread_mutex_unlock(&lock);
    return compiler;
}

const struct nvrtc_compiler *nvrtc_compiler_newer(const struct nvrtc_compiler *compiler)
{
    if (compiler == &none)
        return NULL;
    pthread_mutex_lock(&lock);
    const struct nvrtc_compiler *newer = next_locked(&libraries.items[compiler - compilers]);
    pthread_mutex_unlock(&lock);
    return newer;
}
