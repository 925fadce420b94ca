/* SPDX-License-Identifier: MIT */
/* Fuzzes what processes write to each other for checkpoints and monitors (device/monitor.h), from
 * both sides. A peer has memory of a device: this process sends it requests and writes into the
 * page that it publishes. An impostor publishes a page, too, and answers what this process asks by
 * the input. Whatever is written, the other side answers or says an error, and lives.
 *
 * An input is a list of commands of four bytes: which, and three that it uses. The words that say
 * that there is a request, and an answer, stay as they are: who changes them can also stop the
 * process. */
#include "api/checkpoint_target.h"
#include "device/monitor.h"
#include "device/monitor_find.h"
#include "os/futex.h"
#include "os/memfd.h"

#include <cuda.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum command {
    COMMAND_ASK,    /* the peer: an action, what its request is filled with, flags */
    COMMAND_PAGE,   /* a place in the peer's page, what the byte there is changed by */
    COMMAND_CALLS,  /* what a program does with a peer */
    COMMAND_ANSWER, /* a place in the impostor's next answer, what the byte is changed by */
    COMMAND_STORE,  /* a checkpoint of the impostor to storage of this process; its result */
    COMMAND_COUNT,
};

enum { COMMAND_BYTES = 4, MEMORY_BYTES = 1 << 20, LOCK_MS = 5 };

/* What the impostor answers. */
struct answer {
    struct cup_monitor_reply good, given;
    uint32_t result;
};

#define WAIT_NS 100000000

static pid_t peer, impostor;
static struct cup_monitor_file *peer_file;
static struct answer *answer; /* shared with the impostor */

static void die(const char *why)
{
    fprintf(stderr, "fuzz_checkpoint: %s\n", why);
    abort();
}

static void start_library(void)
{
    CUcontext context = NULL;

    if (cuInit(0) != CUDA_SUCCESS || cuDevicePrimaryCtxRetain(&context, 0) != CUDA_SUCCESS ||
        cuCtxSetCurrent(context) != CUDA_SUCCESS)
        die("the library does not start");
}

/* The process that is asked: it has memory, says that it is ready, and waits. */
static void run_peer(int ready)
{
    CUdeviceptr memory;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    start_library();
    if (cuMemAlloc(&memory, MEMORY_BYTES) != CUDA_SUCCESS ||
        cuMemsetD8(memory, 1, MEMORY_BYTES) != CUDA_SUCCESS || write(ready, "", 1) != 1)
        _exit(1);
    for (;;)
        pause();
}

/* Answers every request as it is told to, from a file with the name and the page of a process. */
static void run_impostor(int ready)
{
    static const uint64_t number = 1;
    int fd = cup_memfd_create(CUP_MONITOR_FILE_NAME, sizeof(struct cup_monitor_file), "", 1);
    int memory = cup_memfd_create("storage", MEMORY_BYTES, &number, sizeof(number));
    struct cup_monitor_file *file = fd < 0 ? NULL : cup_memfd_map(fd, sizeof(*file));
    struct cup_monitor_control *control = file ? &file->control : NULL;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (!file || memory < 0)
        _exit(1);
    file->page.magic = CUP_MONITOR_MAGIC;
    file->page.pid = (uint32_t)getpid();
    file->page.device_count = 1;
    atomic_store(&control->thread, (uint32_t)getpid());
    answer->good = (struct cup_monitor_reply){.operation = number, .device_count = 1};
    answer->good.devices[0] =
        (struct cup_monitor_storage){.size_bytes = MEMORY_BYTES, .fd = memory};
    if (write(ready, "", 1) != 1)
        _exit(1);
    for (;;) {
        uint32_t answered = atomic_load(&control->answered);

        while (atomic_load(&control->asked) == answered)
            cup_futex_wait_shared(&control->asked, answered, WAIT_NS);
        control->reply = answer->given;
        atomic_store(&control->result, answer->result);
        atomic_store(&control->answered, atomic_load(&control->asked));
        cup_futex_wake_shared(&control->answered, 1);
    }
}

static pid_t start_process(void (*run)(int ready))
{
    int ready[2];
    char byte;

    if (pipe(ready) != 0)
        die("there is no pipe");
    pid_t pid = fork();
    if (pid == 0)
        run(ready[1]);
    close(ready[1]);
    if (pid < 0 || read(ready[0], &byte, 1) != 1)
        die("another process does not start");
    close(ready[0]);
    return pid;
}

