/* SPDX-License-Identifier: MIT */
/* The checksum is SipHash-2-4: short, and unpredictable without the key. */
#include "os/ipc_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    START_BITS = 40, /* of a process's start time, in 1/100 s since boot */
    STAT_FIELD_START = 22,
    STAT_FIELD_AFTER_NAME = 2,
};

_Static_assert(sizeof(struct cup_ipcfile_handle) == 64, "a handle of the API has 64 bytes");

static uint64_t rotate_left(uint64_t word, unsigned by)
{
    return word << by | word >> (64 - by);
}

static void mix(uint64_t v[4])
{
    v[0] += v[1];
    v[2] += v[3];
    v[1] = rotate_left(v[1], 13) ^ v[0];
    v[3] = rotate_left(v[3], 16) ^ v[2];
    v[0] = rotate_left(v[0], 32) + v[3];
    v[2] += v[1];
    v[1] = rotate_left(v[1], 17) ^ v[2];
    v[3] = rotate_left(v[3], 21) ^ v[0];
    v[2] = rotate_left(v[2], 32);
}

static uint64_t siphash(const struct cup_ipcfile_key *key, const uint64_t *words, size_t count)
{
    uint64_t k0 = key->words[0], k1 = key->words[1], length = (uint64_t)count * 8 << 56;
    uint64_t v[4] = {k0 ^ 0x736f6d6570736575u, k1 ^ 0x646f72616e646f6du, k0 ^ 0x6c7967656e657261u,
                     k1 ^ 0x7465646279746573u};

    for (size_t i = 0; i <= count; i++) {
        uint64_t word = i < count ? words[i] : length;
        v[3] ^= word;
        mix(v);
        mix(v);
        v[0] ^= word;
    }
    v[2] ^= 0xff;
    for (int i = 0; i < 4; i++)
        mix(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

static uint64_t checksum_of(const struct cup_ipcfile_handle *handle,
                            const struct cup_ipcfile_key *key)
{
    uint64_t words[offsetof(struct cup_ipcfile_handle, checksum) / 8];

    memcpy(words, handle, sizeof(words));
    return siphash(key, words, sizeof(words) / 8);
}

static uint32_t sum_of(const struct cup_ipcfile_handle *handle)
{
    struct cup_ipcfile_handle others = *handle;

    others.sum = 0;
    return (uint32_t)checksum_of(&others, &(struct cup_ipcfile_key){{0}});
}

/* The name of a process is in parentheses and may contain any character, including parentheses:
 * fields are counted from the last one. */
static uint64_t start_time(const char *stat)
{
    const char *at = strrchr(stat, ')');

    for (int field = STAT_FIELD_AFTER_NAME; at && field < STAT_FIELD_START; field++) {
        at = strchr(at, ' ');
        if (at)
            at++;
    }
    return at ? strtoull(at, NULL, 10) : 0;
}

/* Sets *process to 0 if the process does not exist or is dead. Returns false if that is unknown. */
static bool read_process(int pid, uint64_t *process)
{
    char path[64], text[1024];

    snprintf(path, sizeof(path), "/proc/%d/stat", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    *process = 0;
    if (fd < 0)
        return errno == ENOENT || errno == ESRCH;
    ssize_t length = read(fd, text, sizeof(text) - 1);
    close(fd);
    if (length <= 0)
        return true; /* it has exited meanwhile */
    text[length] = '\0';
    const char *state = strrchr(text, ')');
    if (!state || strncmp(state, ") Z", 3) == 0 || strncmp(state, ") X", 3) == 0)
        return true; /* a zombie */
    uint64_t mask = (UINT64_C(1) << START_BITS) - 1;
    *process = (uint64_t)pid << START_BITS | (start_time(text) & mask);
    return true;
}

uint64_t cup_ipcfile_process(int pid)
{
    int saved = errno;
    uint64_t process = 0;

    if (pid > 0)
        read_process(pid, &process);
    errno = saved;
    return process;
}

static int pid_of(uint64_t process)
{
    return (int)(process >> START_BITS);
}

/* Cached; a forked child is another process. */
uint64_t cup_ipcfile_self(void)
{
    static _Atomic(uint64_t) known;
    uint64_t self = atomic_load_explicit(&known, memory_order_relaxed);

    if (self == 0 || pid_of(self) != getpid()) {
        self = cup_ipcfile_process(getpid());
        atomic_store_explicit(&known, self, memory_order_relaxed);
    }
    return self;
}

bool cup_ipcfile_is_alive(uint64_t process)
{
    int saved = errno, pid = pid_of(process);
    uint64_t now = 0;
    bool known = pid <= 0 || read_process(pid, &now);

    errno = saved;
    return known ? process != 0 && now == process : true;
}

bool cup_ipcfile_key_make(struct cup_ipcfile_key *key)
{
    int saved = errno;
    bool made = getrandom(key, sizeof(*key), 0) == (ssize_t)sizeof(*key);

    errno = saved;
    return made;
}

static uint32_t short_device(const struct stat *status)
{
    return (uint32_t)(status->st_dev ^ status->st_dev >> 32);
}

bool cup_ipcfile_seal(struct cup_ipcfile_handle *handle, const struct cup_ipcfile_key *key)
{
    struct stat status;
    int saved = errno;

    handle->process = cup_ipcfile_self();
    if (handle->process == 0 || fstat(handle->fd, &status) != 0) {
        errno = saved;
        return false;
    }
    handle->inode = status.st_ino;
    handle->device = short_device(&status);
    handle->sum = sum_of(handle);
    handle->end_zero = 0;
    handle->checksum = checksum_of(handle, key);
    return true;
}

bool cup_ipcfile_verify(const struct cup_ipcfile_handle *handle, enum cup_ipcfile_kind kind,
                        const struct cup_ipcfile_key *key)
{
    return handle->kind == (uint32_t)kind && handle->end_zero == 0 &&
           handle->checksum == checksum_of(handle, key);
}

bool cup_ipcfile_is_stale(const struct cup_ipcfile_handle *handle, enum cup_ipcfile_kind kind)
{
    return handle->kind == (uint32_t)kind && handle->end_zero == 0 &&
           handle->sum == sum_of(handle) && !cup_ipcfile_is_alive(handle->process);
}

static int open_through_proc(const char *process, int fd)
{
    char path[64];

    snprintf(path, sizeof(path), "/proc/%s/fd/%d", process, fd);
    return open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

static bool is_named(const struct stat *status, const struct cup_ipcfile_handle *handle)
{
    return S_ISREG(status->st_mode) && status->st_ino == handle->inode &&
           short_device(status) == handle->device;
}

/* Checks the descriptor before it is opened: opening a device or a pipe of another process can have
 * side effects. */
static bool identifies(const struct cup_ipcfile_handle *handle, const char *process)
{
    char path[64];
    struct stat status;

    snprintf(path, sizeof(path), "/proc/%s/fd/%d", process, handle->fd);
    return stat(path, &status) == 0 && is_named(&status, handle);
}

int cup_ipcfile_open(const struct cup_ipcfile_handle *handle, enum cup_ipcfile_kind kind,
                     uint64_t *file_bytes)
{
    char process[16];
    struct stat status;
    int saved = errno, fd = -1;

    if (handle->kind != (uint32_t)kind || handle->fd < 0 || handle->process == 0)
        return -1;
    snprintf(process, sizeof(process), "%d", pid_of(handle->process));
    /* The process need not be checked: if its pid was reused, the descriptor does not refer to the
     * file that the handle identifies, unless the new process has the same file open. */
    if (identifies(handle, process))
        fd = open_through_proc(process, handle->fd);
    if (fd >= 0 && (fstat(fd, &status) != 0 || !is_named(&status, handle))) {
        close(fd);
        fd = -1;
    }
    if (fd >= 0)
        *file_bytes = (uint64_t)status.st_size;
    errno = saved;
    return fd;
}

int cup_ipcfile_reopen(int fd)
{
    return open_through_proc("self", fd);
}

/* The kernel grants a write lease only if nobody else has the file open. If another process opens
 * it at that moment, the lease owner gets a signal, by default a fatal one: an ignored signal is
 * selected instead. */
bool cup_ipcfile_is_alone(int fd)
{
    int saved = errno;
    bool alone = fcntl(fd, F_SETSIG, SIGURG) == 0 && fcntl(fd, F_SETLEASE, F_WRLCK) == 0;

    if (alone)
        fcntl(fd, F_SETLEASE, F_UNLCK);
    errno = saved;
    return alone;
}
