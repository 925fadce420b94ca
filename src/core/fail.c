/* SPDX-License-Identifier: MIT */
/* Rules are parsed into a small table that is immutable afterwards, except for its counters.
 * Whether the n-th event fails depends only on n and the rule, so a run with one thread is
 * reproducible. */
#include "core/fail.h"

#include "core/error.h"
#include "core/upcalls.h"
#include "os/interpose.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { RULES_MAX = 64, NAME_BYTES = 64, TEXT_BYTES = 160 };

struct fail_rule {
    char text[TEXT_BYTES]; /* as written, for the report */
    char name[NAME_BYTES]; /* may end in * */
    uint64_t nth;          /* 0: any */
    uint64_t every;        /* 0: any */
    bool is_random;        /* p= was given */
    double probability;
    uint64_t seed;
    bool has_rank; /* rank= was given */
    uint64_t rank;
    uint64_t late_ms; /* not 0: it does not fail, but is late */
    bool kills;
    CUresult error;
    _Atomic(uint64_t) asked, failed;
};

static struct fail_rule rules[RULES_MAX];
static unsigned rule_count;
static bool has_os_rule;

static bool is_name(const struct fail_rule *rule, const char *name)
{
    return strcmp(rule->name, name) == 0;
}

/* An operation of a library, which knows its names. */
static bool is_operation(const struct fail_rule *rule)
{
    return strncmp(rule->name, "nccl", 4) == 0;
}

/* Parsing. Words of a rule are separated by colons or commas. */

static bool read_count(const char *text, uint64_t *number)
{
    uint64_t value = 0;

    if (!*text)
        return false;
    for (; *text; text++) {
        if (*text < '0' || *text > '9' || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(*text - '0'), &value))
            return false;
    }
    *number = value;
    return true;
}

/* A decimal fraction from 0 to 1; not strtod(), which depends on the locale. */
static bool read_probability(const char *text, double *probability)
{
    double value = 0, place = 1;
    bool digits = false, point = false;

    for (; *text; text++) {
        if (*text == '.' && !point) {
            point = true;
        } else if (*text >= '0' && *text <= '9') {
            digits = true;
            place = point ? place / 10 : place;
            value = point ? value + place * (*text - '0') : value * 10 + (*text - '0');
        } else {
            return false;
        }
    }
    *probability = value;
    return digits && value <= 1;
}

/* The name of a result, with or without CUDA_ERROR_. */
static bool read_error(const char *text, CUresult *error)
{
    static const char prefix[] = "CUDA_ERROR_";

    if (strncmp(text, prefix, strlen(prefix)) == 0)
        text += strlen(prefix);
    for (int number = 1; number <= CUDA_ERROR_UNKNOWN; number++) {
        const char *name = cup_result_name((CUresult)number);

        if (name && strncmp(name, prefix, strlen(prefix)) == 0 &&
            strcmp(name + strlen(prefix), text) == 0) {
            *error = (CUresult)number;
            return true;
        }
    }
    return false;
}

static bool read_word(struct fail_rule *rule, const char *word)
{
    if (*word >= '0' && *word <= '9')
        return read_count(word, &rule->nth) && rule->nth > 0;
    if (strncmp(word, "every=", 6) == 0)
        return read_count(word + 6, &rule->every) && rule->every > 0;
    if (strncmp(word, "seed=", 5) == 0)
        return read_count(word + 5, &rule->seed);
    if (strncmp(word, "p=", 2) == 0) {
        rule->is_random = true;
        return read_probability(word + 2, &rule->probability);
    }
    if (strncmp(word, "rank=", 5) == 0 && is_operation(rule)) {
        rule->has_rank = true;
        return read_count(word + 5, &rule->rank);
    }
    if (strncmp(word, "late=", 5) == 0)
        return read_count(word + 5, &rule->late_ms) && rule->late_ms > 0;
    if (strcmp(word, "kill") == 0)
        return rule->kills = true;
    return read_error(strncmp(word, "error=", 6) == 0 ? word + 6 : word, &rule->error);
}

static bool read_name(struct fail_rule *rule, const char *name)
{
    size_t length = strlen(name);

    if (length == 0 || length >= NAME_BYTES)
        return false;
    strcpy(rule->name, name);
    if (is_name(rule, "stream")) {
        rule->error = CUDA_ERROR_LAUNCH_FAILED;
        return true;
    }
    rule->error = CUDA_ERROR_OUT_OF_MEMORY;
    return is_name(rule, "os") || is_operation(rule) || cup_core_upcalls.is_entry_point(name);
}

static bool read_rule(struct fail_rule *rule, const char *text, size_t length, char *why,
                      size_t why_bytes)
{
    char copy[TEXT_BYTES], *rest = copy, *word;

    memset(rule, 0, sizeof(*rule));
    if (length >= sizeof(copy)) {
        snprintf(why, why_bytes, "a rule is longer than %d bytes", TEXT_BYTES - 1);
        return false;
    }
    memcpy(copy, text, length);
    copy[length] = '\0';
    strcpy(rule->text, copy);
    word = strsep(&rest, ":");
    if (!read_name(rule, word)) {
        snprintf(why, why_bytes, "\"%s\" is not a function of the driver or of NCCL, stream or os",
                 word);
        return false;
    }
    while ((word = strsep(&rest, ":,"))) {
        if (!read_word(rule, word)) {
            snprintf(why, why_bytes,
                     "\"%s\" is not a number from 1 on, every=NUMBER, p=FRACTION, seed=NUMBER, "
                     "late=MS, kill, rank=NUMBER with a function of NCCL, error=NAME or the name "
                     "of an error",
                     word);
            return false;
        }
    }
    return true;
}

