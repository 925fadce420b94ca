/* SPDX-License-Identifier: MIT */
/* /tmp/perf-PID.map has a line for each kernel. A jitdump file has a record of the source lines and
 * one with the code; perf finds the file because a page of it is mapped as if it were executed, and
 * `perf inject --jit` makes an ELF file of each kernel. */
#include "exec/tools/perf.h"

#include "core/config.h"
#include "core/dynarray.h"
#include "core/log.h"
#include "exec/code/code.h"
#include "exec/code/elf_relocate.h"
#include "os/mutex.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };
enum { RECORD_CODE = 0, RECORD_LINES = 2 };

struct dump_header {
    uint32_t magic, version, total_bytes, machine, unused, pid;
    uint64_t time_ns, flags;
};

struct dump_record {
    uint32_t id, total_bytes;
    uint64_t time_ns;
};

struct dump_code {
    struct dump_record record;
    uint32_t pid, tid;
    uint64_t address, code_address, code_bytes, index;
};

struct dump_lines {
    struct dump_record record;
    uint64_t code_address, count;
};

struct dump_line {
    uint64_t address;
    uint32_t line, discriminator;
};

#define DUMP_MAGIC 0x4a695444u

/* Leaf mutex: guards the dump file. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int dump_file = -1; /* guarded by lock */
static pid_t dump_pid;     /* guarded by lock; a child of fork has a file of its own */
static uint64_t dump_index;

static void write_map(const char *name, const struct cup_elf_code *code)
{
    char path[64];

    snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return;
    dprintf(fd, "%llx %zx cupipe:%s\n", (unsigned long long)(uintptr_t)code->base, code->code_bytes,
            name);
    close(fd);
}

/* The clock of `perf record -k mono`. */
static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static bool open_dump_locked(void)
{
    cup_mutex_assert_held(&lock);
    const char *folder = secure_getenv("JITDUMPDIR");
    char path[PATH_BYTES];
    struct dump_header header = {.magic = DUMP_MAGIC,
                                 .version = 1,
                                 .total_bytes = sizeof(header),
                                 .machine = CUP_ELF_MACHINE,
                                 .pid = (uint32_t)getpid(),
                                 .time_ns = now_ns()};

    if (dump_file >= 0 && dump_pid == getpid())
        return true;
    snprintf(path, sizeof(path), "%s/jit-%d.dump", folder ? folder : "/tmp", (int)getpid());
    dump_file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    dump_pid = getpid();
    if (dump_file < 0 || write(dump_file, &header, sizeof(header)) != sizeof(header) ||
        mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_EXEC, MAP_PRIVATE, dump_file,
             0) == MAP_FAILED) {
        cup_log(CUP_LOG_WARNING, "CUPIPE_PERF=jitdump: %s cannot be written", path);
        return false;
    }
    return true;
}

struct line_bytes {
    CUP_DYNARRAY(char, bytes);
    uint64_t lines;
    bool no_memory;
};

static void add_bytes(struct line_bytes *all, const void *bytes, size_t size)
{
    if (!cup_dynarray_reserve(&all->array, size, 1)) {
        all->no_memory = true;
        return;
    }
    memcpy(all->bytes + all->count, bytes, size);
    all->count += size;
}

static void add_line(uint64_t address, const char *file, uint32_t line, void *argument)
{
    struct line_bytes *all = argument;
    struct dump_line entry = {address, line, 0};

    add_bytes(all, &entry, sizeof(entry));
    add_bytes(all, file, strlen(file) + 1);
    all->lines++;
}

static bool write_all(const void *bytes, size_t count)
{
    const char *at = bytes;

    while (count) {
        ssize_t written = write(dump_file, at, count);

        if (written <= 0)
            return false;
        at += written;
        count -= (size_t)written;
    }
    return true;
}

static void write_lines_locked(const struct cup_elf_code *code, const uint8_t *object,
                               size_t object_bytes)
{
    cup_mutex_assert_held(&lock);
    struct line_bytes all = {.lines = 0};

    cup_code_lines_visit(object, object_bytes, code, add_line, &all);
    struct dump_lines head = {
        .record = {RECORD_LINES, (uint32_t)(sizeof(head) + all.count), now_ns()},
        .code_address = (uint64_t)(uintptr_t)code->base,
        .count = all.lines};
    if (all.lines && !all.no_memory && write_all(&head, sizeof(head)))
        write_all(all.bytes, all.count);
    free(all.bytes);
}

static void write_code_locked(const char *name, const struct cup_elf_code *code)
{
    cup_mutex_assert_held(&lock);
    char label[256];
    size_t length = (size_t)snprintf(label, sizeof(label), "cupipe:%s", name) + 1;

    if (length > sizeof(label))
        length = sizeof(label);
    struct dump_code head = {
        .record = {RECORD_CODE, (uint32_t)(sizeof(head) + length + code->code_bytes), now_ns()},
        .pid = (uint32_t)getpid(),
        .tid = (uint32_t)syscall(SYS_gettid),
        .address = (uint64_t)(uintptr_t)code->base,
        .code_address = (uint64_t)(uintptr_t)code->base,
        .code_bytes = code->code_bytes,
        .index = dump_index++,
    };
    if (write_all(&head, sizeof(head)) && write_all(label, length))
        write_all(code->base, code->code_bytes);
}

void cup_perf_record(const char *name, const struct cup_elf_code *code, const uint8_t *object,
                     size_t object_bytes)
{
    if (cup_config_get()->perf == CUP_CONFIG_PERF_MAP)
        write_map(name, code);
    if (cup_config_get()->perf != CUP_CONFIG_PERF_JITDUMP)
        return;
    pthread_mutex_lock(&lock);
    if (open_dump_locked()) {
        write_lines_locked(code, object, object_bytes);
        write_code_locked(name, code);
    }
    pthread_mutex_unlock(&lock);
}
