/* SPDX-License-Identifier: MIT */
/* Finds the pages of processes in /proc and reads them as what they are, the word of strangers. */
#include "usage.h"

#include "os/clock.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    STATUS_BYTES = 4096,
    ACTIVE_BITS = 64 - CUP_MONITOR_RUNNING_BITS,
    STEP_NS = 5000000,
    WINDOW_US_MIN = 50000, /* a shorter window says little */
};

static const char link_prefix[] = "/memfd:" CUP_MONITOR_FILE_NAME;

/* A child of fork has its parent's file: the process that wrote it has this number in its own
 * namespace, which is the last that the kernel lists. */
static bool is_writer(const char *process, uint32_t pid)
{
    char path[64], text[STATUS_BYTES], *line, *end;
    ssize_t bytes;
    int fd;

    snprintf(path, sizeof(path), "/proc/%.20s/status", process);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bytes = read(fd, text, sizeof(text) - 1);
    close(fd);
    if (bytes <= 0)
        return false;
    text[bytes] = '\0';
    line = strstr(text, "\nNSpid:");
    if (!line)
        return strtoul(process, NULL, 10) == pid;
    line += strlen("\nNSpid:");
    end = strchr(line, '\n');
    if (end)
        *end = '\0';
    end = strrchr(line, '\t');
    return strtoul(end ? end + 1 : line, NULL, 10) == pid;
}

static bool page_read(int fd, struct cup_monitor_page *page)
{
    return pread(fd, page, sizeof(*page), 0) == (ssize_t)sizeof(*page) &&
           page->magic == CUP_MONITOR_MAGIC && page->device_count <= CUP_MONITOR_DEVICES_MAX;
}

static bool page_find(const char *process, struct cup_monitor_page *page)
{
    char path[64], target[sizeof(link_prefix) + 1];
    bool found = false;
    struct dirent *entry;
    DIR *folder;

    snprintf(path, sizeof(path), "/proc/%.20s/fd", process);
    folder = opendir(path);
    while (folder && !found && (entry = readdir(folder))) {
        ssize_t bytes = readlinkat(dirfd(folder), entry->d_name, target, sizeof(target));
        if (bytes < (ssize_t)sizeof(link_prefix) - 1 ||
            memcmp(target, link_prefix, sizeof(link_prefix) - 1) != 0)
            continue;
        int fd = openat(dirfd(folder), entry->d_name, O_RDONLY | O_CLOEXEC);
        if (fd < 0)
            continue;
        found = page_read(fd, page) && is_writer(process, page->pid);
        close(fd);
    }
    if (folder)
        closedir(folder);
    return found;
}

static void add_process(struct nvml_process_list *list, nvmlDevice_t device, unsigned pid,
                        const struct cup_monitor_page *page)
{
    for (unsigned i = 0; i < page->device_count && list->count < NVML_PROCESSES_MAX; i++) {
        const struct cup_monitor_device *each = &page->devices[i];
        struct nvml_process *added = &list->processes[list->count];

        if (memcmp(&each->uuid, &device->description.page_uuid, sizeof(each->uuid)) != 0 ||
            each->contexts == 0)
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
    forget_samples_locked(); /* another thread may have been writing one */
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
