/* SPDX-License-Identifier: MIT */
/*
 * textures --record FILE | --check FILE [--known FILE] [--show N] [PATTERN...]
 *
 * The known differences are a file of lines: a case's name and how many of its words may differ. A
 * case fails when more do.
 *
 * A recording is, for each case, its name with a zero, the result and the number of bytes as 32-bit
 * words, and the bytes.
 */
#include "textures.h"
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct counts {
    size_t cases, equal, words, wrong, failed;
};

static int show = 4;
static const char *known_path, *list_path;
static FILE *list;

/* How many words of a case may differ. */
static size_t words_known(const char *name)
{
    FILE *file = known_path ? fopen(known_path, "r") : NULL;
    char line[300], known[200];
    size_t words, found = 0;

    while (file && fgets(line, sizeof line, file))
        if (line[0] != '#' && sscanf(line, "%199s %zu", known, &words) == 2 &&
            strcmp(known, name) == 0)
            found = words;
    if (file)
        fclose(file);
    return found;
}

static bool wanted(const char *name, char **patterns)
{
    if (!*patterns)
        return true;
    for (; *patterns; patterns++)
        if (fnmatch(*patterns, name, 0) == 0)
            return true;
    return false;
}

static void record_one(const struct sample *sample, FILE *file)
{
    uint32_t head[2] = {0, (uint32_t)answer_bytes(sample)};
    unsigned char *answer = calloc(1, head[1]);

    head[0] = (uint32_t)sample_run(sample, answer);
    if (head[0]) {
        fprintf(stderr, "%s: result %u\n", sample->name, head[0]);
        head[1] = 0;
    }
    fwrite(sample->name, 1, strlen(sample->name) + 1, file);
    fwrite(head, 4, 2, file);
    fwrite(answer, 1, head[1], file);
    fflush(file);
    free(answer);
}

/* Shared with the processes that run cases. */
static struct shared {
    size_t at;
    struct counts total;
} * shared;

/* Runs cases from shared->at on until all are done. An error may stick to the device as a process
 * has it: a fresh process then goes on. */
static int run_all(size_t count, void (*run)(size_t index))
{
    while (shared->at < count) {
        int status;
        fflush(NULL);
        pid_t pid = fork();
        if (pid == 0) {
            run_begin();
            while (shared->at < count) {
                run(shared->at++);
                fflush(NULL);
                if (cuCtxSynchronize())
                    _exit(3);
            }
            _exit(0);
        }
        if (pid < 0 || waitpid(pid, &status, 0) != pid)
            return 2;
        if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
            return 2;
        if (!WIFEXITED(status)) {
            printf("not ok - case %zu ended the process with signal %d\n", shared->at - 1,
                   WTERMSIG(status));
            shared->total.failed++;
        }
    }
    return 0;
}

static const struct sample *table;
static size_t table_count;
static char **patterns;
static FILE *output;

static void record_case(size_t index)
{
    if (wanted(table[index].name, patterns))
        record_one(&table[index], output);
}

static int record(const char *path)
{
    output = fopen(path, "wb");
    if (!output) {
        perror(path);
        return 2;
    }
    int result = run_all(table_count, record_case);
    return fclose(output) ? 2 : result;
}

static float float_of(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, 4);
    return value;
}

static void lane_print(const struct sample *s, size_t word, uint32_t got, uint32_t want)
{
    uint32_t *inputs = calloc(OPERANDS * 4, s->lanes);
    size_t lane = word / WORDS;

    operands_fill(s, inputs);
    if (s->operation == OP_STORE || s->operation == OP_REDUCE)
        lane = 0;
    printf("#   %s word %zu: got %08x (%.9g), recorded %08x (%.9g)\n#     at", s->name, word, got,
           float_of(got), want, float_of(want));
    for (int i = 0; i <= OPERAND_LEVEL; i++)
        printf(" %08x (%.9g)", inputs[(size_t)i * s->lanes + lane],
               float_of(inputs[(size_t)i * s->lanes + lane]));
    printf("\n");
    free(inputs);
}

/* NaNs are equal: which bits one has is nobody's promise. */
static bool is_same(const struct sample *s, uint32_t got, uint32_t want)
{
    if (got == want)
        return true;
    return s->operation == OP_SAMPLE && s->result == 'f' && isnan(float_of(got)) &&
           isnan(float_of(want));
}

