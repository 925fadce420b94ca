/* SPDX-License-Identifier: MIT */
/* The resources that a process uses, measured before and after. */
#ifndef LIMITS_USE_H
#define LIMITS_USE_H

#include "test.h"

#include <dirent.h>
#include <malloc.h>

struct use {
    size_t resident_bytes;
    unsigned descriptors, threads, mappings;
};

static inline unsigned count_entries(const char *path)
{
    DIR *folder = opendir(path);
    unsigned count = 0;

    check(folder != NULL);
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

static inline struct use use_now(void)
{
    struct use use = {0};
    unsigned long total, resident;
    int character;

    malloc_trim(0); /* what malloc keeps is not ours to give back */
    FILE *file = fopen("/proc/self/statm", "r");
    check(file && fscanf(file, "%lu %lu", &total, &resident) == 2);
    fclose(file);
    use.resident_bytes = resident * (size_t)sysconf(_SC_PAGESIZE);
    use.descriptors = count_entries("/proc/self/fd");
    use.threads = count_entries("/proc/self/task");
    file = fopen("/proc/self/maps", "r");
    while (file && (character = getc(file)) != EOF)
        use.mappings += character == '\n';
    fclose(file);
    return use;
}

/* Everything is as before, but for so many bytes and threads of which it is said why. */
static inline void check_back(struct use before, size_t bytes_more, unsigned threads_more)
{
    struct use now = use_now();

    printf("resident %zu KiB before, %zu KiB after; %u and %u descriptors, %u and %u threads, "
           "%u and %u mappings\n",
           before.resident_bytes >> 10, now.resident_bytes >> 10, before.descriptors,
           now.descriptors, before.threads, now.threads, before.mappings, now.mappings);
    check(now.resident_bytes <= before.resident_bytes + bytes_more);
    check(now.descriptors <= before.descriptors);
    check(now.threads <= before.threads + threads_more);
    /* Of a thread: a stack and its end, and memory of malloc's with its end. */
    check(now.mappings <= before.mappings + 4 * threads_more + 8);
}

static inline void print_peak(const char *what, size_t made, size_t wanted)
{
    struct use now = use_now();

    printf("%zu of %zu %s; resident %zu KiB, %u descriptors, %u threads, %u mappings\n", made,
           wanted, what, now.resident_bytes >> 10, now.descriptors, now.threads, now.mappings);
}

#endif
