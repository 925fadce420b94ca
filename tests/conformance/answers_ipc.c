/* SPDX-License-Identifier: MIT */
/*
 * Memory and event handles between processes. A second process is driven over pipes.
 */
#include "recorder.h"
#include <sys/prctl.h>

enum {
    ASK_TO_INIT,
    ASK_TO_OPEN,
    ASK_TO_CLOSE,
    ASK_TO_CHECK,
    ASK_TO_FILL,
    ASK_TO_RANGE,
    ASK_TO_FREE,
    ASK_TO_REEXPORT,
    ASK_TO_ATTR,
    ASK_EVENT_OPEN,
    ASK_EVENT_SYNC,
    ASK_EVENT_QUERY,
    ASK_EVENT_RECORD,
    ASK_EVENT_DESTROY,
    ASK_EVENT_ELAPSED,
    ASK_TO_EXIT
};

struct command {
    int op;
    CUipcMemHandle handle;
    CUipcEventHandle event;
    unsigned flags;
    CUdeviceptr ptr;
    size_t size;
    unsigned seed;
};

struct reply {
    CUresult result;
    CUdeviceptr ptr;
    CUipcMemHandle handle;
    char text[120];
};

static int to_peer, from_peer;

/* The attribute as text that is the same in every run: ids and contexts are left out. */
static CUresult attribute_read(const struct command *command, char *text, size_t size)
{
    unsigned char value[64];
    unsigned low;
    unsigned long long wide;

    memset(value, 0xA5, sizeof value);
    CUresult failed = cuda.cuPointerGetAttribute(value, command->flags, command->ptr);
    memcpy(&low, value, sizeof low);
    memcpy(&wide, value, sizeof wide);
    switch (command->flags) {
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
        snprintf(text, size, "%s", relative(wide, command->ptr));
        break;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
        snprintf(text, size, "%llu", wide);
        break;
    case CU_POINTER_ATTRIBUTE_CONTEXT:
    case CU_POINTER_ATTRIBUTE_P2P_TOKENS:
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
        snprintf(text, size, "0");
        break;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_MAPPED:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
        snprintf(text, size, "%u", low & 0xff);
        break;
    default:
        snprintf(text, size, "%u", low);
    }
    return failed;
}

/* The second process: does what it is asked to, until the pipe closes. */
static _Noreturn void serve(int in, int out)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    alarm(120);
    struct command command;
    CUevent event = 0;
    CUstream stream = 0;

    while (read(in, &command, sizeof command) == sizeof command) {
        struct reply reply;
        memset(&reply, 0, sizeof reply);
        switch (command.op) {
        case ASK_TO_INIT:
            reply.result = cuda.cuInit(0);
            if (!reply.result) {
                cuda.cuDeviceGet(&device, 0);
                cuda.cuDevicePrimaryCtxRetain(&context, device);
                reply.result = cuda.cuCtxSetCurrent(context);
                stream = stream_new(0);
            }
            break;
        case ASK_TO_OPEN:
            reply.ptr = UNTOUCHED;
            reply.result = cuda.cuIpcOpenMemHandle(&reply.ptr, command.handle, command.flags);
            break;
        case ASK_TO_CLOSE:
            reply.result = cuda.cuIpcCloseMemHandle(command.ptr);
            break;
        case ASK_TO_CHECK:
            snprintf(reply.text, sizeof reply.text, "%s",
                     device_check(command.ptr, command.size, command.seed));
            break;
        case ASK_TO_FILL:
            device_fill(command.ptr, command.size, command.seed);
            reply.result = cuda.cuCtxSynchronize();
            break;
        case ASK_TO_RANGE:
            snprintf(reply.text, sizeof reply.text, "%s", range_of(command.ptr));
            break;
        case ASK_TO_FREE:
            reply.result = cuda.cuMemFree(command.ptr);
            break;
        case ASK_TO_REEXPORT:
            reply.result = cuda.cuIpcGetMemHandle(&reply.handle, command.ptr);
            break;
        case ASK_TO_ATTR:
            reply.result = attribute_read(&command, reply.text, sizeof reply.text);
            break;
        case ASK_EVENT_OPEN:
            reply.result = cuda.cuIpcOpenEventHandle(&event, command.event);
            break;
        case ASK_EVENT_SYNC:
            reply.result = cuda.cuEventSynchronize(event);
            break;
        case ASK_EVENT_QUERY:
            reply.result = cuda.cuEventQuery(event);
            break;
        case ASK_EVENT_RECORD:
            reply.result = cuda.cuEventRecord(event, stream);
            cuda.cuStreamSynchronize(stream);
            break;
        case ASK_EVENT_DESTROY:
            reply.result = cuda.cuEventDestroy(event);
            break;
        case ASK_EVENT_ELAPSED: {
            float elapsed;
            reply.result = cuda.cuEventElapsedTime(&elapsed, event, event);
            break;
        }
        default:
            _exit(0);
        }
        if (write(out, &reply, sizeof reply) != sizeof reply)
            break;
    }

    _exit(0);
}

