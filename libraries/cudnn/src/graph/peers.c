/* SPDX-License-Identifier: MIT */
/* The exchange between devices. Words are read and written by several processes, so that all are
 * atomic. */
#include "peers.h"

#include "driver.h"
#include "operation.h"

#include <string.h>
#include <time.h>

enum { READY = 1, MAGIC = 0x63757065 };

struct pair {
    uint32_t value, flag;
};

static struct pair *slot_of(const struct dnn_tensor *buffer, int64_t distance, int64_t count)
{
    return (struct pair *)buffer->address + distance * count;
}

static uint32_t load(const uint32_t *word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static void store(uint32_t *word, uint32_t value)
{
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

static void pause_a_while(void)
{
    const struct timespec a_while = {.tv_nsec = 20000};

    nanosleep(&a_while, NULL);
}

/* Counts what this device posts in its own slot: pair 0, and what the device at a distance has
 * taken in the pair of that number. */
static void begin_post(struct pair *own, int64_t devices)
{
    if (load(&own->flag) != MAGIC) {
        for (int64_t d = 0; d < devices; d++)
            store(&own[d].value, 0);
        store(&own->flag, MAGIC);
    }
    for (int64_t d = 1; d < devices; d++)
        while (load(&own[d].value) != own->value)
            pause_a_while();
    own->value++;
}

static void post(struct pair *slot, const float *numbers, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        memcpy(&slot[i].value, &numbers[i], sizeof(slot[i].value));
        store(&slot[i].flag, READY);
    }
}

static void take(struct pair *slot, float *numbers, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        while (load(&slot[i].flag) != READY)
            pause_a_while();
        memcpy(&numbers[i], &slot[i].value, sizeof(numbers[i]));
        store(&slot[i].flag, 0);
    }
}

void graph_peers_exchange(const struct dnn_tensor *buffers, int64_t devices, float *numbers,
                          int64_t count)
{
    begin_post(slot_of(&buffers[0], 0, count), devices);
    for (int64_t d = 1; d < devices; d++)
        post(slot_of(&buffers[d], devices - d, count), numbers, count);
    for (int64_t d = 1; d < devices; d++) {
        struct pair *taken = slot_of(&buffers[d], 0, count) + (devices - d);

        take(slot_of(&buffers[0], d, count), numbers + d * count, count);
        __atomic_fetch_add(&taken->value, 1, __ATOMIC_RELEASE);
    }
}

int graph_peers_attribute(const struct graph_content *operation)
{
    int name = operation->kind->type == CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR
                   ? CUDNN_ATTR_OPERATION_NORM_FWD_PEER_STAT_DESCS
                   : CUDNN_ATTR_OPERATION_NORM_BWD_PEER_STAT_DESCS;

    return graph_count(operation, name) > 1 ? name : 0;
}

bool graph_has_peers(const struct graph_program *program)
{
    for (size_t i = 0; i < program->operation_count; i++)
        if (graph_peers_attribute(program->operations[i]))
            return true;
    return false;
}

static bool is_on_device(const void *address, CUdevice device)
{
    int ordinal;

    return lib_driver()->pointer_get_attribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                               (uintptr_t)address) == CUDA_SUCCESS &&
           ordinal == device;
}

static struct graph_binding *binding_of(const struct graph_program *program,
                                        const struct graph_content *operation, int name,
                                        int64_t index, struct graph_binding *bindings)
{
    const struct graph_tensor *tensor = graph_tensor_of(graph_child(operation, name, index));

    return &bindings[graph_slot_of(program, tensor->uid)];
}

static void turn(const struct graph_program *program, const struct graph_content *operation,
                 int name, struct graph_binding *bindings, CUdevice device)
{
    int64_t count = graph_count(operation, name), own = 0;

    while (own < count &&
           !is_on_device(binding_of(program, operation, name, own, bindings)->address, device))
        own++;
    for (; own < count && own > 0; own--) {
        void *first = binding_of(program, operation, name, 0, bindings)->address;

        for (int64_t i = 0; i + 1 < count; i++)
            binding_of(program, operation, name, i, bindings)->address =
                binding_of(program, operation, name, i + 1, bindings)->address;
        binding_of(program, operation, name, count - 1, bindings)->address = first;
    }
}

void graph_peers_turn(const struct graph_program *program, struct graph_binding *bindings)
{
    CUdevice device;

    if (lib_driver()->context_get_device(&device) != CUDA_SUCCESS)
        return;
    for (size_t i = 0; i < program->operation_count; i++) {
        int name = graph_peers_attribute(program->operations[i]);

        if (name)
            turn(program, program->operations[i], name, bindings, device);
    }
}
