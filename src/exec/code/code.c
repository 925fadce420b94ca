/* SPDX-License-Identifier: MIT */
/* Each code is a state machine on a futex word. The thread that changes EMPTY or MISSING to BUSY
 * compiles; the others sleep until the state is READY or FAILED, or EMPTY after a transient
 * failure. MISSING: the cache does not have it, and it remains to be compiled. No lock is held
 * meanwhile. */
#include "exec/code/code.h"

#include "abi/kernel.h"
#include "abi/launch.h"
#include "core/checks.h"
#include "core/compiler.h"
#include "core/config.h"
#include "core/error.h"
#include "core/observer.h"
#include "device/access.h"
#include "device/context.h"
#include "exec/code/cache.h"
#include "exec/code/compiler.h"
#include "exec/code/outlined_library.h"
#include "core/processor.h"
#include "exec/tools/debugger.h"
#include "exec/tools/perf.h"
#include "exec/tools/profiler.h"
#include "os/clock.h"
#include "os/futex.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)CUP_CODE_SHAPES == (int)CUP_SHAPE_COUNT, "a code for each shape of blocks");

enum { EMPTY, BUSY, READY, FAILED, MISSING };

/* Where a tier may come from; a set. */
enum { FROM_CACHE = 1, FROM_COMPILER = 2 };

enum jit_block_shape cup_code_shape(const uint32_t block[3])
{
    if (block[0] % CUP_ABI_WARP_LANES == 0)
        return CUP_SHAPE_ROWS;
    if (block[1] == 1 && block[2] == 1)
        return block[0] == 1 ? CUP_SHAPE_ONE : CUP_SHAPE_LINE;
    if (block[0] == 16 && (block[1] % 2 == 0 || block[2] == 1))
        return CUP_SHAPE_SIXTEEN;
    return block[0] % 8 == 0 ? CUP_SHAPE_SHORT : CUP_SHAPE_ANY;
}

static bool info_is_sane(const struct cup_abi_kernel_info *info)
{
    return info->abi_version == CUP_ABI_VERSION && info->size_bytes == sizeof(*info) &&
           info->shared_bytes <= (1u << 20) && info->local_bytes <= (1u << 24) &&
           info->stack_bytes <= (1u << 30) && info->frame_bytes <= (1u << 24) &&
           info->frame_bytes % 512 == 0;
}

/* Maps an object and resolves its entry points. Returns NULL on success, otherwise a message. */
static const char *load(struct cup_code *code, const uint8_t *object, size_t object_bytes)
{
    struct cup_elf_symbol symbols[] = {{.name = "cup_abi_kernel_info"},
                                       {.name = "cup_abi_run_blocks"},
                                       {.name = "cup_abi_run_warp"},
                                       {.name = "cup_abi_counters"}};
    const char *wrong =
        cup_elf_load(object, object_bytes, &code->object, symbols, CUP_ARRAY_COUNT(symbols));

    if (wrong)
        return wrong;
    if (!symbols[0].address || symbols[0].size_bytes < sizeof(code->info))
        wrong = "it has no kernel info";
    else
        memcpy(&code->info, symbols[0].address, sizeof(code->info));
    if (!wrong && !info_is_sane(&code->info))
        wrong = "it is of another version, or damaged";
    if (!wrong && !symbols[code->info.waiting ? 2 : 1].address)
        wrong = "it has no entry";
    if (wrong) {
        cup_elf_unload(&code->object);
        return wrong;
    }
    code->run_blocks = (cup_abi_run_blocks *)(uintptr_t)symbols[1].address;
    code->run_warp = (cup_abi_run_warp *)(uintptr_t)symbols[2].address;
    if (code->info.counters &&
        symbols[3].size_bytes / sizeof(struct cup_abi_counter) >= code->info.counters)
        code->profile = cup_profiler_add(code->program, code->function, symbols[3].address,
                                         code->info.counters);
    cup_perf_record(code->program->functions[code->function].name, &code->object, object,
                    object_bytes);
    return NULL;
}

static bool load_cached(struct cup_code *code, const struct cup_cache_key *key)
{
    size_t object_bytes;
    uint8_t *object = cup_cache_read(key, &object_bytes);

    if (!object)
        return false;
    const char *wrong = load(code, object, object_bytes);
    free(object);
    if (wrong)
        cup_log(CUP_LOG_INFO, "a compiled kernel in the cache is not used: %s", wrong);
    return !wrong;
}

