/* SPDX-License-Identifier: MIT */
/* gdb finds the two exported symbols by their names, sets a breakpoint in the function and reads
 * the list when it is called. What it reads of an entry is an ELF object whose sections have the
 * addresses they were loaded at. */
#include "exec/tools/debugger.h"

#include "core/compiler.h"
#include "core/log.h"
#include "exec/code/cache_folder.h"
#include "os/mutex.h"
#include "ptx/source.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default"), used))

/* These layouts and names are gdb's. */
struct cup_debugger_entry {
    struct cup_debugger_entry *next, *previous;
    const uint8_t *object;
    uint64_t object_bytes;
};

struct jit_descriptor {
    uint32_t version;
    uint32_t action;
    struct cup_debugger_entry *relevant, *first;
};

enum { ACTION_NONE, ACTION_REGISTER, ACTION_UNREGISTER };

EXPORT struct jit_descriptor __jit_debug_descriptor = {.version = 1};
EXPORT __attribute__((noinline)) void __jit_debug_register_code(void);

void __jit_debug_register_code(void)
{
    __asm__ volatile("" ::: "memory");
}

/* Leaf mutex: guards the descriptor. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void tell_locked(struct cup_debugger_entry *entry, uint32_t action)
{
    cup_mutex_assert_held(&lock);
    __jit_debug_descriptor.relevant = entry;
    __jit_debug_descriptor.action = action;
    __jit_debug_register_code();
    __jit_debug_descriptor.relevant = NULL;
    __jit_debug_descriptor.action = ACTION_NONE;
}

struct cup_debugger_entry *cup_debugger_announce(const uint8_t *object, size_t object_bytes,
                                                 const struct cup_elf_code *code)
{
    struct cup_debugger_entry *entry = calloc(1, sizeof(*entry));
    uint8_t *placed = entry ? cup_elf_copy_with_addresses(object, object_bytes, code) : NULL;

    if (!placed) {
        free(entry);
        return NULL;
    }
    entry->object = placed;
    entry->object_bytes = object_bytes;
    pthread_mutex_lock(&lock);
    entry->next = __jit_debug_descriptor.first;
    if (entry->next)
        entry->next->previous = entry;
    __jit_debug_descriptor.first = entry;
    tell_locked(entry, ACTION_REGISTER);
    pthread_mutex_unlock(&lock);
    return entry;
}

void cup_debugger_withdraw(struct cup_debugger_entry *entry)
{
    if (!entry)
        return;
    pthread_mutex_lock(&lock);
    if (entry->previous)
        entry->previous->next = entry->next;
    else
        __jit_debug_descriptor.first = entry->next;
    if (entry->next)
        entry->next->previous = entry->previous;
    tell_locked(entry, ACTION_UNREGISTER);
    pthread_mutex_unlock(&lock);
    free((void *)(uintptr_t)entry->object);
    free(entry);
}

static void write_text(int folder, const struct ptx_text *text)
{
    char name[PTX_TEXT_NAME_BYTES], temporary[80];
    size_t written = 0;

    ptx_text_name(text, name);
    if (faccessat(folder, name, R_OK, 0) == 0)
        return;
    snprintf(temporary, sizeof(temporary), CUP_CACHE_TEMPORARY "%s-%d", name, (int)getpid());
    int fd = openat(folder, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return;
    while (written < text->length) {
        ssize_t count = write(fd, text->bytes + written, text->length - written);

        if (count <= 0)
            break;
        written += (size_t)count;
    }
    close(fd);
    if (written < text->length || renameat(folder, temporary, folder, name) != 0)
        unlinkat(folder, temporary, 0);
}

const char *cup_debugger_write_texts(const struct ptx_program *program)
{
    int folder = cup_cache_open_folder(CUP_CACHE_WRITE);
    const struct ptx_text *last = NULL;

    if (folder < 0)
        return NULL;
    for (uint32_t i = 0; i < program->function_count; i++) {
        const struct ptx_text *text = program->functions[i].text;

        if (text && text != last)
            write_text(folder, text);
        last = text;
    }
    close(folder);
    return cup_cache_folder_path();
}
