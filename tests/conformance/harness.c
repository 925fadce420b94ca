/* SPDX-License-Identifier: MIT */
/*
 * Runs the groups, each in a forked child, and prints a line for each case. It knows nothing of the
 * library under test: struct library_under_test says what its results are called and which stick.
 *
 * What must outlive a child stands in shared memory: the case in hand, the cases printed, the cases
 * to leave out. When a child crashes, hangs or reports an error that sticks to its context, the
 * group is run again in a fresh child without the case at fault, and only lines not yet printed are
 * printed.
 */
#include "harness.h"
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_GROUPS 2400
#define MAX_NAME 200
#define MAX_PRINTED 32768
#define MAX_SKIPPED 512
#define MAX_RESTARTS 400
#define GROUP_LIMIT_S 300
#define STATUS_RESTART 99
#define STATUS_NO_FUNCTION 127 /* of the loader, which found no function of that name */

struct group {
    int order;
    const char *name;
    void (*run)(void);
    void (*run_index)(int index); /* instead of run */
    int index;
    int is_single_call;
};

static struct shared {
    volatile unsigned progress;
    volatile int in_case, skip_count, case_count;
    char current[MAX_NAME], previous[MAX_NAME];
    /* Hashes of names: an open table, and a list. */
    uint64_t printed[MAX_PRINTED], skip[MAX_SKIPPED];
} * shared;

static struct group groups[MAX_GROUPS];
static int group_count;
static const struct group *current_group;
static int case_limit_s = 20; /* CONFORMANCE_ALARM overrides */
static int crash_count, timeout_count;
static int output = STDOUT_FILENO;

/* Of the child: the names used so far, the case in hand, a sticky error seen in it. */
static uint64_t *names_seen;
static char case_name[MAX_NAME];
static int sticky_seen;

int keep_after_sticky, cases_independent;

double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + now.tv_nsec * 1e-9;
}

/* Prints one line in one write, so that lines of several processes do not mix. */
void line_print(const char *format, ...)
{
    char line[4096];
    va_list args;

    va_start(args, format);
    int length = vsnprintf(line, sizeof line - 2, format, args);
    va_end(args);
    if (length > (int)sizeof line - 2)
        length = sizeof line - 2;
    while (length && (line[length - 1] == ' ' || line[length - 1] == '\n'))
        length--;
    for (int i = 0; i < length; i++)
        if ((unsigned char)line[i] < ' ' || (unsigned char)line[i] > '~')
            line[i] = '?';
    line[length++] = '\n';
    for (int offset = 0; offset < length;) {
        ssize_t written = write(output, line + offset, length - offset);
        if (written <= 0)
            break;
        offset += written;
    }
}

const char *format(const char *format, ...)
{
    static char buffers[128][600];
    static int next;
    char *buffer = buffers[next = (next + 1) & 127];
    va_list args;

    va_start(args, format);
    vsnprintf(buffer, sizeof buffers[0], format, args);
    va_end(args);
    return buffer;
}

static uint64_t hash_name(const char *name)
{
    uint64_t hash = 1469598103934665603ull;

    while (*name)
        hash = (hash ^ (unsigned char)*name++) * 1099511628211ull;
    return hash ? hash : 1;
}

/* Whether the table has the hash; adds it when it has not and add is set. */
static int hash_known(uint64_t *table, uint64_t hash, int add)
{
    unsigned slot = hash % MAX_PRINTED;

    for (unsigned tries = 0; tries < MAX_PRINTED; tries++) {
        if (table[slot] == hash)
            return 1;
        if (!table[slot]) {
            if (add)
                table[slot] = hash;
            return 0;
        }
        slot = (slot + 1) % MAX_PRINTED;
    }
    return 0;
}

static int is_skipped(uint64_t hash)
{
    for (int i = 0; i < shared->skip_count; i++)
        if (shared->skip[i] == hash)
            return 1;
    return 0;
}

static void case_skip(const char *name)
{
    uint64_t hash = hash_name(name);

    if (name[0] && !is_skipped(hash) && shared->skip_count < MAX_SKIPPED)
        shared->skip[shared->skip_count++] = hash;
}

/* 0 when the case is to be left out. A name used before gets #2, #3 and so on. */
int case_begin(const char *name)
{
    snprintf(case_name, sizeof case_name, "%s", name);
    for (int use = 2; hash_known(names_seen, hash_name(case_name), 1); use++)
        snprintf(case_name, sizeof case_name, "%s#%d", name, use);

    uint64_t hash = hash_name(case_name);
    if (is_skipped(hash) || (cases_independent && hash_known(shared->printed, hash, 0)))
        return 0;
    strcpy(shared->previous, shared->current);
    strcpy(shared->current, case_name);
    shared->in_case = 1;
    shared->progress++;
    alarm(case_limit_s);
    if (library_under_test.case_started)
        library_under_test.case_started();
    return 1;
}