static void compare(const struct sample *s, const uint32_t *got, const uint32_t *want, size_t words)
{
    size_t wrong = 0;
    double worst = 0;

    for (size_t i = 0; i < words; i++) {
        if (is_same(s, got[i], want[i]))
            continue;
        double difference = fabs((double)float_of(got[i]) - float_of(want[i]));
        worst = !(difference <= worst) ? difference : worst;
        if (wrong++ < (size_t)show)
            lane_print(s, i, got[i], want[i]);
    }
    shared->total.cases++;
    shared->total.equal += wrong == 0;
    shared->total.words += words;
    shared->total.wrong += wrong;
    if (wrong && list)
        fprintf(list, "%s %zu\n", s->name, wrong);
    if (wrong && wrong <= words_known(s->name)) {
        printf("# known - %s: %zu of %zu words, worst by %g\n", s->name, wrong, words, worst);
        return;
    }
    shared->total.failed += wrong != 0;
    if (wrong)
        printf("not ok - %s: %zu of %zu words, worst by %g\n", s->name, wrong, words, worst);
}

static bool is_refusal(uint32_t result)
{
    return result == CUDA_ERROR_INVALID_VALUE || result == CUDA_ERROR_NOT_FOUND ||
           result == CUDA_ERROR_NOT_SUPPORTED || result == CUDA_ERROR_INVALID_PTX;
}

static void check_one(const struct sample *s, const uint32_t head[2], const uint32_t *want)
{
    if (!run_judges && is_refusal(head[0]))
        return;
    uint32_t *got = calloc(1, answer_bytes(s) + 4);
    CUresult result = sample_run(s, got);

    if ((uint32_t)result != head[0]) {
        printf("not ok - %s: result %d, recorded %u\n", s->name, (int)result, head[0]);
        shared->total.cases++;
        shared->total.failed++;
    } else if (!result && head[1] != answer_bytes(s)) {
        printf("not ok - %s: %zu bytes, recorded %u\n", s->name, answer_bytes(s), head[1]);
        shared->total.failed++;
    } else if (!result) {
        compare(s, got, want, head[1] / 4);
    } else {
        shared->total.cases++;
        shared->total.equal++;
    }
    free(got);
}

/* The recording, as it lies in its file. */
struct recorded {
    const struct sample *sample;
    uint32_t head[2];
    uint32_t *words;
};
static struct recorded *recording;
static size_t recorded_count;

static const struct sample *find(const char *name)
{
    for (size_t i = 0; i < table_count; i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

static bool recording_read(FILE *file)
{
    for (;;) {
        char name[200];
        size_t length = 0;
        struct recorded r;
        int c;
        while ((c = getc(file)) > 0 && length < sizeof name - 1)
            name[length++] = (char)c;
        name[length] = 0;
        if (c == EOF)
            return length == 0;
        if (fread(r.head, 4, 2, file) != 2)
            return false;
        r.words = malloc(r.head[1] + 4u);
        if (!r.words || fread(r.words, 1, r.head[1], file) != r.head[1])
            return false;
        r.sample = find(name);
        recording = realloc(recording, (recorded_count + 1) * sizeof *recording);
        recording[recorded_count++] = r;
        if (!r.sample)
            printf("# %s is recorded and no longer a case\n", name);
    }
}

static void check_case(size_t index)
{
    const struct recorded *r = &recording[index];

    if (r->sample && wanted(r->sample->name, patterns))
        check_one(r->sample, r->head, r->words);
}

static int check(const char *path)
{
    FILE *file = fopen(path, "rb");

    if (!file || !recording_read(file)) {
        fprintf(stderr, "%s cannot be read\n", path);
        return 2;
    }
    fclose(file);
    int result = run_all(recorded_count, check_case);
    printf("# %zu of %zu cases equal; %zu of %zu words differ\n", shared->total.equal,
           shared->total.cases, shared->total.wrong, shared->total.words);
    return result ? result : shared->total.failed || shared->total.cases == 0;
}

int main(int argc, char **argv)
{
    const char *mode = argc > 2 ? argv[1] : "";

    patterns = argv + 3;
    table = samples_table(&table_count);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return 2;
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (argc > 4 && patterns[0] && patterns[1] && strncmp(patterns[0], "--", 2) == 0) {
        if (strcmp(patterns[0], "--show") == 0)
            show = atoi(patterns[1]);
        else if (strcmp(patterns[0], "--known") == 0)
            known_path = patterns[1];
        else if (strcmp(patterns[0], "--list") == 0)
            list_path = patterns[1];
        patterns += 2;
    }
    if (list_path)
        list = fopen(list_path, "w");
    if (strcmp(mode, "--record") == 0)
        return record(argv[2]);
    if (strcmp(mode, "--check") == 0)
        return check(argv[2]);
    fprintf(stderr, "textures --record FILE | --check FILE [--show N] [PATTERN...]\n");
    return 2;
}