static pid_t peer_start(void)
{
    int commands[2], replies[2];

    if (pipe(commands) || pipe(replies))
        _exit(3);
    pid_t pid = fork();
    if (!pid) {
        close(commands[1]);
        close(replies[0]);
        serve(commands[0], replies[1]);
    }
    close(commands[0]);
    close(replies[1]);
    to_peer = commands[1];
    from_peer = replies[0];
    return pid;
}

static struct reply answer;

static CUresult ask(struct command command)
{
    memset(&answer, 0, sizeof answer);
    if (write(to_peer, &command, sizeof command) != sizeof command ||
        read(from_peer, &answer, sizeof answer) != sizeof answer) {
        strcpy(answer.text, "peer-died");
        answer.result = (CUresult)-9;
    }
    return answer.result;
}

#define ASK(...) ask((struct command){__VA_ARGS__})

static CUresult ipc_handle(CUipcMemHandle *handle, CUdeviceptr ptr)
{
    memset(handle, 0, sizeof *handle);
    return cuda.cuIpcGetMemHandle(handle, ptr);
}

static CUipcMemHandle first_handle, second_handle;
static CUdeviceptr first, second, large, first_there, second_there;

static void ipcmem_get(void)
{
    CUipcMemHandle handle;

    CHECK("peer-init", ASK(.op = ASK_TO_INIT));
    CHECK("get", ipc_handle(&first_handle, first));
    CHECK("get-again", ipc_handle(&handle, first), "same_handle=%d",
          !memcmp(&first_handle, &handle, 64));
    CHECK("get-other", ipc_handle(&second_handle, second), "same_handle=%d",
          !memcmp(&first_handle, &second_handle, 64));
    CHECK("get-null-out", cuda.cuIpcGetMemHandle(NULL, first));
    CHECK("get-null-ptr", ipc_handle(&handle, 0));

    CHECK("get-interior", ipc_handle(&handle, first + 4096), "same_as_base=%d",
          !memcmp(&first_handle, &handle, 64));
    CHECK("get-last", ipc_handle(&handle, first + 65535));
    CHECK("get-end", ipc_handle(&handle, first + 65536));
    CHECK("get-pinned", ipc_handle(&handle, as_device(pinned_alloc(4096))));
    CHECK("get-managed", ipc_handle(&handle, managed_alloc(4096)));
    void *pages = page_alloc(4096);
    CHECK("get-pageable", ipc_handle(&handle, as_device(pages)));
    cuda.cuMemHostRegister(pages, 4096, 0);
    CHECK("get-registered", ipc_handle(&handle, as_device(pages)));
    CUdeviceptr pooled = 0;
    cuda.cuMemAllocAsync(&pooled, 4096, 0);
    cuda.cuCtxSynchronize();
    CHECK("get-pool", ipc_handle(&handle, pooled));
    CHECK("get-vmm", ipc_handle(&handle, mapped_alloc(2 * MB, 0, 0)));
    CHECK("get-vmm-fd", ipc_handle(&handle, mapped_alloc(2 * MB, 1, 0)));
    size_t pitch;
    CUdeviceptr pitched = 0;
    cuda.cuMemAllocPitch(&pitched, &pitch, 100, 10, 4);
    CHECK("get-pitched", ipc_handle(&handle, pitched));
    CUdeviceptr freed = device_alloc(4096);
    cuda.cuMemFree(freed);
    CHECK("get-freed", ipc_handle(&handle, freed));
    CHECK("get-garbage", ipc_handle(&handle, GARBAGE_ADDRESS));
}

