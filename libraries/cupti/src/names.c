/* SPDX-License-Identifier: MIT */
/* Callback ids by name, of the driver, the runtime and NVTX. The runtime's names end in the version
 * that brought them: cudaMalloc_v3020. A function with several versions has the id of the newest.
 */
#include "tool.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct named {
    uint32_t id;
    const char *name;
};

#define CUPTI_CALLBACK(number, name) {number, #name},
static const struct named driver_names[] = {
#include <cupti_driver_cbid.def>
};
static const struct named runtime_names[] = {
#include <cupti_runtime_cbid.def>
};
static const struct named nvtx_names[] = {
#include <cupti_nvtx_cbid.def>
};
#undef CUPTI_CALLBACK

enum { SLOTS = 2048, LISTS = CUPTI_CB_DOMAIN_SIZE };
struct slot {
    const char *name;
    size_t length;
    uint32_t id;
};
static struct slot table[LISTS][SLOTS];
static const char *by_id[LISTS][CUPTI_DRIVER_TRACE_CBID_SIZE];
static pthread_once_t once = PTHREAD_ONCE_INIT;

_Static_assert((int)CUPTI_RUNTIME_TRACE_CBID_SIZE <= (int)CUPTI_DRIVER_TRACE_CBID_SIZE,
               "by_id has room for both lists");

static size_t length_without_version(const char *name)
{
    const char *end = name + strlen(name);
    const char *digits = end;

    while (digits > name && digits[-1] >= '0' && digits[-1] <= '9')
        digits--;
    if (digits < end && digits - name > 2 && digits[-1] == 'v' && digits[-2] == '_')
        return (size_t)(digits - 2 - name);
    return (size_t)(end - name);
}

static uint32_t hash(const char *name, size_t length)
{
    uint32_t value = 2166136261u;

    for (size_t i = 0; i < length; i++)
        value = (value ^ (unsigned char)name[i]) * 16777619u;
    return value ^ value >> 15;
}

/* The slot of a name, or the empty one where it belongs. */
static struct slot *find(struct slot *slots, const char *name, size_t length)
{
    uint32_t at = hash(name, length) % SLOTS;

    while (slots[at].name &&
           (slots[at].length != length || memcmp(slots[at].name, name, length) != 0))
        at = (at + 1) % SLOTS;
    return &slots[at];
}

static void fill(CUpti_CallbackDomain list, const struct named *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t length = list == CUPTI_CB_DOMAIN_RUNTIME_API ? length_without_version(names[i].name)
                                                            : strlen(names[i].name);
        struct slot *slot = find(table[list], names[i].name, length);

        by_id[list][names[i].id] = names[i].name;
        if (slot->id < names[i].id)
            *slot = (struct slot){names[i].name, length, names[i].id};
    }
}

static void fill_all(void)
{
    by_id[CUPTI_CB_DOMAIN_DRIVER_API][0] = by_id[CUPTI_CB_DOMAIN_RUNTIME_API][0] = "INVALID";
    fill(CUPTI_CB_DOMAIN_DRIVER_API, driver_names, sizeof(driver_names) / sizeof(*driver_names));
    fill(CUPTI_CB_DOMAIN_RUNTIME_API, runtime_names,
         sizeof(runtime_names) / sizeof(*runtime_names));
    fill(CUPTI_CB_DOMAIN_NVTX, nvtx_names, sizeof(nvtx_names) / sizeof(*nvtx_names));
}

uint32_t tool_callback_id(const char *name, CUpti_CallbackDomain domain)
{
    pthread_once(&once, fill_all);
    return find(table[domain], name, strlen(name))->id;
}

const char *tool_callback_name(uint32_t id, CUpti_CallbackDomain domain)
{
    pthread_once(&once, fill_all);
    return id < CUPTI_DRIVER_TRACE_CBID_SIZE ? by_id[domain][id] : NULL;
}

uint32_t tool_callback_count(CUpti_CallbackDomain domain)
{
    static const uint32_t counts[CUPTI_CB_DOMAIN_SIZE] = {
        [CUPTI_CB_DOMAIN_DRIVER_API] = CUPTI_DRIVER_TRACE_CBID_SIZE,
        [CUPTI_CB_DOMAIN_RUNTIME_API] = CUPTI_RUNTIME_TRACE_CBID_SIZE,
        [CUPTI_CB_DOMAIN_RESOURCE] = CUPTI_CBID_RESOURCE_SIZE,
        [CUPTI_CB_DOMAIN_SYNCHRONIZE] = CUPTI_CBID_SYNCHRONIZE_SIZE,
        [CUPTI_CB_DOMAIN_NVTX] = CUPTI_CBID_NVTX_SIZE,
        [CUPTI_CB_DOMAIN_STATE] = CUPTI_CBID_STATE_SIZE,
    };

    return (unsigned)domain < CUPTI_CB_DOMAIN_SIZE ? counts[domain] : 0;
}
