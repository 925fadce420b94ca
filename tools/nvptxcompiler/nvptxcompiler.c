/* SPDX-License-Identifier: MIT */
/* libnvptxcompiler_static.a: ptxas as a library. It checks PTX and makes a carrier in place of a
 * cubin. Results, logs and options are those of NVIDIA's library. */
#include "nvptxcompiler/nvptxcompiler.h"

#include "common/image.h"
#include "common/release.h"
#include "ptx/versions.h"
#include "ptxas/check.h"
#include "ptxas/options.h"

#include <stdlib.h>
#include <string.h>

/* A log while it is written, and its text. */
struct log {
    FILE *stream;
    char *text;
    size_t length;
};

struct nvPTXCompiler {
    struct cup_source_text text;
    void *image; /* NULL: not compiled */
    size_t image_bytes;
    struct log errors, info;
    int (*callback)(void *, void *); /* 1: cancel; NULL: none */
    void *payload;
};

static bool open_log(struct log *log)
{
    free(log->text);
    *log = (struct log){0};
    log->stream = open_memstream(&log->text, &log->length);
    return log->stream != NULL;
}

static void close_log(struct log *log)
{
    if (log->stream)
        fclose(log->stream);
    log->stream = NULL;
}

nvPTXCompileResult nvPTXCompilerGetVersion(unsigned *major, unsigned *minor)
{
    if (!major || !minor)
        return NVPTXCOMPILE_ERROR_INVALID_INPUT;
    *major = CUP_TOOLS_MAJOR;
    *minor = CUP_TOOLS_MINOR;
    return NVPTXCOMPILE_SUCCESS;
}

nvPTXCompileResult nvPTXCompilerGetNumSupportedVersions(int *count)
{
    if (!count)
        return NVPTXCOMPILE_ERROR_INVALID_INPUT;
    *count = 0;
    for (unsigned major = 1; major <= PTX_MAJOR_LAST; major++)
        *count += (int)ptx_last_minor[major] + 1;
    return NVPTXCOMPILE_SUCCESS;
}

nvPTXCompileResult nvPTXCompilerGetSupportedVersions(int (*versions)[2])
{
    if (!versions)
        return NVPTXCOMPILE_ERROR_INVALID_INPUT;
    for (unsigned major = 1; major <= PTX_MAJOR_LAST; major++)
        for (unsigned minor = 0; minor <= ptx_last_minor[major]; minor++, versions++) {
            (*versions)[0] = (int)major;
            (*versions)[1] = (int)minor;
        }
    return NVPTXCOMPILE_SUCCESS;
}

nvPTXCompileResult nvPTXCompilerCreate(nvPTXCompilerHandle *handle, size_t length, const char *text)
{
    if (!handle || !text)
        return NVPTXCOMPILE_ERROR_INVALID_INPUT;
    struct nvPTXCompiler *compiler = calloc(1, sizeof *compiler);
    char *copy = strndup(text, length);
    if (!compiler || !copy) {
        free(compiler);
        free(copy);
        return NVPTXCOMPILE_ERROR_OUT_OF_MEMORY;
    }
    compiler->text = (struct cup_source_text){.bytes = copy, .length = strlen(copy)};
    *handle = compiler;
    return NVPTXCOMPILE_SUCCESS;
}

nvPTXCompileResult nvPTXCompilerDestroy(nvPTXCompilerHandle *handle)
{
    if (!handle || !*handle)
        return NVPTXCOMPILE_ERROR_INVALID_COMPILER_HANDLE;
    free((*handle)->text.bytes);
    free((*handle)->image);
    free((*handle)->errors.text);
    free((*handle)->info.text);
    free(*handle);
    *handle = NULL;
    return NVPTXCOMPILE_SUCCESS;
}

static bool is_cancelled(const struct nvPTXCompiler *compiler)
{
    return compiler->callback && compiler->callback(compiler->payload, NULL) == 1;
}

static nvPTXCompileResult write_image(struct nvPTXCompiler *compiler, const struct options *options)
{
    struct cup_source source = {0};
    struct cup_source_text text = compiler->text;

    text.bytes = strdup(text.bytes);
    if (!text.bytes || cup_source_add(&source, text) != CUDA_SUCCESS)
        return NVPTXCOMPILE_ERROR_OUT_OF_MEMORY;
    check_apply(options, &source);
    CUresult result =
        cup_image_write(&source, options->capability,
                        options->compile_only ? CUP_CARRIER_RELOCATABLE : CUP_CARRIER_WHOLE,
                        &compiler->image, &compiler->image_bytes);
    cup_source_finish(&source);
    return result == CUDA_SUCCESS ? NVPTXCOMPILE_SUCCESS : NVPTXCOMPILE_ERROR_OUT_OF_MEMORY;
}

