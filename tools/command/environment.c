/* SPDX-License-Identifier: MIT */
/* One table of variables. Each says how our value meets the user's, and which part must be there
 * for the variable to be set at all. */
#include "command/environment.h"

#include "command/gpu.h"
#include "common/nvidia_library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum merging {
    BEFORE,  /* in front of a list */
    INSIDE,  /* the same, but only of a list that is there: without PATH the system has its own */
    BEHIND,  /* at the end of a list */
    DEFAULT, /* unless the user has set it */
    TRACED,  /* the same, where a trace is written, or a debugger looks */
    TRITON,  /* the same, where Triton would choose sm_100 or above by itself */
};

/* {lib}, {bin}, {cubin} and {layers} stand for folders, {preload} for the libraries of Python. */
static const struct variable {
    const char *name;
    enum merging merging;
    char separator;
    const char *value;
    const char *needed; /* this file, or NULL */
    bool python;        /* for programs in Python only */
} variables[] = {
    {"PATH", INSIDE, ':', "{bin}", NULL, false},
    {"LD_LIBRARY_PATH", BEFORE, ':', "{cubin}:{lib}", NULL, false},
    /* Names without a version, in packages that cannot have links (packaging/CMakeLists.txt). */
    {"LD_LIBRARY_PATH", BEFORE, ':', "{lib}/alias", "{lib}/alias", false},
    {"LD_PRELOAD", BEFORE, ':', "{preload}", NULL, true},
    /* The module cupipe, whose entry point `import torch` calls. Where pip has installed the
     * module, too, both are one distribution, and the first is taken. */
    {"PYTHONPATH", BEHIND, ':', "{lib}/python", "{lib}/python", false},
    {"VK_ADD_LAYER_PATH", BEFORE, ':', "{layers}", "{layers}/VkLayer_cupipe.json", false},
    {"VK_INSTANCE_LAYERS", BEHIND, ':', "VK_LAYER_CUPIPE_external_semaphore",
     "{layers}/VkLayer_cupipe.json", false},
    /* NVTX loads the library of this path, and calls it for each range and mark. */
    {"NVTX_INJECTION64_PATH", TRACED, 0, "{lib}/libnvToolsExt.so.1", "{lib}/libnvToolsExt.so.1",
     false},
    {"TRITON_LIBCUDA_PATH", DEFAULT, 0, "{lib}", NULL, false},
    {"TRITON_PTXAS_PATH", DEFAULT, 0, "{bin}/ptxas", "{bin}/ptxas", false},
    {"TRITON_PTXAS_BLACKWELL_PATH", DEFAULT, 0, "{bin}/ptxas", "{bin}/ptxas", false},
    {"MODULAR_NVPTX_COMPILER_PATH", DEFAULT, 0, "{bin}/ptxas", "{bin}/ptxas", false}, /* Mojo */
    /* From sm_100 on Triton uses tcgen05, which cupipe does not have; its code for sm_90 is for
     * that GPU alone. */
    {"TRITON_OVERRIDE_ARCH", TRITON, 0, "sm80", NULL, false},
    /* Of a flag that is given twice the last one counts. XLA would time many kernels for each
     * product and take the fastest, but times mean nothing here; cuBLAS is faster than all. */
    {"XLA_FLAGS", BEFORE, ' ',
     "--xla_gpu_cuda_data_dir={lib} --xla_gpu_autotune_level=0 --xla_gpu_enable_triton_gemm=false",
     "{bin}/ptxas", false},
};
enum {
    VARIABLES = sizeof variables / sizeof variables[0],
    VALUE_BYTES = 2 * CUP_NVIDIA_KINDS * PATH_BYTES
};

static char preloaded[VALUE_BYTES]; /* what {preload} stands for */

/* Adds a library to the list, if it is there and not listed yet; false if the list is too long.
 * libcurand.so.10 serves both versions of CUDA. */
static bool add_preloaded(const char *folder, const char *name, char list[VALUE_BYTES])
{
    size_t used = strlen(list);

    if (!path_exists(folder, name) || strstr(list, name))
        return true;
    int length =
        snprintf(list + used, VALUE_BYTES - used, "%s%s/%s", used ? ":" : "", folder, name);
    return length > 0 && (size_t)length < VALUE_BYTES - used;
}

