/* SPDX-License-Identifier: MIT */
/* One wrapper per function. The real functions are resolved by name, not read from the GOT, whose
 * entries point to the dynamic linker until the first call. */
#include "os/interpose.h"

#include "os/page.h"

#include <dirent.h>
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static bool (*fails)(void);

enum interposed_function {
    MALLOC,
    CALLOC,
    REALLOC,
    ALIGNED_ALLOC,
    POSIX_MEMALIGN,
    STRDUP,
    MMAP,
    MPROTECT,
    MEMFD_CREATE,
    FTRUNCATE,
    FALLOCATE,
    OPEN,
    OPENAT,
    FOPEN,
    OPENDIR,
    FDOPENDIR,
    FCNTL,
    PTHREAD_CREATE,
    FUNCTION_COUNT,
};

static void *real[FUNCTION_COUNT];

#define REAL(function, name) ((__typeof__(&name))real[function])

static void *fail_malloc(size_t size)
{
    if (!fails())
        return REAL(MALLOC, malloc)(size);
    errno = ENOMEM;
    return NULL;
}

static void *fail_calloc(size_t count, size_t size)
{
    if (!fails())
        return REAL(CALLOC, calloc)(count, size);
    errno = ENOMEM;
    return NULL;
}

static void *fail_realloc(void *memory, size_t size)
{
    if (!fails())
        return REAL(REALLOC, realloc)(memory, size);
    errno = ENOMEM;
    return NULL;
}

static void *fail_aligned_alloc(size_t alignment, size_t size)
{
    if (!fails())
        return REAL(ALIGNED_ALLOC, aligned_alloc)(alignment, size);
    errno = ENOMEM;
    return NULL;
}

static int fail_posix_memalign(void **memory, size_t alignment, size_t size)
{
    return fails() ? ENOMEM : REAL(POSIX_MEMALIGN, posix_memalign)(memory, alignment, size);
}

static char *fail_strdup(const char *text)
{
    if (!fails())
        return REAL(STRDUP, strdup)(text);
    errno = ENOMEM;
    return NULL;
}

static void *fail_mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
    if (!fails())
        return REAL(MMAP, mmap)(address, size, protection, flags, fd, offset);
    errno = ENOMEM;
    return MAP_FAILED;
}

static int fail_mprotect(void *address, size_t size, int protection)
{
    if (!fails())
        return REAL(MPROTECT, mprotect)(address, size, protection);
    errno = ENOMEM;
    return -1;
}

static int fail_memfd_create(const char *name, unsigned flags)
{
    if (!fails())
        return REAL(MEMFD_CREATE, memfd_create)(name, flags);
    errno = EMFILE;
    return -1;
}

static int fail_ftruncate(int fd, off_t length)
{
    if (!fails())
        return REAL(FTRUNCATE, ftruncate)(fd, length);
    errno = ENOSPC;
    return -1;
}

static int fail_fallocate(int fd, int mode, off_t offset, off_t length)
{
    if (!fails())
        return REAL(FALLOCATE, fallocate)(fd, mode, offset, length);
    errno = ENOSPC;
    return -1;
}

static unsigned mode_of(int flags, va_list arguments)
{
    return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(arguments, unsigned) : 0;
}

static int fail_open(const char *path, int flags, ...)
{
    va_list arguments;

    va_start(arguments, flags);
    unsigned mode = mode_of(flags, arguments);
    va_end(arguments);
    if (!fails())
        return REAL(OPEN, open)(path, flags, mode);
    errno = EMFILE;
    return -1;
}

static int fail_openat(int folder, const char *path, int flags, ...)
{
    va_list arguments;

    va_start(arguments, flags);
    unsigned mode = mode_of(flags, arguments);
    va_end(arguments);
    if (!fails())
        return REAL(OPENAT, openat)(folder, path, flags, mode);
    errno = EMFILE;
    return -1;
}

static FILE *fail_fopen(const char *path, const char *mode)
{
    if (!fails())
        return REAL(FOPEN, fopen)(path, mode);
    errno = EMFILE;
    return NULL;
}

static DIR *fail_opendir(const char *path)
{
    if (!fails())
        return REAL(OPENDIR, opendir)(path);
    errno = EMFILE;
    return NULL;
}

static DIR *fail_fdopendir(int fd)
{
    if (!fails())
        return REAL(FDOPENDIR, fdopendir)(fd);
    errno = ENOMEM;
    return NULL;
}

/* Every command has at most one argument, of register size. */
static int fail_fcntl(int fd, int command, ...)
{
    va_list arguments;

    va_start(arguments, command);
    long argument = va_arg(arguments, long);
    va_end(arguments);
    if ((command != F_DUPFD && command != F_DUPFD_CLOEXEC) || !fails())
        return REAL(FCNTL, fcntl)(fd, command, argument);
    errno = EMFILE;
    return -1;
}

static int fail_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                               void *(*run)(void *), void *argument)
{
    return fails() ? EAGAIN
                   : REAL(PTHREAD_CREATE, pthread_create)(thread, attributes, run, argument);
}

#define WRAPPER(name, function) [function] = {#name, (void *)(uintptr_t)fail_##name}

