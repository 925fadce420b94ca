/* SPDX-License-Identifier: MIT */
/* Fuzzes cuDNN's graphs: whatever descriptors say, they are refused, or run within the memory of
 * their tensors. An input is drawn from as numbers, and begins a sequence when it is used up. It
 * makes some tensors, whose shapes are mostly alike, operations over them, and a graph of those,
 * which runs. The table of attributes is the library's own: each attribute is mostly set to what
 * fits its row.
 *
 * Tensors lie in blocks of just their bytes, so that ASan sees what leaves them. Signals are left
 * out: a graph may wait for one for ever. */
#include <cuda.h>
#include <cudnn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum use {
    REQUIRED,
    OPTIONAL,
    READ,
    READ_OPTIONAL,
    WRITTEN,
    WRITTEN_OPTIONAL,
    EITHER,
    GIVEN,
};

struct attribute {
    int name, descriptor; /* one of them is -1 */
    int type, also, child;
    int64_t most;
    enum use use;
};

#define MANY RANK_MOST
#define CUDNN_BACKEND_ANY_DESCRIPTOR (-1)
#define DESCRIPTOR(name) {-1, CUDNN_BACKEND_##name##_DESCRIPTOR, 0, 0, 0, 0, REQUIRED},
#define ATTRIBUTE(name, first, second, most, use, wrong)                                           \
    {CUDNN_ATTR_##name, -1, CUDNN_TYPE_##first, CUDNN_TYPE_##second, -1, most, use},
#define CHILD(name, descriptor, most, use, wrong)                                                  \
    {CUDNN_ATTR_##name,                                                                            \
     -1,                                                                                           \
     CUDNN_TYPE_BACKEND_DESCRIPTOR,                                                                \
     CUDNN_TYPE_BACKEND_DESCRIPTOR,                                                                \
     CUDNN_BACKEND_##descriptor##_DESCRIPTOR,                                                      \
     most,                                                                                         \
     use},
enum { RANK_MOST = 8, TENSORS = 24, OTHERS = 64, ELEMENTS_MOST = 4096, DEPTH_MOST = 3, TRIES = 8 };
enum { PAGE_BYTES = 4096 };

static const struct attribute rows[] = {
#include "../libraries/cudnn/src/graph/attributes.def"
};

enum { ROWS = sizeof(rows) / sizeof(*rows) };

#define OPERATION(name) CUDNN_BACKEND_OPERATION_##name##_DESCRIPTOR
static const int operations[] = {
    OPERATION(CONVOLUTION_FORWARD),
    OPERATION(CONVOLUTION_BACKWARD_DATA),
    OPERATION(CONVOLUTION_BACKWARD_FILTER),
    OPERATION(POINTWISE),
    OPERATION(GEN_STATS),
    OPERATION(MATMUL),
    OPERATION(BN_FINALIZE_STATISTICS),
    OPERATION(REDUCTION),
    OPERATION(BN_BWD_WEIGHTS),
    OPERATION(RESAMPLE_FWD),
    OPERATION(RESAMPLE_BWD),
    OPERATION(CONCAT),
    OPERATION(NORM_FORWARD),
    OPERATION(NORM_BACKWARD),
    OPERATION(RESHAPE),
    OPERATION(RNG),
    OPERATION(PAGED_CACHE_LOAD),
    OPERATION(BLOCK_SCALE_QUANTIZE),
    OPERATION(BLOCK_SCALE_DEQUANTIZE),
    OPERATION(SDPA_FWD),
    OPERATION(MOE_GROUPED_MATMUL),
    OPERATION(SDPA_BWD),
};
enum { OPERATIONS = sizeof(operations) / sizeof(*operations) };

struct tensor {
    cudnnBackendDescriptor_t descriptor;
    int64_t uid;
    size_t bytes;
    void *memory; /* NULL: virtual */
    bool is_integer, is_written;
};

struct program {
    const uint8_t *bytes;
    size_t left;
    uint64_t state;
    int rank;
    int64_t dims[RANK_MOST]; /* of most tensors */
    struct tensor tensors[TENSORS];
    int tensor_count;
    cudnnBackendDescriptor_t others[OTHERS];
    int other_count;
};

static cudnnHandle_t handle;

static uint64_t bits(struct program *program)
{
    uint64_t byte = program->left ? *program->bytes : 0;

    program->bytes += program->left ? 1 : 0;
    program->left -= program->left ? 1 : 0;
    program->state ^= byte * UINT64_C(0xff51afd7ed558ccd);
    program->state += program->state ? 0 : 1;
    program->state ^= program->state << 13;
    program->state ^= program->state >> 7;
    program->state ^= program->state << 17;
    return program->state * UINT64_C(0x2545f4914f6cdd1d) >> 24;
}

static int below(struct program *program, int limit)
{
    return (int)(bits(program) % (uint64_t)limit);
}

/* True once in so many times. */
static bool rarely(struct program *program, int times)
{
    return below(program, times) == 0;
}

static int64_t number(struct program *program)
{
    static const int64_t odd[] = {-1, 0, 5, 7, 64, 1 << 20, INT32_MAX, INT64_MAX, INT64_MIN};

    if (rarely(program, 40))
        return odd[below(program, sizeof(odd) / sizeof(*odd))];
    return rarely(program, 3) ? below(program, 4) : 1;
}

static size_t bytes_of_type(int type)
{
    switch (type) {
    case CUDNN_DATA_COMPLEX_FP64:
        return 16;
    case CUDNN_DATA_DOUBLE:
    case CUDNN_DATA_INT64:
    case CUDNN_DATA_COMPLEX_FP32:
        return 8;
    case CUDNN_DATA_FLOAT:
    case CUDNN_DATA_INT32:
    case CUDNN_DATA_UINT32:
    case CUDNN_DATA_FAST_FLOAT_FOR_FP8:
        return 4;
    case CUDNN_DATA_HALF:
    case CUDNN_DATA_BFLOAT16:
        return 2;
    default:
        return 1;
    }
}

static void set(cudnnBackendDescriptor_t descriptor, int name, int type, int64_t count,
                const void *elements)
{
    cudnnBackendSetAttribute(descriptor, (cudnnBackendAttributeName_t)name,
                             (cudnnBackendAttributeType_t)type, count, elements);
}

static void draw_dims(struct program *program, int rank, int64_t *dims)
{
    for (int i = 0; i < rank; i++) {
        dims[i] = i < program->rank ? program->dims[i] : 1;
        if (rarely(program, 6))
            dims[i] = 1;
        if (rarely(program, 24))
            dims[i] = below(program, 9);
    }
}

static void draw_strides(struct program *program, int rank, const int64_t *dims, int64_t *strides)
{
    int64_t step = 1;
    int kind = below(program, 12);

    for (int k = rank - 1; k >= 0; k--) {
        /* Kind 0: channels last. */
        int i = kind || rank < 3 ? k : k == rank - 1 ? 1 : k ? k + 1 : 0;

        strides[i] = step;
        step *= dims[i] ? dims[i] : 1;
        if (kind == 1)
            step += below(program, 3);
        if (kind == 2 && rarely(program, 2))
            strides[i] = 0;
        if (kind == 3)
            strides[i] = below(program, 20);
    }
}

static int draw_type(struct program *program)
{
    static const int usual[] = {CUDNN_DATA_FLOAT, CUDNN_DATA_HALF, CUDNN_DATA_BFLOAT16,
                                CUDNN_DATA_FLOAT};

    return rarely(program, 3) ? below(program, 20)
                              : usual[below(program, sizeof(usual) / sizeof(*usual))];
}

static bool is_integer(int type)
{
    return type == CUDNN_DATA_INT32 || type == CUDNN_DATA_INT64 || type == CUDNN_DATA_UINT32 ||
           type == CUDNN_DATA_INT8 || type == CUDNN_DATA_UINT8;
}

/* Indices in memory are the program's own promise: they are 0. */
static void give_memory(struct program *program, struct tensor *tensor)
{
    uint8_t *memory;
    void *block;

    if (posix_memalign(&block, PAGE_BYTES, tensor->bytes ? tensor->bytes : 1))
        abort();
    memory = block;
    for (size_t i = 0; i < tensor->bytes; i++)
        memory[i] = tensor->is_integer ? 0 : (uint8_t)bits(program);
    if (cuMemHostRegister(memory, tensor->bytes ? tensor->bytes : 1, 0) != CUDA_SUCCESS)
        abort();
    tensor->memory = memory;
}

static struct tensor *make_tensor(struct program *program)
{
    int64_t dims[RANK_MOST], strides[RANK_MOST], alignment = rarely(program, 30) ? 3 : 16;
    int rank = rarely(program, 16) ? 1 + below(program, RANK_MOST) : program->rank;
    int type = draw_type(program);
    int64_t span = 1, count = 1, vector = rarely(program, 30) ? 4 : 1, axis = below(program, 4);
    char is_virtual = rarely(program, 3), by_value = rarely(program, 20);
    struct tensor *tensor = &program->tensors[program->tensor_count];

    draw_dims(program, rank, dims);
    draw_strides(program, rank, dims, strides);
    for (int i = 0; i < rank; i++) {
        span += dims[i] ? (dims[i] - 1) * strides[i] : 0;
        count *= dims[i];
    }
    if (count > ELEMENTS_MOST || span > 16 * ELEMENTS_MOST || program->tensor_count == TENSORS)
        return NULL;
    program->tensor_count++;
    *tensor = (struct tensor){.uid = rarely(program, 60) ? 3 : program->tensor_count,
                              .is_integer = is_integer(type),
                              .bytes = count ? (size_t)(span * vector) * bytes_of_type(type) : 0};
    cudnnBackendCreateDescriptor(CUDNN_BACKEND_TENSOR_DESCRIPTOR, &tensor->descriptor);
    set(tensor->descriptor, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 1, &tensor->uid);
    set(tensor->descriptor, CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &type);
    set(tensor->descriptor, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, rank, dims);
    set(tensor->descriptor, CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, rank, strides);
    set(tensor->descriptor, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, 1, &alignment);
    set(tensor->descriptor, CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, 1, &is_virtual);
    set(tensor->descriptor, CUDNN_ATTR_TENSOR_IS_BY_VALUE, CUDNN_TYPE_BOOLEAN, 1, &by_value);
    if (vector > 1) {
        set(tensor->descriptor, CUDNN_ATTR_TENSOR_VECTOR_COUNT, CUDNN_TYPE_INT64, 1, &vector);
        set(tensor->descriptor, CUDNN_ATTR_TENSOR_VECTORIZED_DIMENSION, CUDNN_TYPE_INT64, 1, &axis);
    }
    cudnnBackendFinalize(tensor->descriptor);
    if (!is_virtual)
        give_memory(program, tensor);
    return tensor;
}

/* A tensor that there is; one to write is mostly new. */
static cudnnBackendDescriptor_t draw_tensor(struct program *program, bool written)
{
    struct tensor *tensor = NULL;

    if (program->tensor_count < 4 || (written && !rarely(program, 8)))
        tensor = make_tensor(program);
    if (!tensor && program->tensor_count)
        tensor = &program->tensors[below(program, program->tensor_count)];
    return tensor ? tensor->descriptor : NULL;
}

static cudnnBackendDescriptor_t make(struct program *program, int type, int depth,
                                     cudnnStatus_t *status);

static cudnnBackendDescriptor_t draw_child(struct program *program, const struct attribute *row,
                                           int depth)
{
    bool written = row->use == WRITTEN || row->use == WRITTEN_OPTIONAL;
    cudnnStatus_t status;

    if (rarely(program, 60))
        return NULL;
    if (program->other_count && rarely(program, 60))
        return program->others[below(program, program->other_count)];
    if (row->child == CUDNN_BACKEND_TENSOR_DESCRIPTOR)
        return draw_tensor(program, written);
    return row->child < 0 ? NULL : make(program, row->child, depth + 1, &status);
}

/* The elements of an attribute: as many as a shape has, or so many as there may be. */
static int64_t draw_count(struct program *program, const struct attribute *row)
{
    int64_t count =
        row->child >= 0 || rarely(program, 20) ? 1 + below(program, RANK_MOST) : program->rank - 2;

    return count > row->most && !rarely(program, 100) ? row->most : count;
}

static int64_t draw_integer(struct program *program, const struct attribute *row)
{
    bool counts_dims = row->name == CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS ||
                       row->name == CUDNN_ATTR_RESAMPLE_SPATIAL_DIMS;

    return counts_dims && !rarely(program, 30) ? program->rank - 2 : number(program);
}

static int32_t draw_enumerator(struct program *program, const struct attribute *row)
{
    if (row->type == CUDNN_TYPE_DATA_TYPE && !rarely(program, 8))
        return CUDNN_DATA_FLOAT;
    if (row->name == CUDNN_ATTR_POINTWISE_MODE && rarely(program, 2))
        return (1 + below(program, 6)) * 100 + below(program, 8);
    return row->name == CUDNN_ATTR_POINTWISE_MODE || rarely(program, 16) ? below(program, 24)
                                                                         : below(program, 3);
}

union element {
    int64_t wide;
    int32_t narrow;
    float single;
    double real;
    char flag;
    void *pointer;
    cudnnFraction_t fraction;
};

static union element draw_element(struct program *program, const struct attribute *row, int type,
                                  int depth)
{
    switch (type) {
    case CUDNN_TYPE_BACKEND_DESCRIPTOR:
        return (union element){.pointer = draw_child(program, row, depth)};
    case CUDNN_TYPE_INT64:
        return (union element){.wide = draw_integer(program, row)};
    case CUDNN_TYPE_FRACTION:
        return (union element){.fraction = {number(program), number(program)}};
    case CUDNN_TYPE_FLOAT:
        return (union element){.single = (float)number(program) / 2};
    case CUDNN_TYPE_DOUBLE:
        return (union element){.real = (double)number(program) / 2};
    case CUDNN_TYPE_BOOLEAN:
    case CUDNN_TYPE_CHAR:
        return (union element){.flag = (char)below(program, 2)};
    case CUDNN_TYPE_HANDLE:
        return (union element){.pointer = handle};
    case CUDNN_TYPE_VOID_PTR:
        return (union element){.pointer = NULL};
    default:
        return (union element){.narrow = draw_enumerator(program, row)};
    }
}

static size_t bytes_of_element(int type)
{
    switch (type) {
    case CUDNN_TYPE_FRACTION:
        return sizeof(cudnnFraction_t);
    case CUDNN_TYPE_BOOLEAN:
    case CUDNN_TYPE_CHAR:
        return 1;
    case CUDNN_TYPE_BACKEND_DESCRIPTOR:
    case CUDNN_TYPE_INT64:
    case CUDNN_TYPE_DOUBLE:
    case CUDNN_TYPE_HANDLE:
    case CUDNN_TYPE_VOID_PTR:
        return 8;
    default:
        return 4;
    }
}

static void set_row(struct program *program, cudnnBackendDescriptor_t owner,
                    const struct attribute *row, int depth)
{
    union element elements[RANK_MOST];
    int type = rarely(program, 5) ? row->also : row->type;
    int64_t count = draw_count(program, row);
    size_t bytes = bytes_of_element(type);

    for (int64_t i = 0; i < count; i++) {
        union element element = draw_element(program, row, type, depth);

        memcpy((char *)elements + (size_t)i * bytes, &element, bytes);
    }
    set(owner, row->name, type, count, elements);
}

/* A descriptor with what its rows say, or with less, and how it was finalised. */
static cudnnBackendDescriptor_t make(struct program *program, int type, int depth,
                                     cudnnStatus_t *status)
{
    cudnnBackendDescriptor_t made = NULL;
    bool own = false;

    *status = CUDNN_STATUS_NOT_INITIALIZED;
    if (depth > DEPTH_MOST || program->other_count == OTHERS ||
        cudnnBackendCreateDescriptor((cudnnBackendDescriptorType_t)type, &made))
        return NULL;
    program->others[program->other_count++] = made;
    for (int i = 0; i < ROWS; i++) {
        if (rows[i].name < 0) {
            own = rows[i].descriptor == type;
            continue;
        }
        if (!own || rows[i].use == GIVEN)
            continue;
        if (rows[i].use == REQUIRED || rows[i].use == READ || rows[i].use == WRITTEN
                ? !rarely(program, 60)
                : rarely(program, 2))
            set_row(program, made, &rows[i], depth);
    }
    *status = cudnnBackendFinalize(made);
    return made;
}

static cudnnBackendDescriptor_t make_operation(struct program *program)
{
    cudnnStatus_t status = CUDNN_STATUS_NOT_INITIALIZED;
    cudnnBackendDescriptor_t made = NULL;

    for (int i = 0; i < TRIES && status != CUDNN_STATUS_SUCCESS; i++)
        made = make(program, operations[below(program, OPERATIONS)], 0, &status);
    return made;
}

static cudnnBackendDescriptor_t make_graph(struct program *program)
{
    cudnnBackendDescriptor_t made[4], graph = NULL;
    int64_t count = 1 + (rarely(program, 2) ? below(program, 4) : 0);

    for (int i = 0; i < count; i++)
        made[i] = make_operation(program);
    cudnnBackendCreateDescriptor(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR, &graph);
    set(graph, CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, 1, &handle);
    set(graph, CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR, count, made);
    if (cudnnBackendFinalize(graph) == CUDNN_STATUS_SUCCESS)
        return graph;
    cudnnBackendDestroyDescriptor(graph);
    return NULL;
}

static cudnnBackendDescriptor_t make_plan(cudnnBackendDescriptor_t graph)
{
    cudnnBackendDescriptor_t engine = NULL, config = NULL, plan = NULL;
    const int64_t index = 0;

    cudnnBackendCreateDescriptor(CUDNN_BACKEND_ENGINE_DESCRIPTOR, &engine);
    cudnnBackendCreateDescriptor(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, &config);
    cudnnBackendCreateDescriptor(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR, &plan);
    set(engine, CUDNN_ATTR_ENGINE_OPERATION_GRAPH, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &graph);
    set(engine, CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, 1, &index);
    cudnnBackendFinalize(engine);
    set(config, CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &engine);
    cudnnBackendFinalize(config);
    set(plan, CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, 1, &handle);
    set(plan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &config);
    cudnnBackendFinalize(plan);
    cudnnBackendDestroyDescriptor(engine);
    cudnnBackendDestroyDescriptor(config);
    return plan;
}

static void open_handle(void)
{
    CUdevice device;
    CUcontext context;

    if (cuInit(0) || cuDeviceGet(&device, 0) || cuDevicePrimaryCtxRetain(&context, device) ||
        cuCtxSetCurrent(context) || cudnnCreate(&handle))
        abort();
}

/* Of tensors with the same unique id, the largest gives its memory. */
static bool gives_memory(const struct program *program, int index)
{
    const struct tensor *tensor = &program->tensors[index];

    for (int i = 0; i < program->tensor_count && tensor->memory; i++) {
        const struct tensor *other = &program->tensors[i];

        if (other->memory && other->uid == tensor->uid &&
            (other->bytes > tensor->bytes || (other->bytes == tensor->bytes && i < index)))
            return false;
    }
    return tensor->memory != NULL;
}

static void execute(struct program *program, cudnnBackendDescriptor_t plan)
{
    cudnnBackendDescriptor_t pack = NULL;
    int64_t uids[TENSORS], count = 0;
    void *pointers[TENSORS];

    for (int i = 0; i < program->tensor_count; i++) {
        if (!gives_memory(program, i) || rarely(program, 200))
            continue;
        uids[count] = program->tensors[i].uid;
        pointers[count++] = program->tensors[i].memory;
    }
    cudnnBackendCreateDescriptor(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR, &pack);
    set(pack, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, count, uids);
    set(pack, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, count, pointers);
    cudnnBackendFinalize(pack);
    cudnnBackendExecute(handle, plan, pack);
    cudnnBackendDestroyDescriptor(pack);
}

static void finish(struct program *program)
{
    for (int i = 0; i < program->other_count; i++)
        cudnnBackendDestroyDescriptor(program->others[i]);
    for (int i = 0; i < program->tensor_count; i++) {
        cudnnBackendDestroyDescriptor(program->tensors[i].descriptor);
        if (program->tensors[i].memory)
            cuMemHostUnregister(program->tensors[i].memory);
        free(program->tensors[i].memory);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct program program = {.bytes = data, .left = size, .state = 0x9e3779b97f4a7c15};
    cudnnBackendDescriptor_t graph, plan;

    if (!handle)
        open_handle();
    program.rank = 3 + below(&program, 3);
    for (int i = 0, all = 1 + below(&program, 4); i < program.rank; i++)
        program.dims[i] = rarely(&program, 3) ? 1 + below(&program, 8) : all;
    graph = make_graph(&program);
    if (graph) {
        plan = make_plan(graph);
        execute(&program, plan);
        cudnnBackendDestroyDescriptor(plan);
        cudnnBackendDestroyDescriptor(graph);
    }
    if (cuCtxSynchronize() != CUDA_SUCCESS)
        abort(); /* what cannot run is refused before */
    finish(&program);
    return 0;
}
