/* SPDX-License-Identifier: MIT */
/* Makes a program of a fuzz target, where libFuzzer is not there to be one:
 *
 *     fuzz_TARGET FILE...                     runs each file
 *     fuzz_TARGET -n RUNS [-s SEED] FILE...   runs so many mutations of them too
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void die(const char *why)
{
    fprintf(stderr, "fuzz: %s\n", why);
    abort();
}

enum { INPUT_BYTES_MAX = 1 << 16 };

struct input {
    uint8_t *bytes;
    size_t size;
};

static uint64_t random_state = 1;

static uint64_t random_below(uint64_t limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state % limit;
}

static struct input read_input(const char *name)
{
    struct input input = {malloc(INPUT_BYTES_MAX), 0};
    FILE *file = fopen(name, "rb");

    if (!file || !input.bytes)
        die("an input cannot be read");
    input.size = fread(input.bytes, 1, INPUT_BYTES_MAX, file);
    fclose(file);
    return input;
}

/* Takes a piece of another input, or of this one, or a byte, over a piece of the input. */
static void mutate(struct input *input, const struct input *other)
{
    size_t at = random_below(input->size), length = 1 + random_below(20),
           from = random_below(other->size);

    if (length > input->size - at)
        length = input->size - at;
    if (length > other->size - from)
        length = other->size - from;
    switch (random_below(4)) {
    case 0:
        input->bytes[at] = (uint8_t)random_below(256);
        break;
    case 1:
        memmove(input->bytes + at, input->bytes + at + length, input->size - at - length);
        input->size -= length == input->size ? 0 : length;
        break;
    case 2:
        memmove(input->bytes + at, other->bytes + from, length);
        break;
    default:
        if (input->size + length > INPUT_BYTES_MAX)
            break;
        memmove(input->bytes + at + length, input->bytes + at, input->size - at);
        memmove(input->bytes + at, other->bytes + from, length);
        input->size += length;
    }
}

static void run_mutations(const struct input *inputs, size_t count, long runs)
{
    struct input work = {malloc(INPUT_BYTES_MAX), 0};

    if (!work.bytes)
        die("no memory");
    for (long i = 0; i < runs; i++) {
        const struct input *start = &inputs[random_below(count)];
        unsigned changes = (unsigned)random_below(6) + 1;

        memcpy(work.bytes, start->bytes, start->size);
        work.size = start->size;
        while (changes-- > 0 && work.size > 1)
            mutate(&work, &inputs[random_below(count)]);
        LLVMFuzzerTestOneInput(work.bytes, work.size);
    }
    free(work.bytes);
}

int main(int argc, char **argv)
{
    struct input *inputs = calloc((size_t)argc, sizeof(*inputs));
    size_t count = 0;
    long runs = 0;

    if (!inputs)
        die("no memory");
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "-n") && i + 1 < argc)
            runs = atol(argv[++i]);
        else if (!strcmp(argv[i], "-s") && i + 1 < argc)
            random_state = strtoull(argv[++i], NULL, 0) | 1;
        else
            inputs[count++] = read_input(argv[i]);
    }
    for (size_t i = 0; i < count; i++)
        LLVMFuzzerTestOneInput(inputs[i].bytes, inputs[i].size);
    if (count && runs > 0)
        run_mutations(inputs, count, runs);
    for (size_t i = 0; i < count; i++)
        free(inputs[i].bytes);
    free(inputs);
    return 0;
}