static const struct {
    const char *name;
    void *wrapper;
} functions[FUNCTION_COUNT] = {
    WRAPPER(malloc, MALLOC),
    WRAPPER(calloc, CALLOC),
    WRAPPER(realloc, REALLOC),
    WRAPPER(aligned_alloc, ALIGNED_ALLOC),
    WRAPPER(posix_memalign, POSIX_MEMALIGN),
    WRAPPER(strdup, STRDUP),
    WRAPPER(mmap, MMAP),
    WRAPPER(mprotect, MPROTECT),
    WRAPPER(memfd_create, MEMFD_CREATE),
    WRAPPER(ftruncate, FTRUNCATE),
    WRAPPER(fallocate, FALLOCATE),
    WRAPPER(open, OPEN),
    WRAPPER(openat, OPENAT),
    WRAPPER(fopen, FOPEN),
    WRAPPER(opendir, OPENDIR),
    WRAPPER(fdopendir, FDOPENDIR),
    WRAPPER(fcntl, FCNTL),
    WRAPPER(pthread_create, PTHREAD_CREATE),
};

#if defined(__aarch64__)
enum { JUMP_SLOT = R_AARCH64_JUMP_SLOT, GLOBAL_DATA = R_AARCH64_GLOB_DAT };
#elif defined(__x86_64__)
enum { JUMP_SLOT = R_X86_64_JUMP_SLOT, GLOBAL_DATA = R_X86_64_GLOB_DAT };
#endif

struct tables {
    uintptr_t base;
    const ElfW(Sym) * symbols;
    const char *names;
};

static void replace(const struct tables *tables, const ElfW(Rela) * entry)
{
    const char *name = tables->names + tables->symbols[ELF64_R_SYM(entry->r_info)].st_name;
    void **slot = (void **)(tables->base + entry->r_offset);
    uintptr_t page = (uintptr_t)slot & ~(uintptr_t)(cup_page_bytes() - 1);
    uintptr_t end = (uintptr_t)(slot + 1);

    for (int i = 0; i < FUNCTION_COUNT; i++) {
        if (!real[i] || strcmp(functions[i].name, name) != 0)
            continue;
        /* With -z now the GOT is read-only. Its page may hold other data. */
        if (REAL(MPROTECT, mprotect)((void *)page, end - page, PROT_READ | PROT_WRITE) == 0)
            __atomic_store_n(slot, functions[i].wrapper, __ATOMIC_RELEASE);
    }
}

static void replace_all(const struct tables *tables, const ElfW(Rela) * entries, size_t bytes)
{
    for (size_t i = 0; i < bytes / sizeof(*entries); i++) {
        unsigned type = ELF64_R_TYPE(entries[i].r_info);

        if (type == JUMP_SLOT || type == GLOBAL_DATA)
            replace(tables, &entries[i]);
    }
}

/* Finds the load address of the library and its dynamic section from the program headers. */
static const ElfW(Dyn) * dynamic_section(const void *inside, uintptr_t *base)
{
    Dl_info info;

    if (!dladdr(inside, &info))
        return NULL;
    *base = (uintptr_t)info.dli_fbase;
    const ElfW(Ehdr) *head = info.dli_fbase;
    const ElfW(Phdr) *parts = (const void *)(*base + head->e_phoff);
    for (unsigned i = 0; i < head->e_phnum; i++) {
        if (parts[i].p_type == PT_DYNAMIC)
            return (const void *)(*base + parts[i].p_vaddr);
    }
    return NULL;
}

/* glibc relocates these addresses in place; other C libraries do not. */
static const void *address_in(uintptr_t base, uintptr_t value)
{
    return (const void *)(value < base ? value + base : value);
}

static bool replace_in(const void *inside)
{
    const ElfW(Rela) *jumps = NULL, *others = NULL;
    size_t jump_bytes = 0, other_bytes = 0;
    struct tables tables = {0};
    const ElfW(Dyn) *part = dynamic_section(inside, &tables.base);

    for (; part && part->d_tag != DT_NULL; part++) {
        const void *address = address_in(tables.base, part->d_un.d_ptr);

        tables.symbols = part->d_tag == DT_SYMTAB ? address : tables.symbols;
        tables.names = part->d_tag == DT_STRTAB ? address : tables.names;
        jumps = part->d_tag == DT_JMPREL ? address : jumps;
        others = part->d_tag == DT_RELA ? address : others;
        jump_bytes = part->d_tag == DT_PLTRELSZ ? part->d_un.d_val : jump_bytes;
        other_bytes = part->d_tag == DT_RELASZ ? part->d_un.d_val : other_bytes;
    }
    if (!tables.symbols || !tables.names || (!jumps && !others))
        return false;
    if (jumps)
        replace_all(&tables, jumps, jump_bytes);
    if (others)
        replace_all(&tables, others, other_bytes);
    return true;
}

bool cup_interpose(bool (*injected)(void))
{
    fails = injected;
    for (int i = 0; i < FUNCTION_COUNT; i++)
        real[i] = dlsym(RTLD_DEFAULT, functions[i].name);
    return replace_in((void *)(uintptr_t)cup_interpose);
}

void cup_interpose_also(const void *inside)
{
    if (fails)
        replace_in(inside);
}
