/* SPDX-License-Identifier: MIT */
/* cuGetProcAddress: maps a name, a CUDA version and a choice of default stream to an exported
 * function. The table is generated; a name has one or more forms, each with a first version. If
 * per-thread forms are requested and the name has any, only these count: for a version before the
 * first of them the version is reported as too old. */
#include "impl.h"
#include "core/driver_version.h"
#include "core/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef void cup_entry(void);

struct cup_procaddr_form {
    unsigned since; /* CUDA version */
    cup_entry *entry;
};

struct cup_procaddr_name {
    const char *name;
    uint16_t first;
    uint8_t plain_count;
    uint8_t thread_count;
};

#include "procaddr_table.h"

#define KNOWN_FLAGS                                                                                \
    ((cuuint64_t)(CU_GET_PROC_ADDRESS_LEGACY_STREAM |                                              \
                  CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM))

static const struct cup_procaddr_name *find_name(const char *name)
{
    size_t low = 0, high = CUP_ARRAY_COUNT(procaddr_names);

    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strcmp(name, procaddr_names[middle].name);

        if (order == 0)
            return &procaddr_names[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

/* Whether the driver has any form of the name: the oldest form of each flavour comes last. */
static bool exists(const struct cup_procaddr_name *name)
{
    const struct cup_procaddr_form *form = &procaddr_forms[name->first];
    unsigned count = (unsigned)name->plain_count + name->thread_count;

    for (unsigned i = 0; i < count; i++)
        if (cup_driver_has(form[i].since))
            return true;
    return false;
}

/* A negative version counts as newer than all: NVIDIA's driver compares unsigned numbers. */
static cup_entry *find_form(const struct cup_procaddr_name *name, unsigned version, bool per_thread)
{
    const struct cup_procaddr_form *form = &procaddr_forms[name->first];
    unsigned count = name->plain_count;

    if (per_thread && name->thread_count) {
        form += name->plain_count;
        count = name->thread_count;
    }
    for (; count; form++, count--)
        if (form->since <= version && cup_driver_has(form->since))
            return form->entry;
    return NULL;
}

static CUresult look_up(const char *symbol, int version, cuuint64_t flags, cup_entry **entry,
                        CUdriverProcAddressQueryResult *status)
{
    const struct cup_procaddr_name *name;

    if (version > (int)cup_driver_current()->cuda)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "CUDA version %d is newer than this driver",
                         version);
    if (flags & ~KNOWN_FLAGS)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "unknown flags %#llx",
                         (unsigned long long)flags);
    if (!symbol)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "symbol is NULL");

    *entry = NULL;
    *status = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    name = find_name(symbol);
    if (!name || !exists(name))
        return CUDA_SUCCESS;
    *entry =
        find_form(name, (unsigned)version, flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
    *status = *entry ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT;
    return CUDA_SUCCESS;
}

CUresult impl_cuGetProcAddress(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags)
{
    CUdriverProcAddressQueryResult status;
    cup_entry *entry;
    CUresult result = look_up(symbol, cudaVersion, flags, &entry, &status);

    if (result != CUDA_SUCCESS)
        return result;
    if (!pfn)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "pfn is NULL");
    if (!entry)
        return cup_error(CUDA_ERROR_NOT_FOUND, "no %s in CUDA %d", symbol, cudaVersion);
    *pfn = (void *)entry;
    return CUDA_SUCCESS;
}

CUresult impl_cuGetProcAddress_v2(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags,
                                  CUdriverProcAddressQueryResult *symbolStatus)
{
    CUdriverProcAddressQueryResult status;
    cup_entry *entry;
    CUresult result = look_up(symbol, cudaVersion, flags, &entry, &status);

    if (result != CUDA_SUCCESS)
        return result;
    if (!pfn)
        return cup_error(CUDA_ERROR_INVALID_VALUE, "pfn is NULL");
    *pfn = (void *)entry;
    if (symbolStatus)
        *symbolStatus = status;
    return CUDA_SUCCESS;
}
