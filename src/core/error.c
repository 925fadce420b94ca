/* SPDX-License-Identifier: MIT */
/* Names and descriptions of all results, and the debug log line for each error. One table, sorted
 * by number; the strings are part of the ABI: programs compare them. Those of CUDA 13.0 and older
 * were recorded from NVIDIA's driver, newer ones from cudaGetErrorString() of NVIDIA's runtime,
 * which does not know CUDA_ERROR_MULTICAST_RESOURCE_FULL: its string is our own. */
#include "core/error.h"

#include "core/thread.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

struct result_info {
    CUresult result;
    const char *name;
    const char *text;
};

#define RESULT(name, text)                                                                         \
    {                                                                                              \
        name, #name, text                                                                          \
    }

static const struct result_info results[] = {
    RESULT(CUDA_SUCCESS, "no error"),
    RESULT(CUDA_ERROR_INVALID_VALUE, "invalid argument"),
    RESULT(CUDA_ERROR_OUT_OF_MEMORY, "out of memory"),
    RESULT(CUDA_ERROR_NOT_INITIALIZED, "initialization error"),
    RESULT(CUDA_ERROR_DEINITIALIZED, "driver shutting down"),
    RESULT(CUDA_ERROR_PROFILER_DISABLED, "profiler disabled while using external profiling tool"),
    RESULT(CUDA_ERROR_PROFILER_NOT_INITIALIZED,
           "profiler not initialized: call cudaProfilerInitialize()"),
    RESULT(CUDA_ERROR_PROFILER_ALREADY_STARTED, "profiler already started"),
    RESULT(CUDA_ERROR_PROFILER_ALREADY_STOPPED, "profiler already stopped"),
    RESULT(CUDA_ERROR_STUB_LIBRARY, "CUDA driver is a stub library"),
    RESULT(CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER,
           "API call is not supported in the installed CUDA driver"),
    RESULT(CUDA_ERROR_DEVICE_UNAVAILABLE, "CUDA-capable device(s) is/are busy or unavailable"),
    RESULT(CUDA_ERROR_MULTICAST_RESOURCE_FULL,
           "no hardware resource is left to bind memory to a multicast object"),
    RESULT(CUDA_ERROR_NO_DEVICE, "no CUDA-capable device is detected"),
    RESULT(CUDA_ERROR_INVALID_DEVICE, "invalid device ordinal"),
    RESULT(CUDA_ERROR_DEVICE_NOT_LICENSED, "device doesn't have valid Grid license"),
    RESULT(CUDA_ERROR_INVALID_IMAGE, "device kernel image is invalid"),
    RESULT(CUDA_ERROR_INVALID_CONTEXT, "invalid device context"),
    RESULT(CUDA_ERROR_CONTEXT_ALREADY_CURRENT, "context already current"),
    RESULT(CUDA_ERROR_MAP_FAILED, "mapping of buffer object failed"),
    RESULT(CUDA_ERROR_UNMAP_FAILED, "unmapping of buffer object failed"),
    RESULT(CUDA_ERROR_ARRAY_IS_MAPPED, "array is mapped"),
    RESULT(CUDA_ERROR_ALREADY_MAPPED, "resource already mapped"),
    RESULT(CUDA_ERROR_NO_BINARY_FOR_GPU,
           "no kernel image is available for execution on the device"),
    RESULT(CUDA_ERROR_ALREADY_ACQUIRED, "resource already acquired"),
    RESULT(CUDA_ERROR_NOT_MAPPED, "resource not mapped"),
    RESULT(CUDA_ERROR_NOT_MAPPED_AS_ARRAY, "resource not mapped as array"),
    RESULT(CUDA_ERROR_NOT_MAPPED_AS_POINTER, "resource not mapped as pointer"),
    RESULT(CUDA_ERROR_ECC_UNCORRECTABLE, "uncorrectable ECC error encountered"),
    RESULT(CUDA_ERROR_UNSUPPORTED_LIMIT, "limit is not supported on this architecture"),
    RESULT(CUDA_ERROR_CONTEXT_ALREADY_IN_USE,
           "exclusive-thread device already in use by a different thread"),
    RESULT(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED,
           "peer access is not supported between these two devices"),
    RESULT(CUDA_ERROR_INVALID_PTX, "a PTX JIT compilation failed"),
    RESULT(CUDA_ERROR_INVALID_GRAPHICS_CONTEXT, "invalid OpenGL or DirectX context"),
    RESULT(CUDA_ERROR_NVLINK_UNCORRECTABLE,
           "uncorrectable NVLink error detected during the execution"),
    RESULT(CUDA_ERROR_JIT_COMPILER_NOT_FOUND, "PTX JIT compiler library not found"),
    RESULT(CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
           "the provided PTX was compiled with an unsupported toolchain."),
    RESULT(CUDA_ERROR_JIT_COMPILATION_DISABLED, "PTX JIT compilation was disabled"),
    RESULT(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY,
           "the provided execution affinity is not supported"),
    RESULT(CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC,
           "the provided PTX contains unsupported call to cudaDeviceSynchronize"),
    RESULT(CUDA_ERROR_CONTAINED,
           "Invalid access of peer GPU memory over nvlink or a hardware error"),
    RESULT(CUDA_ERROR_INSUFFICIENT_LOADER_VERSION, "Loader version is insufficient for fatbin"),
    RESULT(CUDA_ERROR_INVALID_SOURCE, "device kernel image is invalid"),
    RESULT(CUDA_ERROR_FILE_NOT_FOUND, "file not found"),
    RESULT(CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, "shared object symbol not found"),
    RESULT(CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, "shared object initialization failed"),
    RESULT(CUDA_ERROR_OPERATING_SYSTEM, "OS call failed or operation not supported on this OS"),
    RESULT(CUDA_ERROR_INVALID_HANDLE, "invalid resource handle"),
    RESULT(CUDA_ERROR_ILLEGAL_STATE, "the operation cannot be performed in the present state"),
    RESULT(CUDA_ERROR_LOSSY_QUERY, "attempted introspection would be semantically lossy"),
    RESULT(CUDA_ERROR_NOT_FOUND, "named symbol not found"),
    RESULT(CUDA_ERROR_NOT_READY, "device not ready"),
    RESULT(CUDA_ERROR_ILLEGAL_ADDRESS, "an illegal memory access was encountered"),
    RESULT(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "too many resources requested for launch"),
    RESULT(CUDA_ERROR_LAUNCH_TIMEOUT, "the launch timed out and was terminated"),
    RESULT(CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING, "launch uses incompatible texturing mode"),
    RESULT(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, "peer access is already enabled"),
    RESULT(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, "peer access has not been enabled"),
    RESULT(CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE, "cannot set while device is active in this process"),
    RESULT(CUDA_ERROR_CONTEXT_IS_DESTROYED, "context is destroyed"),
    RESULT(CUDA_ERROR_ASSERT, "device-side assert triggered"),
    RESULT(CUDA_ERROR_TOO_MANY_PEERS, "peer mapping resources exhausted"),
    RESULT(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED,
           "part or all of the requested memory range is already mapped"),
    RESULT(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED,
           "pointer does not correspond to a registered memory region"),
    RESULT(CUDA_ERROR_HARDWARE_STACK_ERROR, "hardware stack error"),
    RESULT(CUDA_ERROR_ILLEGAL_INSTRUCTION, "an illegal instruction was encountered"),
    RESULT(CUDA_ERROR_MISALIGNED_ADDRESS, "misaligned address"),
    RESULT(CUDA_ERROR_INVALID_ADDRESS_SPACE,
           "operation not supported on global/shared address space"),
    RESULT(CUDA_ERROR_INVALID_PC, "invalid program counter"),
    RESULT(CUDA_ERROR_LAUNCH_FAILED, "unspecified launch failure"),
    RESULT(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, "too many blocks in cooperative launch"),
    RESULT(CUDA_ERROR_TENSOR_MEMORY_LEAK, "tensor memory not completely freed"),
    RESULT(CUDA_ERROR_NOT_PERMITTED, "operation not permitted"),
    RESULT(CUDA_ERROR_NOT_SUPPORTED, "operation not supported"),
    RESULT(CUDA_ERROR_SYSTEM_NOT_READY, "system not yet initialized"),
    RESULT(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH,
           "system has unsupported display driver / cuda driver combination"),
    RESULT(CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE,
           "forward compatibility was attempted on non supported HW"),
    RESULT(CUDA_ERROR_MPS_CONNECTION_FAILED,
           "MPS client failed to connect to the MPS control daemon or the MPS server"),
    RESULT(CUDA_ERROR_MPS_RPC_FAILURE,
           "the remote procedural call between the MPS server and the MPS client failed"),
    RESULT(CUDA_ERROR_MPS_SERVER_NOT_READY,
           "MPS server is not ready to accept new MPS client requests"),
    RESULT(CUDA_ERROR_MPS_MAX_CLIENTS_REACHED,
           "the hardware resources required to create MPS client have been exhausted"),
    RESULT(CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED,
           "the hardware resources required to support device connections have been exhausted"),
    RESULT(CUDA_ERROR_MPS_CLIENT_TERMINATED, "the MPS client has been terminated by the server"),
    RESULT(CUDA_ERROR_CDP_NOT_SUPPORTED,
           "is using CUDA Dynamic Parallelism, but the current configuration, like MPS, does not "
           "support it"),
    RESULT(CUDA_ERROR_CDP_VERSION_MISMATCH,
           "unsupported interaction between different versions of CUDA Dynamic Parallelism"),
    RESULT(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
           "operation not permitted when stream is capturing"),
    RESULT(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
           "operation failed due to a previous error during capture"),
    RESULT(CUDA_ERROR_STREAM_CAPTURE_MERGE,
           "operation would result in a merge of separate capture sequences"),
    RESULT(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED,
           "capture was not ended in the same stream as it began"),
    RESULT(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, "capturing stream has unjoined work"),
    RESULT(CUDA_ERROR_STREAM_CAPTURE_ISOLATION,
           "dependency created on uncaptured work in another stream"),
    RESULT(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
           "operation would make the legacy stream depend on a capturing blocking stream"),
    RESULT(CUDA_ERROR_CAPTURED_EVENT,
           "operation not permitted on an event last recorded in a capturing stream"),
    RESULT(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD,
           "attempt to terminate a thread-local capture sequence from another thread"),
    RESULT(CUDA_ERROR_TIMEOUT, "wait operation timed out"),
    RESULT(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE,
           "the graph update was not performed because it included changes which violated "
           "constraints specific to instantiated graph update"),
    RESULT(CUDA_ERROR_EXTERNAL_DEVICE,
           "an async error has occured in external entity outside of CUDA"),
    RESULT(CUDA_ERROR_INVALID_CLUSTER_SIZE,
           "a kernel launch error has occurred due to cluster misconfiguration"),
    RESULT(CUDA_ERROR_FUNCTION_NOT_LOADED,
           "the function handle is not loaded when calling an API that requires a loaded "
           "function"),
    RESULT(CUDA_ERROR_INVALID_RESOURCE_TYPE,
           "one or more resources passed in are not valid resource types for the operation"),
    RESULT(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION,
           "one or more resources are insufficient or non-applicable for the operation"),
    RESULT(CUDA_ERROR_KEY_ROTATION, "an error happened during the key rotation sequence"),
    RESULT(CUDA_ERROR_STREAM_DETACHED,
           "API call not permitted since the green context associated with the stream has been "
           "destroyed"),
    RESULT(CUDA_ERROR_GRAPH_RECAPTURE_FAILURE,
           "recapturing to the source graph failed and had to be terminated"),
    RESULT(CUDA_ERROR_FABRIC_NOT_READY,
           "GPU fabric is not ready within the probe wait budget; application may retry (see "
           "CUDA_FABRIC_INIT_TIMEOUT_MS)"),
    RESULT(CUDA_ERROR_UNKNOWN, "unknown error"),
};

static const struct result_info *find(CUresult result)
{
    size_t low = 0;
    size_t high = CUP_ARRAY_COUNT(results);

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (results[middle].result == result)
            return &results[middle];
        if ((int)results[middle].result < (int)result)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

const char *cup_result_name(CUresult result)
{
    const struct result_info *info = find(result);

    return info ? info->name : NULL;
}

const char *cup_result_text(CUresult result)
{
    const struct result_info *info = find(result);

    return info ? info->text : NULL;
}

CUresult cup_error_logged(CUresult result, const char *file, int line, const char *format, ...)
{
    const char *name = cup_result_name(result);
    struct cup_thread *self = cup_thread_self();
    char why[512];
    va_list arguments;

    va_start(arguments, format);
    if (vsnprintf(why, sizeof(why), format, arguments) < 0)
        why[0] = '\0';
    va_end(arguments);
    snprintf(self->reason, sizeof(self->reason), "%.*s", (int)sizeof(self->reason) - 1, why);
    if (cup_log_enabled(CUP_LOG_DEBUG))
        cup_log_write(CUP_LOG_DEBUG, file, line, "%s: %s", name ? name : "unknown result", why);
    return result;
}
