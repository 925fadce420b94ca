/* SPDX-License-Identifier: MIT */
/* Finds the libraries of NVIDIA's that one of ours stands in front of: all that are installed, the
 * caller's own first. The first is taken; where it is older than its input, the next newer one. */
#ifndef CUP_TOOLS_NVIDIA_LIBRARY_H
#define CUP_TOOLS_NVIDIA_LIBRARY_H

#include "core/dynarray.h"

/* The runtime and the libraries behind it are only looked for, never loaded: ours use nothing of
 * NVIDIA's. */
enum cup_nvidia_kind {
    CUP_NVIDIA_NVRTC,
    CUP_NVIDIA_NVJITLINK,
    CUP_NVIDIA_CUDART,
#define CUDA_LIBRARY(constant, title, name, of_12, of_13, package, without) CUP_NVIDIA_##constant,
#include "libraries/libraries.def"
#undef CUDA_LIBRARY
    CUP_NVIDIA_KINDS,
};

/* A file that was found. */
struct cup_nvidia_library {
    char *path;
    char *rule;            /* what led to it, such as "CUDA_HOME" */
    bool python;           /* it belongs to the Python environment */
    char *refusal;         /* why it cannot be used; NULL: it can, or was not loaded yet */
    void *handle;          /* of dlopen(); NULL until cup_nvidia_load() */
    unsigned major, minor; /* the version that it tells, when it is loaded */
};

struct cup_nvidia_libraries {
    enum cup_nvidia_kind kind;
    unsigned cuda_major;
    bool in_python; /* while folders of the Python environment are searched */
    CUP_DYNARRAY(struct cup_nvidia_library, items);
};

/* True if packages of Python may load the library, so that ours is loaded before them. */
bool cup_nvidia_is_preloaded(enum cup_nvidia_kind kind);

/* The name of the file (libnvrtc.so.13) and the variable that names one (CUPIPE_NVRTC), or NULL. */
const char *cup_nvidia_name(enum cup_nvidia_kind kind, unsigned cuda_major);
const char *cup_nvidia_variable(enum cup_nvidia_kind kind);

/* Lists the libraries without loading them, in order: the one that the variable names, and then no
 * other; the Python environment (python_environment.h); LD_LIBRARY_PATH; CUDA_HOME and CUDA_PATH;
 * the system's toolkits and folders. `interpreter` is the path of the Python that calls; NULL: the
 * one of this process, if there is one. */
void cup_nvidia_find(struct cup_nvidia_libraries *libraries, enum cup_nvidia_kind kind,
                     unsigned cuda_major, const char *interpreter);

/* Whether the library of this version of CUDA, 12 or 13, is to be loaded before packages of the
 * interpreter look for one. They take the newest that is loaded already, whichever they are made
 * for. So that of 13 is not, where the environment, or else the machine, has that of 12 alone. */
bool cup_nvidia_is_meant(enum cup_nvidia_kind kind, unsigned cuda_major, const char *interpreter);

/* What `refusal` says of a library of cupipe's own. */
#define CUP_NVIDIA_OURS "it is cupipe's"

/* Loads a library and asks for its version. Returns false, and sets `refusal`, if it does not load
 * or is cupipe's. */
bool cup_nvidia_load(struct cup_nvidia_libraries *libraries, struct cup_nvidia_library *library);

/* The first library that loads, or, with `older`, the first that is newer than that one. NULL:
 * there is none. */
struct cup_nvidia_library *cup_nvidia_next(struct cup_nvidia_libraries *libraries,
                                           const struct cup_nvidia_library *older);

/* Frees the list. Libraries that were loaded stay. */
void cup_nvidia_libraries_finish(struct cup_nvidia_libraries *libraries);

#endif
