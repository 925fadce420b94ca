/* SPDX-License-Identifier: MIT */
/* Both libraries, for both versions of CUDA, are looked for as the stand-ins do it, with the same
 * functions. Each that is found is loaded, since only the library knows its version. */
#include "command/nvidia.h"

#include "common/nvidia_library.h"

#include <stdio.h>
#include <string.h>

static const unsigned majors[] = {13, 12};
static const enum cup_nvidia_kind kinds[] = {CUP_NVIDIA_NVRTC, CUP_NVIDIA_NVJITLINK};
enum { MAJORS = 2, KINDS = 2 };

static const char *const without[] = {
    [CUP_NVIDIA_NVRTC] = "CUDA C++ is not compiled at run time",
    [CUP_NVIDIA_NVJITLINK] = "PTX is linked, LTO-IR is not",
};

/* Calls the function for each list of libraries. */
static void each_list(const char *interpreter,
                      void (*visit)(struct cup_nvidia_libraries *libraries, void *argument),
                      void *argument)
{
    struct cup_nvidia_libraries libraries;

    for (int i = 0; i < MAJORS; i++)
        for (int k = 0; k < KINDS; k++) {
            cup_nvidia_find(&libraries, kinds[k], majors[i], interpreter);
            for (size_t n = 0; n < libraries.count; n++)
                cup_nvidia_load(&libraries, &libraries.items[n]);
            visit(&libraries, argument);
            cup_nvidia_libraries_finish(&libraries);
        }
}

static bool is_ours(const struct cup_nvidia_library *library)
{
    return !library->handle && strcmp(library->refusal, CUP_NVIDIA_OURS) == 0;
}

static void print_missing(const struct cup_nvidia_libraries *libraries, const char *name)
{
    const char *variable = cup_nvidia_variable(libraries->kind), *named = getenv(variable);

    if (named && *named && libraries->count == 0)
        printf("  %-20s %s names %s, which cannot be read\n", name, variable, named);
    else if (libraries->cuda_major == majors[0])
        printf("  %-20s none: %s. Install it, or name it in %s\n", name, without[libraries->kind],
               variable);
}

/* A line for each: the one that is taken, and those that are there beside it. */
static void print_list(struct cup_nvidia_libraries *libraries, void *argument)
{
    const char *name = cup_nvidia_name(libraries->kind, libraries->cuda_major);
    const struct cup_nvidia_library *taken = cup_nvidia_next(libraries, NULL);

    (void)argument;
    if (!taken)
        print_missing(libraries, name);
    for (size_t i = 0; i < libraries->count; i++) {
        const struct cup_nvidia_library *library = &libraries->items[i];
        if (is_ours(library))
            continue;
        printf("  %-20s ", library == taken ? name : "");
        if (library != taken)
            printf("not taken: ");
        if (library->handle)
            printf("%s, CUDA %u.%u, found by %s\n", library->path, library->major, library->minor,
                   library->rule);
        else
            printf("%s, found by %s, does not load: %s\n", library->path, library->rule,
                   library->refusal);
    }
}

void nvidia_print(const char *interpreter)
{
    if (interpreter)
        printf("NVIDIA's libraries that %s uses:\n", interpreter);
    else
        printf("NVIDIA's libraries:\n");
    each_list(interpreter, print_list, NULL);
}

struct json {
    void (*quote)(const char *text);
    bool any;
};

static void print_member(const struct json *json, const char *name, const char *value)
{
    printf("\"%s\": ", name);
    json->quote(value);
    printf(", ");
}

static void print_json(struct cup_nvidia_libraries *libraries, void *argument)
{
    struct json *json = argument;
    const struct cup_nvidia_library *taken = cup_nvidia_next(libraries, NULL);

    for (size_t i = 0; i < libraries->count; i++) {
        const struct cup_nvidia_library *library = &libraries->items[i];
        if (is_ours(library))
            continue;
        printf("%s\n      {", json->any ? "," : "");
        json->any = true;
        print_member(json, "name", cup_nvidia_name(libraries->kind, libraries->cuda_major));
        print_member(json, "path", library->path);
        print_member(json, "found_by", library->rule);
        if (library->handle)
            printf("\"cuda\": \"%u.%u\", ", library->major, library->minor);
        else
            print_member(json, "error", library->refusal);
        printf("\"taken\": %s}", library == taken ? "true" : "false");
    }
}

void nvidia_print_json(const char *interpreter, void (*quote)(const char *text))
{
    struct json json = {quote, false};
    printf("  \"nvidia\": {\n    \"python\": ");
    if (interpreter)
        quote(interpreter);
    else
        printf("null");
    printf(",\n    \"libraries\": [");
    each_list(interpreter, print_json, &json);
    printf("\n    ]\n  }");
}