void sticky_notice(int result)
{
    if (library_under_test.is_sticky(result))
        sticky_seen = 1;
}

static void case_print(const char *answer, const char *text)
{
    if (!hash_known(shared->printed, hash_name(case_name), 1)) {
        shared->case_count++;
        line_print("%s/%s: %s%s", current_group->name, case_name, answer, text);
    }
    shared->in_case = 0;
}

/* Ends the child when an error sticks to its context, so that the group restarts without the case.
 * An error that the call itself reported may be the fault of the case before. */
static void restart_after_sticky(int call_reported_it)
{
    if ((call_reported_it || sticky_seen) && !keep_after_sticky) {
        case_skip(shared->current);
        if (call_reported_it)
            case_skip(shared->previous);
        _exit(STATUS_RESTART);
    }
    sticky_seen = 0;
}

void case_end(int result, const char *format_text, ...)
{
    char text[3000];
    va_list args;

    va_start(args, format_text);
    vsnprintf(text, sizeof text, format_text, args);
    va_end(args);
    const char *skipped =
        library_under_test.skip_reason ? library_under_test.skip_reason(result) : NULL;
    if (skipped)
        case_print("SKIP", skipped);
    else
        case_print(library_under_test.result_name(result), text);
    restart_after_sticky(library_under_test.is_sticky(result));
}

void case_info(const char *format_text, ...)
{
    char text[3000] = " ";
    va_list args;

    va_start(args, format_text);
    vsnprintf(text + 1, sizeof text - 1, format_text, args);
    va_end(args);
    case_print("INFO", text);
    restart_after_sticky(0);
}

void setup_note(const char *text)
{
    if (!hash_known(shared->printed, hash_name(format("note:%s", text)), 1))
        line_print("%s: NOTE %s", current_group->name, text);
}

void setup_failed(const char *what, int result)
{
    line_print("%s: SETUP-FAILED %s=%s", current_group->name, what,
               library_under_test.result_name(result));
    _exit(0);
}

int case_is_open(void)
{
    return shared->in_case;
}

static void group_add(struct group group)
{
    if (group_count == MAX_GROUPS) {
        fprintf(stderr, "more than %d groups: raise MAX_GROUPS\n", MAX_GROUPS);
        exit(1);
    }
    groups[group_count++] = group;
}

void group_register(int order, const char *name, void (*run)(void))
{
    group_add((struct group){order, name, run, NULL, 0, 0});
}

void group_register_index(int order, const char *name, void (*run)(int), int index)
{
    group_add((struct group){order, strdup(name), NULL, run, index, 0});
}

void call_register(int order, const char *name, void (*run)(int), int index)
{
    group_add((struct group){order, strdup(name), NULL, run, index, 1});
}

static int group_compare(const void *left, const void *right)
{
    const struct group *a = left, *b = right;

    if (a->order != b->order)
        return a->order - b->order;
    if (a->index != b->index && !a->is_single_call)
        return a->index - b->index;
    return strcmp(a->name, b->name);
}

static _Noreturn void child_run(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGALRM, SIG_DFL);
    alarm(case_limit_s);
    names_seen = calloc(MAX_PRINTED, sizeof *names_seen);
    shared->current[0] = shared->previous[0] = 0;
    shared->in_case = 0;
    sticky_seen = 0;
    if (!library_under_test.prepare()) {
        line_print("%s: NOLIB", current_group->name);
        _exit(0);
    }
    if (current_group->run_index)
        current_group->run_index(current_group->index);
    else
        current_group->run();
    _exit(0);
}

enum child_state { CHILD_ENDED, CHILD_KILLED, CHILD_UNKILLABLE };

/* Waits for the child. One that makes no progress is killed, a little after its own alarm. */
static enum child_state child_wait(pid_t pid, int *status)
{
    unsigned last_progress = shared->progress;
    double since = seconds_now();
    enum child_state state = CHILD_ENDED;

    *status = 0;
    for (;;) {
        pid_t ended = waitpid(pid, status, WNOHANG);
        if (ended == pid)
            return state;
        if (ended < 0 && errno != EINTR) {
            *status = 0;
            return state;
        }
        if (shared->progress != last_progress) {
            last_progress = shared->progress;
            since = seconds_now();
        }
        if (seconds_now() - since > case_limit_s + 4 && state == CHILD_ENDED) {
            kill(pid, SIGKILL);
            state = CHILD_KILLED;
        }
        if (seconds_now() - since > case_limit_s + 14) {
            *status = 0;
            return CHILD_UNKILLABLE;
        }
        usleep(500);
    }
}