bool cup_fail_parse(const char *text, char *why, size_t why_bytes)
{
    rule_count = 0;
    has_os_rule = false;
    while (text && *text) {
        size_t length = strcspn(text, ";");

        if (rule_count == RULES_MAX) {
            snprintf(why, why_bytes, "there are more than %d rules", RULES_MAX);
            return false;
        }
        if (length > 0) {
            if (!read_rule(&rules[rule_count], text, length, why, why_bytes))
                return false;
            has_os_rule |= is_name(&rules[rule_count], "os");
            rule_count++;
        }
        text += length + (text[length] == ';');
    }
    return true;
}

/* A pseudo-random number for each n (the finaliser of SplitMix64). */
static uint64_t mix(uint64_t n)
{
    n = (n ^ (n >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    n = (n ^ (n >> 27)) * UINT64_C(0x94d049bb133111eb);
    return n ^ (n >> 31);
}

static void sleep_ms(uint64_t ms)
{
    struct timespec rest = {.tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms % 1000) * 1000000};

    while (nanosleep(&rest, &rest) != 0 && errno == EINTR)
        ;
}

/* Counts an event, does to it what the rule says, and returns whether it fails. */
static bool count_and_decide(struct fail_rule *rule)
{
    uint64_t number = atomic_fetch_add(&rule->asked, 1) + 1;
    bool fails = (!rule->nth || number == rule->nth) && (!rule->every || number % rule->every == 0);

    if (fails && rule->is_random) {
        uint64_t place = mix(rule->seed) + number * UINT64_C(0x9e3779b97f4a7c15);
        double is_random = (double)(mix(place) >> 11) * 0x1p-53;

        fails = is_random < rule->probability;
    }
    if (!fails)
        return false;
    atomic_fetch_add(&rule->failed, 1);
    if (rule->kills)
        kill(getpid(), SIGKILL);
    if (rule->late_ms)
        sleep_ms(rule->late_ms);
    return rule->late_ms == 0;
}

static bool matches(const struct fail_rule *rule, const char *base, const char *name)
{
    size_t length = strlen(rule->name);

    if (rule->name[length - 1] == '*')
        return strncmp(rule->name, name, length - 1) == 0;
    return is_name(rule, base) || is_name(rule, name);
}

bool cup_fail_call(const struct cup_call_site *site, CUresult *result)
{
    bool fails = false;

    for (unsigned i = 0; i < rule_count; i++) {
        if (matches(&rules[i], site->base, site->name) && count_and_decide(&rules[i]) && !fails) {
            *result = cup_error(rules[i].error, "%s fails: CUPIPE_FAIL says so", site->name);
            fails = true;
        }
    }
    return fails;
}

CUresult cup_fail_job(void)
{
    CUresult result = CUDA_SUCCESS;

    for (unsigned i = 0; i < rule_count; i++) {
        if (is_name(&rules[i], "stream") && count_and_decide(&rules[i]) && result == CUDA_SUCCESS)
            result = cup_error(rules[i].error, "a job fails: CUPIPE_FAIL says so");
    }
    return result;
}

CUresult cup_fail_operation(const char *name, int rank)
{
    CUresult result = CUDA_SUCCESS;

    for (unsigned i = 0; i < rule_count; i++) {
        struct fail_rule *rule = &rules[i];

        if (is_operation(rule) && matches(rule, name, name) &&
            (!rule->has_rank || rule->rank == (uint64_t)rank) && count_and_decide(rule) &&
            result == CUDA_SUCCESS)
            result = cup_error(rule->error, "%s of rank %d fails: CUPIPE_FAIL says so", name, rank);
    }
    return result;
}

static bool fail_system(void)
{
    bool fails = false;

    for (unsigned i = 0; i < rule_count; i++) {
        if (is_name(&rules[i], "os"))
            fails |= count_and_decide(&rules[i]);
    }
    return fails;
}

void cup_fail_start(void)
{
    if (rule_count == 0 || cup_fail_enabled())
        return;
    cup_call_hook_set(CUP_HOOK_FAIL);
    if (has_os_rule && !cup_interpose(fail_system))
        fprintf(stderr, "cupipe: CUPIPE_FAIL: os rules are not supported on this system\n");
}

void cup_fail_report(void)
{
    if (!cup_fail_enabled())
        return;
    for (unsigned i = 0; i < rule_count; i++) {
        const struct fail_rule *rule = &rules[i];
        char line[TEXT_BYTES + 128];
        int length = snprintf(line, sizeof(line), "cupipe: CUPIPE_FAIL: %s failed %llu of %llu\n",
                              rule->text, (unsigned long long)atomic_load(&rule->failed),
                              (unsigned long long)atomic_load(&rule->asked));

        if (write(STDERR_FILENO, line, (size_t)length) < 0)
            return;
    }
}
