/* SPDX-License-Identifier: MIT */
/* Clients load the library by name or by path, so NVIDIA's has the same name as ours and lies in
 * one of many folders. A library of ours exports the name cupipe_version. */
#include "common/nvidia_library.h"

#include "common/python_environment.h"

#include <dlfcn.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, FIRST_MAJOR = 12, MAJORS = 2 };

static const struct kind {
    const char *names[MAJORS]; /* by version, from FIRST_MAJOR on */
    const char *variable;      /* that names a file; NULL: none does */
    const char *version;       /* the function that tells the version */
    const char *package;       /* the folder of a wheel that has this library alone */
} kinds[] = {
    [CUP_NVIDIA_NVRTC] = {{"libnvrtc.so.12", "libnvrtc.so.13"},
                          "CUPIPE_NVRTC",
                          "nvrtcVersion",
                          "cuda_nvrtc"},
    [CUP_NVIDIA_NVJITLINK] = {{"libnvJitLink.so.12", "libnvJitLink.so.13"},
                              "CUPIPE_NVJITLINK",
                              "nvJitLinkVersion",
                              "nvjitlink"},
    [CUP_NVIDIA_CUDART] = {{"libcudart.so.12", "libcudart.so.13"}, NULL, NULL, "cuda_runtime"},
#define CUDA_LIBRARY(constant, title, name, of_12, of_13, package, without)                        \
    {{"lib" name ".so." #of_12, "lib" name ".so." #of_13}, NULL, NULL, package},
#include "libraries/libraries.def"
#undef CUDA_LIBRARY
};

bool cup_nvidia_is_preloaded(enum cup_nvidia_kind kind)
{
    return kinds[kind].package[0];
}

const char *cup_nvidia_name(enum cup_nvidia_kind kind, unsigned cuda_major)
{
    return kinds[kind].names[cuda_major - FIRST_MAJOR];
}

const char *cup_nvidia_variable(enum cup_nvidia_kind kind)
{
    return kinds[kind].variable;
}

static bool is_listed(const struct cup_nvidia_libraries *libraries, const char *path)
{
    for (size_t i = 0; i < libraries->count; i++)
        if (strcmp(libraries->items[i].path, path) == 0)
            return true;
    return false;
}

/* Adds the file if it is there. Links to one file count once. */
static void add_file(struct cup_nvidia_libraries *libraries, const char *path, const char *rule)
{
    char *real = access(path, R_OK) == 0 ? realpath(path, NULL) : NULL;
    struct cup_nvidia_library *library;

    if (!real || is_listed(libraries, real) ||
        !(library = cup_dynarray_add(&libraries->array, sizeof *library))) {
        free(real);
        return;
    }
    *library = (struct cup_nvidia_library){
        .path = real, .rule = strdup(rule), .python = libraries->in_python};
    if (!library->rule) {
        free(real);
        libraries->count--;
    }
}

static void add_folder(struct cup_nvidia_libraries *libraries, const char *folder,
                       const char *below, const char *rule)
{
    char path[PATH_BYTES];
    int length = snprintf(path, sizeof path, "%s%s/%s", folder, below,
                          cup_nvidia_name(libraries->kind, libraries->cuda_major));

    if (length > 0 && (size_t)length < sizeof path)
        add_file(libraries, path, rule);
}

/* A list of folders with colons between. */
static void add_list(struct cup_nvidia_libraries *libraries, const char *list, const char *rule)
{
    char folder[PATH_BYTES];

    for (const char *at = list; at && *at;) {
        size_t length = strcspn(at, ":");
        if (length > 0 && length < sizeof folder) {
            memcpy(folder, at, length);
            folder[length] = 0;
            add_folder(libraries, folder, "", rule);
        }
        at += length + (at[length] == ':');
    }
}

static void add_toolkit(struct cup_nvidia_libraries *libraries, const char *folder,
                        const char *rule)
{
    static const char *const below[] = {"/lib64", "/lib", "/targets/x86_64-linux/lib",
                                        "/targets/sbsa-linux/lib"};

    for (size_t i = 0; folder && *folder && i < sizeof below / sizeof below[0]; i++)
        add_folder(libraries, folder, below[i], rule);
}

/* Wheels put the libraries of a version of CUDA into one folder, or each into its own. */
static void add_python(void *argument, enum cup_python_place place, const char *folder,
                       const char *rule)
{
    struct cup_nvidia_libraries *libraries = argument;
    char below[64];

    if (place == CUP_PYTHON_PREFIX) {
        add_toolkit(libraries, folder, rule);
        return;
    }
    snprintf(below, sizeof below, "/nvidia/cu%u/lib", libraries->cuda_major);
    add_folder(libraries, folder, below, rule);
    snprintf(below, sizeof below, "/nvidia/%s/lib", kinds[libraries->kind].package);
    add_folder(libraries, folder, below, rule);
}

/* The toolkit that the link /usr/local/cuda names, then the others. */
static void add_system(struct cup_nvidia_libraries *libraries)
{
    static const char *const folders[] = {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
                                          "/usr/lib64", "/usr/lib", "/usr/local/lib"};
    static const char rule[] = "the system";
    char pattern[64];
    glob_t found;

    add_toolkit(libraries, "/usr/local/cuda", rule);
    snprintf(pattern, sizeof pattern, "/usr/local/cuda-%u*", libraries->cuda_major);
    if (glob(pattern, 0, NULL, &found) == 0)
        for (size_t i = found.gl_pathc; i > 0; i--)
            add_toolkit(libraries, found.gl_pathv[i - 1], rule);
    globfree(&found);
    add_toolkit(libraries, "/opt/cuda", rule);
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        add_folder(libraries, folders[i], "", rule);
}

void cup_nvidia_find(struct cup_nvidia_libraries *libraries, enum cup_nvidia_kind kind,
                     unsigned cuda_major, const char *interpreter)
{
    const char *named = kinds[kind].variable ? secure_getenv(kinds[kind].variable) : NULL;

    *libraries = (struct cup_nvidia_libraries){.kind = kind, .cuda_major = cuda_major};
    if (named && *named) {
        add_file(libraries, named, kinds[kind].variable);
        return; /* who names a file means that one */
    }
    libraries->in_python = true;
    cup_python_visit_places(interpreter, add_python, libraries);
    libraries->in_python = false;
    add_list(libraries, secure_getenv("LD_LIBRARY_PATH"), "LD_LIBRARY_PATH");
    add_toolkit(libraries, secure_getenv("CUDA_HOME"), "CUDA_HOME");
    add_toolkit(libraries, secure_getenv("CUDA_PATH"), "CUDA_PATH");
    add_system(libraries);
}

/* How close a library of this version is: 0 there is none, 1 on the machine, 2 in the environment
 * of the interpreter. */
static int closeness(enum cup_nvidia_kind kind, unsigned cuda_major, const char *interpreter)
{
    struct cup_nvidia_libraries libraries;

    cup_nvidia_find(&libraries, kind, cuda_major, interpreter);
    int close = libraries.count == 0 ? 0 : libraries.items[0].python ? 2 : 1;
    cup_nvidia_libraries_finish(&libraries);
    return close;
}

bool cup_nvidia_is_meant(enum cup_nvidia_kind kind, unsigned cuda_major, const char *interpreter)
{
    return cuda_major == FIRST_MAJOR ||
           closeness(kind, cuda_major, interpreter) >= closeness(kind, FIRST_MAJOR, interpreter);
}

bool cup_nvidia_load(struct cup_nvidia_libraries *libraries, struct cup_nvidia_library *library)
{
    int (*version)(int *, int *);
    int major = 0, minor = 0;

    if (library->handle || library->refusal)
        return library->handle;
    void *handle = dlopen(library->path, RTLD_NOW | RTLD_LOCAL);
    if (!handle || dlsym(handle, "cupipe_version")) {
        const char *error = handle ? CUP_NVIDIA_OURS : dlerror();
        library->refusal = strdup(error ? error : "it does not load");
        if (handle)
            dlclose(handle);
        return false;
    }
    library->handle = handle;
    *(void **)&version = dlsym(handle, kinds[libraries->kind].version);
    if (version)
        version(&major, &minor);
    /* the first versions of nvJitLink do not tell theirs */
    library->major = major > 0 ? (unsigned)major : libraries->cuda_major;
    library->minor = minor > 0 ? (unsigned)minor : 0;
    return true;
}

static bool is_newer(const struct cup_nvidia_library *library,
                     const struct cup_nvidia_library *older)
{
    return library->major != older->major ? library->major > older->major
                                          : library->minor > older->minor;
}

struct cup_nvidia_library *cup_nvidia_next(struct cup_nvidia_libraries *libraries,
                                           const struct cup_nvidia_library *older)
{
    for (size_t i = 0; i < libraries->count; i++) {
        struct cup_nvidia_library *library = &libraries->items[i];
        if (cup_nvidia_load(libraries, library) && (!older || is_newer(library, older)))
            return library;
    }
    return NULL;
}

void cup_nvidia_libraries_finish(struct cup_nvidia_libraries *libraries)
{
    for (size_t i = 0; i < libraries->count; i++) {
        free(libraries->items[i].path);
        free(libraries->items[i].rule);
        free(libraries->items[i].refusal);
    }
    free(libraries->items);
    *libraries = (struct cup_nvidia_libraries){0};
}