/* Tells an observer of a step that began at `start_ns` and has ended. */
static void tell_step(const struct cup_code *code, enum cupipe_compile_step step, uint64_t start_ns)
{
    struct CUctx_st *context = cup_context_current();

    if (!cup_observed())
        return;
    cup_observer_tell(&(struct cupipe_activity){
        .kind = CUPIPE_ACTIVITY_COMPILE,
        .name = code->program->functions[code->function].name,
        .correlation = cup_observer_origin().correlation,
        .device = context ? (uint32_t)context->device->ordinal : 0,
        .context_id = context ? context->id : 0,
        .start_ns = start_ns,
        .end_ns = cup_clock_ns(),
        .compile = {.step = step, .code_bytes = code->object.code_bytes},
    });
}

static CUresult compile(struct cup_code *code, const struct jit_request *request,
                        const struct cup_cache_key *key)
{
    struct jit_result made;
    uint64_t start_ns = cup_clock_ns();
    CUresult result = cup_compiler_run(request, &made);

    if (result != CUDA_SUCCESS)
        return result;
    const char *wrong = load(code, made.object, made.object_bytes);
    if (!wrong) {
        tell_step(code, CUPIPE_COMPILE_MADE, start_ns);
        start_ns = cup_clock_ns();
        if (cup_cache_write(key, made.object, made.object_bytes))
            tell_step(code, CUPIPE_COMPILE_STORED, start_ns);
    }
    if (!wrong && request->debugger)
        code->debugger_entry = cup_debugger_announce(made.object, made.object_bytes, &code->object);
    cup_compiler_release(&made);
    if (wrong == cup_elf_no_memory)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for the code of a kernel");
    if (wrong) {
        cup_log(CUP_LOG_ERROR, "the compiled code of a kernel cannot be loaded: %s", wrong);
        return CUDA_ERROR_UNKNOWN;
    }
    return CUDA_SUCCESS;
}

static const char *const tier_names[] = {
    [JIT_TIER_FIRST] = "first tier", [JIT_TIER_OPTIMISED] = "optimised", [JIT_TIER_HOT] = "hot"};

static const char *execution_of(const struct cup_abi_kernel_info *info)
{
    return info->waiting ? "warps that wait" : info->looped ? "warps in turn" : "free";
}

static struct jit_request request_for(const struct cup_code *code)
{
    return (struct jit_request){
        .program = code->program,
        .function = code->function,
        .shape = code->shape,
        .tier = code->tier,
        .dump_path = cup_config_get()->dump_path,
        .counted = code->is_counted || cup_config_get()->profile_path,
        .checks = cup_checks.kernels,
        .lines = cup_config_get()->perf == CUP_CONFIG_PERF_JITDUMP,
        .debugger = cup_config_get()->debug,
        .text_folder = cup_config_keeps_texts() ? cup_debugger_write_texts(code->program) : NULL,
        .limited = cup_access_is_limited(),
        .fast_math = cup_config_get()->fast_math,
        .cpu_features = cup_processor_features(),
        .has_outlined = cup_outlined_has,
    };
}

/* Loads the tier from the cache if it may come from there and is there, or compiles it. Returns
 * CUDA_ERROR_NOT_FOUND if it may not be compiled. */
static CUresult create_tier(struct cup_code *code, enum jit_tier tier, unsigned sources)
{
    code->tier = tier;
    const char *name = code->program->functions[code->function].name;
    struct jit_request request = request_for(code);
    struct cup_cache_key key;
    uint64_t start_ns = cup_clock_ns();
    CUresult result = CUDA_SUCCESS;
    int saved = errno; /* the application's; looking for a file changes it */

    cup_cache_key_make(&key, &request);
    bool cached = (sources & FROM_CACHE) && load_cached(code, &key);
    if (cached)
        tell_step(code, CUPIPE_COMPILE_LOADED, start_ns);
    else
        result = sources & FROM_COMPILER ? compile(code, &request, &key) : CUDA_ERROR_NOT_FOUND;
    errno = saved;
    if (result == CUDA_SUCCESS) {
        cup_log(CUP_LOG_INFO, "kernel %s %s in %.3f ms (%s, %zu bytes, shape %d, %s)", name,
                cached ? "found in the cache" : "compiled",
                (double)(cup_clock_ns() - start_ns) / 1e6, tier_names[tier],
                code->object.code_bytes, (int)code->shape, execution_of(&code->info));
    }
    return result;
}

