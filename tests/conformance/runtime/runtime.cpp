/* SPDX-License-Identifier: MIT */
/* The runtime API as the library under test: its errors, and the helpers of recorder.hpp. */
#include "recorder.hpp"
#include <dlfcn.h>

extern "C" {
#include "../tables.h"
}

#define NO_LAST_ERROR ((cudaError_t)-1)

int keep_last_error;
static cudaError_t last_error;

const char *const copy_kind_names[6] = {"HtoH", "HtoD", "DtoH", "DtoD", "Default", "kind5"};

static const struct named_value error_names[] = {
#define ERROR(name, value) {value, #name},
#include "errors.def"
#undef ERROR
    {-1, NULL},
};

const char *error_name(cudaError_t error)
{
    for (const struct named_value *row = error_names; row->name; row++)
        if (row->value == (int)error)
            return row->name;
    if (error == RESULT_SKIPPED)
        return "SKIPPED";
    return format("UNKNOWN_ERROR_%d", (int)error);
}

const char *driver_result_name(int result)
{
    for (const struct named_value *row = result_names; row->name; row++) {
        if (row->value != result)
            continue;
        const char *name = row->name + strlen("CUDA_");
        return strncmp(name, "ERROR_", 6) ? name : name + 6;
    }
    return result == -99 ? "NO_DRIVER_SYMBOL" : format("UNKNOWN_RESULT_%d", result);
}

static const char *error_name_of(int error)
{
    return error_name((cudaError_t)error);
}

static int is_sticky(int error)
{
    return error == cudaErrorIllegalAddress || error == cudaErrorLaunchTimeout ||
           error == cudaErrorAssert ||
           (error >= cudaErrorHardwareStackError && error <= cudaErrorLaunchFailure) ||
           error == cudaErrorTensorMemoryLeak;
}

static void describe(void)
{
    line_print("# header=%d", CUDART_VERSION);
}

/* What kernels print stays out of the record. */
static int prepare(void)
{
    output_redirect();
    return 1;
}

static void last_error_clear(void)
{
    last_error = NO_LAST_ERROR;
    if (!keep_last_error)
        cudaGetLastError();
}

extern const struct library_under_test library_under_test = {
    error_name_of, is_sticky, describe, prepare, last_error_clear, NULL,
};

int case_start(const char *name)
{
    char plain[200];

    snprintf(plain, sizeof plain, "%.170s", name);
    for (char *at = plain; *at; at++)
        if (*at == ' ' || *at == ':')
            *at = '_';
    return case_begin(plain);
}

void last_error_read(void)
{
    last_error = keep_last_error ? NO_LAST_ERROR : cudaGetLastError();
}

void case_answer(cudaError_t result, const char *text)
{
    int has_other = last_error != NO_LAST_ERROR && last_error != result;

    case_end(result, "%s%s%s", has_other ? " last=" : "", has_other ? error_name(last_error) : "",
             text);
}

void *driver_function(const char *name)
{
    static void *library;

    if (!library)
        library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    return library ? dlsym(library, name) : NULL;
}

void use_runtime(void)
{
    cudaError_t error = cudaFree(0);

    if (error)
        setup_failed("cudaFree0", error);
    cudaGetLastError();
}

void *device_alloc(size_t size)
{
    void *ptr = NULL;

    cudaMalloc(&ptr, size);
    return ptr;
}

void *page_alloc(size_t size)
{
    void *ptr = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (ptr == MAP_FAILED)
        return NULL;
    memset(ptr, 0, size);
    return ptr;
}

void *pinned_alloc(size_t size)
{
    void *ptr = NULL;

    cudaHostAlloc(&ptr, size, 0);
    if (!ptr) {
        setup_note("setup-pinned-unavailable");
        ptr = page_alloc(size);
    }
    return ptr;
}

