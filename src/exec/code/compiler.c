/* SPDX-License-Identifier: MIT */
/* Finds, loads and calls the compiler. The path is CUPIPE_JIT_LIBRARY if set, otherwise the
 * folder of this library, otherwise the dynamic loader's search path. */
#include "exec/code/compiler.h"

#include "core/compiler.h"
#include "core/config.h"
#include "core/error.h"
#include "core/hash.h"
#include "core/thread.h"
#include "exec/code/cache_folder.h"
#include "exec/sched/worker.h"
#include "jit_shared.h"
#include "os/clock.h"
#include "os/dynlib.h"
#include "os/guard.h"
#include "os/interpose.h"
#include "os/mutex.h"
#include "stream/engine.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_NAME "libcupipe-jit.so"

enum {
    PATH_BYTES = 4096,
    STACK_BYTES = 256 << 20, /* reserved; only touched pages are committed */
    /* Memory that LLVM needs: to be loaded, for any kernel, and per instruction, about the observed
     * worst case. */
    LOADED_BYTES = 192 << 20,
    LEAST_BYTES = 24 << 20,
    INSTRUCTION_BYTES = 32 << 10,
    MOST_BYTES = 1 << 30,
};

/* Fault signals are delivered to the thread that causes them; all other signals are for the
 * application's threads. */
static const int own_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};

static pthread_once_t find_once = PTHREAD_ONCE_INIT;
/* Leaf mutex: guards loading libcupipe-jit.so. */
static pthread_mutex_t load_lock = PTHREAD_MUTEX_INITIALIZER;
static char found_path[PATH_BYTES]; /* empty: use the loader's search path */
static uint64_t identity;

static jit_compile_function *jit_compile; /* NULL: not loaded (yet); guarded by load_lock */
static jit_free_function *jit_free;
static _Atomic(const char *) own_name;
static char load_error[512]; /* guarded by load_lock */

static bool try_path(const char *path)
{
    if (strlen(path) >= sizeof(found_path) || access(path, R_OK) != 0)
        return false;
    strcpy(found_path, path);
    return true;
}

/* Replaces the last component of the file's path with the compiler's name. */
static bool try_beside(const char *file)
{
    char path[PATH_BYTES];
    const char *slash = strrchr(file, '/');
    int length =
        slash ? snprintf(path, sizeof(path), "%.*s/" FILE_NAME, (int)(slash - file), file) : -1;

    return length > 0 && (size_t)length < sizeof(path) && try_path(path);
}

static void find_file(void)
{
    const char *configured = cup_config_get()->jit_path;
    Dl_info here;

    if (configured) {
        snprintf(found_path, sizeof(found_path), "%s", configured);
        return;
    }
    if (!dladdr((void *)(uintptr_t)find_file, &here) || !here.dli_fname ||
        try_beside(here.dli_fname))
        return;
    char *real = realpath(here.dli_fname, NULL);
    if (real)
        try_beside(real);
    free(real);
}

uint64_t cup_file_identity(const char *path)
{
    uint64_t page[512] = {0};
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0 || fstat(fd, &status) != 0 || pread(fd, page, sizeof(page), 0) <= 0) {
        if (fd >= 0)
            close(fd);
        return 0;
    }
    close(fd);
    struct cup_hash hash = cup_hash_begin();
    cup_hash_number(&hash, (uint64_t)status.st_size);
    cup_hash_number(&hash, (uint64_t)status.st_mtim.tv_sec);
    cup_hash_number(&hash, (uint64_t)status.st_mtim.tv_nsec);
    cup_hash_bytes(&hash, page, sizeof(page));
    return cup_hash_end(&hash) | 1;
}

static void *load_file(void)
{
    void *library = cup_dynlib_open(found_path[0] ? found_path : FILE_NAME, CUP_DYNLIB_LOAD);

    if (!library)
        snprintf(load_error, sizeof(load_error), "%s", dlerror());
    return library;
}

CUP_THREAD_STATE(is_compiling, bool);

/* LLVM ends the process after a fatal error unless a handler is installed. An LLVM that is a shared
 * library may also belong to a graphics driver: in threads that do not compile kernels, the handler
 * returns and LLVM ends the process. */
static void on_llvm_failure(const char *reason)
{
    cup_log(CUP_LOG_ERROR, "LLVM reported a fatal error: %s", reason);
    if (*cup_thread_is_compiling(cup_thread_self()))
        cup_guard_abandon();
}

static void catch_llvm_failures(void *library)
{
    jit_on_fatal_error_function *install;

    if (cup_dynlib_resolve(library,
                           &(struct cup_dynlib_symbol){JIT_ON_FATAL_ERROR_SYMBOL, &install}, 1))
        install(on_llvm_failure);
}