/* There is no machine code for a virtual architecture. A word that is no option would be a file. */
static nvPTXCompileResult compile(struct nvPTXCompiler *compiler, const struct options *options)
{
    enum ptx_failure failure = PTX_OK;

    if (options->files.count > 0) {
        fprintf(options->errors, "ptxas fatal   : Unknown option '%s'\n", options->files.items[0]);
        return NVPTXCOMPILE_ERROR_COMPILATION_FAILURE;
    }
    if (strncmp(options->architecture, "compute_", 8) == 0)
        return NVPTXCOMPILE_ERROR_COMPILATION_FAILURE;
    if (is_cancelled(compiler))
        return NVPTXCOMPILE_ERROR_CANCELLED;
    if (!check_ptx(&compiler->text, NULL, options, compiler->info.stream, &failure))
        return failure == PTX_UNSUPPORTED_VERSION ? NVPTXCOMPILE_ERROR_UNSUPPORTED_PTX_VERSION
                                                  : NVPTXCOMPILE_ERROR_COMPILATION_FAILURE;
    if (is_cancelled(compiler))
        return NVPTXCOMPILE_ERROR_CANCELLED;
    return write_image(compiler, options);
}

nvPTXCompileResult nvPTXCompilerCompile(nvPTXCompilerHandle handle, int count,
                                        const char *const *words)
{
    struct options options = {0};
    nvPTXCompileResult result = NVPTXCOMPILE_ERROR_OUT_OF_MEMORY;

    if (!handle)
        return NVPTXCOMPILE_ERROR_INVALID_COMPILER_HANDLE;
    if (count < 0 || (count > 0 && !words))
        return NVPTXCOMPILE_ERROR_INVALID_INPUT;
    free(handle->image);
    handle->image = NULL;
    char **copies = calloc((size_t)count + 1, sizeof *copies);
    if (copies && open_log(&handle->errors) && open_log(&handle->info)) {
        for (int i = 0; i < count; i++)
            copies[i] = (char *)(uintptr_t)words[i]; /* which options_parse() does not change */
        result = options_parse(&options, handle->errors.stream, (size_t)count, copies)
                     ? compile(handle, &options)
                     : NVPTXCOMPILE_ERROR_COMPILATION_FAILURE;
    }
    close_log(&handle->errors);
    close_log(&handle->info);
    options_finish(&options);
    free(copies);
    return result;
}

nvPTXCompileResult nvPTXCompilerGetCompiledProgramSize(nvPTXCompilerHandle handle, size_t *bytes)
{
    if (!handle)
        return NVPTXCOMPILE_ERROR_INVALID_COMPILER_HANDLE;
    if (!bytes)
        return NVPTXCOMPILE_ERROR_INVALID_INPUT;
    if (!handle->image)
        return NVPTXCOMPILE_ERROR_COMPILER_INVOCATION_INCOMPLETE;
    *bytes = handle->image_bytes;
    return NVPTXCOMPILE_SUCCESS;
}

nvPTXCompileResult nvPTXCompilerGetCompiledProgram(nvPTXCompilerHandle handle, void *image)
{
    if (!handle)
        return NVPTXCOMPILE_ERROR_INVALID_COMPILER_HANDLE;
    if (!image)
        return NVPTXCOMPILE_ERROR_INVALID_INPUT;
    if (!handle->image)
        return NVPTXCOMPILE_ERROR_COMPILER_INVOCATION_INCOMPLETE;
    memcpy(image, handle->image, handle->image_bytes);
    return NVPTXCOMPILE_SUCCESS;
}

/* The size of a log counts its NUL; an empty log has size 0. */
static nvPTXCompileResult log_size(const struct log *log, size_t *bytes)
{
    if (!bytes)
        return NVPTXCOMPILE_ERROR_INVALID_INPUT;
    *bytes = log->length > 0 ? log->length + 1 : 0;
    return NVPTXCOMPILE_SUCCESS;
}

static nvPTXCompileResult log_text(const struct log *log, char *text)
{
    if (!text)
        return NVPTXCOMPILE_ERROR_INVALID_INPUT;
    if (log->length > 0)
        memcpy(text, log->text, log->length + 1);
    return NVPTXCOMPILE_SUCCESS;
}

nvPTXCompileResult nvPTXCompilerGetErrorLogSize(nvPTXCompilerHandle handle, size_t *bytes)
{
    return handle ? log_size(&handle->errors, bytes) : NVPTXCOMPILE_ERROR_INVALID_COMPILER_HANDLE;
}

nvPTXCompileResult nvPTXCompilerGetErrorLog(nvPTXCompilerHandle handle, char *log)
{
    return handle ? log_text(&handle->errors, log) : NVPTXCOMPILE_ERROR_INVALID_COMPILER_HANDLE;
}

nvPTXCompileResult nvPTXCompilerGetInfoLogSize(nvPTXCompilerHandle handle, size_t *bytes)
{
    return handle ? log_size(&handle->info, bytes) : NVPTXCOMPILE_ERROR_INVALID_COMPILER_HANDLE;
}

nvPTXCompileResult nvPTXCompilerGetInfoLog(nvPTXCompilerHandle handle, char *log)
{
    return handle ? log_text(&handle->info, log) : NVPTXCOMPILE_ERROR_INVALID_COMPILER_HANDLE;
}

nvPTXCompileResult nvPTXCompilerSetFlowCallback(nvPTXCompilerHandle handle,
                                                int (*callback)(void *, void *), void *payload)
{
    if (!handle)
        return NVPTXCOMPILE_ERROR_INVALID_COMPILER_HANDLE;
    if (!callback)
        return NVPTXCOMPILE_ERROR_INVALID_INPUT;
    handle->callback = callback;
    handle->payload = payload;
    return NVPTXCOMPILE_SUCCESS;
}