void *managed_alloc(size_t size)
{
    void *ptr = NULL;

    cudaMallocManaged(&ptr, size, cudaMemAttachGlobal);
    if (!ptr) {
        setup_note("setup-managed-unavailable");
        ptr = page_alloc(size);
    }
    return ptr;
}

cudaStream_t stream_new(unsigned flags)
{
    cudaStream_t stream = NULL;

    cudaStreamCreateWithFlags(&stream, flags);
    return stream;
}

cudaEvent_t event_new(unsigned flags)
{
    cudaEvent_t event = NULL;

    cudaEventCreateWithFlags(&event, flags);
    return event;
}

cudaChannelFormatDesc channel(int x, int y, int z, int w, int kind)
{
    cudaChannelFormatDesc desc;

    desc.x = x;
    desc.y = y;
    desc.z = z;
    desc.w = w;
    desc.f = (cudaChannelFormatKind)kind;
    return desc;
}

cudaExtent extent(size_t width, size_t height, size_t depth)
{
    cudaExtent extent;

    extent.width = width;
    extent.height = height;
    extent.depth = depth;
    return extent;
}

cudaPos position(size_t x, size_t y, size_t z)
{
    cudaPos position;

    position.x = x;
    position.y = y;
    position.z = z;
    return position;
}

cudaPitchedPtr pitched(void *ptr, size_t pitch, size_t width, size_t height)
{
    cudaPitchedPtr pitched;

    pitched.ptr = ptr;
    pitched.pitch = pitch;
    pitched.xsize = width;
    pitched.ysize = height;
    return pitched;
}

void device_fill(void *ptr, size_t size, unsigned seed)
{
    void *bytes = malloc(size);

    pattern_fill(bytes, size, seed);
    cudaMemcpy(ptr, bytes, size, cudaMemcpyDefault);
    cudaDeviceSynchronize();
    free(bytes);
}

const char *device_check(const void *ptr, size_t size, unsigned seed)
{
    void *bytes = calloc(1, size);
    cudaError_t copied = cudaMemcpy(bytes, ptr, size, cudaMemcpyDefault);
    const char *text = copied ? error_name(copied) : pattern_check(bytes, size, seed);

    free(bytes);
    return text;
}

const char *device_checksum(const void *ptr, size_t size)
{
    void *bytes = calloc(1, size);
    cudaError_t copied = cudaMemcpy(bytes, ptr, size, cudaMemcpyDefault);
    const char *text = copied ? error_name(copied) : format("%08x", checksum(bytes, size));

    free(bytes);
    return text;
}

const char *sync_device(void)
{
    cudaError_t synced = cudaDeviceSynchronize();

    sticky_notice(synced);
    return error_name(synced);
}

const char *sync_stream(cudaStream_t stream)
{
    cudaError_t synced = cudaStreamSynchronize(stream);

    sticky_notice(synced);
    return error_name(synced);
}

const char *out_state(const void *value)
{
    if (value == UNTOUCHED)
        return "kept";
    return value ? "set" : "null";
}

const char *relative(const void *value, const void *reference)
{
    const int64_t near = 1ll << 32;
    int64_t distance = (int64_t)((uintptr_t)value - (uintptr_t)reference);

    if (!value)
        return "null";
    if (value == reference)
        return "self";
    if (value == UNTOUCHED)
        return "kept";
    if (distance > -near && distance < near)
        return format("self%+lld", (long long)distance);
    return "other";
}

const char *pointer_text(const void *ptr)
{
    cudaPointerAttributes attributes;

    memset(&attributes, 0xA5, sizeof attributes);
    cudaError_t error = cudaPointerGetAttributes(&attributes, ptr);
    if (error) {
        int kept = !strcmp(equal_bytes(&attributes, sizeof attributes), "all=a5");
        return format("%s out=%s", error_name(error), kept ? "kept" : "written");
    }
    return FORMAT("type=%d device=%d dptr=%s hptr=%s", (int)attributes.type, attributes.device,
                  relative(attributes.devicePointer, ptr), relative(attributes.hostPointer, ptr));
}

