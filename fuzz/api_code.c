/* SPDX-License-Identifier: MIT */
/* Calls that bring code into the driver and run it: modules, libraries, linking, launches. Texts
 * are good but for a byte now and then. Kernels get addresses they may use, or such as nobody has:
 * what a kernel writes to the driver's own memory is the program's word. */
#include "api_calls.h"

#include "../tests/api/kernels.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A kernel that uses images. */
static const char ptx_images[] =
    PTX_HEAD ".visible .global .texref picture;\n"
             ".visible .global .surfref canvas;\n"
             ".visible .entry fill(.param .u64 out, .param .u32 value, .param .u32 count)\n"
             "{\n"
             "    .reg .b32 %r<8>;\n"
             "    .reg .b64 %rd<3>;\n"
             "    .shared .align 4 .b32 all[32];\n"
             "    ld.param.u64 %rd1, [out];\n"
             "    mov.u32 %r1, %tid.x;\n"
             "    and.b32 %r1, %r1, 15;\n"
             "    tex.2d.v4.u32.s32 {%r2, %r3, %r4, %r5}, [picture, {%r1, %r1}];\n"
             "    bar.sync 0;\n"
             "    sust.b.2d.b32.zero [canvas, {%r1, %r1}], %r2;\n"
             "    mul.wide.u32 %rd2, %r1, 4;\n"
             "    add.s64 %rd2, %rd1, %rd2;\n"
             "    st.global.u32 [%rd2], %r2;\n"
             "    ret;\n"
             "}\n";

static const char *const texts[] = {ptx_fill, ptx_variables, ptx_images, ptx_caller, ptx_callee};
enum { TEXTS = sizeof(texts) / sizeof(texts[0]), OPTIONS = 4, LOG_BYTES = 256 };

/* Options of a compilation that the program vouches for: buffers are there. */
struct options {
    CUjit_option names[OPTIONS];
    void *values[OPTIONS];
    unsigned count;
    char log[LOG_BYTES];
};

