/* SPDX-License-Identifier: MIT */
/* oneDNN chooses the layouts in which it is fast; tensors that lie otherwise are reordered on the
 * way in and out. Its descriptions are structures of a fixed size that only its own functions look
 * into. It keeps the primitives that it has made, so that the same convolution is planned once. */
#include "onednn.h"

#include "backend.h"
#include "scratch.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* DESCRIPTION_BYTES is the size of oneDNN's own structure. */
enum { DESCRIPTION_BYTES = 696 };
enum {
    CHANNELS_OF_VECTOR = 16,
    DIMS = 12,
    CPU = 1,
    FORWARD = 64,
    DIRECT = 1,
    ANY = 1,
    SUCCESS = 0,
    DEFAULT_FLAGS = 1
};
enum { QUERY_SRC = 129, QUERY_WEIGHTS = 131, QUERY_DST = 133, QUERY_DIFF = 1 };
enum { ARG_SRC = 1, ARG_DST = 17, ARG_WEIGHTS = 33, ARG_DIFF = 128 };

/* As large as oneDNN's and larger. */
struct description {
    _Alignas(16) char bytes[1024];
};
struct convolution {
    _Alignas(16) char bytes[8192];
};
struct argument {
    int kind;
    void *memory;
};

/* The functions, with every handle as void *. */
static struct {
    int (*engine_create)(void **engine, int kind, size_t index);
    int (*stream_create)(void **stream, void *engine, unsigned flags);
    int (*stream_wait)(void *stream);
    int (*stream_destroy)(void *stream);
    int (*memory_desc_init_by_strides)(struct description *, int rank, const int64_t *dims,
                                       int type, const int64_t *strides);
    int (*memory_desc_init_by_tag)(struct description *, int rank, const int64_t *dims, int type,
                                   int tag);
    size_t (*memory_desc_get_size)(const struct description *);
    int (*memory_desc_equal)(const struct description *, const struct description *);
    int (*memory_create)(void **memory, const struct description *, void *engine, void *address);
    int (*memory_destroy)(void *memory);
    int (*dilated_convolution_forward_desc_init)(struct convolution *, int kind, int algorithm,
                                                 const struct description *src,
                                                 const struct description *weights,
                                                 const struct description *bias,
                                                 const struct description *dst,
                                                 const int64_t *strides, const int64_t *dilates,
                                                 const int64_t *before, const int64_t *after);
    int (*dilated_convolution_backward_data_desc_init)(
        struct convolution *, int algorithm, const struct description *src,
        const struct description *weights, const struct description *dst, const int64_t *strides,
        const int64_t *dilates, const int64_t *before, const int64_t *after);
    int (*dilated_convolution_backward_weights_desc_init)(
        struct convolution *, int algorithm, const struct description *src,
        const struct description *weights, const struct description *bias,
        const struct description *dst, const int64_t *strides, const int64_t *dilates,
        const int64_t *before, const int64_t *after);
    int (*primitive_desc_create)(void **plan, const void *operation, const void *attributes,
                                 void *engine, const void *hint);
    int (*primitive_desc_destroy)(void *plan);
    const struct description *(*primitive_desc_query_md)(const void *plan, int what, int index);
    int (*primitive_create)(void **primitive, const void *plan);
    int (*primitive_execute)(const void *primitive, void *stream, int count,
                             const struct argument *arguments);
    int (*primitive_destroy)(void *primitive);
    int (*reorder_primitive_desc_create)(void **plan, const struct description *from,
                                         void *from_engine, const struct description *to,
                                         void *to_engine, const void *attributes);
} dnnl;

static void *engine; /* NULL: oneDNN is missing */

#define NAME(field)                                                                                \
    {                                                                                              \
        "dnnl_" #field, (void **)&dnnl.field                                                       \
    }
static const struct {
    const char *name;
    void **place;
} names[] = {
    NAME(engine_create),
    NAME(stream_create),
    NAME(stream_wait),
    NAME(stream_destroy),
    NAME(memory_desc_init_by_strides),
    NAME(memory_desc_init_by_tag),
    NAME(memory_desc_get_size),
    NAME(memory_desc_equal),
    NAME(memory_create),
    NAME(memory_destroy),
    NAME(dilated_convolution_forward_desc_init),
    NAME(dilated_convolution_backward_data_desc_init),
    NAME(dilated_convolution_backward_weights_desc_init),
    NAME(primitive_desc_create),
    NAME(primitive_desc_destroy),
    NAME(primitive_desc_query_md),
    NAME(primitive_create),
    NAME(primitive_execute),
    NAME(primitive_destroy),
    NAME(reorder_primitive_desc_create),
};

static const char *const files[] = {"libdnnl.so.2", "../libdnnl.so.2", NULL};
/* OpenMP's threads spin after work: for longer than a tenth of a millisecond they would take
 * processors from the work that follows. */
static const struct lib_backend_setting settings[] = {{"GOMP_SPINCOUNT", "2000"}, {NULL, NULL}};
static const struct lib_backend backend = {
    .name = "oneDNN", .variable = "CUPIPE_ONEDNN", .files = files, .settings = settings};