/* Prints how the child ended; 1 for a hang. */
static int child_print_end(enum child_state state, int status)
{
    int signal_number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    int hung = state != CHILD_ENDED || signal_number == SIGALRM;
    int missing = !hung && !signal_number && WEXITSTATUS(status) == STATUS_NO_FUNCTION;
    char what[60];

    if (hung)
        snprintf(what, sizeof what, "TIMEOUT%s", state == CHILD_UNKILLABLE ? " unkillable" : "");
    else if (missing)
        snprintf(what, sizeof what, "SKIP missing");
    else if (signal_number)
        snprintf(what, sizeof what, "CRASH signal %d", signal_number);
    else
        snprintf(what, sizeof what, "EXIT status %d", WEXITSTATUS(status));
    timeout_count += hung;
    crash_count += !hung && !missing;
    if (shared->in_case) {
        snprintf(case_name, sizeof case_name, "%s", shared->current);
        case_print(what, "");
    } else {
        line_print("%s: %s%s%s", current_group->name, what, shared->current[0] ? " after=" : "",
                   shared->current);
    }
    return hung;
}

static void group_run(const struct group *group)
{
    double start = seconds_now();
    int hangs = 0;

    current_group = group;
    memset(shared, 0, sizeof *shared);
    for (int tries = 0;; tries++) {
        if (tries >= MAX_RESTARTS || seconds_now() - start > GROUP_LIMIT_S) {
            line_print("%s: STOPPED after %d restarts", group->name, tries);
            break;
        }
        pid_t pid = fork();
        if (!pid)
            child_run();
        int status;
        enum child_state state = child_wait(pid, &status);
        if (state == CHILD_ENDED && WIFEXITED(status) && WEXITSTATUS(status) == 0)
            break;
        if (state == CHILD_ENDED && WIFEXITED(status) && WEXITSTATUS(status) == STATUS_RESTART)
            continue;

        /* A case that is at fault though it was left out cannot be got past. */
        int can_skip = shared->current[0] && !is_skipped(hash_name(shared->current));
        hangs += child_print_end(state, status);
        if (!can_skip || state == CHILD_UNKILLABLE || hangs > 3 || group->is_single_call) {
            if (!group->is_single_call)
                line_print("%s: STOPPED", group->name);
            break;
        }
        case_skip(shared->current);
    }
    if (getenv("CONFORMANCE_TIMES"))
        fprintf(stderr, "%s %.2fs\n", group->name, seconds_now() - start);
}

/* What is known of the library, in a process of its own. */
static void library_describe(void)
{
    pid_t pid = fork();
    int status;

    if (!pid) {
        current_group = &groups[0];
        alarm(case_limit_s);
        library_under_test.describe();
        _exit(0);
    }
    waitpid(pid, &status, 0);
    if (!WIFEXITED(status))
        line_print("symbols: CRASH signal %d", WTERMSIG(status));
}

void output_redirect(void)
{
    int nothing = open("/dev/null", O_WRONLY);

    output = dup(STDOUT_FILENO);
    dup2(nothing, STDOUT_FILENO);
    close(nothing);
}

static int pattern_names(const char *pattern, const char *name)
{
    size_t length = strlen(pattern);

    return !fnmatch(pattern, name, 0) || (!strncmp(pattern, name, length) && name[length] == '/');
}

/* Arguments are patterns of group names; -x PATTERN leaves groups out. */
static int group_wanted(const char *name, int argc, char **argv)
{
    int wanted = argc < 2 || argv[1][0] == '-';
    int left_out = 0;

    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "-x") && i + 1 < argc)
            left_out |= !fnmatch(argv[++i], name, 0);
        else
            wanted |= pattern_names(argv[i], name);
    }
    return wanted && !left_out;
}

int main(int argc, char **argv)
{
    int groups_run = 0, cases_run = 0;

    if (getenv("CONFORMANCE_ALARM"))
        case_limit_s = atoi(getenv("CONFORMANCE_ALARM"));
    qsort(groups, group_count, sizeof *groups, group_compare);
    signal(SIGPIPE, SIG_IGN);
    if (argc > 1 && !strcmp(argv[1], "--list")) {
        for (int i = 0; i < group_count; i++)
            line_print("%s", groups[i].name);
        return 0;
    }
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    library_describe();
    for (int i = 0; i < group_count; i++) {
        if (!group_wanted(groups[i].name, argc, argv))
            continue;
        group_run(&groups[i]);
        groups_run++;
        cases_run += shared->case_count;
    }
    line_print("# done groups=%d cases=%d crashes=%d timeouts=%d", groups_run, cases_run,
               crash_count, timeout_count);
    return 0;
}
