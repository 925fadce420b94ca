/* SPDX-License-Identifier: MIT */
/* The CUDA version that the driver has, which CUPIPE_DRIVER chooses (driver_versions.def). It
 * decides which functions exist (entrypoints.def, the column `since`), which enumerators are known
 * (enumerators.def) and which PTX is read. */
#ifndef CUP_CORE_DRIVER_VERSION_H
#define CUP_CORE_DRIVER_VERSION_H

#include "core/compiler.h"

#include <cuda.h>
#include <stdatomic.h>
#include <stdbool.h>

struct cup_driver_version {
    unsigned cuda;       /* 13040 for 13.4 */
    unsigned ptx;        /* the newest PTX ISA that it reads: 95 for 9.5 */
    const char *release; /* of NVIDIA's driver that came with it */
};

/* The enumerations of enumerators.def. */
enum cup_enumeration {
#define CUP_ENUMERATION(enumeration, type) CUP_ENUM_##enumeration,
#define CUP_ENUMERATOR(enumeration, enumerator, since)
#include "core/enumerators.def"
#undef CUP_ENUMERATOR
#undef CUP_ENUMERATION
};

/* What an enumerator becomes that came after the driver: a value that no enumeration has. */
enum { CUP_NO_ENUMERATOR = 0x7ffffff0 };

/* The chosen version. The library reads CUPIPE_DRIVER when it is loaded, because
 * cuDriverGetVersion() and cuGetProcAddress() work before cuInit(), and again in cuInit(), which
 * reports a wrong value. Until then a wrong value counts as none. */
extern _Atomic(const struct cup_driver_version *) cup_driver_chosen;

static inline const struct cup_driver_version *cup_driver_current(void)
{
    return atomic_load_explicit(&cup_driver_chosen, memory_order_relaxed);
}

/* Whether the driver has what came with a version of CUDA. */
static inline bool cup_driver_has(unsigned since)
{
    return cup_driver_current()->cuda >= since;
}

/* Parses "13.0"; NULL: the newest version. Returns NULL if there is no such version. */
const struct cup_driver_version *cup_driver_version_parse(const char *text);

/* The oldest and the newest version. */
const struct cup_driver_version *cup_driver_version_first(void);
const struct cup_driver_version *cup_driver_version_last(void);

bool cup_driver_knows_slow(enum cup_enumeration enumeration, long long value);

/* False if the driver is older than the enumerator with this value. Values that are no enumerators
 * count as known: the caller refuses them. */
static inline bool cup_driver_knows(enum cup_enumeration enumeration, long long value)
{
    return cup_likely(cup_driver_has(CUDA_VERSION)) || cup_driver_knows_slow(enumeration, value);
}

/* The value as the driver understands it: CUP_NO_ENUMERATOR if it does not know it. */
static inline int cup_driver_enumerator(enum cup_enumeration enumeration, int value)
{
    return cup_likely(cup_driver_knows(enumeration, value)) ? value : CUP_NO_ENUMERATOR;
}

#endif
