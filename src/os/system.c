/* SPDX-License-Identifier: MIT */
/* Memory and CPUs of this process: the machine's, restricted by the control group (version 1 or 2,
 * at its usual mount point) and the affinity mask. A limit that cannot be read counts as no
 * limit. */
#include "os/system.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Reads the beginning of a file as a string. Returns false if it cannot be read. */
static bool read_text(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    size_t length = 0;
    ssize_t got;

    if (fd < 0)
        return false;
    while (length < size - 1) {
        got = read(fd, text + length, size - 1 - length);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        length += (size_t)got;
    }
    text[length] = '\0';
    close(fd);
    return length > 0;
}

static uint64_t read_limit(const char *directory, const char *group, const char *file)
{
    char path[PATH_MAX];
    char text[64];
    unsigned long long limit;

    if (snprintf(path, sizeof(path), "%s%s/%s", directory, group, file) >= (int)sizeof(path))
        return UINT64_MAX;
    if (!read_text(path, text, sizeof(text)) || text[0] < '0' || text[0] > '9')
        return UINT64_MAX; /* "max" is no limit either */
    errno = 0;
    limit = strtoull(text, NULL, 10);
    return errno ? UINT64_MAX : limit;
}

/* A group is bound by its own limit and those of its ancestors. */
static uint64_t lowest_limit(const char *directory, char *group, const char *file)
{
    uint64_t lowest = UINT64_MAX;

    for (;;) {
        uint64_t limit = read_limit(directory, group, file);
        char *slash = strrchr(group, '/');

        if (limit < lowest)
            lowest = limit;
        if (!slash)
            return lowest;
        *slash = '\0';
    }
}

static bool has_word(const char *list, const char *end, const char *word)
{
    size_t length = strlen(word);

    while (list < end) {
        size_t span = strcspn(list, ",:");

        if (span == length && memcmp(list, word, length) == 0)
            return true;
        list += span + 1;
    }
    return false;
}

/* Parses a line of /proc/self/cgroup: "number:controllers:/group"; no controllers means version
 * 2. */
static uint64_t line_limit(char *line)
{
    char *controllers = strchr(line, ':');
    char *group = controllers ? strchr(controllers + 1, ':') : NULL;

    if (!group)
        return UINT64_MAX;
    if (group == controllers + 1)
        return lowest_limit("/sys/fs/cgroup", group + 1, "memory.max");
    if (has_word(controllers + 1, group, "memory"))
        return lowest_limit("/sys/fs/cgroup/memory", group + 1, "memory.limit_in_bytes");
    return UINT64_MAX;
}

static uint64_t group_limit(void)
{
    char text[8192];
    uint64_t lowest = UINT64_MAX;
    char *rest;

    if (!read_text("/proc/self/cgroup", text, sizeof(text)))
        return UINT64_MAX;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        uint64_t limit = line_limit(line);

        if (limit < lowest)
            lowest = limit;
    }
    return lowest;
}

uint64_t cup_system_memory_bytes(void)
{
    long pages = sysconf(_SC_PHYS_PAGES);
    long page_bytes = sysconf(_SC_PAGESIZE);
    uint64_t physical = pages > 0 && page_bytes > 0 ? (uint64_t)pages * (uint64_t)page_bytes : 0;
    int saved = errno;
    uint64_t limit = group_limit();

    errno = saved; /* the group and its files may not exist */
    return limit < physical ? limit : physical;
}

unsigned cup_system_cpu_count(void)
{
    /* The kernel rejects masks smaller than its own. */
    for (int cpus = 1024; cpus <= 1 << 20; cpus *= 2) {
        size_t size = CPU_ALLOC_SIZE(cpus);
        cpu_set_t *set = CPU_ALLOC(cpus);
        int count = 0;

        if (!set)
            break;
        if (sched_getaffinity(0, size, set) == 0)
            count = CPU_COUNT_S(size, set);
        CPU_FREE(set);
        if (count > 0)
            return (unsigned)count;
    }
    return 1;
}

bool cup_system_has_node(int node)
{
    char path[64];
    int saved = errno;

    if (node <= 0)
        return node == 0;
    snprintf(path, sizeof(path), "/sys/devices/system/node/node%d", node);
    bool exists = access(path, F_OK) == 0;
    errno = saved;
    return exists;
}

bool cup_system_expand_path(const char *pattern, char *path, size_t size)
{
    char number[16];
    size_t used = 0;

    snprintf(number, sizeof number, "%d", getpid());
    while (*pattern) {
        bool is_id = pattern[0] == '%' && pattern[1] == 'p';
        size_t count = is_id ? strlen(number) : 1;

        if (count >= size - used)
            return false;
        memcpy(path + used, is_id ? number : pattern, count);
        used += count;
        pattern += is_id ? 2 : 1;
    }
    path[used] = 0;
    return used > 0;
}