void memory_kinds_create(struct memory *kinds, size_t size)
{
    static const char *names[] = {"dev", "pinned", "registered", "pageable", "managed", "pool"};
    size_t whole_pages = (size + 4095) & ~4095ull;

    for (int i = 0; i < KIND_COUNT; i++) {
        kinds[i].name = names[i];
        kinds[i].host_readable = i >= KIND_PINNED && i <= KIND_MANAGED;
        kinds[i].ptr = NULL;
    }
    kinds[KIND_DEVICE].ptr = device_alloc(size);
    kinds[KIND_PINNED].ptr = pinned_alloc(size);
    kinds[KIND_PAGEABLE].ptr = page_alloc(size);
    kinds[KIND_MANAGED].ptr = managed_alloc(size);
    void *pages = page_alloc(whole_pages);
    if (!cudaHostRegister(pages, whole_pages, 0))
        kinds[KIND_REGISTERED].ptr = pages;
    cudaMallocAsync(&kinds[KIND_POOL].ptr, size, 0);
    cudaDeviceSynchronize();
    for (int i = 0; i < KIND_COUNT; i++)
        if (!kinds[i].ptr)
            setup_note(format("setup-kind-unavailable=%s", names[i]));
}

void memory_fill(const struct memory *memory, size_t size, unsigned seed)
{
    if (!memory->ptr)
        return;
    cudaDeviceSynchronize();
    if (memory->host_readable)
        pattern_fill(memory->ptr, size, seed);
    else
        device_fill(memory->ptr, size, seed);
}

void memory_read(const struct memory *memory, void *out, size_t size)
{
    memset(out, 0, size);
    if (!memory->ptr)
        return;
    cudaDeviceSynchronize();
    if (memory->host_readable)
        memcpy(out, memory->ptr, size);
    else
        cudaMemcpy(out, memory->ptr, size, cudaMemcpyDeviceToHost);
}

static void CUDART_CB blocker_wait(void *data)
{
    struct blocker *blocker = (struct blocker *)data;
    double start = seconds_now();

    while (!blocker->released && (seconds_now() - start) * 1000 < blocker->limit_ms)
        usleep(200);
    blocker->done = 1;
}

cudaError_t stream_block(cudaStream_t stream, struct blocker *blocker)
{
    blocker->released = 0;
    blocker->done = 0;
    if (!blocker->limit_ms)
        blocker->limit_ms = 400;
    return cudaLaunchHostFunc(stream, blocker_wait, blocker);
}

void stream_unblock(struct blocker *blocker)
{
    blocker->released = 1;
}

static int descriptor_before, captured_file = -1;

void output_capture(int descriptor)
{
    char name[] = "/tmp/recorder-output-XXXXXX";

    fflush(stdout);
    fflush(stderr);
    captured_file = mkstemp(name);
    unlink(name);
    descriptor_before = dup(descriptor);
    dup2(captured_file, descriptor);
}

const char *output_captured(int descriptor)
{
    static char chars[2000];

    fflush(stdout);
    fflush(stderr);
    dup2(descriptor_before, descriptor);
    close(descriptor_before);
    off_t end = lseek(captured_file, 0, SEEK_END);
    lseek(captured_file, 0, SEEK_SET);
    ssize_t size = read(captured_file, chars, sizeof chars - 1);
    if (size < 0)
        size = 0;
    chars[size] = 0;
    close(captured_file);
    for (ssize_t i = 0; i < size; i++) {
        if (chars[i] == '\n')
            chars[i] = '|';
        else if (!chars[i])
            chars[i] = '@';
    }
    if (end >= (off_t)sizeof chars)
        return format("(%lld bytes)", (long long)end);
    return chars;
}

int launch_kernel(const void *kernel, dim3 grid, dim3 block, size_t shared, cudaStream_t stream,
                  void **arguments)
{
    return (int)cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}
