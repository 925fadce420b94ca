/* SPDX-License-Identifier: MIT */
/* Searches /proc/PID/maps of all processes for a mapping of a file. */
#include "interop/mapped_elsewhere.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Parses one line of /proc/PID/maps: "start-end access offset device inode name". */
static bool line_names(const char *line, const char *name, uint64_t inode, uintptr_t known)
{
    unsigned long long start, line_inode;
    const char *found = strstr(line, name);

    if (!found || sscanf(line, "%llx-%*x %*s %*x %*s %llu", &start, &line_inode) != 2)
        return false;
    return line_inode == inode && start != known;
}

/* A process that has exited maps nothing. A process that cannot be inspected counts the same: on
 * most systems there is one. */
static bool process_maps(const char *pid, const char *name, uint64_t inode, uintptr_t known)
{
    char path[64], *line = NULL;
    size_t egl_context = 0;
    bool found = false;

    snprintf(path, sizeof(path), "/proc/%.20s/maps", pid);
    FILE *maps = fopen(path, "re");
    if (!maps)
        return false;
    while (!found && getline(&line, &egl_context, maps) > 0)
        found = line_names(line, name, inode, known);
    free(line);
    fclose(maps);
    return found;
}

bool cup_mapped_elsewhere(const char *name, uint64_t inode, const void *known)
{
    int saved = errno, self = getpid();
    DIR *processes = opendir("/proc");
    struct dirent *entry;
    bool found = processes == NULL;

    while (!found && (entry = readdir(processes))) {
        if (!isdigit((unsigned char)entry->d_name[0]))
            continue;
        bool is_self = atoi(entry->d_name) == self;
        found = process_maps(entry->d_name, name, inode, is_self ? (uintptr_t)known : 0);
    }
    if (processes)
        closedir(processes);
    errno = saved;
    return found;
}