/* True if the address space has room for `bytes` and the system would commit them. LLVM does not
 * survive allocation failures, so this is checked in advance. */
static bool has_memory(size_t bytes)
{
    int saved = errno;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (memory != MAP_FAILED)
        munmap(memory, bytes);
    errno = saved;
    return memory != MAP_FAILED;
}

static void ask_name(void *library)
{
    jit_identity_function *identify;

    if (cup_dynlib_resolve(library, &(struct cup_dynlib_symbol){JIT_IDENTITY_SYMBOL, &identify}, 1))
        atomic_store(&own_name, identify());
}

/* Functions of another build take structures that are laid out otherwise. */
static bool is_of_this_build(void *library)
{
    static const char wanted[] = "cupipe-jit interface " JIT_SHARED_HASH;
    jit_interface_function *interface;

    if (!cup_dynlib_resolve(library, &(struct cup_dynlib_symbol){JIT_INTERFACE_SYMBOL, &interface},
                            1)) {
        snprintf(load_error, sizeof(load_error), "%.400s is not this cupipe's compiler",
                 found_path);
        return false;
    }
    if (strcmp(interface(), wanted) == 0)
        return true;
    snprintf(
        load_error, sizeof(load_error),
        "%.300s is of another build of cupipe (%.60s) than this driver (%s): install both from "
        "one package",
        found_path, interface(), wanted);
    return false;
}

static void load_locked(void)
{
    cup_mutex_assert_held(&load_lock);
    const struct cup_dynlib_symbol symbols[] = {
        {JIT_COMPILE_SYMBOL, &jit_compile},
        {JIT_FREE_SYMBOL, &jit_free},
    };
    void *library = load_file();

    if (!library || !is_of_this_build(library))
        return;
    catch_llvm_failures(library);
    ask_name(library);
    if (!cup_dynlib_resolve(library, symbols, 2)) {
        snprintf(load_error, sizeof(load_error), "%.400s is not cupipe's compiler", found_path);
        jit_compile = NULL;
        return;
    }
    cup_interpose_also((void *)(uintptr_t)jit_compile);
}

static void find(void)
{
    find_file();
    if (found_path[0]) {
        identity = cup_file_identity(found_path);
        return;
    }
    /* Only the loader knows the path, after it has loaded the library. */
    Dl_info where;
    void *library = load_file();
    void *entry = NULL;
    if (library)
        cup_dynlib_resolve(library, &(struct cup_dynlib_symbol){JIT_COMPILE_SYMBOL, &entry}, 1);
    if (entry && dladdr(entry, &where) && where.dli_fname)
        identity = cup_file_identity(where.dli_fname);
}

uint64_t cup_compiler_identity(void)
{
    pthread_once(&find_once, find);
    return identity;
}

const char *cup_compiler_name(void)
{
    return atomic_load(&own_name);
}

const char *cup_compiler_path(void)
{
    pthread_once(&find_once, find);
    return found_path;
}

/* If loading failed, the next kernel tries again: memory may have been short. */
static CUresult ensure_loaded(void)
{
    CUresult result = CUDA_SUCCESS;

    pthread_once(&find_once, find);
    pthread_mutex_lock(&load_lock);
    if (!jit_compile && !has_memory(LOADED_BYTES))
        result = cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory to load the compiler of kernels");
    else if (!jit_compile)
        load_locked();
    if (!jit_compile && result == CUDA_SUCCESS) {
        cup_log(
            CUP_LOG_ERROR,
            "kernels cannot be compiled: %s. The compiler is " FILE_NAME
            ", beside libcuda.so.1; it needs libcupipe-llvm.so beside it or, in a build without "
            "that, LLVM 19 (on Debian and Ubuntu the package libllvm19)",
            load_error);
        result = cup_error(CUDA_ERROR_JIT_COMPILER_NOT_FOUND, "%s", load_error);
    }
    pthread_mutex_unlock(&load_lock);
    return result;
}

static void load_ahead(struct cup_offer *offer)
{
    (void)offer;
    pthread_once(&find_once, find);
    pthread_mutex_lock(&load_lock);
    if (!jit_compile && has_memory(LOADED_BYTES))
        load_locked(); /* the first kernel tells why it failed */
    pthread_mutex_unlock(&load_lock);
}

void cup_compiler_load_ahead(void)
{
    static struct cup_offer offer = {.run = load_ahead};
    static atomic_flag decided = ATOMIC_FLAG_INIT;

    if (!atomic_flag_test_and_set(&decided) && !cup_cache_has_folder())
        cup_engine_offer(&offer);
}

