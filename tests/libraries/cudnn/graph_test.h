/* SPDX-License-Identifier: MIT */
/* What tests of cuDNN's graphs share: descriptors in one call, and a graph from its operations to
 * its results. */
#ifndef GRAPH_TEST_H
#define GRAPH_TEST_H

#include "test.h"

#include <cudnn.h>
#include <stdarg.h>
#include <string.h>

#define check_status(call, expected) check((call) == (expected))
#define check_done(call) check((call) == CUDNN_STATUS_SUCCESS)

typedef cudnnBackendDescriptor_t descriptor;

static inline descriptor create(cudnnBackendDescriptorType_t type)
{
    descriptor created;

    check_done(cudnnBackendCreateDescriptor(type, &created));
    return created;
}

static inline void set(descriptor owner, cudnnBackendAttributeName_t name,
                       cudnnBackendAttributeType_t type, int64_t count, const void *elements)
{
    check_done(cudnnBackendSetAttribute(owner, name, type, count, elements));
}

static inline void set_child(descriptor owner, cudnnBackendAttributeName_t name, descriptor child)
{
    set(owner, name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &child);
}

static inline void set_enum(descriptor owner, cudnnBackendAttributeName_t name,
                            cudnnBackendAttributeType_t type, int value)
{
    set(owner, name, type, 1, &value);
}

enum tensor_flags { REAL = 0, VIRTUAL = 1, BY_VALUE = 2 };

/* A tensor with four dimensions, the last fastest. */
static inline descriptor tensor(int64_t uid, cudnnDataType_t type, int flags, int64_t n, int64_t c,
                                int64_t h, int64_t w)
{
    const int64_t dims[4] = {n, c, h, w}, strides[4] = {c * h * w, h * w, w, 1}, alignment = 16;
    const char is_virtual = flags & VIRTUAL ? 1 : 0, by_value = flags & BY_VALUE ? 1 : 0;
    descriptor made = create(CUDNN_BACKEND_TENSOR_DESCRIPTOR);

    set(made, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 1, &uid);
    set_enum(made, CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, (int)type);
    set(made, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, 4, dims);
    set(made, CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, 4, strides);
    set(made, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, 1, &alignment);
    set(made, CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, 1, &is_virtual);
    set(made, CUDNN_ATTR_TENSOR_IS_BY_VALUE, CUDNN_TYPE_BOOLEAN, 1, &by_value);
    check_done(cudnnBackendFinalize(made));
    return made;
}

