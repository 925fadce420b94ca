/* SPDX-License-Identifier: MIT */
/* A ring buffer of records, each a length and a text. No lock is held while a kernel's memory is
 * read, because that may fault. */
#include "exec/services/output.h"

#include "abi/launch.h"
#include "core/lock.h"
#include "exec/services/printf_format.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct cup_output {
    struct cup_lock lock;
    uint8_t *ring;
    size_t size;
    uint64_t start, end;   /* absolute positions of the records; guarded by lock */
    uint64_t charged;      /* bytes that the records count as; guarded by lock */
    _Atomic(bool) pending; /* has output, or output is being written; written under lock */
};

enum { RECORD_BYTES = 88 };

struct cup_output *cup_output_create(size_t size_bytes)
{
    struct cup_output *output = calloc(1, sizeof(*output));
    void *ring = mmap(NULL, size_bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (!output || ring == MAP_FAILED) {
        if (ring != MAP_FAILED)
            munmap(ring, size_bytes);
        free(output);
        return NULL;
    }
    cup_lock_init(&output->lock, CUP_RANK_OUTPUT);
    output->ring = ring;
    output->size = size_bytes;
    return output;
}

void cup_output_destroy(struct cup_output *output)
{
    if (!output)
        return;
    munmap(output->ring, output->size);
    cup_lock_finish(&output->lock);
    free(output);
}

static void copy_in(struct cup_output *output, const void *bytes, size_t count)
{
    size_t at = output->end % output->size, first = output->size - at;

    first = first < count ? first : count;
    memcpy(output->ring + at, bytes, first);
    memcpy(output->ring, (const uint8_t *)bytes + first, count - first);
    output->end += count;
}

static void copy_out(struct cup_output *output, uint64_t from, void *bytes, size_t count)
{
    size_t at = from % output->size, first = output->size - at;

    first = first < count ? first : count;
    memcpy(bytes, output->ring + at, first);
    memcpy((uint8_t *)bytes + first, output->ring, count - first);
}

/* The size that a record counts as. A device stores more than a length with the arguments; this
 * makes programs that print too much lose about as much output here. */
static uint64_t record_bytes(uint32_t length)
{
    return RECORD_BYTES + length;
}

static void append_record(struct cup_output *output, const struct cup_printf_text *text)
{
    uint32_t length = (uint32_t)text->length;

    if (record_bytes(length) > output->size)
        return;
    cup_lock_acquire(&output->lock);
    while (output->charged + record_bytes(length) > output->size) {
        uint32_t oldest;
        copy_out(output, output->start, &oldest, sizeof(oldest));
        output->start += sizeof(oldest) + oldest;
        output->charged -= record_bytes(oldest);
    }
    output->charged += record_bytes(length);
    copy_in(output, &length, sizeof(length));
    copy_in(output, text->bytes, length);
    atomic_store_explicit(&output->pending, true, memory_order_release);
    cup_lock_release(&output->lock);
}

/* Removes as many whole records as fit into the buffer. */
static size_t read_records(struct cup_output *output, char *buffer, size_t capacity)
{
    size_t taken = 0;

    cup_lock_acquire(&output->lock);
    while (output->start < output->end) {
        uint32_t length;
        copy_out(output, output->start, &length, sizeof(length));
        if (length > capacity - taken)
            break;
        copy_out(output, output->start + sizeof(length), buffer + taken, length);
        taken += length;
        output->start += sizeof(length) + length;
        output->charged -= record_bytes(length);
    }
    cup_lock_release(&output->lock);
    return taken;
}

bool cup_output_is_pending(struct cup_output *output)
{
    return atomic_load_explicit(&output->pending, memory_order_acquire);
}

/* Writers are serialised to preserve the order, and so that a thread that synchronises while
 * another one writes returns only after the output it waits for is written. stdout is the
 * application's: it decides when to flush. */
void cup_output_write(struct cup_output *output)
{
    /* Leaf mutex: serialises writers of standard output, so that the order of lines stays. */
    static pthread_mutex_t writing = PTHREAD_MUTEX_INITIALIZER;
    enum { BUFFER_BYTES = 1 << 20 };

    char *buffer = malloc(BUFFER_BYTES);
    if (!buffer)
        return;
    pthread_mutex_lock(&writing);
    for (size_t count; (count = read_records(output, buffer, BUFFER_BYTES)) != 0;)
        fwrite(buffer, 1, count, stdout);
    cup_lock_acquire(&output->lock);
    atomic_store_explicit(&output->pending, output->start != output->end, memory_order_release);
    cup_lock_release(&output->lock);
    pthread_mutex_unlock(&writing);
    free(buffer);
}

int32_t cup_output_print(struct cup_output *output, uint64_t format, uint64_t arguments)
{
    struct cup_printf_text text;

    if (!format)
        return -1;
    cup_printf_text_init(&text);
    int taken = cup_printf_format(&text, (const char *)(uintptr_t)format,
                                  (const uint8_t *)(uintptr_t)arguments);
    append_record(output, &text);
    cup_printf_text_finish(&text);
    return taken;
}
