/* SPDX-License-Identifier: MIT */
/* Clients load the library by name or by path, so NVIDIA's has the same name as ours and lies in
 * one of many folders. A library of ours exports the name cupipe_version. */
#include "common/nvidia_library.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, PACKAGES_MAX = 4 };

/* What is searched for. */
struct search {
    const char *name;
    const char *const *wheels;
    void *found;
};

static bool try_file(struct search *search, const char *path)
{
    if (access(path, R_OK) != 0)
        return false;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library && dlsym(library, "cupipe_version")) {
        dlclose(library);
        library = NULL;
    }
    search->found = library;
    return library != NULL;
}

static bool try_folder(struct search *search, const char *folder, const char *below)
{
    char path[PATH_BYTES];
    int length = snprintf(path, sizeof path, "%s%s/%s", folder, below, search->name);

    return length > 0 && (size_t)length < sizeof path && try_file(search, path);
}

/* A list of folders with colons between. */
static bool try_list(struct search *search, const char *list)
{
    char folder[PATH_BYTES];

    for (const char *at = list; at && *at;) {
        size_t length = strcspn(at, ":");
        if (length > 0 && length < sizeof folder) {
            memcpy(folder, at, length);
            folder[length] = 0;
            if (try_folder(search, folder, ""))
                return true;
        }
        at += length + (at[length] == ':');
    }
    return false;
}

static bool try_toolkit(struct search *search, const char *folder)
{
    return folder && *folder &&
           (try_folder(search, folder, "/lib64") || try_folder(search, folder, "/lib") ||
            try_folder(search, folder, "/targets/x86_64-linux/lib") ||
            try_folder(search, folder, "/targets/sbsa-linux/lib"));
}

/* Folders of Python packages that the process has loaded libraries from. */
struct packages {
    char folders[PACKAGES_MAX][PATH_BYTES];
    size_t count;
};

static int note_packages(struct dl_phdr_info *info, size_t size, void *argument)
{
    static const char mark[] = "/site-packages/";
    struct packages *packages = argument;
    const char *at = info->dlpi_name ? strstr(info->dlpi_name, mark) : NULL;
    (void)size;

    if (!at || packages->count == PACKAGES_MAX)
        return 0;
    size_t length = (size_t)(at - info->dlpi_name) + sizeof mark - 2;
    if (length >= PATH_BYTES)
        return 0;
    char *folder = packages->folders[packages->count];
    memcpy(folder, info->dlpi_name, length);
    folder[length] = 0;
    for (size_t i = 0; i < packages->count; i++)
        if (strcmp(packages->folders[i], folder) == 0)
            return 0;
    packages->count++;
    return 0;
}

/* The folders are collected first: dl_iterate_phdr() holds a lock of the loader. */
static bool try_loaded_packages(struct search *search)
{
    struct packages *packages = calloc(1, sizeof *packages);
    bool found = false;

    if (!packages)
        return false;
    dl_iterate_phdr(note_packages, packages);
    for (size_t i = 0; !found && i < packages->count; i++)
        for (const char *const *wheel = search->wheels; !found && *wheel; wheel++)
            found = try_folder(search, packages->folders[i], *wheel);
    free(packages);
    return found;
}

void *cup_nvidia_library_open(const char *name, const char *variable, const char *const *wheels)
{
    static const char *const folders[] = {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
                                          "/usr/lib64", "/usr/lib", "/usr/local/lib"};
    struct search search = {name, wheels, NULL};
    const char *named = getenv(variable), *conda = getenv("CONDA_PREFIX");

    if (named && *named) {
        try_file(&search, named);
        return search.found; /* who names a file means that one */
    }
    if (try_list(&search, getenv("LD_LIBRARY_PATH")) || try_toolkit(&search, getenv("CUDA_HOME")) ||
        try_toolkit(&search, getenv("CUDA_PATH")) || try_loaded_packages(&search) ||
        (conda && try_folder(&search, conda, "/lib")) || try_toolkit(&search, "/usr/local/cuda"))
        return search.found;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        if (try_folder(&search, folders[i], ""))
            return search.found;
    return NULL;
}
