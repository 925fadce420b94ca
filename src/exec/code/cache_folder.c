/* SPDX-License-Identifier: MIT */
/* Opens and trims the folder of the kernel cache. */
#include "exec/code/cache_folder.h"

#include "core/config.h"
#include "core/dynarray.h"
#include "core/log.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BYTES_MAX (UINT64_C(256) << 20)
#define BYTES_KEPT (BYTES_MAX / 4 * 3)

enum { PATH_BYTES = 4096, UNFINISHED_SECONDS = 3600, FILES_MAX = 1 << 16 };

static pthread_once_t path_once = PTHREAD_ONCE_INIT;
static char folder_path[PATH_BYTES]; /* empty: none */

/* CUPIPE_CACHE, or the folder cupipe in the user's cache folder. */
static void find_path(void)
{
    const char *asked = cup_config_get()->cache_path;
    const char *cache = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");
    int length = -1;

    if (asked)
        length = snprintf(folder_path, PATH_BYTES, "%s", asked);
    else if (cache && cache[0] == '/')
        length = snprintf(folder_path, PATH_BYTES, "%s/cupipe", cache);
    else if (home && home[0] == '/')
        length = snprintf(folder_path, PATH_BYTES, "%s/.cache/cupipe", home);
    if (length < 0 || length >= PATH_BYTES)
        folder_path[0] = '\0';
}

const char *cup_cache_folder_path(void)
{
    if (cup_config_get()->cache_off)
        return NULL;
    pthread_once(&path_once, find_path);
    return folder_path[0] ? folder_path : NULL;
}

static void make_folders(const char *wanted)
{
    char path[PATH_BYTES];

    snprintf(path, sizeof(path), "%s", wanted);
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    mkdir(path, 0700);
}

bool cup_cache_trusted(const struct stat *status)
{
    return status->st_uid == geteuid() && !(status->st_mode & (S_IWGRP | S_IWOTH));
}

bool cup_cache_has_folder(void)
{
    const char *path = cup_cache_folder_path();

    return path && access(path, R_OK) == 0;
}

int cup_cache_open_folder(bool create)
{
    const char *path = cup_cache_folder_path();
    struct stat status;

    if (!path)
        return -1;
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0 && create && errno == ENOENT) {
        make_folders(path);
        folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    }
    if (folder < 0)
        return -1;
    if (fstat(folder, &status) != 0 || !cup_cache_trusted(&status)) {
        cup_log(CUP_LOG_WARNING, "%s is not used as a cache: others could write to it", path);
        close(folder);
        return -1;
    }
    return folder;
}

struct cache_entry {
    char name[64];
    uint64_t bytes;
    time_t used;
};

struct cache_entries {
    CUP_DYNARRAY(struct cache_entry, list);
};

static int by_age(const void *one, const void *other)
{
    time_t a = ((const struct cache_entry *)one)->used,
           b = ((const struct cache_entry *)other)->used;

    return a < b ? -1 : a > b;
}

/* Lists the files of the folder and removes stale temporary files. */
static void list_files(int folder, DIR *listing, struct cache_entries *entries)
{
    struct dirent *each;

    while (entries->count < FILES_MAX && (each = readdir(listing))) {
        struct stat status;
        if (strlen(each->d_name) >= sizeof(entries->list->name) ||
            fstatat(folder, each->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISREG(status.st_mode))
            continue;
        if (strncmp(each->d_name, CUP_CACHE_TEMPORARY, strlen(CUP_CACHE_TEMPORARY)) == 0) {
            if (time(NULL) - status.st_mtim.tv_sec > UNFINISHED_SECONDS)
                unlinkat(folder, each->d_name, 0);
            continue;
        }
        const char *end = strrchr(each->d_name, '.');
        if (!end || (strcmp(end, ".kernel") != 0 && strcmp(end, ".ptx") != 0))
            continue; /* not ours */
        struct cache_entry *entry = cup_dynarray_add(&entries->array, sizeof(*entry));
        if (!entry)
            break;
        strcpy(entry->name, each->d_name);
        entry->bytes = (uint64_t)status.st_size;
        entry->used = status.st_mtim.tv_sec;
    }
}

void cup_cache_trim(int folder)
{
    int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *listing = again < 0 ? NULL : fdopendir(again);
    struct cache_entries entries = {0};
    uint64_t total = 0;

    if (!listing) {
        if (again >= 0)
            close(again);
        return;
    }
    list_files(folder, listing, &entries);
    closedir(listing);
    for (size_t i = 0; i < entries.count; i++)
        total += entries.list[i].bytes;
    if (total > BYTES_MAX) {
        qsort(entries.list, entries.count, sizeof(*entries.list), by_age);
        for (size_t i = 0; i < entries.count && total > BYTES_KEPT; i++) {
            unlinkat(folder, entries.list[i].name, 0);
            total -= entries.list[i].bytes;
        }
    }
    free(entries.list);
}
