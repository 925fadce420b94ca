/* SPDX-License-Identifier: MIT */
/* Finds the monitor file of a process in /proc and reads its page as what it is, the word of a
 * stranger. The driver and libnvidia-ml.so.1 share this header and no code. */
#ifndef CUP_DEVICE_MONITOR_FIND_H
#define CUP_DEVICE_MONITOR_FIND_H

#include "device/monitor.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A child of fork has its parent's file: the process that wrote it has this number in its own
 * namespace, which is the last that the kernel lists. */
static inline bool cup_monitor_is_writer(const char *process, uint32_t pid)
{
    enum { STATUS_BYTES = 4096 };
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

static inline bool cup_monitor_read(int fd, struct cup_monitor_page *page)
{
    return pread(fd, page, sizeof(*page), 0) == (ssize_t)sizeof(*page) &&
           page->magic == CUP_MONITOR_MAGIC && page->device_count <= CUP_MONITOR_DEVICES_MAX;
}

/* Opens the file of a process, given as its name in /proc, and reads the page. Returns -1 if it has
 * none or may not be opened. */
static inline int cup_monitor_open(const char *process, int flags, struct cup_monitor_page *page)
{
    static const char prefix[] = "/memfd:" CUP_MONITOR_FILE_NAME;
    char path[64], target[sizeof(prefix) + 1];
    struct dirent *entry;
    int found = -1;
    DIR *folder;

    snprintf(path, sizeof(path), "/proc/%.20s/fd", process);
    folder = opendir(path);
    while (folder && found < 0 && (entry = readdir(folder))) {
        ssize_t bytes = readlinkat(dirfd(folder), entry->d_name, target, sizeof(target));
        if (bytes < (ssize_t)sizeof(prefix) - 1 || memcmp(target, prefix, sizeof(prefix) - 1) != 0)
            continue;
        found = openat(dirfd(folder), entry->d_name, flags | O_CLOEXEC);
        if (found >= 0 &&
            (!cup_monitor_read(found, page) || !cup_monitor_is_writer(process, page->pid))) {
            close(found);
            found = -1;
        }
    }
    if (folder)
        closedir(folder);
    return found;
}

#endif