static void load(void)
{
    void *library = lib_backend_load(&backend);

    if (!library)
        return;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        *names[i].place = dlsym(library, names[i].name);
        if (!*names[i].place)
            return;
    }
    if (dnnl.engine_create(&engine, CPU, 0) != SUCCESS)
        engine = NULL;
}

static bool is_there(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, load);
    return engine != NULL;
}

/* oneDNN's number of a type; 0: none. */
static int type_of(cudnnDataType_t type)
{
    switch ((int)type) {
    case CUDNN_DATA_HALF:
        return 1;
    case CUDNN_DATA_BFLOAT16:
        return 2;
    case CUDNN_DATA_FLOAT:
        return 3;
    case CUDNN_DATA_INT32:
        return 4;
    case CUDNN_DATA_INT8:
        return 5;
    case CUDNN_DATA_UINT8:
        return 6;
    default:
        return 0;
    }
}

/* A tensor of the program, and the memory in which oneDNN wants it. */
struct operand {
    const struct dnn_tensor *tensor;
    struct description own, wanted;
    void *own_memory, *memory; /* oneDNN's objects; the same if no reorder is needed */
    void *buffer;              /* of `memory` */
};

/* Groups are a dimension of weights of their own. */
static bool describe(struct operand *operand, const struct dnn_tensor *tensor, int64_t groups,
                     struct description *any)
{
    int64_t dims[DIMS], strides[DIMS];
    int extra = groups > 1 ? 1 : 0, rank = tensor->rank + extra;

    operand->tensor = tensor;
    for (int i = 0; i < tensor->rank; i++) {
        dims[i + extra] = tensor->dims[i];
        strides[i + extra] = tensor->strides[i];
    }
    if (extra) {
        dims[0] = groups;
        dims[1] /= groups;
        strides[0] = strides[1] * dims[1];
    }
    return tensor->vector <= 1 && type_of(tensor->type) &&
           dnnl.memory_desc_init_by_strides(&operand->own, rank, dims, type_of(tensor->type),
                                            strides) == SUCCESS &&
           dnnl.memory_desc_init_by_tag(any, rank, dims, type_of(tensor->type), ANY) == SUCCESS;
}

static bool operand_init(struct operand *operand, const struct description *wanted)
{
    memcpy(&operand->wanted, wanted, DESCRIPTION_BYTES);
    if (dnnl.memory_create(&operand->own_memory, &operand->own, engine, operand->tensor->address) !=
        SUCCESS)
        return false;
    operand->memory = operand->own_memory;
    if (dnnl.memory_desc_equal(&operand->own, &operand->wanted))
        return true;
    operand->memory = NULL;
    operand->buffer = scratch_take(dnnl.memory_desc_get_size(&operand->wanted));
    return operand->buffer && dnnl.memory_create(&operand->memory, &operand->wanted, engine,
                                                 operand->buffer) == SUCCESS;
}

static void operand_finish(struct operand *operand)
{
    if (operand->memory && operand->memory != operand->own_memory)
        dnnl.memory_destroy(operand->memory);
    if (operand->own_memory)
        dnnl.memory_destroy(operand->own_memory);
    scratch_give(operand->buffer);
}

static bool execute(const void *plan, void *stream, const struct argument *arguments, int count)
{
    void *primitive;
    bool done;

    if (dnnl.primitive_create(&primitive, plan) != SUCCESS)
        return false;
    done = dnnl.primitive_execute(primitive, stream, count, arguments) == SUCCESS &&
           dnnl.stream_wait(stream) == SUCCESS;
    dnnl.primitive_destroy(primitive);
    return done;
}

static bool reorder(struct operand *operand, bool out, void *stream)
{
    const struct argument arguments[] = {{ARG_SRC, out ? operand->memory : operand->own_memory},
                                         {ARG_DST, out ? operand->own_memory : operand->memory}};
    void *plan;
    bool done;

    if (operand->memory == operand->own_memory)
        return true;
    if (dnnl.reorder_primitive_desc_create(&plan, out ? &operand->wanted : &operand->own, engine,
                                           out ? &operand->own : &operand->wanted, engine,
                                           NULL) != SUCCESS)
        return false;
    done = execute(plan, stream, arguments, 2);
    dnnl.primitive_desc_destroy(plan);
    return done;
}

enum { X, W, Y, OPERANDS };