static inline descriptor pointwise(cudnnPointwiseMode_t mode, descriptor x, descriptor b,
                                   descriptor y)
{
    descriptor how = create(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
    descriptor made = create(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);

    set_enum(how, CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, (int)mode);
    set_enum(how, CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT);
    check_done(cudnnBackendFinalize(how));
    set_child(made, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, how);
    set_child(made, CUDNN_ATTR_OPERATION_POINTWISE_XDESC, x);
    if (b)
        set_child(made, CUDNN_ATTR_OPERATION_POINTWISE_BDESC, b);
    set_child(made, CUDNN_ATTR_OPERATION_POINTWISE_YDESC, y);
    check_done(cudnnBackendFinalize(made));
    check_done(cudnnBackendDestroyDescriptor(how));
    return made;
}

static inline descriptor matmul(descriptor a, descriptor b, descriptor c)
{
    descriptor how = create(CUDNN_BACKEND_MATMUL_DESCRIPTOR);
    descriptor made = create(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);

    set_enum(how, CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT);
    check_done(cudnnBackendFinalize(how));
    set_child(made, CUDNN_ATTR_OPERATION_MATMUL_DESC, how);
    set_child(made, CUDNN_ATTR_OPERATION_MATMUL_ADESC, a);
    set_child(made, CUDNN_ATTR_OPERATION_MATMUL_BDESC, b);
    set_child(made, CUDNN_ATTR_OPERATION_MATMUL_CDESC, c);
    check_done(cudnnBackendFinalize(made));
    return made;
}

static inline descriptor reduction(cudnnReduceTensorOp_t op, descriptor x, descriptor y)
{
    descriptor how = create(CUDNN_BACKEND_REDUCTION_DESCRIPTOR);
    descriptor made = create(CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR);

    set_enum(how, CUDNN_ATTR_REDUCTION_OPERATOR, CUDNN_TYPE_REDUCTION_OPERATOR_TYPE, (int)op);
    set_enum(how, CUDNN_ATTR_REDUCTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT);
    check_done(cudnnBackendFinalize(how));
    set_child(made, CUDNN_ATTR_OPERATION_REDUCTION_DESC, how);
    set_child(made, CUDNN_ATTR_OPERATION_REDUCTION_XDESC, x);
    set_child(made, CUDNN_ATTR_OPERATION_REDUCTION_YDESC, y);
    check_done(cudnnBackendFinalize(made));
    return made;
}

static inline descriptor graph_of(cudnnHandle_t handle, int64_t count, const descriptor *operations)
{
    descriptor graph = create(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);

    set(graph, CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, 1, &handle);
    set(graph, CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR, count, operations);
    return graph;
}

/* The plan that the heuristics name first. */
static inline descriptor plan_of(cudnnHandle_t handle, descriptor graph)
{
    descriptor heuristics = create(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
    descriptor config = create(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
    descriptor plan = create(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
    int64_t count = 0;

    set_child(heuristics, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
    set_enum(heuristics, CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, CUDNN_HEUR_MODE_A);
    check_done(cudnnBackendFinalize(heuristics));
    check_done(cudnnBackendGetAttribute(heuristics, CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                        CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &count, &config));
    check(count >= 1);
    set(plan, CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, 1, &handle);
    set_child(plan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, config);
    check_done(cudnnBackendFinalize(plan));
    check_done(cudnnBackendDestroyDescriptor(heuristics));
    check_done(cudnnBackendDestroyDescriptor(config));
    return plan;
}

static inline descriptor pack_of(int64_t count, const int64_t *uids, void *const *pointers)
{
    descriptor pack = create(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
    void *workspace = NULL;

    set(pack, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, count, uids);
    set(pack, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, count, pointers);
    set(pack, CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &workspace);
    check_done(cudnnBackendFinalize(pack));
    return pack;
}

static inline void *device_memory(size_t bytes, const void *from)
{
    CUdeviceptr memory;

    check_success(cuMemAlloc(&memory, bytes));
    if (from)
        check_success(cuMemcpyHtoD(memory, from, bytes));
    else
        check_success(cuMemsetD8(memory, 0, bytes));
    return (void *)(uintptr_t)memory;
}

static inline void fetch(void *host, const void *device, size_t bytes)
{
    check_success(cuMemcpyDtoH(host, (CUdeviceptr)(uintptr_t)device, bytes));
}

static inline cudnnHandle_t open_handle(void)
{
    cudnnHandle_t handle;

    with_context();
    check_done(cudnnCreate(&handle));
    return handle;
}

/* Builds a graph of the operations, runs it and waits. */
static inline void run_graph(cudnnHandle_t handle, int64_t operation_count,
                             const descriptor *operations, int64_t count, const int64_t *uids,
                             void *const *pointers)
{
    descriptor graph = graph_of(handle, operation_count, operations), plan, pack;

    check_done(cudnnBackendFinalize(graph));
    plan = plan_of(handle, graph);
    pack = pack_of(count, uids, pointers);
    check_done(cudnnBackendDestroyDescriptor(graph));
    check_done(cudnnBackendExecute(handle, plan, pack));
    check_success(cuCtxSynchronize());
    check_done(cudnnBackendDestroyDescriptor(plan));
    check_done(cudnnBackendDestroyDescriptor(pack));
}

#endif
