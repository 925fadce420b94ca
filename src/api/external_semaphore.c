/* SPDX-License-Identifier: MIT */
/* External semaphores: import, signal, wait, destroy. NVIDIA's driver returns INVALID_VALUE for an
 * unknown semaphore, where other handles give INVALID_HANDLE. */
#include "impl.h"
#include "core/compiler.h"
#include "core/error.h"
#include "graph/work_submit.h"
#include "interop/external_semaphore.h"
#include "os/guard.h"
#include "stream/stream.h"

#include <stdlib.h>
#include <string.h>

static bool is_zero(const void *memory, size_t size_bytes)
{
    const unsigned char *bytes = memory;

    for (size_t i = 0; i < size_bytes; i++) {
        if (bytes[i] != 0)
            return false;
    }
    return true;
}

/* Types of Windows and of NvSci are known but not supported; only a descriptor can be imported. */
static CUresult check_type(const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC *desc)
{
    switch ((int)desc->type) {
    case CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD:
        return CUDA_SUCCESS;
    case CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD:
        if (desc->handle.fd == -1)
            return cup_error(CUDA_ERROR_INVALID_VALUE, "no descriptor");
        return CUDA_SUCCESS;
    case CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_NVSCISYNC:
        if (!desc->handle.nvSciSyncObj)
            return cup_error(CUDA_ERROR_INVALID_VALUE, "the NvSciSync object is NULL");
        break;
    case CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32:
    case CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_KMT:
    case CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D12_FENCE:
    case CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_FENCE:
    case CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX:
    case CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX_KMT:
    case CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_WIN32:
        break;
    default:
        return cup_error(CUDA_ERROR_INVALID_VALUE, "invalid type of semaphore %d", (int)desc->type);
    }
    return cup_error(CUDA_ERROR_NOT_SUPPORTED,
                     "semaphores of type %d are not supported on this system", (int)desc->type);
}

CUresult impl_cuImportExternalSemaphore(CUexternalSemaphore *extSem_out,
                                        const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC *semHandleDesc)
{
    if (!extSem_out || !semHandleDesc)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "the pointer for the semaphore or the description is NULL");
    if (semHandleDesc->flags || !is_zero(semHandleDesc->reserved, sizeof(semHandleDesc->reserved)))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "flags or reserved fields are not zero");
    CUresult result = check_type(semHandleDesc);
    if (result != CUDA_SUCCESS)
        return result;
    return cup_external_semaphore_import(cup_context_current(), semHandleDesc->handle.fd,
                                         extSem_out);
}

CUresult impl_cuDestroyExternalSemaphore(CUexternalSemaphore extSem)
{
    struct CUextSemaphore_st *semaphore;
    CUresult result = cup_external_semaphore_find(extSem, &semaphore);

    if (result != CUDA_SUCCESS)
        return result;
    if (!cup_external_semaphore_destroy(semaphore, CUP_RETIRED_DESTROYED))
        result =
            cup_error(CUDA_ERROR_INVALID_VALUE, "another thread has just destroyed the semaphore");
    cup_external_semaphore_unref(semaphore);
    return result;
}

/* The common arguments of both calls: a list of semaphores and a list of parameters, of which only
 * the value is used. */
struct semaphore_request {
    const CUexternalSemaphore *handles;
    const void *params;
    size_t params_bytes; /* of one */
    unsigned count;
    CUresult (*read)(const void *params, uint64_t *value);
    CUresult (*submit)(struct CUstream_st *stream, const struct cup_semaphore_use *uses,
                       unsigned count);
    CUgraphNodeType node; /* the equivalent node type */
};

static CUresult read_signal(const void *params, uint64_t *value)
{
    const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS *each = params;

    if (each->flags || !is_zero(each->reserved, sizeof(each->reserved)) ||
        !is_zero(each->params.reserved, sizeof(each->params.reserved)))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "flags or reserved fields are not zero");
    *value = each->params.fence.value;
    return CUDA_SUCCESS;
}

static CUresult read_wait(const void *params, uint64_t *value)
{
    const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *each = params;

    if (each->flags || !is_zero(each->reserved, sizeof(each->reserved)) ||
        !is_zero(each->params.reserved, sizeof(each->params.reserved)))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "flags or reserved fields are not zero");
    *value = each->params.fence.value;
    return CUDA_SUCCESS;
}

