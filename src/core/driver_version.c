/* SPDX-License-Identifier: MIT */
/* The tables of versions and enumerators, and CUPIPE_DRIVER as the loader finds it. */
#include "core/driver_version.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct cup_driver_version versions[] = {
#define CUP_DRIVER_VERSION(cuda, ptx, release) {cuda, ptx, release},
#include "core/driver_versions.def"
#undef CUP_DRIVER_VERSION
};

enum { VERSION_COUNT = CUP_ARRAY_COUNT(versions) };

static const struct {
    enum cup_enumeration enumeration;
    long long value;
    unsigned since;
} enumerators[] = {
#define CUP_ENUMERATION(enumeration, type)
#define CUP_ENUMERATOR(enumeration, enumerator, since) {CUP_ENUM_##enumeration, enumerator, since},
#include "core/enumerators.def"
#undef CUP_ENUMERATOR
#undef CUP_ENUMERATION
};

_Atomic(const struct cup_driver_version *) cup_driver_chosen = &versions[VERSION_COUNT - 1];

const struct cup_driver_version *cup_driver_version_first(void)
{
    return &versions[0];
}

const struct cup_driver_version *cup_driver_version_last(void)
{
    return &versions[VERSION_COUNT - 1];
}

const struct cup_driver_version *cup_driver_version_parse(const char *text)
{
    char name[16];

    if (!text)
        return cup_driver_version_last();
    for (size_t i = 0; i < VERSION_COUNT; i++) {
        snprintf(name, sizeof(name), "%u.%u", versions[i].cuda / 1000,
                 versions[i].cuda % 1000 / 10);
        if (strcmp(name, text) == 0)
            return &versions[i];
    }
    return NULL;
}

bool cup_driver_knows_slow(enum cup_enumeration enumeration, long long value)
{
    for (size_t i = 0; i < CUP_ARRAY_COUNT(enumerators); i++) {
        if (enumerators[i].enumeration == enumeration && enumerators[i].value == value)
            return cup_driver_has(enumerators[i].since);
    }
    return true;
}

__attribute__((constructor)) static void choose_version(void)
{
    const char *text = secure_getenv("CUPIPE_DRIVER");
    const struct cup_driver_version *version =
        cup_driver_version_parse(text && *text ? text : NULL);

    if (version)
        atomic_store_explicit(&cup_driver_chosen, version, memory_order_relaxed);
}
