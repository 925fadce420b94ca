/* SPDX-License-Identifier: MIT */
/*
 * textures --record FILE | --check FILE [--show N] [PATTERN...]
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
    size_t cases, equal, words, wrong;
    double worst;
};

static struct counts total;
static int show = 4;

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

/* An error may stick to the device as the process has it: a fresh process then goes on. */
static int record(const char *path, char **patterns)
{
    FILE *file = fopen(path, "wb");
    size_t count, *at = mmap(NULL, sizeof *at, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    const struct sample *table = samples_table(&count);

    if (!file || at == MAP_FAILED) {
        perror(path);
        return 2;
    }
    while (*at < count) {
        pid_t pid = fork();
        if (pid == 0) {
            run_begin();
            for (; *at < count; ++*at) {
                if (wanted(table[*at].name, patterns))
                    record_one(&table[*at], file);
                if (cuCtxSynchronize()) {
                    ++*at;
                    _exit(3);
                }
            }
            _exit(0);
        }
        int status;
        waitpid(pid, &status, 0);
        if (!WIFEXITED(status) || WEXITSTATUS(status) == 2) {
            fprintf(stderr, "ended at %s\n", table[*at].name);
            ++*at;
        }
        if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
            return 2;
    }
    return fclose(file) ? 2 : 0;
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
    total.cases++;
    total.equal += wrong == 0;
    total.words += words;
    total.wrong += wrong;
    if (wrong)
        printf("not ok - %s: %zu of %zu words, worst by %g\n", s->name, wrong, words, worst);
}

static const struct sample *find(const struct sample *table, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
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
        total.cases++;
        total.wrong++;
    } else if (!result && head[1] != answer_bytes(s)) {
        printf("not ok - %s: %zu bytes, recorded %u\n", s->name, answer_bytes(s), head[1]);
        total.wrong++;
    } else if (!result) {
        compare(s, got, want, head[1] / 4);
    } else {
        total.cases++;
        total.equal++;
    }
    free(got);
}

static int check(const char *path, char **patterns)
{
    FILE *file = fopen(path, "rb");
    size_t count;
    const struct sample *table = samples_table(&count);
    char name[200];
    uint32_t head[2];

    if (!file) {
        perror(path);
        return 2;
    }
    run_begin();
    for (;;) {
        size_t length = 0;
        int c;
        while ((c = getc(file)) > 0 && length < sizeof name - 1)
            name[length++] = (char)c;
        name[length] = 0;
        if (c == EOF || fread(head, 4, 2, file) != 2)
            break;
        uint32_t *want = malloc(head[1] + 4);
        if (fread(want, 1, head[1], file) != head[1])
            break;
        const struct sample *s = find(table, count, name);
        if (!s)
            printf("# %s is recorded and no longer a case\n", name);
        else if (wanted(name, patterns))
            check_one(s, head, want);
        free(want);
    }
    fclose(file);
    printf("# %zu of %zu cases equal; %zu of %zu words differ\n", total.equal, total.cases,
           total.wrong, total.words);
    return total.wrong ? 1 : 0;
}

int main(int argc, char **argv)
{
    const char *mode = argc > 2 ? argv[1] : "";
    char **patterns = argv + 3;

    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc > 4 && strcmp(argv[3], "--show") == 0) {
        show = atoi(argv[4]);
        patterns = argv + 5;
    }
    if (strcmp(mode, "--record") == 0)
        return record(argv[2], patterns);
    if (strcmp(mode, "--check") == 0)
        return check(argv[2], patterns);
    fprintf(stderr, "textures --record FILE | --check FILE [--show N] [PATTERN...]\n");
    return 2;
}