static CUresult create(struct cup_code *code, unsigned sources)
{
    static const enum jit_tier begins[] = {[CUP_CONFIG_JIT_BOTH] = JIT_TIER_FIRST,
                                           [CUP_CONFIG_JIT_FIRST] = JIT_TIER_FIRST,
                                           [CUP_CONFIG_JIT_OPTIMISED] = JIT_TIER_OPTIMISED,
                                           [CUP_CONFIG_JIT_HOT] = JIT_TIER_HOT};
    enum cup_config_jit jit = code->is_counted ? CUP_CONFIG_JIT_FIRST : cup_config_get()->jit;

    if (jit == CUP_CONFIG_JIT_BOTH && (sources & FROM_CACHE) &&
        (create_tier(code, JIT_TIER_HOT, FROM_CACHE) == CUDA_SUCCESS ||
         create_tier(code, JIT_TIER_OPTIMISED, FROM_CACHE) == CUDA_SUCCESS))
        return CUDA_SUCCESS;
    return create_tier(code, begins[jit], sources);
}

static struct cup_code *code_make(const struct ptx_program *program, uint32_t function,
                                  enum jit_block_shape shape)
{
    struct cup_code *code = calloc(1, sizeof(*code));

    if (code) {
        code->program = program;
        code->function = function;
        code->shape = shape;
    }
    return code;
}

static struct cup_code *slot_get(struct cup_code_image *image, uint32_t function,
                                 enum jit_block_shape shape)
{
    _Atomic(struct cup_code *) *slot = &image->codes[function][shape];
    struct cup_code *code = atomic_load_explicit(slot, memory_order_acquire), *made;

    if (cup_likely(code != NULL))
        return code;
    made = code_make(image->program, function, shape);
    if (made && !atomic_compare_exchange_strong(slot, &code, made)) {
        free(made);
        return code;
    }
    return made;
}

/* Compiling again gives the same error, except if the system refused memory. */
static bool is_final(CUresult result)
{
    return result == CUDA_ERROR_INVALID_PTX;
}

static void set_state(struct cup_code *code, uint32_t state)
{
    atomic_store(&code->state, state);
    cup_futex_wake(&code->state, INT_MAX);
}

/* Compiles the code if no thread does or has done so; otherwise returns false. */
static bool try_create(struct cup_code *code, CUresult *result)
{
    uint32_t state = EMPTY;
    unsigned sources = FROM_CACHE | FROM_COMPILER;

    if (!atomic_compare_exchange_strong(&code->state, &state, BUSY)) {
        if (state != MISSING || !atomic_compare_exchange_strong(&code->state, &state, BUSY))
            return false;
        sources = FROM_COMPILER;
    }
    *result = create(code, sources);
    code->result = *result;
    set_state(code, *result == CUDA_SUCCESS ? READY : is_final(*result) ? FAILED : EMPTY);
    return true;
}

static CUresult create_or_wait(struct cup_code *code)
{
    CUresult result;

    for (;;) {
        if (try_create(code, &result))
            return result;
        uint32_t state = atomic_load(&code->state);
        if (state == READY || state == FAILED)
            return code->result;
        if (state == BUSY)
            cup_futex_wait(&code->state, BUSY, -1);
    }
}

static bool is_ready(struct cup_code *code)
{
    return cup_likely(atomic_load_explicit(&code->state, memory_order_acquire) == READY);
}

static struct cup_code *best_of(struct cup_code *code)
{
    struct cup_code *better;

    while ((better = atomic_load_explicit(&code->better, memory_order_acquire)))
        code = better;
    return code;
}

/* Looks for the code in the cache, unless that was done. Errors that a compilation would begin with
 * are found here. */
static CUresult look_up(struct cup_code *code)
{
    uint32_t state = EMPTY;

    if (!atomic_compare_exchange_strong(&code->state, &state, BUSY))
        return state == FAILED ? code->result : CUDA_SUCCESS;
    CUresult result = create(code, FROM_CACHE);
    if (result == CUDA_ERROR_NOT_FOUND) {
        struct jit_request request = request_for(code);
        result = cup_compiler_can_run(&request);
        set_state(code, result == CUDA_SUCCESS ? MISSING : EMPTY);
        return result;
    }
    code->result = result;
    set_state(code, READY);
    return CUDA_SUCCESS;
}

/* Returns the best code there is, after `make` if there is none. NULL: `make` did not compile it.
 */
static CUresult code_after(CUresult (*make)(struct cup_code *code), struct cup_code_image *image,
                           uint32_t function, enum jit_block_shape shape, struct cup_code **code)
{
    struct cup_code *found = slot_get(image, function, shape);

    if (!found)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for the code of a kernel");
    if (!is_ready(found)) {
        CUresult result = make(found);
        if (result != CUDA_SUCCESS)
            return result;
    }
    *code = is_ready(found) ? best_of(found) : NULL;
    return CUDA_SUCCESS;
}

CUresult cup_code_get(struct cup_code_image *image, uint32_t function, enum jit_block_shape shape,
                      struct cup_code **code)
{
    return code_after(create_or_wait, image, function, shape, code);
}