/* Lists the libraries that are preloaded into Python: those that packages would otherwise take from
 * NVIDIA's wheels, by an rpath, which comes before LD_LIBRARY_PATH, or by a path, which the first
 * library sees to. */
static bool list_preloaded(const struct places *places, const char *interpreter,
                           char list[VALUE_BYTES])
{
    static const unsigned majors[] = {13, 12};

    list[0] = 0;
    if (!add_preloaded(places->library, "libcupipe-preload.so", list))
        return false;
    for (int i = 0; i < 2; i++)
        for (enum cup_nvidia_kind kind = 0; kind < CUP_NVIDIA_KINDS; kind++) {
            bool compiles = kind == CUP_NVIDIA_NVRTC || kind == CUP_NVIDIA_NVJITLINK;
            if (cup_nvidia_is_preloaded(kind) &&
                cup_nvidia_is_meant(kind, majors[i], interpreter) &&
                !add_preloaded(compiles ? places->cubin : places->library,
                               cup_nvidia_name(kind, majors[i]), list))
                return false;
        }
    return true;
}

static bool expand(const struct places *places, const char *pattern, char value[VALUE_BYTES])
{
    const struct {
        const char *name, *folder;
    } folders[] = {{"{lib}", places->library},
                   {"{bin}", places->tools},
                   {"{cubin}", places->cubin},
                   {"{preload}", preloaded},
                   {"{layers}", places->manifest}};
    size_t used = 0;

    while (*pattern) {
        const char *text = pattern;
        size_t length = 1, step = 1;
        for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
            if (strncmp(pattern, folders[i].name, strlen(folders[i].name)) == 0) {
                text = folders[i].folder;
                length = strlen(text);
                step = strlen(folders[i].name);
            }
        if (length >= VALUE_BYTES - used)
            return false;
        memcpy(value + used, text, length);
        used += length;
        pattern += step;
    }
    value[used] = 0;
    return true;
}

/* True if the list has these entries already, one after the other: the command runs within itself.
 */
static bool has_part(const char *list, const char *part, char separator)
{
    size_t length = strlen(part);

    for (const char *at = strstr(list, part); at; at = strstr(at + 1, part))
        if ((at == list || at[-1] == separator) && (!at[length] || at[length] == separator))
            return true;
    return false;
}

static bool merge(const struct variable *variable, const char *value)
{
    const char *old = getenv(variable->name);
    unsigned lowest, highest;
    char *list = NULL;

    gpu_capabilities(&lowest, &highest);
    if (variable->merging == TRITON && (highest < 100 || lowest < 80))
        return true;
    if (variable->merging == TRACED && !getenv("CUPIPE_TRACE") && !getenv("CUPIPE_DEBUG"))
        return true;
    if (!old || !*old)
        return variable->merging == INSIDE || setenv(variable->name, value, 1) == 0;
    if (variable->merging == DEFAULT || variable->merging == TRACED ||
        variable->merging == TRITON || has_part(old, value, variable->separator))
        return true;
    bool before = variable->merging != BEHIND;
    if (asprintf(&list, "%s%c%s", before ? value : old, variable->separator, before ? old : value) <
        0)
        return false;
    bool good = setenv(variable->name, list, 1) == 0;
    free(list);
    return good;
}

bool environment_apply(const struct places *places, const char *interpreter)
{
    static char value[VALUE_BYTES], needed[VALUE_BYTES];

    if (interpreter && !list_preloaded(places, interpreter, preloaded))
        return false;
    for (int i = 0; i < VARIABLES; i++) {
        const struct variable *variable = &variables[i];
        /* The loader takes blanks in LD_PRELOAD for separators. */
        if (variable->python && (!interpreter || strchr(places->library, ' ')))
            continue;
        if (variable->needed &&
            (!expand(places, variable->needed, needed) || !path_exists("", needed)))
            continue;
        if (!expand(places, variable->value, value) || (value[0] && !merge(variable, value)))
            return false;
    }
    return true;
}

void environment_each(void (*visit)(const char *name, void *argument), void *argument)
{
    for (int i = 0; i < VARIABLES; i++)
        if (i == 0 || strcmp(variables[i].name, variables[i - 1].name) != 0)
            visit(variables[i].name, argument);
}