static void start(void)
{
    struct cup_monitor_page page;
    char name[16];

    setenv("CUPIPE_MEMORY", "64M", 0);
    setenv("CUPIPE_THREADS", "1", 0);
    setenv("CUPIPE_LOG", "none", 0);
    answer = mmap(NULL, sizeof(*answer), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (answer == MAP_FAILED)
        die("there is no memory");
    peer = start_process(run_peer);
    impostor = start_process(run_impostor);
    start_library();
    if (cuDeviceGetUuid_v2(&answer->good.devices[0].uuid, 0) != CUDA_SUCCESS)
        die("the device has no name");
    snprintf(name, sizeof(name), "%d", (int)peer);
    int fd = cup_monitor_open(name, O_RDWR, &page);
    peer_file = fd < 0 ? NULL : cup_memfd_map(fd, sizeof(*peer_file));
    if (!peer_file)
        die("the other process has no file");
    close(fd);
}

static void check_alive(void)
{
    int status;

    if (waitpid(peer, &status, WNOHANG) != 0)
        die("the peer has ended");
    if (waitpid(impostor, &status, WNOHANG) != 0)
        die("the impostor has ended");
}

/* Every word of a request may be anything. */
static void ask(const uint8_t *bytes)
{
    struct cup_monitor_request request;
    struct cup_monitor_reply reply;

    memset(&request, bytes[1], sizeof(request));
    request.action = bytes[0] < 128 ? bytes[0] % CUP_MONITOR_ACTIONS : bytes[0];
    request.timeout_ms = LOCK_MS;
    request.pid = bytes[2] & 1 ? (int)getpid() : (int)(int8_t)bytes[2];
    request.pair_count = bytes[2] & 2 ? bytes[1] : 0;
    request.operation = bytes[2] >> 2;
    (void)cup_checkpoint_ask((int)peer, &request, &reply);
}

static void change_page(const uint8_t *bytes)
{
    size_t at = (bytes[0] | (size_t)bytes[1] << 8) % sizeof(peer_file->page);

    if (at >= offsetof(struct cup_monitor_page, device_count)) /* else it is not found again */
        ((uint8_t *)&peer_file->page)[at] ^= bytes[2];
}

static void make_calls(void)
{
    CUcheckpointLockArgs lock = {.timeoutMs = LOCK_MS};
    CUprocessState state;
    int thread;

    cuCheckpointProcessGetState((int)peer, &state);
    cuCheckpointProcessGetRestoreThreadId((int)peer, &thread);
    cuCheckpointProcessLock((int)peer, &lock);
    cuCheckpointProcessCheckpoint((int)peer, NULL);
    cuCheckpointProcessRestore((int)peer, NULL);
    cuCheckpointProcessUnlock((int)peer, NULL);
}

static void change_answer(const uint8_t *bytes)
{
    size_t at = (bytes[0] | (size_t)bytes[1] << 8) % sizeof(answer->given);

    /* Most bytes are of devices that no answer has: the first count most. */
    if (bytes[1] < 128)
        at %= sizeof(answer->given.devices[0]) + offsetof(struct cup_monitor_reply, devices);
    ((uint8_t *)&answer->given)[at] ^= bytes[2];
}

/* What was offered is memory that can be used, up to its end. */
static void store_impostor(const uint8_t *bytes)
{
    CUcheckpointCustomStorageInfo *info = NULL;
    CUcheckpointCheckpointArgs arguments = {.customStorageInfo_out = &info};

    answer->result = bytes[0] < 16 ? bytes[0] : CUDA_SUCCESS;
    if (cuCheckpointProcessCheckpoint((int)impostor, &arguments) == CUDA_SUCCESS) {
        for (unsigned i = 0; i < info->deviceCount; i++) {
            CUcheckpointCustomStoragePerDeviceData *data = &info->perDeviceData[i];

            if (cuMemsetD8Async(data->devPtr, bytes[1], data->size, data->stream) != CUDA_SUCCESS)
                die("storage cannot be written");
        }
        answer->given = answer->good;
        cuCheckpointOperationComplete(info->handle);
    }
    answer->given = answer->good;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!peer_file)
        start();
    answer->given = answer->good;
    for (size_t i = 0; i + COMMAND_BYTES <= size; i += COMMAND_BYTES) {
        const uint8_t *bytes = data + i + 1;

        switch (data[i] % COMMAND_COUNT) {
        case COMMAND_ASK:
            ask(bytes);
            break;
        case COMMAND_PAGE:
            change_page(bytes);
            break;
        case COMMAND_CALLS:
            make_calls();
            break;
        case COMMAND_ANSWER:
            change_answer(bytes);
            break;
        default:
            store_impostor(bytes);
        }
        check_alive();
    }
    return 0;
}
