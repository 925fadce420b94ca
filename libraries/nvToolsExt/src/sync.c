/* SPDX-License-Identifier: MIT */
/* Locks that a program made itself. Waiting for one is a range of the waiting thread, releasing it
 * a mark. Objects of one name in one domain are one, and stay. */
#include "exports.h"

#include <stdio.h>
#include <stdlib.h>

enum { TEXT_BYTES = 512 };

struct nvtx_sync {
    struct nvtx_sync *next;
    const char *name;
    struct nvtx_domain waits; /* a domain of its own, so that its ranges are popped by no other */
};

static struct nvtx_sync *all; /* guarded by the library's lock */

static struct nvtx_sync *find_or_add(const char *domain, const char *name)
{
    struct nvtx_sync *sync;

    nvtx_lock();
    for (sync = all; sync && (sync->name != name || sync->waits.name != domain);)
        sync = sync->next;
    if (!sync) {
        sync = calloc(1, sizeof(*sync));
        if (sync) {
            sync->name = name;
            sync->waits.name = domain;
            sync->next = all;
            all = sync;
        }
    }
    nvtx_unlock();
    return sync;
}

struct nvtx_sync *nvtxDomainSyncUserCreate(struct nvtx_domain *domain,
                                           const struct nvtx_sync_attributes *attributes)
{
    char *message =
        attributes ? nvtx_copy_message(attributes->message_type, attributes->message) : NULL;
    const char *name = nvtx_keep(message ? message : "lock");

    free(message);
    return name ? find_or_add(domain ? domain->name : NULL, name) : NULL;
}

void nvtxDomainSyncUserDestroy(struct nvtx_sync *sync)
{
    (void)sync;
}

void nvtxDomainSyncUserAcquireStart(struct nvtx_sync *sync)
{
    char text[TEXT_BYTES];
    struct nvtx_attributes attributes;

    if (!sync)
        return;
    snprintf(text, sizeof(text), "acquire %s", sync->name);
    attributes = nvtx_plain(text, NULL);
    nvtx_push(&sync->waits, &attributes);
}

void nvtxDomainSyncUserAcquireFailed(struct nvtx_sync *sync)
{
    if (sync)
        nvtx_pop(&sync->waits, NULL, 0);
}

void nvtxDomainSyncUserAcquireSuccess(struct nvtx_sync *sync)
{
    if (sync)
        nvtx_pop(&sync->waits, NULL, 0);
}

void nvtxDomainSyncUserReleasing(struct nvtx_sync *sync)
{
    char text[TEXT_BYTES];
    struct nvtx_attributes attributes;

    if (!sync)
        return;
    snprintf(text, sizeof(text), "release %s", sync->name);
    attributes = nvtx_plain(text, NULL);
    nvtx_mark(&sync->waits, &attributes);
}
