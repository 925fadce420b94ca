/* SPDX-License-Identifier: MIT */
#include "core/processor.h"

#include "core/config.h"

#include <stddef.h>

#ifdef __x86_64__
static enum cup_processor_level level_of_host(void)
{
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
        !__builtin_cpu_supports("bmi") || !__builtin_cpu_supports("bmi2") ||
        !__builtin_cpu_supports("popcnt"))
        return CUP_PROCESSOR_PLAIN;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512cd"))
        return CUP_PROCESSOR_AVX512;
    return CUP_PROCESSOR_AVX2;
}
#else
static enum cup_processor_level level_of_host(void)
{
    return CUP_PROCESSOR_PLAIN;
}
#endif

enum cup_processor_level cup_processor_get(void)
{
    enum cup_processor_level host = level_of_host(), most = host;

    switch (cup_config_get()->cpu) {
    case CUP_CONFIG_CPU_PLAIN:
        most = CUP_PROCESSOR_PLAIN;
        break;
    case CUP_CONFIG_CPU_AVX2:
        most = CUP_PROCESSOR_AVX2;
        break;
    default:
        break;
    }
    return host < most ? host : most;
}

bool cup_processor_is_whole(void)
{
    return cup_config_get()->cpu == CUP_CONFIG_CPU_ALL;
}

const char *cup_processor_features(void)
{
#ifdef __x86_64__
    static const char *const features[] = {[CUP_PROCESSOR_PLAIN] = "+cx16",
                                           [CUP_PROCESSOR_AVX2] = CUP_FEATURES_AVX2,
                                           [CUP_PROCESSOR_AVX512] = CUP_FEATURES_AVX512};

    if (!cup_processor_is_whole())
        return features[cup_processor_get()];
#endif
    return NULL;
}