static void ipcmem_open_here(void)
{
    CUipcMemHandle handle;
    CUdeviceptr out;

    out = UNTOUCHED;
    CHECK("open-same-process-fl1", cuda.cuIpcOpenMemHandle(&out, first_handle, 1), "out=%s",
          relative(out, first));
    CHECK("open-same-process-fl0", cuda.cuIpcOpenMemHandle(&out, first_handle, 0));
    context_new();
    CHECK("open-same-process-other-ctx", cuda.cuIpcOpenMemHandle(&out, first_handle, 1), "out=%s",
          relative(out, first));
    cuda.cuCtxSetCurrent(context);
    CHECK("open-null-out", cuda.cuIpcOpenMemHandle(NULL, first_handle, 1));
    memset(&handle, 0, 64);
    CHECK("open-zero-handle", cuda.cuIpcOpenMemHandle(&out, handle, 1));
    memset(&handle, 0xff, 64);
    CHECK("open-ff-handle", cuda.cuIpcOpenMemHandle(&out, handle, 1));
    CHECK("close-own-ptr", cuda.cuIpcCloseMemHandle(first));
    CHECK("close-null", cuda.cuIpcCloseMemHandle(0));
    CHECK("close-garbage", cuda.cuIpcCloseMemHandle(GARBAGE_ADDRESS));
}

static void ipcmem_open_there(void)
{
    for (unsigned flags = 0; flags < 4; flags++) {
        CHECK(format("peer-open-fl%u", flags),
              ASK(.op = ASK_TO_OPEN, .handle = first_handle, .flags = flags), "out=%s",
              out_state(answer.ptr));
        if (!answer.result)
            ASK(.op = ASK_TO_CLOSE, .ptr = answer.ptr);
    }

    for (int k = 2; k < 32; k += 6)
        CHECK(format("peer-open-flagbit%d", k),
              ASK(.op = ASK_TO_OPEN, .handle = first_handle, .flags = 1u << k));

    CHECK("peer-open", ASK(.op = ASK_TO_OPEN, .handle = first_handle, .flags = 1));
    first_there = answer.ptr;
    ASK(.op = ASK_TO_CHECK, .ptr = first_there, .size = 65536, .seed = 1);
    RECORD("peer-reads", "data=%s", answer.text);
    CHECK("peer-writes", ASK(.op = ASK_TO_FILL, .ptr = first_there, .size = 65536, .seed = 7));
    RECORD("exporter-sees", "data=%s", device_check(first, 65536, 7));
    ASK(.op = ASK_TO_RANGE, .ptr = first_there);
    RECORD("peer-range", "range=%s a2m=%d", answer.text, first_there % (2 * MB) == 0);
    ASK(.op = ASK_TO_RANGE, .ptr = first_there + 100);
    RECORD("peer-range-interior", "range=%s", answer.text);

    for (int k = 1; k < 22; k++)
        CHECK(format("peer-attr%d", k), ASK(.op = ASK_TO_ATTR, .ptr = first_there, .flags = k),
              "v=%s", answer.text);

    CHECK("peer-open-twice", ASK(.op = ASK_TO_OPEN, .handle = first_handle, .flags = 1),
          "same_ptr=%d", answer.ptr == first_there);
    CHECK("peer-close-1", ASK(.op = ASK_TO_CLOSE, .ptr = first_there));
    ASK(.op = ASK_TO_CHECK, .ptr = first_there, .size = 4096, .seed = 7);
    RECORD("peer-read-after-close-1", "data=%s", answer.text);
    CHECK("peer-close-2", ASK(.op = ASK_TO_CLOSE, .ptr = first_there));
    CHECK("peer-close-3", ASK(.op = ASK_TO_CLOSE, .ptr = first_there));
}

static void ipcmem_two_there(void)
{
    CHECK("peer-reopen", ASK(.op = ASK_TO_OPEN, .handle = first_handle, .flags = 1),
          "same_ptr_as_before=%d", answer.ptr == first_there);
    first_there = answer.ptr;
    CHECK("peer-open-b", ASK(.op = ASK_TO_OPEN, .handle = second_handle, .flags = 1),
          "dist_like_exporter=%d", answer.ptr - first_there == second - first);
    second_there = answer.ptr;
    ASK(.op = ASK_TO_CHECK, .ptr = second_there, .size = 65536, .seed = 2);
    RECORD("peer-reads-b", "data=%s", answer.text);

    CHECK("peer-free-imported", ASK(.op = ASK_TO_FREE, .ptr = first_there));
    CHECK("peer-close-interior", ASK(.op = ASK_TO_CLOSE, .ptr = first_there + 512));
    CHECK("peer-reexport", ASK(.op = ASK_TO_REEXPORT, .ptr = first_there), "same_handle=%d",
          !memcmp(&answer.handle, &first_handle, 64));
    CHECK("peer-close-b", ASK(.op = ASK_TO_CLOSE, .ptr = second_there));
    CHECK("peer-close-a", ASK(.op = ASK_TO_CLOSE, .ptr = first_there));

    CUipcMemHandle interior;
    CUresult failed = ipc_handle(&interior, first + 4096);
    if (!failed) {
        CHECK("peer-open-interior-handle", ASK(.op = ASK_TO_OPEN, .handle = interior, .flags = 1));
        ASK(.op = ASK_TO_CHECK, .ptr = answer.ptr, .size = 4096, .seed = 7);
        RECORD("peer-interior-starts-at-base", "data=%s", answer.text);
        ASK(.op = ASK_TO_CLOSE, .ptr = answer.ptr);
    }
}

