/* SPDX-License-Identifier: MIT */
/* Makes the library of outlined operations (jit/emit/outlined_operations.h): a relocatable object
 * with those of all kernels of some PTX files, for a set of processor features.
 *
 * usage: make_outlined libcupipe-jit.so FEATURES OUTPUT FILE.ptx... */
#include "jit/jit.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_BYTES = 16 << 20, FIRST_FILE = 4 };

static char *read_text(const char *path)
{
    char *text = calloc(1, TEXT_BYTES);
    FILE *file = fopen(path, "r");
    size_t length = text && file ? fread(text, 1, TEXT_BYTES, file) : 0;

    if (file)
        fclose(file);
    if (length == 0 || length == TEXT_BYTES) {
        fprintf(stderr, "make_outlined: %s cannot be read\n", path);
        exit(1);
    }
    return text;
}

static void *symbol(void *library, const char *name)
{
    void *found = library ? dlsym(library, name) : NULL;

    if (!found) {
        fprintf(stderr, "make_outlined: %s\n", dlerror());
        exit(1);
    }
    return found;
}

static int write_object(const char *path, const struct jit_result *result)
{
    FILE *file = fopen(path, "w");
    bool fine = file && fwrite(result->object, result->object_bytes, 1, file) == 1;

    if (!file || fclose(file) != 0 || !fine) {
        fprintf(stderr, "make_outlined: %s cannot be written\n", path);
        return 1;
    }
    return 0;
}

int main(int argument_count, char **arguments)
{
    void *library = argument_count > FIRST_FILE ? dlopen(arguments[1], RTLD_NOW) : NULL, *address;
    jit_compile_outlined_function *compile;
    const char **texts = calloc((size_t)argument_count, sizeof(*texts));
    struct jit_outlined_request request = {.texts = texts};
    struct jit_result result;
    struct ptx_log log = {.text = NULL};

    if (argument_count <= FIRST_FILE || !texts) {
        fprintf(stderr, "usage: make_outlined libcupipe-jit.so FEATURES OUTPUT FILE.ptx...\n");
        return 2;
    }
    address = symbol(library, JIT_COMPILE_OUTLINED_SYMBOL);
    memcpy(&compile, &address, sizeof(compile));
    for (int a = FIRST_FILE; a < argument_count; a++)
        texts[request.text_count++] = read_text(arguments[a]);
    request.cpu_features = arguments[2];
    if (compile(&request, &result, &log) != 0) {
        fprintf(stderr, "make_outlined: %s\n", log.text ? log.text : "no reason was given");
        return 1;
    }
    return write_object(arguments[3], &result);
}
