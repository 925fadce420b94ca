/* SPDX-License-Identifier: MIT */
/* The page of counts that this process publishes. Its file stays open and mapped until the process
 * ends; a child of fork, which cannot use the driver, keeps the parent's pid in it and is not
 * mistaken for a user of the device. */
#include "device/usage.h"

#include "os/memfd.h"

#include <string.h>
#include <unistd.h>

static struct cup_monitor_file private_file;
static struct cup_monitor_file *file = &private_file;

static struct cup_monitor_file *file_create(void)
{
    int fd = cup_memfd_create(CUP_MONITOR_FILE_NAME, sizeof(*file), "", 1);
    struct cup_monitor_file *mapped;
    int kept;

    if (fd < 0)
        return &private_file;
    mapped = cup_memfd_map(fd, sizeof(*file));
    kept = mapped ? cup_memfd_keep(fd) : -1; /* a number that the program does not use itself */
    if (kept >= 0 || !mapped)
        close(fd);
    return mapped ? mapped : &private_file;
}

struct cup_monitor_page *cup_usage_publish(const CUuuid *uuids, unsigned count)
{
    struct cup_monitor_page *page;

    file = file_create();
    page = &file->page;
    for (unsigned i = 0; i < count; i++)
        page->devices[i].uuid = uuids[i];
    page->pid = (uint32_t)getpid();
    page->device_count = count;
    page->magic = CUP_MONITOR_MAGIC;
    return page;
}

struct cup_monitor_file *cup_usage_file(void)
{
    return file;
}
