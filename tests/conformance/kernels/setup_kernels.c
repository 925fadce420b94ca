/* SPDX-License-Identifier: MIT */
/*
 * What the kernel groups need before they can ask: the functions, modules loaded, a launch, and
 * standard output caught.
 */
#include "kernels.h"
#include <dlfcn.h>

struct kernel_functions driver;

#define FUNCTION(name)                                                                             \
    static CUresult missing_##name(void)                                                           \
    {                                                                                              \
        return missing_function_called(#name);                                                     \
    }
#include "functions.def"
#undef FUNCTION

static const struct {
    const char *symbol;
    CUresult (*missing)(void);
    size_t offset;
} functions[] = {
#define FUNCTION(name)                                                                             \
    {EXPANDED_STRING_OF(name), missing_##name, offsetof(struct kernel_functions, name)},
#include "functions.def"
#undef FUNCTION
};

void resolve_kernels(void)
{
    const char *path = getenv("LIBCUDA");
    void *library = dlopen(path ? path : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);

    if (!library)
        setup_failed("dlopen", CUDA_ERROR_SHARED_OBJECT_INIT_FAILED);
    for (size_t i = 0; i < COUNT_OF(functions); i++) {
        void *address = dlsym(library, functions[i].symbol);
        if (!address)
            address = (void *)functions[i].missing;
        memcpy((char *)&driver + functions[i].offset, &address, sizeof address);
    }
}

void use_kernels(void)
{
    resolve_kernels();
    use_primary_context();
}

CUmodule module_of(const char *text)
{
    CUmodule module = NULL;
    CUresult result = driver.cuModuleLoadData(&module, text);

    if (result)
        setup_failed("cuModuleLoadData", result);
    return module;
}

CUlibrary library_of(const char *text)
{
    CUlibrary library = NULL;
    CUresult result = driver.cuLibraryLoadData(&library, text, NULL, NULL, 0, NULL, NULL, 0);

    if (result)
        setup_failed("cuLibraryLoadData", result);
    return library;
}

CUfunction function_of(CUmodule module, const char *name)
{
    CUfunction function = NULL;
    CUresult result = driver.cuModuleGetFunction(&function, module, name);

    if (result)
        setup_failed("cuModuleGetFunction", result);
    return function;
}

CUresult launch(CUfunction function, unsigned grid, unsigned block, void **parameters)
{
    return driver.cuLaunchKernel(function, grid, 1, 1, block, 1, 1, 0, NULL, parameters, NULL);
}

CUresult launch_store(CUfunction store, CUdeviceptr address, unsigned value, CUstream stream)
{
    void *parameters[] = {&address, &value};

    return driver.cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, stream, parameters, NULL);
}

unsigned word_at(CUdeviceptr address)
{
    unsigned word = 0xbadbad;

    cuda.cuMemcpyDtoH(&word, address, sizeof word);
    return word;
}

const char *pointer_state(const void *ptr)
{
    return ptr ? "set" : "null";
}

static int saved_output = -1;
static FILE *captured;

void capture_begin(void)
{
    fflush(stdout);
    captured = tmpfile();
    saved_output = dup(STDOUT_FILENO);
    dup2(fileno(captured), STDOUT_FILENO);
}

const char *capture_end(void)
{
    static char text[2000];
    char bytes[600];

    fflush(stdout);
    dup2(saved_output, STDOUT_FILENO);
    close(saved_output);
    fseek(captured, 0, SEEK_END);
    long size = ftell(captured);
    rewind(captured);
    size_t count = fread(bytes, 1, sizeof bytes, captured);
    fclose(captured);

    size_t length = snprintf(text, sizeof text, "%ld:\"", size);
    for (size_t i = 0; i < count; i++)
        length += snprintf(text + length, sizeof text - length,
                           bytes[i] == '\n'                  ? "\\n"
                           : bytes[i] < 32 || bytes[i] > 126 ? "\\x%02x"
                                                             : "%c",
                           (unsigned char)bytes[i]);
    snprintf(text + length, sizeof text - length, "\"");
    return text;
}