static void ipcmem_free_while_open(void)
{
    CHECK("get-big", ipc_handle(&second_handle, large));
    CHECK("peer-open-big", ASK(.op = ASK_TO_OPEN, .handle = second_handle, .flags = 1));
    second_there = answer.ptr;
    ASK(.op = ASK_TO_RANGE, .ptr = second_there);
    RECORD("peer-range-big", "range=%s", answer.text);
    ASK(.op = ASK_TO_CHECK, .ptr = second_there, .size = 65536, .seed = 3);
    RECORD("peer-reads-big", "data=%s", answer.text);

    CHECK("exporter-frees-while-open", cuda.cuMemFree(large));
    ASK(.op = ASK_TO_CHECK, .ptr = second_there, .size = 65536, .seed = 3);
    RECORD("peer-reads-after-free", "data=%s", answer.text);
    CHECK("peer-close-after-free", ASK(.op = ASK_TO_CLOSE, .ptr = second_there));
    CHECK("peer-open-freed-handle", ASK(.op = ASK_TO_OPEN, .handle = second_handle, .flags = 1));
    if (!answer.result)
        ASK(.op = ASK_TO_CLOSE, .ptr = answer.ptr);
}

static void ipcmem_handle_values(void)
{
    CUipcMemHandle handle;

    CUdeviceptr again = device_alloc(8 * MB);
    CHECK("get-after-realloc", ipc_handle(&handle, again), "same_ptr=%d same_handle=%d",
          again == large, !memcmp(&handle, &second_handle, 64));
    CUdeviceptr unused = device_alloc(65536);
    cuda.cuMemFree(unused);
    CUdeviceptr small = device_alloc(65536);
    CUipcMemHandle handle_again, handle_before;
    ipc_handle(&handle_before, small);
    cuda.cuMemFree(small);
    small = device_alloc(65536);
    CHECK("small-realloc-handle", ipc_handle(&handle_again, small), "same_handle=%d",
          !memcmp(&handle_again, &handle_before, 64));

    int nonzero = 0;
    for (int i = 0; i < 64; i++)
        nonzero += first_handle.reserved[i] != 0;
    RECORD("handle-bytes", "some_nonzero=%d tail_zero=%d", nonzero > 0,
           first_handle.reserved[63] == 0 && first_handle.reserved[62] == 0);

    ASK(.op = ASK_TO_OPEN, .handle = first_handle, .flags = 1);
    first_there = answer.ptr;
    ASK(.op = ASK_TO_CLOSE, .ptr = first_there);
    ASK(.op = ASK_TO_CHECK, .ptr = first_there, .size = 4096, .seed = 7);
    RECORD("peer-read-after-all-closed", "data=%s", answer.text);
}

GROUP(900, ipcmem, "ipcmem")
{
    pid_t peer_pid = peer_start();
    use_primary_context();
    first = device_alloc(65536);
    second = device_alloc(65536);
    large = device_alloc(8 * MB);
    device_fill(first, 65536, 1);
    device_fill(second, 65536, 2);
    device_fill(large, 65536, 3);

    ipcmem_get();
    ipcmem_open_here();
    ipcmem_open_there();
    ipcmem_two_there();
    ipcmem_free_while_open();
    ipcmem_handle_values();

    ASK(.op = ASK_TO_EXIT);
    waitpid(peer_pid, NULL, 0);
}

