/* SPDX-License-Identifier: MIT */
/* Initialising, and the objects that live. */
#include "objects.h"
#include "profiling/chips.h"
#include "profiling/counter_data.h"

#include <pthread.h>
#include <stdatomic.h>

static atomic_bool is_initialized;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct object *objects; /* guarded by lock */

bool library_is_initialized(void)
{
    return atomic_load(&is_initialized);
}

void object_add(struct object *object, enum object_kind kind)
{
    object->kind = kind;
    pthread_mutex_lock(&lock);
    object->next = objects;
    objects = object;
    pthread_mutex_unlock(&lock);
}

static struct object **slot_locked(const void *object, enum object_kind kind)
{
    struct object **slot = &objects;

    while (*slot && (*slot != object || (*slot)->kind != kind))
        slot = &(*slot)->next;
    return slot;
}

bool object_is_live(const void *object, enum object_kind kind)
{
    pthread_mutex_lock(&lock);
    bool found = *slot_locked(object, kind) != NULL;
    pthread_mutex_unlock(&lock);
    return found;
}

bool object_remove(const void *object, enum object_kind kind)
{
    pthread_mutex_lock(&lock);
    struct object **slot = slot_locked(object, kind);
    bool found = *slot != NULL;
    if (found)
        *slot = (*slot)->next;
    pthread_mutex_unlock(&lock);
    return found;
}

NVPA_Status check_chip(const char *chip, const uint8_t *availability)
{
    if (!library_is_initialized())
        return NVPA_STATUS_NOT_INITIALIZED;
    if (!chip && !availability)
        return NVPA_STATUS_INVALID_ARGUMENT;
    if (availability && !availability_is_valid(availability))
        return NVPA_STATUS_INVALID_ARGUMENT;
    return chip && !chip_is_supported(chip) ? NVPA_STATUS_INVALID_ARGUMENT : NVPA_STATUS_SUCCESS;
}

NVPA_Status NVPW_InitializeHost(NVPW_InitializeHost_Params *pParams)
{
    if (!PARAMS_GIVEN(pParams, NVPW_InitializeHost_Params))
        return NVPA_STATUS_INVALID_ARGUMENT;
    atomic_store(&is_initialized, true);
    return NVPA_STATUS_SUCCESS;
}

NVPA_Status NVPW_GetSupportedChipNames(NVPW_GetSupportedChipNames_Params *pParams)
{
    if (!PARAMS_GIVEN(pParams, NVPW_GetSupportedChipNames_Params))
        return NVPA_STATUS_INVALID_ARGUMENT;
    if (!library_is_initialized())
        return NVPA_STATUS_NOT_INITIALIZED;
    pParams->ppChipNames = chip_names(&pParams->numChipNames);
    return NVPA_STATUS_SUCCESS;
}
