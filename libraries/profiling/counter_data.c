/* SPDX-License-Identifier: MIT */
#include "profiling/counter_data.h"

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

static const char data_magic[16] = "cupipe counts 2", config_magic[16] = "cupipe metrics1",
                  availability_magic[AVAILABILITY_BYTES] = "cupipe counters";

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

/* A program may have written into the image: no more levels than the name has terminators. */
static void end_names(struct counted_range *range)
{
    uint64_t terminators = 0;

    range->name[RANGE_NAME_BYTES - 1] = 0;
    for (size_t i = 0; i < RANGE_NAME_BYTES; i++)
        terminators += range->name[i] == 0;
    if (range->levels > terminators)
        range->levels = terminators;
}

void counter_data_read(const uint8_t *image, size_t index, struct counted_range *range)
{
    memcpy(range, image + counter_data_bytes(index), sizeof(*range));
    end_names(range);
}

const char *counter_data_level(const uint8_t *image, size_t index, size_t level)
{
    struct counted_range range;
    size_t place = 0;

    counter_data_read(image, index, &range);
    if (level >= range.levels)
        return NULL;
    for (; level > 0; level--)
        place += strlen(range.name + place) + 1;
    return (const char *)image + counter_data_bytes(index) + offsetof(struct counted_range, name) +
           place;
}

bool counter_data_add(uint8_t *image, const struct counted_range *range)
{
    struct data_head head = read_head(image);
    struct counted_range kept = *range;

    if (head.count == head.room)
        return false;
    kept.levels = 1;
    for (char *c = kept.name; (c = strchr(c, RANGE_LEVEL_SEPARATOR)); *c++ = 0)
        kept.levels++;
    memcpy(image + counter_data_bytes(head.count), &kept, sizeof(kept));
    head.count++;
    memcpy(image, &head, sizeof(head));
    return true;
}

void availability_make(uint8_t *image)
{
    memcpy(image, availability_magic, AVAILABILITY_BYTES);
}

bool availability_is_valid(const uint8_t *image)
{
    return memcmp(image, availability_magic, AVAILABILITY_BYTES) == 0;
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

bool config_image_has_head(const uint8_t *image)
{
    return memcmp(image, config_magic, sizeof(config_magic)) == 0;
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