/* One element of the application's lists, read before it is validated. */
struct semaphore_place {
    const CUexternalSemaphore *from;
    const void *params_from;
    size_t params_bytes;
    CUexternalSemaphore handle;
    union {
        CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS signal;
        CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS wait;
    } params;
};

static void place_copy(void *argument)
{
    struct semaphore_place *place = argument;

    place->handle = *place->from;
    memcpy(&place->params, place->params_from, place->params_bytes);
}

static CUresult find_use(const struct semaphore_request *request, unsigned index,
                         struct cup_semaphore_use *use)
{
    struct semaphore_place place = {.from = request->handles + index,
                                    .params_from = (const char *)request->params +
                                                   index * request->params_bytes,
                                    .params_bytes = request->params_bytes};

    if (!cup_guard_run(place_copy, &place))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "a list of %u semaphores is not readable",
                         request->count);
    CUresult result = request->read(&place.params, &use->value);
    return result == CUDA_SUCCESS ? cup_external_semaphore_find(place.handle, &use->semaphore)
                                  : result;
}

struct semaphore_work {
    const struct semaphore_request *request;
    const struct cup_semaphore_use *uses;
};

/* The parameters of both kinds of node have the same layout. */
static CUresult semaphore_describe(struct CUstream_st *stream, void *work,
                                   struct cup_captured_work *captured)
{
    const struct semaphore_request *request = ((const struct semaphore_work *)work)->request;
    CUgraphNodeParams node = {
        .type = request->node,
        .extSemSignal = {.extSemArray = (CUexternalSemaphore *)request->handles,
                         .paramsArray = request->params,
                         .numExtSems = request->count}};

    (void)stream;
    return cup_work_node(&node, captured);
}

static CUresult semaphore_run(struct CUstream_st *stream, void *work)
{
    const struct semaphore_work *given = work;

    return given->request->submit(stream, given->uses, given->request->count);
}

static const struct cup_work_type semaphore_type = {semaphore_describe, semaphore_run};

/* Validates all of them before it uses any. */
static CUresult submit(struct CUstream_st *stream, const struct semaphore_request *request)
{
    if (request->count == 0 || !request->handles || !request->params)
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "the list of semaphores or of parameters is NULL");
    struct cup_semaphore_use *uses = calloc(request->count, sizeof(*uses));
    if (!uses)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for a list of semaphores");
    CUresult result = CUDA_SUCCESS;
    unsigned found = 0;
    while (found < request->count &&
           (result = find_use(request, found, &uses[found])) == CUDA_SUCCESS)
        found++;
    struct semaphore_work work = {request, uses};
    if (result == CUDA_SUCCESS)
        result = cup_work_submit(stream, &semaphore_type, &work);
    while (found-- > 0)
        cup_external_semaphore_unref(uses[found].semaphore);
    free(uses);
    return result;
}

static CUresult submit_to(CUstream handle, const struct semaphore_request *request)
{
    struct CUstream_st *stream;
    CUresult result = cup_stream_find(handle, &stream);

    if (result != CUDA_SUCCESS)
        return result;
    result = submit(stream, request);
    cup_stream_unref(stream);
    return result;
}

CUresult
impl_cuSignalExternalSemaphoresAsync(const CUexternalSemaphore *extSemArray,
                                     const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS *paramsArray,
                                     unsigned int numExtSems, CUstream stream)
{
    struct semaphore_request request = {extSemArray,
                                        paramsArray,
                                        sizeof(*paramsArray),
                                        numExtSems,
                                        read_signal,
                                        cup_external_semaphore_signal,
                                        CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL};

    return submit_to(stream, &request);
}

CUresult impl_cuWaitExternalSemaphoresAsync(const CUexternalSemaphore *extSemArray,
                                            const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *paramsArray,
                                            unsigned int numExtSems, CUstream stream)
{
    struct semaphore_request request = {extSemArray,
                                        paramsArray,
                                        sizeof(*paramsArray),
                                        numExtSems,
                                        read_wait,
                                        cup_external_semaphore_wait,
                                        CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT};

    return submit_to(stream, &request);
}