static size_t memory_for(const struct jit_request *request)
{
    uint64_t bytes =
        LEAST_BYTES + (uint64_t)INSTRUCTION_BYTES *
                          request->program->functions[request->function].instruction_count;

    return bytes < MOST_BYTES ? (size_t)bytes : MOST_BYTES;
}

/* A compilation runs in a thread of its own: the application's thread may have a small stack, and
 * the compiler recurses deeply. If the compiler faults, the program continues without the
 * kernel. */
struct compilation {
    const struct jit_request *request;
    struct jit_result *result;
    struct ptx_log log;
    int failed;
};

static void compile(void *argument)
{
    struct compilation *compilation = argument;

    compilation->failed = jit_compile(compilation->request, compilation->result, &compilation->log);
}

static void *thread_main(void *argument)
{
    struct compilation *compilation = argument;

    cup_worker_need_signal_stack();
    *cup_thread_is_compiling(cup_thread_self()) = true;
    if (!cup_guard_run(compile, compilation)) {
        memset(compilation->result, 0, sizeof(*compilation->result));
        compilation->log = (struct ptx_log){0};
        compilation->failed = 1;
        cup_log(CUP_LOG_ERROR, "the compiler of kernels has crashed");
    }
    *cup_thread_is_compiling(cup_thread_self()) = false;
    return NULL;
}

static void compile_in_thread(struct compilation *compilation)
{
    pthread_attr_t attributes;
    pthread_t thread;
    bool started = false;

    if (pthread_attr_init(&attributes) == 0) {
        sigset_t all, before;
        sigfillset(&all);
        for (size_t i = 0; i < CUP_ARRAY_COUNT(own_signals); i++)
            sigdelset(&all, own_signals[i]);
        pthread_attr_setstacksize(&attributes, STACK_BYTES);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        started = pthread_create(&thread, &attributes, thread_main, compilation) == 0;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        pthread_attr_destroy(&attributes);
    }
    if (started)
        pthread_join(thread, NULL);
    else
        thread_main(compilation);
}

CUresult cup_compiler_can_run(const struct jit_request *request)
{
    CUresult loaded = ensure_loaded();

    if (loaded == CUDA_SUCCESS && !has_memory(memory_for(request)))
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory to compile kernel %s",
                         request->program->functions[request->function].name);
    return loaded;
}

CUresult cup_compiler_run(const struct jit_request *request, struct jit_result *result)
{
    const char *name = request->program->functions[request->function].name;
    struct compilation compilation = {.request = request, .result = result};
    CUresult able = cup_compiler_can_run(request);

    if (able != CUDA_SUCCESS)
        return able;
    memset(result, 0, sizeof(*result));
    compile_in_thread(&compilation);
    bool failed = compilation.failed || !result->object;
    if (compilation.failed == JIT_NO_MEMORY || (failed && !has_memory(memory_for(request)))) {
        free(compilation.log.text);
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory left to compile kernel %s", name);
    }
    if (failed)
        cup_log(CUP_LOG_ERROR, "kernel %s cannot be compiled: %s", name,
                compilation.log.text ? compilation.log.text : "no reason was given");
    free(compilation.log.text);
    return failed ? CUDA_ERROR_INVALID_PTX : CUDA_SUCCESS;
}

/* LLVM frees what it has allocated, but malloc keeps most of it, up to tens of megabytes after a
 * large kernel. Giving it back takes a hundredth of the time of the compilations since the last
 * time, at most, whatever else the process has in malloc's heaps. */
static void give_memory_back(uint64_t compiled_ns)
{
    enum { SHARE = 100, FIRST_TRIM_NS = 250000 };
    static _Atomic(uint64_t) owed_ns, trim_ns = FIRST_TRIM_NS;
    static atomic_flag is_busy = ATOMIC_FLAG_INIT;

    atomic_fetch_add(&owed_ns, compiled_ns);
    if (atomic_load(&owed_ns) < SHARE * atomic_load(&trim_ns) || atomic_flag_test_and_set(&is_busy))
        return;
    uint64_t start_ns = cup_clock_thread_ns();
    malloc_trim(0);
    atomic_store(&trim_ns, cup_clock_thread_ns() - start_ns);
    atomic_store(&owed_ns, 0);
    atomic_flag_clear(&is_busy);
}

void cup_compiler_release(struct jit_result *result)
{
    uint64_t compiled_ns = result->total_ns;

    jit_free(result);
    give_memory_back(compiled_ns);
}
