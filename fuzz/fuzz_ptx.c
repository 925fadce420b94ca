/* SPDX-License-Identifier: MIT */
/* Fuzzes the reader of PTX: whatever the bytes are, it answers. What it accepts is printed, and
 * joined with itself, which is right or refused with a reason.
 *
 * Built with -DCUPIPE_LIBFUZZER=ON this is a target for libFuzzer; its inputs are in
 * fuzz/corpus/ptx. As it is, it is a program:
 *
 *     fuzz_ptx FILE...                     runs each file
 *     fuzz_ptx -n RUNS [-s SEED] FILE...   runs so many mutations of them
 */
#include "ptx/program.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void die(const char *why)
{
    fprintf(stderr, "fuzz_ptx: %s\n", why);
    abort();
}

static void print_all(const struct ptx_program *program)
{
    char text[256];

    for (uint32_t i = 0; i < program->function_count; i++)
        for (uint32_t k = 0; k < program->functions[i].instruction_count; k++)
            ptx_print_instruction(program, &program->functions[i],
                                  &program->functions[i].instructions[k], text, sizeof(text));
}

static void join(struct ptx_program *program)
{
    struct ptx_program *parts[2] = {program, program}, *whole;
    struct ptx_log log = {0};
    enum ptx_failure failure;

    whole = ptx_link(parts, 2, &log, &failure);
    if ((whole == NULL) == (failure == PTX_OK))
        die("the linker's answer and its failure disagree");
    if (whole)
        print_all(whole);
    ptx_program_free(whole);
    ptx_log_free(&log);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ptx_log log = {0};
    enum ptx_failure failure;
    char *text = malloc(size + 1); /* its end is the allocation's: a byte too many is seen */
    struct ptx_program *program;

    if (!text)
        return 0;
    text = realloc(text, size ? size : 1);
    memcpy(text, data, size);
    program = ptx_parse(text, size, &log, &failure);
    if ((program == NULL) == (failure == PTX_OK))
        die("the answer and the failure disagree");
    if (!program && failure != PTX_OUT_OF_MEMORY && log.errors == 0)
        die("a text is refused without a reason");
    free(text); /* a program keeps nothing of its text */
    if (program) {
        print_all(program);
        join(program);
    }
    ptx_program_free(program);
    ptx_log_free(&log);
    return 0;
}

#ifndef CUPIPE_LIBFUZZER
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
#endif
