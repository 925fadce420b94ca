/* SPDX-License-Identifier: MIT */
/* Options are two arrays; a value is a pointer or a number cast to one. Options that tune GPU
 * machine code are accepted and ignored. */
#include "module/options.h"

#include "core/driver_version.h"
#include "core/error.h"
#include "os/clock.h"

#include <string.h>

static bool is_among(int value, const uint8_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (values[i] == value)
            return true;
    return false;
}

/* The targets that the driver's compiler supports, and those it only knows (old ones, and other
 * machines), for which it does not compile. All others are rejected at once. Variants of targets
 * (sm_90a, sm_100f) have the same numbers in ranges of their own. */
static CUresult validate_target(struct cup_jit_options *read, int target)
{
    static const uint8_t made[] = {50, 52, 60, 61,  70,  72,  75,  80,  86,  87,
                                   88, 89, 90, 100, 101, 103, 107, 110, 120, 121};
    static const uint8_t named[] = {0, 1, 2, 3, 4, 5, 6, 30, 32, 35, 37, 53, 62};
    static const uint8_t accelerated[] = {90, 100, 101, 103, 107, 110, 120, 121};
    static const uint8_t family[] = {100, 101, 103, 107, 110, 120, 121};
    int specific = target - CU_COMPUTE_ACCELERATED_TARGET_BASE;
    int common = target - CU_COMPUTE_FAMILY_TARGET_BASE;

    if (!cup_driver_knows(CUP_ENUM_JIT_TARGET, target))
        return CUDA_ERROR_INVALID_VALUE;
    if (is_among(target, made, sizeof made))
        read->target = (struct cup_target){(unsigned)target, 0};
    else if (is_among(specific, accelerated, sizeof accelerated))
        read->target = (struct cup_target){(unsigned)specific, 'a'};
    else if (is_among(common, family, sizeof family))
        read->target = (struct cup_target){(unsigned)common, 'f'};
    else if (is_among(target, named, sizeof named))
        read->compile_error = CUDA_ERROR_INVALID_IMAGE;
    else
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

/* As in ptxas: code without a suffix compiles for all later targets, family code ('f') for later
 * targets of the family with or without a suffix, and 'a' code for that target only. */
static bool compiles_for(struct cup_target code, struct cup_target target)
{
    switch (code.suffix) {
    case 'a':
        return code.capability == target.capability && target.suffix == 'a';
    case 'f':
        return code.capability / 10 == target.capability / 10 &&
               code.capability <= target.capability;
    default:
        return code.capability <= target.capability;
    }
}

struct cup_build cup_jit_options_build(const struct cup_jit_options *read,
                                       const struct cup_profile *profile)
{
    return (struct cup_build){
        .profile = profile, .max_registers = read->max_registers, .start_ns = read->start_ns};
}

CUresult cup_jit_options_check(const struct cup_jit_options *read, const struct ptx_program *ptx,
                               const struct cup_profile *profile)
{
    struct cup_target code = {ptx->target, ptx->target_suffix};

    if (read->target.capability == 0)
        return CUDA_SUCCESS;
    if (!compiles_for(code, read->target))
        return cup_error(CUDA_ERROR_INVALID_PTX,
                         "PTX for sm_%u%.1s cannot be compiled for sm_%u%.1s", code.capability,
                         &code.suffix, read->target.capability, &read->target.suffix);
    if (read->target.capability != cup_profile_capability(profile))
        return cup_error(CUDA_ERROR_INVALID_SOURCE,
                         "compiled for sm_%u%.1s, which is not the device's architecture",
                         read->target.capability, &read->target.suffix);
    return CUDA_SUCCESS;
}

/* Validates the value of an option as NVIDIA's driver does, before or after it has seen the
 * code. */
static CUresult validate(struct cup_jit_options *read, CUjit_option option, void *value)
{
    int number = (int)(intptr_t)value;

    option = (CUjit_option)cup_driver_enumerator(CUP_ENUM_JIT_OPTION, (int)option);
    switch (option) {
    case CU_JIT_MAX_REGISTERS:
        read->max_registers = (uint32_t)number;
        return number == 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
    case CU_JIT_LOG_VERBOSE:
        read->verbose = number != 0;
        return CUDA_SUCCESS;
    case CU_JIT_THREADS_PER_BLOCK:
        return number == 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
    case CU_JIT_CACHE_MODE:
        return number < 0 || number > CU_JIT_CACHE_OPTION_CA ? CUDA_ERROR_INVALID_VALUE
                                                             : CUDA_SUCCESS;
    case CU_JIT_GLOBAL_SYMBOL_COUNT:
        return CUDA_ERROR_INVALID_VALUE; /* host symbols are not supported */
    case CU_JIT_NEW_SM3X_OPT:
        read->compile_error = CUDA_ERROR_INVALID_PTX;
        return CUDA_SUCCESS;
    case CU_JIT_OPTIMIZATION_LEVEL:
    case CU_JIT_MIN_CTA_PER_SM:
    case CU_JIT_SPLIT_COMPILE:
        if (number < 0)
            read->compile_error = CUDA_ERROR_INVALID_PTX;
        return CUDA_SUCCESS;
    case CU_JIT_TARGET:
        return validate_target(read, number);
    default:
        return (unsigned)option < CU_JIT_NUM_OPTIONS ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult cup_jit_options_read(struct cup_jit_options *read, unsigned count, CUjit_option *options,
                              void **values, bool for_link)
{
    bool has_info = false, has_error = false, has_info_bytes = false, has_error_bytes = false;

    *read = (struct cup_jit_options){
        .count = count, .options = options, .values = values, .start_ns = cup_clock_ns()};
    if (count > 0 && (!options || !values))
        return cup_error(CUDA_ERROR_INVALID_VALUE, "the array of %u options is NULL", count);
    for (unsigned i = 0; i < count; i++) {
        CUresult result = validate(read, options[i], values[i]);
        if (for_link && options[i] == CU_JIT_FALLBACK_STRATEGY)
            result = CUDA_ERROR_INVALID_VALUE; /* a link has no machine code to fall back from */
        if (result != CUDA_SUCCESS)
            return cup_error(result, "invalid value for option %d: %p", (int)options[i], values[i]);
        if (options[i] == CU_JIT_INFO_LOG_BUFFER) {
            read->info = values[i];
            has_info = true;
        } else if (options[i] == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES) {
            read->info_bytes = (unsigned)(uintptr_t)values[i];
            has_info_bytes = true;
        } else if (options[i] == CU_JIT_ERROR_LOG_BUFFER) {
            read->error = values[i];
            has_error = true;
        } else if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) {
            read->error_bytes = (unsigned)(uintptr_t)values[i];
            has_error_bytes = true;
        }
    }
    if (has_info != has_info_bytes || has_error != has_error_bytes || (has_info && !read->info) ||
        (has_error && !read->error))
        return cup_error(CUDA_ERROR_INVALID_VALUE,
                         "a log buffer and its size must be given together");
    return CUDA_SUCCESS;
}

/* Copies as much of the text as fits, with a NUL. Returns true if all of it fits; only then the
 * size is reported. */
static bool copy_text(char *buffer, size_t bytes, const char *text, size_t length)
{
    bool fits = length < bytes;

    if (bytes == 0)
        return false;
    if (!fits)
        length = bytes - 1;
    if (length > 0)
        memcpy(buffer, text, length);
    buffer[length] = 0;
    return fits || length == 0;
}

void cup_jit_options_report(const struct cup_jit_options *read, const struct ptx_log *log,
                            bool failed)
{
    /* the last line has no end */
    size_t length =
        log->count > 0 && log->text[log->count - 1] == '\n' ? log->count - 1 : log->count;
    size_t error_length = failed ? length : 0, info_length = failed ? 0 : length;
    bool error_fits = copy_text(read->error, read->error_bytes, log->text, error_length);
    bool info_fits = copy_text(read->info, read->info_bytes, log->text, info_length);
    float wall_ms = (float)(cup_clock_ns() - read->start_ns) / 1e6f;

    if (error_length >= read->error_bytes)
        error_length = 0;
    for (unsigned i = 0; i < read->count; i++) {
        if (read->options[i] == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES && info_fits)
            read->values[i] = (void *)(uintptr_t)info_length;
        else if (read->options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES && error_fits)
            read->values[i] = (void *)(uintptr_t)error_length;
        else if (read->options[i] == CU_JIT_WALL_TIME)
            memcpy(&read->values[i], &wall_ms, sizeof wall_ms);
    }
}
