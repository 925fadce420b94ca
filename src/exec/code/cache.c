/* SPDX-License-Identifier: MIT */
/* A file is a header followed by the object. It is written under a temporary name and renamed, so
 * readers never see a partial file. The folder is used only if it belongs to this user and nobody
 * else can write to it, because its contents are executed. Old files are removed from time to
 * time. */
#include "exec/code/cache.h"

#include "abi/kernel.h"
#include "core/compiler.h"
#include "core/config.h"
#include "core/hash.h"
#include "core/log.h"
#include "exec/code/cache_folder.h"
#include "exec/code/compiler.h"
#include "exec/code/outlined_library.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

enum { NAME_BYTES = 64, FORMAT_VERSION = 1, USED_AGAIN_SECONDS = 86400 };

#define OBJECT_BYTES_MAX (UINT64_C(64) << 20)

struct header {
    char magic[8];
    uint32_t version;
    uint32_t header_bytes;
    uint64_t key[2];
    uint64_t object_bytes;
    uint64_t checksum; /* of the object */
};

static const char magic[8] = "cupkern";

static pthread_once_t processor_once = PTHREAD_ONCE_INIT;
static uint64_t processor; /* hash of the CPU features that the compiler selects instructions by */

/* Runs once: under a hypervisor each cpuid takes microseconds. */
static void hash_processor(void)
{
    struct cup_hash hash = cup_hash_begin();
#if defined(__x86_64__)
    static const unsigned leaves[] = {1, 7, 0xd, 0x80000001};
    unsigned a, b, c, d;

    for (size_t i = 0; i < CUP_ARRAY_COUNT(leaves); i++) {
        if (!__get_cpuid_count(leaves[i], leaves[i] == 0xd, &a, &b, &c, &d))
            continue;
        if (leaves[i] == 1)
            b = 0; /* the id of the current core */
        cup_hash_number(&hash, (uint64_t)a << 32 | b);
        cup_hash_number(&hash, (uint64_t)c << 32 | d);
    }
    if (__get_cpuid(1, &a, &b, &c, &d) && (c & bit_OSXSAVE)) {
        /* the register state that the OS saves */
        __asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
        cup_hash_number(&hash, (uint64_t)d << 32 | a);
    }
#else
    cup_hash_number(&hash, getauxval(AT_HWCAP));
#endif
    cup_hash_number(&hash, getauxval(AT_HWCAP2));
    processor = cup_hash_end(&hash);
}

void cup_cache_key_make(struct cup_cache_key *key, const struct jit_request *request)
{
    const struct ptx_program *program = request->program;
    const char *name = program->functions[request->function].name;
    uint64_t compiler = cup_config_get()->cache_off ? 0 : cup_compiler_identity();

    /* With CUPIPE_DUMP the compiler must run, and debuggers refer to files of this run. */
    key->usable = compiler != 0 && !request->dump_path && !request->debugger &&
                  (program->hash[0] || program->hash[1]);
    if (!key->usable)
        return;
    pthread_once(&processor_once, hash_processor);
    for (uint64_t half = 0; half < 2; half++) {
        struct cup_hash hash = cup_hash_begin();
        cup_hash_number(&hash, half);
        cup_hash_number(&hash, (uint64_t)FORMAT_VERSION << 32 | CUP_ABI_VERSION);
        cup_hash_number(&hash, sizeof(struct cup_abi_kernel_info));
        cup_hash_number(&hash, compiler);
        cup_hash_number(&hash, cup_outlined_identity());
        cup_hash_number(&hash, program->hash[0]);
        cup_hash_number(&hash, program->hash[1]);
        cup_hash_number(&hash, (uint64_t)request->function << 32 | (uint32_t)request->shape);
        cup_hash_number(&hash,
                        request->tier | (uint64_t)request->limited << 32 |
                            (uint64_t)request->fast_math << 33 | (uint64_t)request->lines << 34 |
                            (uint64_t)request->counted << 35 | (uint64_t)request->checks << 36);
        cup_hash_bytes(&hash, name, strlen(name));
        cup_hash_number(&hash, processor);
        cup_hash_number(&hash, cup_config_get()->cpu);
        key->words[half] = cup_hash_end(&hash);
    }
}

static void name_of(const struct cup_cache_key *key, char name[NAME_BYTES])
{
    snprintf(name, NAME_BYTES, "%016llx%016llx.kernel", (unsigned long long)key->words[0],
             (unsigned long long)key->words[1]);
}

static bool read_all(int fd, void *buffer, size_t count)
{
    uint8_t *at = buffer;

    while (count) {
        ssize_t got = read(fd, at, count);
        if (got <= 0 && !(got < 0 && errno == EINTR))
            return false;
        at += got > 0 ? got : 0;
        count -= got > 0 ? (size_t)got : 0;
    }
    return true;
}

