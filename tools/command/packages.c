/* SPDX-License-Identifier: MIT */
/* Every shared library of the environment is looked at, but for those of NVIDIA's own wheels, in
 * whose place cupipe's are loaded. A package is the first folder below the folder of packages. */
#include "command/packages.h"

#include "command/program.h"
#include "common/python_environment.h"
#include "core/dynarray.h"
#include "core/rebuild.h"

#include <dlfcn.h>
#include <fts.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DEEPEST = 8 };

/* A package with NVIDIA's runtime inside. */
struct package {
    char *name, *first; /* the first of its libraries */
    size_t count;
};

struct search {
    const struct places *places;
    struct {
        CUP_DYNARRAY(char *, items);
    } folders; /* that were searched */
    struct {
        CUP_DYNARRAY(struct package, items);
    } packages;
};

static bool begins(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* cupipe's NPP is not preloaded, as no package loads it by itself; an extension of the user's own
 * may have the wheel's folder as its run path. */
static void examine_wheel(const struct search *search, const char *path, const char *name)
{
    if (begins(name, "libnpp") && path_exists(search->places->library, name))
        printf("note: %s is NVIDIA's and comes before cupipe's for libraries that have its folder "
               "as their run path; then: LD_PRELOAD=%s/%s\n",
               path, search->places->library, name);
}

static bool is_library(const char *name)
{
    const char *suffix = strstr(name, ".so");

    return suffix && (!suffix[3] || suffix[3] == '.');
}

/* The modules of cuda.bindings have no device code and no names by which program_read() could tell
 * that a runtime is in them. It is NVIDIA's unless it is shared or bears cupipe's note. */
static bool has_runtime_inside(const struct program *library, const char *path)
{
    if (library->runtime == RUNTIME_NONE)
        return strstr(path, "/cuda/bindings/_bindings/cyruntime") ||
               strstr(path, "/cuda/bindings/_internal/runtime");
    return library->runtime == RUNTIME_FOREIGN;
}

static void add_package(struct search *search, const char *folder, const char *path)
{
    const char *name = path + strlen(folder) + 1;
    const struct cup_rebuild *known = cup_rebuild_find(path);
    struct package package = {.count = 1};

    package.name = known ? strdup(known->name) : strndup(name, strcspn(name, "/"));
    for (size_t i = 0; package.name && i < search->packages.count; i++)
        if (strcmp(search->packages.items[i].name, package.name) == 0) {
            search->packages.items[i].count++;
            free(package.name);
            return;
        }
    package.first = package.name ? strdup(path) : NULL;
    struct package *added =
        package.first ? cup_dynarray_add(&search->packages.array, sizeof package) : NULL;
    if (added) {
        *added = package;
    } else {
        free(package.first);
        free(package.name);
    }
}

static void search_folder(struct search *search, const char *folder)
{
    static struct program library;
    char *const roots[] = {(char *)folder, NULL};
    FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    FTSENT *entry;

    while (tree && (entry = fts_read(tree))) {
        bool nvidia = begins(entry->fts_path + strlen(folder), "/nvidia/");

        if (entry->fts_info == FTS_D && entry->fts_level == DEEPEST)
            fts_set(tree, entry, FTS_SKIP);
        if (entry->fts_info != FTS_F || !is_library(entry->fts_name))
            continue;
        if (nvidia)
            examine_wheel(search, entry->fts_path, entry->fts_name);
        else if (program_read(entry->fts_path, &library) &&
                 has_runtime_inside(&library, entry->fts_path))
            add_package(search, folder, entry->fts_path);
    }
    if (tree)
        fts_close(tree);
}

static void visit(void *argument, enum cup_python_place place, const char *folder, const char *rule)
{
    struct search *search = argument;
    char *path = place == CUP_PYTHON_PACKAGES ? realpath(folder, NULL) : NULL;

    (void)rule;
    for (size_t i = 0; path && i < search->folders.count; i++)
        if (strcmp(search->folders.items[i], path) == 0) {
            free(path);
            path = NULL;
        }
    if (!path)
        return;
    char **added = cup_dynarray_add(&search->folders.array, sizeof path);
    if (!added) {
        free(path);
        return;
    }
    *added = path;
    search_folder(search, path);
}

static void print_package(const struct package *package, const struct places *places)
{
    const struct cup_rebuild *known = cup_rebuild_find(package->first);

    printf("note: %s has NVIDIA's CUDA runtime linked in, which runs on NVIDIA's driver only: %s",
           known ? known->title : package->name, package->first);
    if (package->count > 1)
        printf(" and %zu more", package->count - 1);
    if (known)
        printf(". To build it again with cupipe's: cupipe rebuild %s\n", known->name);
    else
        printf(". To use it, build it from its sources with cupipe's (nvcc -L%s)\n",
               places->library);
}

void packages_print(const char *interpreter, const struct places *places)
{
    struct search search = {.places = places};

    cup_python_visit_places(interpreter, visit, &search);
    for (size_t i = 0; i < search.packages.count; i++) {
        print_package(&search.packages.items[i], places);
        free(search.packages.items[i].name);
        free(search.packages.items[i].first);
    }
    for (size_t i = 0; i < search.folders.count; i++)
        free(search.folders.items[i]);
    free(search.packages.items);
    free(search.folders.items);
}

/* Whether cupipe's compiler lies beside it. */
static bool is_cupipe(const char *path)
{
    char folder[PATH_BYTES];

    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
    return path_exists(folder, "libcupipe-jit.so");
}

static void print_driver(const struct places *places)
{
    void *library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
    struct link_map *map;
    char path[PATH_BYTES], own[PATH_BYTES];

    if (!library) {
        printf("libcuda.so.1 without cupipe run: none\n");
    } else if (dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && realpath(map->l_name, path)) {
        bool ours = path_join(own, places->library, "libcuda.so.1") && strcmp(path, own) == 0;
        printf("libcuda.so.1 without cupipe run: %s, %s\n", path,
               ours              ? "which is this cupipe's"
               : is_cupipe(path) ? "which is another cupipe's: cupipe run takes its own"
                                 : "which is not cupipe's: run programs by cupipe run");
    }
    fflush(stdout);
}

/* In a process of its own, because NVIDIA's driver may start threads when it is loaded. */
void packages_print_driver(const struct places *places)
{
    fflush(stdout);
    pid_t child = fork();

    if (child == 0) {
        print_driver(places);
        _exit(0);
    }
    if (child > 0)
        waitpid(child, NULL, 0);
}
