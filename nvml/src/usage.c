/* SPDX-License-Identifier: MIT */
/* Lists what processes use of a device, by the pages that they publish. */
#include "usage.h"

#include "device/monitor_find.h"
#include "os/clock.h"
#include "os/mutex.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    ACTIVE_BITS = 64 - CUP_MONITOR_RUNNING_BITS,
    STEP_NS = 5000000,
    WINDOW_US_MIN = 50000, /* a shorter window says little */
};

static bool page_find(const char *process, struct cup_monitor_page *page)
{
    int fd = cup_monitor_open(process, O_RDONLY, page);

    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

static void add_process(struct nvml_process_list *list, nvmlDevice_t device, unsigned pid,
                        const struct cup_monitor_page *page)
{
    for (unsigned i = 0; i < page->device_count && list->count < NVML_PROCESSES_MAX; i++) {
        const struct cup_monitor_device *each = &page->devices[i];
        struct nvml_process *added = &list->processes[list->count];

        if (memcmp(&each->uuid, &device->description.page_uuid, sizeof(each->uuid)) != 0 ||
            each->contexts == 0 || page->state == CU_PROCESS_STATE_CHECKPOINTED)
            continue;
        *added = (struct nvml_process){.pid = pid, .used_bytes = each->used_bytes};
        added->active_us = cup_monitor_active_us(each->kernels.word);
        list->count++;
    }
}

/* Of itself a process knows more: which of its memory is set aside and not in use. */
static void correct_own(struct nvml_process_list *list, nvmlDevice_t device)
{
    struct cup_monitor_description now;

    for (unsigned i = 0; i < list->count; i++) {
        if (list->processes[i].pid == (unsigned)getpid() &&
            nvml_driver()->describe(device->index, &now) && now.is_visible)
            list->processes[i].used_bytes = now.used_bytes;
    }
}

void nvml_usage_list(nvmlDevice_t device, struct nvml_process_list *list)
{
    DIR *folder = opendir("/proc");
    struct cup_monitor_page page;
    struct dirent *entry;

    list->count = 0;
    while (folder && (entry = readdir(folder))) {
        if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
            continue;
        if (page_find(entry->d_name, &page))
            add_process(list, device, (unsigned)strtoul(entry->d_name, NULL, 10), &page);
    }
    if (folder)
        closedir(folder);
    correct_own(list, device);
}

/* The newest sample of each device. The window from one to the next is what utilisation refers to.
 */
struct sample {
    uint64_t time_us;
    struct nvml_process_list list;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct sample samples[CUP_MONITOR_DEVICES_MAX]; /* guarded by lock */

static void forget_samples_locked(void)
{
    cup_mutex_assert_held(&lock);
    for (unsigned i = 0; i < CUP_MONITOR_DEVICES_MAX; i++)
        samples[i].time_us = 0;
}

void nvml_usage_start(void)
{
    pthread_mutex_lock(&lock);
    forget_samples_locked();
    pthread_mutex_unlock(&lock);
}

void nvml_usage_after_fork(void)
{
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    nvml_usage_start(); /* another thread may have been writing a sample */
}

/* What ran before the first sample of a process does not count. */
static unsigned percent_since(const struct sample *before, const struct nvml_process *process,
                              uint64_t window_us)
{
    uint64_t active_us = 0;

    for (unsigned i = 0; i < before->list.count; i++) {
        if (before->list.processes[i].pid == process->pid)
            active_us = process->active_us - before->list.processes[i].active_us;
    }
    /* The difference has ACTIVE_BITS; one that is negative means that the numbers are not true. */
    active_us = active_us << CUP_MONITOR_RUNNING_BITS >> CUP_MONITOR_RUNNING_BITS;
    if (active_us >> (ACTIVE_BITS - 1))
        return 0;
    if (active_us >= window_us)
        return 100;
    return (unsigned)((100 * active_us + window_us - 1) / window_us); /* not 0 if anything ran */
}

static void take_locked(nvmlDevice_t device, struct sample *sample)
{
    cup_mutex_assert_held(&lock);
    nvml_usage_list(device, &sample->list);
    sample->time_us = cup_monitor_clock_us();
}

void nvml_usage_sample(nvmlDevice_t device, struct nvml_process_list *list)
{
    struct sample *before = &samples[device->index];
    static struct sample now; /* guarded by lock */
    uint64_t age_us;

    pthread_mutex_lock(&lock);
    if (before->time_us == 0) {
        take_locked(device, before);
        while (cup_monitor_clock_us() - before->time_us < WINDOW_US_MIN)
            cup_clock_sleep_ns(STEP_NS);
    }
    age_us = cup_monitor_clock_us() - before->time_us;
    if (age_us >= WINDOW_US_MIN) {
        take_locked(device, &now);
        for (unsigned i = 0; i < now.list.count; i++)
            now.list.processes[i].percent =
                percent_since(before, &now.list.processes[i], now.time_us - before->time_us);
        *before = now;
    }
    *list = before->list;
    pthread_mutex_unlock(&lock);
}