static bool write_all(int fd, const void *buffer, size_t count)
{
    const uint8_t *at = buffer;

    while (count) {
        ssize_t put = write(fd, at, count);
        if (put <= 0 && !(put < 0 && errno == EINTR))
            return false;
        at += put > 0 ? put : 0;
        count -= put > 0 ? (size_t)put : 0;
    }
    return true;
}

static uint64_t checksum(const uint8_t *bytes, size_t count)
{
    struct cup_hash hash = cup_hash_begin();

    cup_hash_bytes(&hash, bytes, count);
    return cup_hash_end(&hash);
}

static bool header_fits(const struct header *header, const struct cup_cache_key *key,
                        const struct stat *status)
{
    return memcmp(header->magic, magic, sizeof(magic)) == 0 && header->version == FORMAT_VERSION &&
           header->header_bytes == sizeof(*header) && header->key[0] == key->words[0] &&
           header->key[1] == key->words[1] && header->object_bytes <= OBJECT_BYTES_MAX &&
           (uint64_t)status->st_size == sizeof(*header) + header->object_bytes;
}

static uint8_t *read_file(int fd, const struct cup_cache_key *key, size_t *object_bytes)
{
    struct header header;
    struct stat status;

    if (fstat(fd, &status) != 0 || !cup_cache_trusted(&status) || !S_ISREG(status.st_mode) ||
        !read_all(fd, &header, sizeof(header)) || !header_fits(&header, key, &status))
        return NULL;
    uint8_t *object = malloc(header.object_bytes ? header.object_bytes : 1);
    if (!object || !read_all(fd, object, header.object_bytes) ||
        checksum(object, header.object_bytes) != header.checksum) {
        free(object);
        return NULL;
    }
    /* Trimming removes the oldest files; update the time of one that is used. */
    if (time(NULL) - status.st_mtim.tv_sec > USED_AGAIN_SECONDS)
        futimens(fd, NULL);
    *object_bytes = header.object_bytes;
    return object;
}

static uint8_t *read_from(int folder, const struct cup_cache_key *key, size_t *object_bytes)
{
    char name[NAME_BYTES];
    uint8_t *object = NULL;

    name_of(key, name);
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0) {
        object = read_file(fd, key, object_bytes);
        if (!object)
            cup_log(CUP_LOG_INFO, "%s in the cache is damaged or not trusted", name);
        close(fd);
    }
    return object;
}

uint8_t *cup_cache_read(const struct cup_cache_key *key, size_t *object_bytes)
{
    static const enum cup_cache_use folders[] = {CUP_CACHE_READ, CUP_CACHE_READ_OTHER};
    uint8_t *object = NULL;

    for (size_t i = 0; key->usable && !object && i < CUP_ARRAY_COUNT(folders); i++) {
        int folder = cup_cache_open_folder(folders[i]);

        if (folder < 0)
            continue;
        object = read_from(folder, key, object_bytes);
        close(folder);
    }
    return object;
}

static bool write_file(int folder, const char *name, const struct header *header,
                       const uint8_t *object)
{
    int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

    if (fd < 0)
        return false;
    bool written =
        write_all(fd, header, sizeof(*header)) && write_all(fd, object, header->object_bytes);
    return close(fd) == 0 && written;
}

bool cup_cache_write(const struct cup_cache_key *key, const uint8_t *object, size_t object_bytes)
{
    static _Atomic(unsigned) counter;
    unsigned number = atomic_fetch_add(&counter, 1);
    char name[NAME_BYTES], temporary[NAME_BYTES];
    int folder = key->usable && object_bytes <= OBJECT_BYTES_MAX
                     ? cup_cache_open_folder(CUP_CACHE_WRITE)
                     : -1;

    if (folder < 0)
        return false;
    struct header header = {.version = FORMAT_VERSION,
                            .header_bytes = sizeof(header),
                            .key = {key->words[0], key->words[1]},
                            .object_bytes = object_bytes,
                            .checksum = checksum(object, object_bytes)};
    memcpy(header.magic, magic, sizeof(magic));
    name_of(key, name);
    snprintf(temporary, sizeof(temporary), CUP_CACHE_TEMPORARY "%d-%u", (int)getpid(), number);
    bool stored = write_file(folder, temporary, &header, object) &&
                  renameat(folder, temporary, folder, name) == 0;
    if (!stored) {
        cup_log(CUP_LOG_INFO, "a compiled kernel could not be stored in the cache: %s",
                strerror(errno));
        unlinkat(folder, temporary, 0);
    }
    /* Pseudo-random, so that processes that compile one kernel each trim too. */
    if ((key->words[0] ^ (uint64_t)getpid()) % CUP_CACHE_TRIM_INTERVAL == 0)
        cup_cache_trim(folder);
    close(folder);
    return stored;
}