/* The plan of the convolution; NULL: oneDNN has none. */
static void *plan_of(const struct dnn_conv *op, const struct description any[OPERANDS])
{
    int64_t strides[DIMS], dilates[DIMS], before[DIMS], after[DIMS];
    struct convolution conv;
    void *forward = NULL, *plan = NULL;
    int status;

    for (int i = 0; i < op->spatial; i++) {
        int64_t seen = (op->w.dims[2 + i] - 1) * op->dilation[i] + 1;

        strides[i] = op->stride[i];
        dilates[i] = op->dilation[i] - 1;
        before[i] = op->pre[i];
        after[i] = (op->y.dims[2 + i] - 1) * op->stride[i] + seen - op->x.dims[2 + i] - op->pre[i];
    }
    if (dnnl.dilated_convolution_forward_desc_init(&conv, FORWARD, DIRECT, &any[X], &any[W], NULL,
                                                   &any[Y], strides, dilates, before,
                                                   after) != SUCCESS ||
        dnnl.primitive_desc_create(&forward, &conv, NULL, engine, NULL) != SUCCESS)
        return NULL;
    if (op->direction == DNN_CONV_FORWARD)
        return forward;
    if (op->direction == DNN_CONV_DATA)
        status = dnnl.dilated_convolution_backward_data_desc_init(
            &conv, DIRECT, &any[X], &any[W], &any[Y], strides, dilates, before, after);
    else
        status = dnnl.dilated_convolution_backward_weights_desc_init(
            &conv, DIRECT, &any[X], &any[W], NULL, &any[Y], strides, dilates, before, after);
    if (status != SUCCESS ||
        dnnl.primitive_desc_create(&plan, &conv, NULL, engine, forward) != SUCCESS)
        plan = NULL;
    dnnl.primitive_desc_destroy(forward);
    return plan;
}

/* Which operand is written, and which are gradients: oneDNN names those differently. */
static const struct {
    int output;
    bool gradient[OPERANDS];
} roles[] = {
    [DNN_CONV_FORWARD] = {Y, {false, false, false}},
    [DNN_CONV_DATA] = {X, {true, false, true}},
    [DNN_CONV_FILTER] = {W, {false, true, true}},
};

static bool run(const struct dnn_conv *op, void *plan, struct operand operands[OPERANDS])
{
    static const int queries[] = {QUERY_SRC, QUERY_WEIGHTS, QUERY_DST};
    static const int kinds[] = {ARG_SRC, ARG_WEIGHTS, ARG_DST};
    struct argument arguments[OPERANDS];
    int output = roles[op->direction].output;
    void *stream;
    bool done = true;

    if (dnnl.stream_create(&stream, engine, DEFAULT_FLAGS) != SUCCESS)
        return false;
    for (int i = 0; i < OPERANDS && done; i++) {
        bool gradient = roles[op->direction].gradient[i];
        const struct description *wanted =
            dnnl.primitive_desc_query_md(plan, queries[i] + (gradient ? QUERY_DIFF : 0), 0);

        done = wanted && operand_init(&operands[i], wanted) &&
               (i == output || reorder(&operands[i], false, stream));
        arguments[i].kind = kinds[i] + (gradient ? ARG_DIFF : 0);
        arguments[i].memory = operands[i].memory;
    }
    done = done && execute(plan, stream, arguments, OPERANDS) &&
           reorder(&operands[output], true, stream);
    dnnl.stream_destroy(stream);
    return done;
}

/* Whether channels come last, without gaps, and fill vectors: oneDNN's loops for that layout are as
 * fast as those for its own, and nothing is reordered. */
static bool is_channels_last(const struct dnn_tensor *tensor)
{
    int64_t step = tensor->dims[1];
    bool fits = tensor->strides[1] == 1 && step % CHANNELS_OF_VECTOR == 0;

    for (int i = tensor->rank - 1; i >= 2; i--) {
        fits = fits && (tensor->dims[i] == 1 || tensor->strides[i] == step);
        step *= tensor->dims[i];
    }
    return fits && (tensor->dims[0] == 1 || tensor->strides[0] == step);
}

/* The plan with x and y as they lie where that is as fast, or else with the layouts that oneDNN
 * chooses. */
static void *choose_plan(const struct dnn_conv *op, const struct operand operands[OPERANDS],
                         const struct description any[OPERANDS])
{
    struct description fixed[OPERANDS] = {operands[X].own, any[W], operands[Y].own};
    void *plan = NULL;

    if (is_channels_last(operands[X].tensor) && is_channels_last(operands[Y].tensor))
        plan = plan_of(op, fixed);
    return plan ? plan : plan_of(op, any);
}

CUresult dnn_onednn_conv(const struct dnn_conv *op, const struct dnn_tensor *x,
                         const struct dnn_tensor *w, const struct dnn_tensor *y)
{
    const struct dnn_tensor *tensors[] = {x, w, y};
    struct operand operands[OPERANDS] = {{0}};
    struct description any[OPERANDS];
    int64_t groups = op->x.dims[1] / op->w.dims[1];
    void *plan;
    bool done;

    if (op->flip || !is_there())
        return CUDA_ERROR_NOT_SUPPORTED;
    for (int i = 0; i < OPERANDS; i++)
        if (!describe(&operands[i], tensors[i], i == W ? groups : 1, &any[i]))
            return CUDA_ERROR_NOT_SUPPORTED;
    plan = choose_plan(op, operands, any);
    if (!plan)
        return CUDA_ERROR_NOT_SUPPORTED;
    done = run(op, plan, operands);
    for (int i = 0; i < OPERANDS; i++)
        operand_finish(&operands[i]);
    dnnl.primitive_desc_destroy(plan);
    return done ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED;
}
