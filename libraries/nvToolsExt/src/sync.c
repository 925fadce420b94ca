/* SPDX-License-Identifier: MIT */
/* Locks that a program made itself. Waiting for one is a range of the waiting thread, releasing it
 * a mark. Objects of one name in one domain are one, and stay. */
#include "exports.h"
#include "report.h"

#include <stdio.h>
#include <stdlib.h>

enum { TEXT_BYTES = 512 };

struct nvtx_sync {
    struct nvtx_sync *next;
    const char *name;
    uint32_t number;
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
            sync->waits.is_lock = true;
            sync->number = all ? all->number + 1 : 1;
            sync->next = all;
            all = sync;
        }
    }
    nvtx_unlock();
    return sync;
}

static struct nvtx_sync *create(struct nvtx_domain *domain,
                                const struct nvtx_sync_attributes *attributes)
{
    char *message =
        attributes ? nvtx_copy_message(attributes->message_type, attributes->message) : NULL;
    const char *name = nvtx_keep(message ? message : "lock");

    free(message);
    return name ? find_or_add(domain ? domain->name : NULL, name) : NULL;
}

static void tell(const struct nvtx_sync *sync, enum cupipe_marker_kind kind)
{
    nvtx_report_lock(sync->name, sync->waits.name, sync->number, kind);
}

/* Begins a wait, or marks that the lock is given up. */
static void mark(struct nvtx_sync *sync, enum cupipe_marker_kind kind)
{
    bool begins = kind == CUPIPE_MARKER_LOCK_WANTED;
    char text[TEXT_BYTES];
    struct nvtx_attributes attributes;

    if (!sync)
        return;
    snprintf(text, sizeof(text), "%s %s", begins ? "acquire" : "release", sync->name);
    attributes = nvtx_plain(text, NULL);
    tell(sync, kind);
    if (begins)
        nvtx_push(&sync->waits, &attributes);
    else
        nvtx_mark(&sync->waits, &attributes);
}

static void end_wait(struct nvtx_sync *sync, enum cupipe_marker_kind kind)
{
    if (!sync)
        return;
    tell(sync, kind);
    nvtx_pop(&sync->waits, NULL, 0);
}

struct nvtx_sync *nvtxDomainSyncUserCreate(struct nvtx_domain *domain,
                                           const struct nvtx_sync_attributes *attributes)
{
    struct nvtx_sync *sync = create(domain, attributes);

    NVTX_TELL(&sync, NVTX_WORD(domain), NVTX_WORD(attributes));
    return sync;
}

void nvtxDomainSyncUserDestroy(struct nvtx_sync *sync)
{
    NVTX_TELL(NULL, NVTX_WORD(sync));
}

void nvtxDomainSyncUserAcquireStart(struct nvtx_sync *sync)
{
    mark(sync, CUPIPE_MARKER_LOCK_WANTED);
    NVTX_TELL(NULL, NVTX_WORD(sync));
}

void nvtxDomainSyncUserAcquireFailed(struct nvtx_sync *sync)
{
    end_wait(sync, CUPIPE_MARKER_LOCK_REFUSED);
    NVTX_TELL(NULL, NVTX_WORD(sync));
}

void nvtxDomainSyncUserAcquireSuccess(struct nvtx_sync *sync)
{
    end_wait(sync, CUPIPE_MARKER_LOCK_TAKEN);
    NVTX_TELL(NULL, NVTX_WORD(sync));
}

void nvtxDomainSyncUserReleasing(struct nvtx_sync *sync)
{
    mark(sync, CUPIPE_MARKER_LOCK_RELEASED);
    NVTX_TELL(NULL, NVTX_WORD(sync));
}
