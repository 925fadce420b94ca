/* SPDX-License-Identifier: MIT */
/* libcupipe-preload.so, which `cupipe run` preloads into Python in front of cupipe's libraries.
 *
 * Packages open libraries of NVIDIA's wheels by their paths
 * (.../nvidia/cublas/lib/libcublas.so.12). The dynamic linker knows a loaded library by its soname
 * only where no path is given, so it would load NVIDIA's beside cupipe's. This dlopen() gives the
 * package the library of that name that is loaded from the folder in which this one lies. That
 * folder does not have the stand-ins for NVRTC and nvJitLink, which open NVIDIA's by path
 * themselves. */
#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static const char
    *folder; /* the path of this library, of which folder_length bytes are its folder */
static size_t folder_length;
static void *(*next_dlopen)(const char *path, int mode);

struct search {
    const char *name; /* of the file, without its folder */
    const char *path; /* of the loaded library, owned by the dynamic linker; or NULL */
};

static int is_searched(struct dl_phdr_info *info, size_t size, void *argument)
{
    struct search *search = argument;
    const char *path = info->dlpi_name;

    (void)size;
    if (strncmp(path, folder, folder_length) != 0 ||
        strcmp(path + folder_length, search->name) != 0)
        return 0;
    search->path = path;
    return 1;
}

/* Returns the path of cupipe's library with the name of this file, if it is loaded; else the path
 * that was given. Preloaded libraries are never unloaded, so the result stays valid. */
__attribute__((noinline)) static const char *path_of_ours(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    struct search search = {slash ? slash + 1 : NULL, NULL};

    if (!slash || !folder || !dl_iterate_phdr(is_searched, &search))
        return path;
    return search.path;
}

__attribute__((constructor, noinline)) static void find_folder(void)
{
    Dl_info info;
    const char *slash;

    next_dlopen = (void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");
    if (!dladdr((void *)find_folder, &info) || !(slash = strrchr(info.dli_fname, '/')))
        return;
    folder = info.dli_fname;
    folder_length = (size_t)(slash + 1 - folder);
}

#if defined(__has_attribute) && __has_attribute(musttail)
#define MUST_JUMP __attribute__((musttail))
#else
#define MUST_JUMP
#endif

/* The call of the next dlopen() must be a jump: dlopen() takes the run path of the library to which
 * it returns. The build compiles this file with optimised sibling calls for that; functions with
 * variables whose addresses others know, inlined here, would prevent it. */
__attribute__((visibility("default"))) void *dlopen(const char *path, int mode)
{
    if (!next_dlopen)
        find_folder();
    MUST_JUMP return next_dlopen(path_of_ours(path), mode);
}