GROUP(901, ipcevent, "ipcevent")
{
    pid_t peer_pid = peer_start();
    use_primary_context();
    CHECK("peer-init", ASK(.op = ASK_TO_INIT));
    CUevent event;
    CUipcEventHandle handle, other_handle;

    for (unsigned flags = 0; flags < 8; flags++) {
        event = 0;
        memset(&handle, 0, 64);
        CHECK(format("create-fl%u", flags), cuda.cuEventCreate(&event, flags), "gethandle=%s",
              result_name(result ? result : cuda.cuIpcGetEventHandle(&handle, event)));
        if (event)
            cuda.cuEventDestroy(event);
    }

    cuda.cuEventCreate(&event, 6);
    CHECK("get", cuda.cuIpcGetEventHandle(&handle, event));
    CHECK("get-again", cuda.cuIpcGetEventHandle(&other_handle, event), "same=%d",
          !memcmp(&handle, &other_handle, 64));
    CHECK("get-null-out", cuda.cuIpcGetEventHandle(NULL, event));
    CHECK("get-null-event", cuda.cuIpcGetEventHandle(&other_handle, NULL));
    CUevent opened = (CUevent)UNTOUCHED;
    CHECK("open-same-process", cuda.cuIpcOpenEventHandle(&opened, handle), "out=%s",
          out_state(opened));
    CHECK("open-null-out", cuda.cuIpcOpenEventHandle(NULL, handle));
    memset(&other_handle, 0, 64);
    CHECK("open-zero", cuda.cuIpcOpenEventHandle(&opened, other_handle));
    memset(&other_handle, 0xff, 64);
    CHECK("open-ff", cuda.cuIpcOpenEventHandle(&opened, other_handle));

    CHECK("peer-open", ASK(.op = ASK_EVENT_OPEN, .event = handle));
    CHECK("peer-query-unrecorded", ASK(.op = ASK_EVENT_QUERY));
    CUstream stream = stream_new(0);
    struct blocker blocker = {.limit_ms = 800};
    stream_block(stream, &blocker);
    CHECK("record", cuda.cuEventRecord(event, stream));
    CHECK("peer-query-pending", ASK(.op = ASK_EVENT_QUERY));
    stream_unblock(&blocker);
    CHECK("peer-sync", ASK(.op = ASK_EVENT_SYNC));
    CHECK("peer-query-done", ASK(.op = ASK_EVENT_QUERY));
    CHECK("peer-elapsed", ASK(.op = ASK_EVENT_ELAPSED));
    CHECK("peer-record", ASK(.op = ASK_EVENT_RECORD));
    CHECK("sync-after-peer-record", cuda.cuEventSynchronize(event));
    CHECK("exporter-destroys", cuda.cuEventDestroy(event));
    CHECK("peer-query-after-destroy", ASK(.op = ASK_EVENT_QUERY));
    CHECK("peer-destroy", ASK(.op = ASK_EVENT_DESTROY));
    CHECK("peer-open-destroyed-handle", ASK(.op = ASK_EVENT_OPEN, .event = handle));
    ASK(.op = ASK_TO_EXIT);
    waitpid(peer_pid, NULL, 0);
}

GROUP(902, ipcdead, "ipcdead")
{ /* Exporter process gone while importer still holds the handle: roles swapped through the peer. */
    int answers[2];
    if (pipe(answers))
        return;

    int hold[2];
    if (pipe(hold))
        return;

    pid_t pid = fork();

    if (!pid) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        alarm(60);
        cuda.cuInit(0);
        cuda.cuDeviceGet(&device, 0);
        cuda.cuDevicePrimaryCtxRetain(&context, device);
        cuda.cuCtxSetCurrent(context);
        CUdeviceptr ptr = device_alloc(4 * MB);
        device_fill(ptr, 65536, 5);
        CUipcMemHandle handle;
        CUresult got = ipc_handle(&handle, ptr);
        if (write(answers[1], &got, sizeof got) < 0 ||
            write(answers[1], &handle, sizeof handle) < 0)
            _exit(1);
        char byte;
        close(hold[1]);
        if (read(hold[0], &byte, 1)) {
        }
        _exit(0);
    }

    close(hold[0]);
    CUresult got = 0;
    CUipcMemHandle handle;
    memset(&handle, 0, sizeof handle);
    if (read(answers[0], &got, sizeof got) < 0 || read(answers[0], &handle, sizeof handle) < 0)
        got = -1;

    CHECK("exporter-get", got);
    use_primary_context();
    CUdeviceptr opened = UNTOUCHED;
    CHECK("open", cuda.cuIpcOpenMemHandle(&opened, handle, 1));
    RECORD("read-alive", "data=%s", device_check(opened, 65536, 5));
    close(hold[1]);
    waitpid(pid, NULL, 0);
    RECORD("read-after-exporter-exit", "data=%s", device_check(opened, 65536, 5));
    CUdeviceptr again = UNTOUCHED;
    CHECK("open-again-after-exit", cuda.cuIpcOpenMemHandle(&again, handle, 1), "same=%d",
          again == opened);
    CHECK("close", cuda.cuIpcCloseMemHandle(opened));
    CHECK("open-after-close-and-exit", cuda.cuIpcOpenMemHandle(&again, handle, 1));
}

RISKY_HANDLE(9900, ipc_event_garbage, ({
                 CUipcEventHandle h;
                 cuda.cuIpcGetEventHandle(&h, (CUevent)bad_handle);
             }))