static void draw_options(struct draw *draw, struct options *options)
{
    options->count = draw_below(draw, 3) ? 0 : draw_below(draw, OPTIONS + 1);
    for (unsigned i = 0; i < options->count; i++) {
        options->names[i] = (CUjit_option)draw_below(draw, 34);
        options->values[i] = (void *)(uintptr_t)draw_number(draw);
        if (options->names[i] == CU_JIT_INFO_LOG_BUFFER ||
            options->names[i] == CU_JIT_ERROR_LOG_BUFFER)
            options->values[i] = options->log;
        if (options->names[i] == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES ||
            options->names[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
            options->values[i] = (void *)(uintptr_t)draw_below(draw, LOG_BYTES + 1);
        if (options->names[i] == CU_JIT_GLOBAL_SYMBOL_NAMES ||
            options->names[i] == CU_JIT_GLOBAL_SYMBOL_ADDRESSES ||
            options->names[i] == CU_JIT_GLOBAL_SYMBOL_COUNT ||
            (int)options->names[i] > CU_JIT_GLOBAL_SYMBOL_COUNT)
            options->names[i] = CU_JIT_OPTIMIZATION_LEVEL; /* no arrays */
    }
}

static char *draw_text(struct draw *draw)
{
    char *text = strdup(texts[draw_below(draw, TEXTS)]);

    if (!text)
        abort();
    if (draw_below(draw, 4) == 0)
        text[draw_below(draw, (unsigned)strlen(text))] = (char)draw_bits(draw);
    return text;
}

/* The text in a file of its own. */
static void write_text(const char *text, char path[64])
{
    strcpy(path, "/tmp/fuzz-XXXXXX");
    int fd = mkstemp(path);

    if (fd < 0 || write(fd, text, strlen(text)) < 0)
        abort();
    close(fd);
}

static CUresult load_module(struct draw *draw)
{
    char *text = draw_text(draw), path[64] = "";
    struct options options;
    CUmodule module;
    CUresult result;

    draw_options(draw, &options);
    switch (draw_below(draw, 4)) {
    case 0:
        result = cuModuleLoadDataEx(&module, text, options.count, options.names, options.values);
        break;
    case 1:
        result = cuModuleLoadFatBinary(&module, text);
        break;
    case 2:
        write_text(text, path);
        result = cuModuleLoad(&module, path);
        unlink(path);
        break;
    default:
        result = cuModuleLoadData(&module, text);
    }
    if (result == CUDA_SUCCESS)
        keep(draw, KIND_CUmodule, (uintptr_t)module);
    free(text);
    return result;
}

static CUresult load_library(struct draw *draw)
{
    char *text = draw_text(draw), path[64] = "";
    CUlibraryOption names[1] = {(CUlibraryOption)draw_below(draw, 3)};
    void *values[1] = {(void *)(uintptr_t)draw_number(draw)};
    unsigned count =
        names[0] == CU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE ? 0 : draw_below(draw, 2);
    struct options options;
    CUlibrary library;
    CUkernel kernel;
    CUresult result;

    draw_options(draw, &options);
    if (draw_below(draw, 2)) {
        result = cuLibraryLoadData(&library, text, options.names, options.values, options.count,
                                   names, values, count);
    } else {
        write_text(text, path);
        result = cuLibraryLoadFromFile(&library, path, options.names, options.values, options.count,
                                       names, values, count);
        unlink(path);
    }
    free(text);
    if (result != CUDA_SUCCESS)
        return result;
    keep(draw, KIND_CUlibrary, (uintptr_t)library);
    result = cuLibraryGetKernel(&kernel, library, "fill");
    if (result == CUDA_SUCCESS)
        keep(draw, KIND_CUkernel, (uintptr_t)kernel);
    return result;
}

/* A link of a few texts, each step of which may be wrong, and what comes out as a module. */
static CUresult link_texts(struct draw *draw)
{
    struct options *options = calloc(1, sizeof(*options)); /* the link writes there until it ends */
    char *text, path[64];
    CUlinkState state;
    CUmodule module;
    size_t bytes;
    void *image;
    CUresult result;

    if (!options)
        abort();
    draw_options(draw, options);
    result = draw_below(draw, 2)
                 ? cuLinkCreate_v2(options->count, options->names, options->values, &state)
                 : cuLinkCreate(options->count, options->names, options->values, &state);
    if (result != CUDA_SUCCESS) {
        free(options);
        return result;
    }
    for (unsigned parts = draw_below(draw, 4); parts > 0; parts--) {
        CUjitInputType type =
            draw_below(draw, 8) ? CU_JIT_INPUT_PTX : (CUjitInputType)draw_below(draw, 7);

        text = draw_text(draw);
        bytes = strlen(text) + draw_below(draw, 2);
        switch (draw_below(draw, 4)) {
        case 0:
            write_text(text, path);
            cuLinkAddFile_v2(state, type, path, 0, NULL, NULL);
            unlink(path);
            break;
        case 1:
            write_text(text, path);
            cuLinkAddFile(state, type, path, 0, NULL, NULL);
            unlink(path);
            break;
        case 2:
            cuLinkAddData(state, type, text, bytes, draw_string(draw), 0, NULL, NULL);
            break;
        default:
            cuLinkAddData_v2(state, type, text, bytes, draw_string(draw), 0, NULL, NULL);
        }
        free(text);
    }
    result = cuLinkComplete(state, &image, &bytes);
    /* The image ends with the context, too, which another thread may end. */
    if (result == CUDA_SUCCESS && draw_is_alone && cuModuleLoadData(&module, image) == CUDA_SUCCESS)
        keep(draw, KIND_CUmodule, (uintptr_t)module);
    keep(draw, KIND_CUlinkState, (uintptr_t)state); /* now others may end it */
    if (draw_below(draw, 2))
        cuLinkDestroy(state);
    return result;
}

/* One that may be destroyed, complete or nothing at all. */
static CUresult link_wrongly(struct draw *draw)
{
    CUlinkState state = draw_handle(draw, KIND_CUlinkState);
    void *image;
    size_t bytes;

    switch (draw_below(draw, 3)) {
    case 0:
        return cuLinkComplete(state, &image, &bytes);
    case 1:
        return cuLinkAddData_v2(state, CU_JIT_INPUT_PTX, (void *)(uintptr_t)ptx_fill,
                                sizeof(ptx_fill), NULL, 0, NULL, NULL);
    default:
        return cuLinkDestroy(state);
    }
}

/* What a kernel of ours may write 4096 bytes to, or what nobody has. */
static CUdeviceptr draw_target(struct draw *draw, CUdeviceptr good)
{
    switch (draw_below(draw, 64)) { /* seldom: the device is lost then */
    case 0:
        return 0;
    case 1:
        return draw_bits(draw) | UINT64_C(1) << 63;
    default:
        return good;
    }
}

CUfunction api_draw_kernel(struct draw *draw)
{
    static const char *const names[] = {"fill", "fill", "nothing", "increment", "ask"};
    CUfunction function = NULL;

    if (draw_below(draw, 4) == 0) /* kernels of libraries are functions, too */
        return draw_handle(draw, KIND_CUkernel);
    if (cuModuleGetFunction(&function, draw_handle(draw, KIND_CUmodule),
                            names[draw_below(draw, 5)]) == CUDA_SUCCESS) {
        keep(draw, KIND_CUfunction, (uintptr_t)function);
        return function;
    }
    return draw_handle(draw, KIND_CUfunction);
}

static void draw_attributes(struct draw *draw, CUlaunchAttribute *attributes, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        CUlaunchAttribute *one = &attributes[i];

        memset(one, 0, sizeof(*one));
        one->id = (CUlaunchAttributeID)draw_below(draw, 20);
        switch (one->id) {
        case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT:
        case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT:
            one->value.programmaticEvent.event = draw_handle(draw, KIND_CUevent);
            break;
        case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
        case CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION:
            one->value.clusterDim.x = (unsigned)draw_number(draw);
            one->value.clusterDim.y = 1;
            one->value.clusterDim.z = 1;
            break;
        default:
            one->value.cooperative = (int)draw_number(draw);
        }
    }
}

static CUresult launch(struct draw *draw)
{
    enum { ATTRIBUTES = 3 };
    CUlaunchAttribute attributes[ATTRIBUTES];
    CUfunction function = api_draw_kernel(draw);
    CUstream stream = draw_handle(draw, KIND_CUstream);
    CUdeviceptr memory, target;
    unsigned value = 7, count = 16, grid = (unsigned)draw_number(draw),
             block = draw_below(draw, 2) ? 32 + draw_below(draw, 2) : (unsigned)draw_size(draw);
    CUresult result = cuMemAlloc_v2(&memory, 4096);
    void *arguments[] = {&target, &value, &count};
    CUlaunchConfig config = {.gridDimX = grid,
                             .gridDimY = 1,
                             .gridDimZ = 1,
                             .blockDimX = block,
                             .blockDimY = 1,
                             .blockDimZ = 1,
                             .hStream = stream,
                             .attrs = attributes,
                             .numAttrs = draw_below(draw, ATTRIBUTES + 1)};
    CUDA_LAUNCH_PARAMS parameters = {function, grid, 1, 1, block, 1, 1, 0, stream, arguments};
    int clusters;

    if (result != CUDA_SUCCESS)
        return result;
    target = draw_target(draw, memory);
    draw_attributes(draw, attributes, ATTRIBUTES);
    switch (draw_below(draw, 10)) {
    case 0:
        result = cuLaunchKernelEx(&config, function, arguments, NULL);
        break;
    case 1:
        result = cuLaunchKernelEx_ptsz(&config, function, arguments, NULL);
        break;
    case 2:
        result = cuLaunchCooperativeKernel(function, grid, 1, 1, block, 1, 1, 0, stream, arguments);
        break;
    case 3:
        result =
            cuLaunchCooperativeKernel_ptsz(function, grid, 1, 1, block, 1, 1, 0, stream, arguments);
        break;
    case 4:
        result = cuLaunchCooperativeKernelMultiDevice(&parameters, 1, (unsigned)draw_number(draw));
        break;
    case 5:
        result = cuLaunchKernel_ptsz(function, grid, 1, 1, block, 1, 1, (unsigned)draw_size(draw),
                                     stream, arguments, NULL);
        break;
    case 6:
        result = draw_below(draw, 2)
                     ? cuOccupancyMaxActiveClusters(&clusters, function, &config)
                     : cuOccupancyMaxPotentialClusterSize(&clusters, function, &config);
        break;
    default:
        result = cuLaunchKernel(function, grid, 1, 1, block, 1, 1, 0, stream, arguments, NULL);
    }
    cuMemFree_v2(memory);
    return result;
}

/* Launches as they once were: parameters are set at the function, one by one. */
static CUresult launch_as_once(struct draw *draw)
{
    CUfunction function = api_draw_kernel(draw);
    CUdeviceptr memory, target;
    CUresult result = cuMemAlloc_v2(&memory, 4096);

    if (result != CUDA_SUCCESS)
        return result;
    target = draw_target(draw, memory);
    cuParamSetSize(function, draw_below(draw, 4) ? 16 : (unsigned)draw_number(draw));
    cuParamSetv(function, 0, &target, sizeof(target));
    cuParamSetv(function, (int)(8 + draw_number(draw)), draw_struct(draw), draw_below(draw, 64));
    cuParamSeti(function, 8 + (int)draw_number(draw), 7);
    cuParamSetf(function, 8 + (int)draw_number(draw), 7);
    cuParamSeti(function, 12, 16);
    if (draw_below(draw, 4) == 0)
        cuParamSetTexRef(function, CU_PARAM_TR_DEFAULT, draw_handle(draw, KIND_CUtexref));
    cuFuncSetBlockShape(function, 32, 1, 1);
    switch (draw_below(draw, 3)) {
    case 0:
        result = cuLaunch(function);
        break;
    case 1:
        result = cuLaunchGrid(function, (int)draw_number(draw), 1);
        break;
    default:
        result = cuLaunchGridAsync(function, (int)draw_number(draw), 1,
                                   draw_handle(draw, KIND_CUstream));
    }
    cuMemFree_v2(memory);
    return result;
}

static size_t CUDA_CB shared_bytes_of(int block)
{
    return (size_t)block * 4;
}

static CUresult ask_occupancy(struct draw *draw)
{
    CUfunction function = api_draw_kernel(draw);
    CUoccupancyB2DSize sizes = draw_below(draw, 2) ? shared_bytes_of : NULL;
    int grid, block, limit = (int)draw_number(draw) * 16;

    if (draw_below(draw, 2))
        return cuOccupancyMaxPotentialBlockSize(&grid, &block, function, sizes,
                                                (size_t)draw_size(draw), limit);
    return cuOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, function, sizes,
                                                     (size_t)draw_size(draw), limit,
                                                     (unsigned)draw_number(draw));
}

const struct call code_calls[] = {
    {"module", load_module},
    {"library", load_library},
    {"link", link_texts},
    {"link wrongly", link_wrongly},
    {"launch", launch},
    {"launch", launch},
    {"launch as once", launch_as_once},
    {"occupancy", ask_occupancy},
};
const unsigned code_call_count = sizeof(code_calls) / sizeof(code_calls[0]);
