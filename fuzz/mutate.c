/* SPDX-License-Identifier: MIT */
/* Makes a program of a fuzz target, where libFuzzer is not there to be one:
 *
 *     fuzz_TARGET [-n RUNS | -t SECONDS] [-s SEED] [-o FOLDER] FILE...
 *
 * runs each file, then so many mutations of them. The inputs run in a process that is watched; the
 * one it failed with lies in memory that both share, and is kept in FOLDER. */
#include "runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INPUT_BYTES_MAX = 1 << 16, FAILURES_MAX = 20 };

struct input {
    uint8_t *bytes;
    size_t size;
};

/* What the process works on, for those who look after its end. */
static struct shared {
    _Atomic(uint64_t) done; /* inputs: the files, then mutations */
    uint64_t random_state;  /* with which the next mutation begins */
    size_t size;
    uint8_t bytes[INPUT_BYTES_MAX];
} * shared;

static uint64_t random_below(uint64_t limit)
{
    shared->random_state ^= shared->random_state << 13;
    shared->random_state ^= shared->random_state >> 7;
    shared->random_state ^= shared->random_state << 17;
    return (shared->random_state >> 11) % limit;
}

static struct input read_input(const char *name)
{
    struct input input = {malloc(INPUT_BYTES_MAX), 0};
    FILE *file = fopen(name, "rb");

    if (!file || !input.bytes) {
        perror(name);
        exit(2);
    }
    input.size = fread(input.bytes, 1, INPUT_BYTES_MAX, file);
    fclose(file);
    return input;
}

/* A number where parsers look for lengths and offsets. */
static void put_number(uint8_t *at, size_t room)
{
    static const uint64_t numbers[] = {
        0,          1,           16,        0x7f,       0x80,          0xff,
        0x7fff,     0x8000,      0xffff,    0x10000,    0x7fffffff,    0x80000000,
        0xffffffff, 0x100000000, INT64_MAX, UINT64_MAX, UINT64_MAX - 7};
    uint64_t number = numbers[random_below(sizeof(numbers) / sizeof(numbers[0]))];
    size_t bytes = (size_t)1 << random_below(4);

    memcpy(at, &number, bytes < room ? bytes : room);
}

static void remove_piece(size_t at, size_t length)
{
    memmove(shared->bytes + at, shared->bytes + at + length, shared->size - at - length);
    shared->size -= length == shared->size ? 0 : length;
}

static void insert_piece(size_t at, const uint8_t *from, size_t length)
{
    uint8_t piece[256];

    if (shared->size + length > INPUT_BYTES_MAX)
        return;
    memcpy(piece, from, length); /* it may be of this input */
    memmove(shared->bytes + at + length, shared->bytes + at, shared->size - at);
    memcpy(shared->bytes + at, piece, length);
    shared->size += length;
}

static void mutate(const struct input *other)
{
    size_t at = random_below(shared->size), length = 1 + random_below(20),
           from = other->size ? random_below(other->size) : 0;

    if (length > shared->size - at)
        length = shared->size - at;
    if (length > other->size - from)
        length = other->size - from;
    switch (random_below(9)) {
    case 0:
        shared->bytes[at] = (uint8_t)random_below(256);
        break;
    case 1:
        shared->bytes[at] ^= (uint8_t)(1u << random_below(8));
        break;
    case 2:
        remove_piece(at, length);
        break;
    case 3:
        memcpy(shared->bytes + at, other->bytes + from, length);
        break;
    case 4:
        put_number(shared->bytes + at, shared->size - at);
        break;
    case 5:
        shared->bytes[at] = random_below(2) ? 0xff : 0;
        break;
    case 6:
        memmove(shared->bytes + at, shared->bytes + random_below(shared->size - length + 1),
                length);
        break;
    case 7:
        if (random_below(8) == 0)
            shared->size = at + 1;
        break;
    default:
        insert_piece(at, other->bytes + from, length);
    }
}

static void make_mutation(const struct input *inputs, size_t count)
{
    const struct input *start = &inputs[random_below(count)];
    unsigned changes = (unsigned)random_below(6) + 1;

    memcpy(shared->bytes, start->bytes, start->size);
    shared->size = start->size;
    while (changes-- > 0 && shared->size > 1)
        mutate(&inputs[random_below(count)]);
}

/* The files that are not done yet, then mutations, in the watched process. */
static void run_inputs(const struct runner *runner, const struct input *inputs, size_t count,
                       uint64_t runs)
{
    for (;;) {
        uint64_t done = atomic_load(&shared->done);

        if (done < count) {
            memcpy(shared->bytes, inputs[done].bytes, inputs[done].size);
            shared->size = inputs[done].size;
        } else if (count > 0 &&
                   (runner->seconds > 0 ? runner_has_time(runner) : done < count + runs)) {
            make_mutation(inputs, count);
        } else {
            exit(0);
        }
        LLVMFuzzerTestOneInput(shared->bytes, shared->size);
        atomic_fetch_add(&shared->done, 1);
    }
}

static void keep(struct runner *runner, const char *program, uint64_t seed)
{
    char name[64], command[4400];
    uint64_t done = atomic_fetch_add(&shared->done, 1); /* it is not tried again */

    snprintf(name, sizeof(name), "%llu-%llu", (unsigned long long)seed, (unsigned long long)done);
    snprintf(command, sizeof(command), "%s %s/%s-%s", program, runner->folder, runner->target,
             name);
    runner_keep(runner, name, shared->bytes, shared->size, command);
}

static bool run_all(struct runner *runner, const struct input *inputs, size_t count, uint64_t runs,
                    const char *program, uint64_t seed)
{
    enum outcome outcome;

    do {
        pid_t pid = runner_fork(runner);

        if (pid == 0)
            run_inputs(runner, inputs, count, runs);
        outcome = runner_wait(runner, pid, &shared->done);
        if (outcome == OUTCOME_FAILED)
            keep(runner, program, seed);
        runner->stopped += outcome == OUTCOME_STOPPED;
        if (outcome == OUTCOME_STOPPED)
            atomic_fetch_add(&shared->done, 1);
        if (runner->log >= 0)
            close(runner->log);
    } while ((outcome == OUTCOME_FAILED || outcome == OUTCOME_STOPPED) &&
             runner->failures < FAILURES_MAX);
    return outcome != OUTCOME_SKIPPED;
}

int main(int argc, char **argv)
{
    struct input *inputs = calloc((size_t)argc, sizeof(*inputs));
    const char *name = strrchr(argv[0], '/');
    struct runner runner;
    size_t count = 0;
    int option;

    name = name ? name + 1 : argv[0];
    runner_init(&runner, strncmp(name, "fuzz_", 5) == 0 ? name + 5 : name);
    shared = runner_share(sizeof(*shared));
    runner.counted = &shared->done;
    while ((option = getopt(argc, argv, RUNNER_OPTIONS)) != -1) {
        if (!runner_option(&runner, option))
            return 2;
    }
    shared->random_state = runner.seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
    for (int i = optind; inputs && i < argc; i++)
        inputs[count++] = read_input(argv[i]);
    if (!run_all(&runner, inputs, count, runner.asked, argv[0], runner.seed))
        return RUNNER_SKIPPED_STATUS;
    runner.inputs = atomic_load(&shared->done);
    for (size_t i = 0; i < count; i++)
        free(inputs[i].bytes);
    free(inputs);
    return runner_report(&runner);
}
