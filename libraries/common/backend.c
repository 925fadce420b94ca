/* SPDX-License-Identifier: MIT */
/* A backend is looked for by the name that the environment gives, then by each file name of its
 * list: as the loader finds it, and in the Python packages beside which cupipe is installed
 * (site-packages/cupipe/lib/cupipe/libcublas.so.13 -> site-packages). */
#include "backend.h"

#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BACKENDS_MOST = 8, FOLDERS_UP_MOST = 5, SETTINGS_MOST = 4 };

static struct {
    const struct lib_backend *backend;
    void *library;
} loaded[BACKENDS_MOST]; /* guarded by lock */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *open_file(const char *path)
{
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

/* Opens the first file of a pattern. Wheels put libraries under names with a hash. */
static void *open_pattern(const char *pattern)
{
    void *library = NULL;
    glob_t found;

    if (!strchr(pattern, '*'))
        return open_file(pattern);
    if (glob(pattern, 0, NULL, &found) != 0)
        return NULL;
    for (size_t i = 0; !library && i < found.gl_pathc; i++)
        library = open_file(found.gl_pathv[i]);
    globfree(&found);
    return library;
}

/* Looks for the file in the folders above that of this library. */
static void *open_beside(const char *file)
{
    char path[PATH_MAX];
    Dl_info here;

    if (!dladdr((void *)open_beside, &here) || !here.dli_fname ||
        strlen(here.dli_fname) + strlen(file) + 2 > sizeof(path))
        return NULL;
    strcpy(path, here.dli_fname);
    for (int up = 0; up < FOLDERS_UP_MOST; up++) {
        char *slash = strrchr(path, '/');
        void *library;

        if (!slash)
            return NULL;
        strcpy(slash + 1, file);
        library = open_pattern(path);
        if (library)
            return library;
        *slash = '\0';
    }
    return NULL;
}

static void *search(const struct lib_backend *backend)
{
    const char *chosen = backend->variable ? secure_getenv(backend->variable) : NULL;
    void *library = NULL;

    if (chosen && *chosen) {
        library = open_file(chosen);
        if (!library)
            fprintf(stderr, "cupipe: %s=%s cannot be loaded: %s\n", backend->variable, chosen,
                    dlerror());
        return library;
    }
    for (size_t i = 0; !library && backend->files[i]; i++)
        library = strchr(backend->files[i], '/') ? open_beside(backend->files[i])
                                                 : open_file(backend->files[i]);
    if (!library && backend->install)
        fprintf(stderr, "cupipe: %s is not installed, and CUDA's libraries compute with it. %s\n",
                backend->name, backend->install);
    return library;
}

/* Searches with the settings that the program has not made itself. */
static void *search_with_settings(const struct lib_backend *backend)
{
    bool set[SETTINGS_MOST] = {false};
    void *library;

    for (size_t i = 0; backend->settings && backend->settings[i].variable; i++) {
        set[i] = !secure_getenv(backend->settings[i].variable) && backend->settings[i].value;
        if (set[i])
            setenv(backend->settings[i].variable, backend->settings[i].value, 1);
    }
    library = search(backend);
    for (size_t i = 0; i < SETTINGS_MOST; i++)
        if (set[i])
            unsetenv(backend->settings[i].variable);
    return library;
}

void *lib_backend_load(const struct lib_backend *backend)
{
    void *library = NULL;

    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < BACKENDS_MOST; i++) {
        if (!loaded[i].backend) {
            loaded[i].backend = backend;
            loaded[i].library = search_with_settings(backend);
        }
        if (loaded[i].backend == backend) {
            library = loaded[i].library;
            break;
        }
    }
    pthread_mutex_unlock(&lock);
    return library;
}
