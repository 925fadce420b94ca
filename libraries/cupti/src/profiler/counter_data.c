/* SPDX-License-Identifier: MIT */
#include "profiler/counter_data.h"

#include <string.h>

struct data_head {
    char magic[16];
    uint64_t room, count;
    uint64_t multiprocessors;
};

struct config_head {
    char magic[16];
    uint64_t count;
};

static const char data_magic[16] = "cupipe counts 1", config_magic[16] = "cupipe metrics1";

/* Images come from the program and may be at any address, so they are copied. */
static struct data_head read_head(const uint8_t *image)
{
    struct data_head head;

    memcpy(&head, image, sizeof(head));
    return head;
}

size_t counter_data_bytes(size_t ranges)
{
    return sizeof(struct data_head) + ranges * sizeof(struct counted_range);
}

bool counter_data_make(uint8_t *image, size_t bytes, unsigned multiprocessors)
{
    struct data_head head = {.multiprocessors = multiprocessors};

    if (bytes < sizeof(head))
        return false;
    memcpy(head.magic, data_magic, sizeof(head.magic));
    head.room = (bytes - sizeof(head)) / sizeof(struct counted_range);
    memcpy(image, &head, sizeof(head));
    return true;
}

bool counter_data_is_valid(const uint8_t *image, size_t bytes)
{
    struct data_head head;

    if (!image || bytes < sizeof(head))
        return false;
    head = read_head(image);
    return memcmp(head.magic, data_magic, sizeof(head.magic)) == 0 && head.count <= head.room &&
           head.room <= (bytes - sizeof(head)) / sizeof(struct counted_range);
}

size_t counter_data_count(const uint8_t *image)
{
    return read_head(image).count;
}

unsigned counter_data_multiprocessors(const uint8_t *image)
{
    return (unsigned)read_head(image).multiprocessors;
}

void counter_data_set_multiprocessors(uint8_t *image, unsigned multiprocessors)
{
    struct data_head head = read_head(image);

    head.multiprocessors = multiprocessors;
    memcpy(image, &head, sizeof(head));
}

void counter_data_read(const uint8_t *image, size_t index, struct counted_range *range)
{
    memcpy(range, image + counter_data_bytes(index), sizeof(*range));
    range->name[RANGE_NAME_BYTES - 1] = 0;
}

bool counter_data_add(uint8_t *image, const struct counted_range *range)
{
    struct data_head head = read_head(image);

    if (head.count == head.room)
        return false;
    memcpy(image + counter_data_bytes(head.count), range, sizeof(*range));
    head.count++;
    memcpy(image, &head, sizeof(head));
    return true;
}

size_t config_image_bytes(size_t metrics)
{
    return sizeof(struct config_head) + metrics * sizeof(uint32_t);
}

void config_image_make(uint8_t *image, const uint32_t *metrics, size_t count)
{
    struct config_head head = {.count = count};

    memcpy(head.magic, config_magic, sizeof(head.magic));
    memcpy(image, &head, sizeof(head));
    memcpy(image + sizeof(head), metrics, count * sizeof(*metrics));
}

bool config_image_is_valid(const uint8_t *image, size_t bytes)
{
    struct config_head head;

    if (!image || bytes < sizeof(head))
        return false;
    memcpy(&head, image, sizeof(head));
    return memcmp(head.magic, config_magic, sizeof(head.magic)) == 0 &&
           head.count == (bytes - sizeof(head)) / sizeof(uint32_t);
}