CUresult cup_code_find(struct cup_code_image *image, uint32_t function, enum jit_block_shape shape,
                       struct cup_code **code)
{
    return code_after(look_up, image, function, shape, code);
}

struct cup_code *cup_code_ready(struct cup_code_image *image, uint32_t function,
                                enum jit_block_shape shape)
{
    struct cup_code *code =
        atomic_load_explicit(&image->codes[function][shape], memory_order_acquire);

    return cup_likely(code != NULL) && is_ready(code) ? best_of(code) : NULL;
}

void cup_code_prepare(struct cup_code_image *image, uint32_t function, enum jit_block_shape shape)
{
    struct cup_code *code = slot_get(image, function, shape);
    CUresult result;

    if (code)
        try_create(code, &result);
}

bool cup_code_may_improve(const struct cup_code *code)
{
    return code->tier == JIT_TIER_FIRST ||
           (code->tier == JIT_TIER_OPTIMISED && code->info.is_large);
}

/* How long the next tier takes, about, for each byte of code that this one made. Code of one thread
 * has no vectors. */
uint64_t cup_code_hot_ns(const struct cup_code *code)
{
    uint64_t first_ns = code->shape == CUP_SHAPE_ONE ? 3000 : 10000;

    return (uint64_t)code->object.code_bytes * (code->tier == JIT_TIER_FIRST ? first_ns : 30000);
}

static bool is_hot(const struct cup_code *code, uint64_t running_ns)
{
    return atomic_load_explicit(&code->run_ns, memory_order_relaxed) + running_ns >=
           cup_code_hot_ns(code);
}

/* Without memory the kernel stays with the code it has, and tries again after as long a time. */
static void upgrade(struct cup_code *code)
{
    struct cup_code *made = code_make(code->program, code->function, code->shape);
    CUresult result = made ? create_tier(made, code->tier + 1, FROM_CACHE | FROM_COMPILER)
                           : CUDA_ERROR_OUT_OF_MEMORY;

    if (result == CUDA_SUCCESS) {
        atomic_store_explicit(&made->state, READY, memory_order_relaxed);
        atomic_store_explicit(&code->better, made, memory_order_release);
        return;
    }
    free(made);
    if (!is_final(result)) {
        atomic_store(&code->run_ns, 0);
        atomic_store(&code->upgrading, false);
    }
}

/* The code that counts, which another thread may make at the same time. */
static struct cup_code *counted_of(struct cup_code *code)
{
    struct cup_code *found = atomic_load_explicit(&code->counted, memory_order_acquire);

    if (found)
        return found;
    struct cup_code *made = code_make(code->program, code->function, code->shape);
    if (!made)
        return NULL;
    made->is_counted = true;
    if (atomic_compare_exchange_strong(&code->counted, &found, made))
        return made;
    free(made);
    return found;
}

CUresult cup_code_get_counted(struct cup_code_image *image, uint32_t function,
                              enum jit_block_shape shape, struct cup_code **code)
{
    struct cup_code *plain = slot_get(image, function, shape);
    struct cup_code *counted = plain && !plain->profile ? counted_of(plain) : plain;

    if (!counted)
        return cup_error(CUDA_ERROR_OUT_OF_MEMORY, "no memory for the code of a kernel");
    CUresult result = is_ready(counted) ? CUDA_SUCCESS : create_or_wait(counted);
    if (result == CUDA_SUCCESS && !counted->profile)
        result = cup_error(CUDA_ERROR_OUT_OF_MEMORY, "the code of a kernel has no counters");
    if (result == CUDA_SUCCESS)
        *code = counted;
    return result;
}

struct cup_code *cup_code_best(struct cup_code *code, uint64_t running_ns)
{
    struct cup_code *best = best_of(code);

    if (!cup_code_may_improve(best) || best->is_counted ||
        cup_config_get()->jit != CUP_CONFIG_JIT_BOTH)
        return best;
    if (is_hot(best, best == code ? running_ns : 0) &&
        !atomic_load_explicit(&best->upgrading, memory_order_relaxed) &&
        !atomic_exchange(&best->upgrading, true))
        upgrade(best);
    return best_of(best);
}

static void code_destroy(struct cup_code *code)
{
    if (!code)
        return;
    code_destroy(atomic_load(&code->better));
    code_destroy(atomic_load(&code->counted));
    cup_debugger_withdraw(code->debugger_entry);
    cup_elf_unload(&code->object);
    free(code);
}

void cup_code_image_finish(struct cup_code_image *image)
{
    for (uint32_t i = 0; image->codes && i < image->program->function_count; i++) {
        for (int shape = 0; shape < CUP_SHAPE_COUNT; shape++) {
            code_destroy(atomic_exchange(&image->codes[i][shape], NULL));
        }
    }
}
