/* SPDX-License-Identifier: MIT */
/* Opens and trims the folder of the kernel cache. */
#include "exec/code/cache_folder.h"

#include "core/config.h"
#include "core/config_value.h"
#include "core/dynarray.h"
#include "core/log.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
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
static char folder_path[PATH_BYTES], other_path[PATH_BYTES]; /* empty: none */
static atomic_bool other_written;                            /* new kernels go to other_path */
static atomic_flag told = ATOMIC_FLAG_INIT;

/* CUPIPE_CACHE, or the folder cupipe in the user's cache folder; the other one has the name that
 * Python's part uses. */
static void find_path(void)
{
    const char *asked = cup_config_get()->cache_path, *temporary = secure_getenv("TMPDIR");
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
    length = snprintf(other_path, PATH_BYTES, "%s/cupipe-%u",
                      temporary && temporary[0] == '/' ? temporary : "/tmp", (unsigned)geteuid());
    if (length < 0 || length >= PATH_BYTES)
        other_path[0] = '\0';
}

static bool find_paths(void)
{
    if (cup_config_get()->cache_off)
        return false;
    pthread_once(&path_once, find_path);
    return true;
}

const char *cup_cache_folder_path(void)
{
    if (!find_paths())
        return NULL;
    if (atomic_load(&other_written))
        return other_path;
    return folder_path[0] ? folder_path : NULL;
}

static void make_folder(const char *path, int *first_error)
{
    if (mkdir(path, 0700) != 0 && errno != EEXIST && !*first_error)
        *first_error = errno;
}

/* Returns why the first folder that is not there could not be made; 0: all are there. */
static int make_folders(const char *wanted)
{
    char path[PATH_BYTES];
    int first_error = 0;

    snprintf(path, sizeof(path), "%s", wanted);
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (access(path, F_OK) != 0)
            make_folder(path, &first_error);
        *slash = '/';
    }
    make_folder(path, &first_error);
    return first_error;
}

bool cup_cache_trusted(const struct stat *status)
{
    return status->st_uid == geteuid() && !(status->st_mode & (S_IWGRP | S_IWOTH));
}

bool cup_cache_has_folder(void)
{
    return find_paths() && ((folder_path[0] && access(folder_path, R_OK) == 0) ||
                            (other_path[0] && access(other_path, R_OK) == 0));
}

/* Opens a folder that is this user's alone. Otherwise *reason says why not. */
static int open_trusted(const char *path, int flags, const char **reason)
{
    struct stat status;
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags);

    if (folder < 0) {
        *reason = strerrordesc_np(errno);
        return -1;
    }
    if (fstat(folder, &status) != 0 || !cup_cache_trusted(&status)) {
        *reason = "others could write to it";
        close(folder);
        return -1;
    }
    return folder;
}

static int open_writable(const char *path, int flags, const char **reason)
{
    int error = make_folders(path), folder = open_trusted(path, flags, reason);

    if (folder < 0 && error)
        *reason = strerrordesc_np(error);
    if (folder >= 0 && faccessat(folder, ".", W_OK | X_OK, AT_EACCESS) != 0) {
        *reason = strerrordesc_np(errno);
        close(folder);
        return -1;
    }
    return folder;
}

/* Once a process, and when the other folder is not there yet: one that is there was told of when it
 * was made. */
static void tell(const char *reason, const char *other_reason, bool is_new)
{
    const char *wanted = folder_path[0] ? folder_path : "the user's cache, as HOME is not set";

    if ((!other_reason && !is_new) || !cup_log_enabled(CUP_LOG_ERROR) ||
        atomic_flag_test_and_set(&told))
        return;
    if (other_reason)
        cup_config_report(CUDA_SUCCESS,
                          "compiled kernels are not kept: neither in %s (%s) nor in %s (%s). "
                          "CUPIPE_CACHE=FOLDER names a folder for them, CUPIPE_CACHE=off says "
                          "that none is wanted",
                          wanted, reason, other_path, other_reason);
    else
        cup_config_report(CUDA_SUCCESS,
                          "compiled kernels cannot be kept in %s (%s) and are kept in %s. "
                          "CUPIPE_CACHE=FOLDER names another folder",
                          wanted, reason, other_path);
}

static int open_first_writable(void)
{
    const char *reason = "not set", *other_reason = "its name is too long";
    int folder = folder_path[0] ? open_writable(folder_path, 0, &reason) : -1;
    bool is_new;

    if (folder >= 0)
        return folder;
    is_new = access(other_path, F_OK) != 0;
    if (other_path[0])
        folder = open_writable(other_path, O_NOFOLLOW, &other_reason);
    tell(reason, folder < 0 ? other_reason : NULL, is_new);
    atomic_store(&other_written, folder >= 0);
    return folder;
}

int cup_cache_open_folder(enum cup_cache_use use)
{
    const char *reason = NULL;
    const char *path = use == CUP_CACHE_READ_OTHER ? other_path : folder_path;

    if (!find_paths())
        return -1;
    if (use == CUP_CACHE_WRITE)
        return open_first_writable();
    int folder =
        path[0] ? open_trusted(path, use == CUP_CACHE_READ_OTHER ? O_NOFOLLOW : 0, &reason) : -1;
    if (folder < 0 && reason)
        cup_log(CUP_LOG_INFO, "%s is not used as a cache: %s", path, reason);
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
