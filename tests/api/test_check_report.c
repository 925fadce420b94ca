/* SPDX-License-Identifier: MIT */
/* How checks report (CUPIPE_CHECK_LIMIT, _SUPPRESS, _JSON and _EXIT): repetitions, limits,
 * suppressions, the JSON file and the exit code. The faults are leaks and wrong handles. */
#include "test.h"

#include "checks.h"

#include <signal.h>
#include <sys/wait.h>

static char path[] = "/tmp/cupipe-check-XXXXXX"; /* a file of the test */

/* Creates the file with this text; the tests remove it. */
static void make_file(const char *text)
{
    int fd = mkstemp(path);

    check(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
}

/* Returns the file's text and removes the file. */
static const char *take_file(void)
{
    static char text[1 << 16];
    FILE *file = fopen(path, "r");

    check(file != NULL);
    text[fread(text, 1, sizeof(text) - 1, file)] = 0;
    fclose(file);
    unlink(path);
    return text;
}

A_FUNCTION leak_events(void)
{
    CUevent event;

    for (int i = 0; i < 1024; i++)
        check_success(cuEventCreate(&event, 0));
}

A_FUNCTION leak_streams(void)
{
    volatile int count = 3; /* unrolled, the call would be one of three places */
    CUstream stream;

    for (int i = 0; i < count; i++)
        check_success(cuStreamCreate(&stream, 0));
}

static void leak_both(void)
{
    with_check("leaks");
    leak_events();
    leak_streams();
    check_success(cuDevicePrimaryCtxRetain(&(CUcontext){0}, 0));
}

TEST(faults_of_one_place_are_one_report)
{
    struct told *told = told_well_by(leak_both);

    check_says_next(told, " event 0x", "  made by cuEventCreate, called from", "leak_events+0x");
    check_says(told, "\ncupipe: and 1,023 more like \"event 0x");
    check_says(told, "\ncupipe: and 2 more like \"stream 0x");
    check_says(told, "cupipe: CUPIPE_CHECK: 1028 left behind\n");
    check_says(told, "cupipe: CUPIPE_CHECK found: leaks 3, and 1,025 of the same\n");
    check(reports_of(told) == 3 + 1);
}

static void leak_both_limited(void)
{
    setenv("CUPIPE_CHECK_LIMIT", "1", 1);
    leak_both();
}

TEST(the_limit_ends_the_reports)
{
    struct told *told = told_well_by(leak_both_limited);

    check_says(told, "cupipe: CUPIPE_CHECK: 1 reports were written, further ones are counted "
                     "(CUPIPE_CHECK_LIMIT)\n");
    check_says(told, "cupipe: CUPIPE_CHECK found: leaks 3, and 1,025 of the same\n");
    check_does_not_say(told, "more like \"stream");
    check(reports_of(told) == 1 + 1 + 1);
}

/* Exit codes. */

static void leak_with_exit_code(void)
{
    setenv("CUPIPE_CHECK_EXIT", "99", 1);
    leak_both();
}

static void leave_a_line_and_exit(void)
{
    leak_with_exit_code();
    printf("flushed");
    fprintf(stderr, "before\n");
    quick_exit(0);
}

static void leave_nothing_with_exit_code(void)
{
    setenv("CUPIPE_CHECK_EXIT", "99", 1);
    with_check("leaks");
    check_success(cuDevicePrimaryCtxRelease(0));
}

static void run_by_exit(void)
{
    fprintf(stderr, "an earlier function runs\n");
}

static void leak_with_functions(void)
{
    atexit(run_by_exit);
    leak_with_exit_code();
    exit(0);
}

static void leak_and_fork(void)
{
    int status;

    leak_with_exit_code();
    pid_t child = fork();
    if (child == 0)
        exit(5);
    check(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 5);
    _exit(6); /* nothing can be said then */
}

static int status_of(void (*run)(void))
{
    struct told *told = told_by(run);

    check(WIFEXITED(told->status));
    return WEXITSTATUS(told->status);
}

TEST(what_is_found_sets_the_exit_code)
{
    check(status_of(leak_with_exit_code) == 99);
    check(status_of(leave_a_line_and_exit) == 99);
    check(status_of(leave_nothing_with_exit_code) == 0);
}

TEST(functions_of_atexit_run_before_the_exit_code)
{
    struct told *told = told_by(leak_with_functions);

    check_says(told, "an earlier function runs\n");
    check(WIFEXITED(told->status) && WEXITSTATUS(told->status) == 99);
}

TEST(a_forked_child_has_its_own_exit_code)
{
    check(status_of(leak_and_fork) == 6);
}

/* Suppressions. */

static void leak_suppressed(void)
{
    setenv("CUPIPE_CHECK_EXIT", "99", 1);
    setenv("CUPIPE_CHECK_SUPPRESS", path, 1);
    leak_both();
}

TEST(suppressed_faults_are_not_reported)
{
    make_file("# events, by the function that makes them\n"
              "\n"
              "  leaks function=leak_ev*\n"
              "memory call=cuMemcpy*\n"
              "* call=cuStream* file=*api_test_check_report\n");
    struct told *told = told_by(leak_suppressed);

    unlink(path);
    check_does_not_say(told, " event 0x");
    check_does_not_say(told, " stream 0x");
    check_says(told, " context 0x");
    check_says(told, "cupipe: CUPIPE_CHECK: 1 left behind\n");
    check_says(told, "cupipe: CUPIPE_CHECK found: leaks 1, 1,027 suppressed\n");
    check_says(told, "cupipe: CUPIPE_CHECK_SUPPRESS: line 4 of /tmp/cupipe-check-");
    check_says(told, " was not used\n");
    check_does_not_say(told, "line 3 of");
    check(WIFEXITED(told->status) && WEXITSTATUS(told->status) == 99);
}

TEST(suppressed_faults_do_not_set_the_exit_code)
{
    make_file("leaks\n");
    struct told *told = told_well_by(leak_suppressed);

    unlink(path);
    check_says(told, "cupipe: CUPIPE_CHECK found: 1,028 suppressed\n");
}

/* The driver refuses to start. */
static void check_refused(void)
{
    CUresult result = cuInit(0);

    if (result == CUDA_SUCCESS)
        only_cupipe();
    check_result(result, CUDA_ERROR_INVALID_VALUE);
}

static void init_alone(void)
{
    setenv("CUPIPE_CHECK", "leaks", 1);
    setenv("CUPIPE_CHECK_SUPPRESS", path, 1);
    check_refused();
}

TEST(wrong_suppressions_are_named_by_line)
{
    make_file("leaks call=*\nleak call=*\n\nleaks call\nleaks place=x\nleaks call=\n"
              "leaks call=a call=b\n");
    struct told *told = told_well_by(init_alone);

    unlink(path);
    check_says(told, ": \"leak\" is not a check\n");
    check_says(told, "line 2 of /tmp/cupipe-check-");
    check_says(told, "line 4 of /tmp/cupipe-check-");
    check_says(told, ": \"call\" has no =\n");
    check_says(told, ": \"place=x\" is not fault=, kernel=, function=, file= or call=\n");
    check_says(told, ": \"call=\" has no pattern\n");
    check_says(told, ": \"call=b\" stands there twice\n");
    check_does_not_say(told, "line 1 of");
    told = told_well_by(init_alone); /* the file is gone */
    check_says(told, "names a file that cannot be read: No such file");
}

/* JSON. */

static void leak_into_json(void)
{
    setenv("CUPIPE_CHECK_JSON", path, 1);
    leak_both();
}

static void fail_and_die(void)
{
    CUevent event;

    setenv("CUPIPE_CHECK_JSON", path, 1);
    with_check("memory");
    check_success(cuEventCreate(&event, 0));
    check_success(cuEventDestroy(event));
    check_result(cuEventSynchronize(event), CUDA_ERROR_INVALID_HANDLE);
    raise(SIGKILL);
}

static unsigned lines_of(const char *text)
{
    unsigned count = 0;

    for (; (text = strchr(text, '\n')); text++)
        count++;
    return count;
}

TEST(reports_are_lines_of_json)
{
    make_file("");
    told_well_by(leak_into_json);
    const char *text = take_file();

    check(strstr(text, "\"check\":\"leaks\",\"fault\":\"leak\",\"text\":\"event 0x") != NULL);
    check(strstr(text, "\"places\":[{\"role\":\"made\",\"call\":\"cuEventCreate\",\"stack\":[{"
                       "\"function\":\"leak_events\",\"file\":\"/") != NULL);
    check(strstr(text, "\"count\":1024}\n") != NULL);
    check(strstr(text, "\"reports\":3,\"more\":1025,\"suppressed\":0}\n") != NULL);
    check(lines_of(text) == 3 + 2 + 1);
}

TEST(a_killed_process_leaves_its_reports)
{
    make_file("");
    struct told *told = told_by(fail_and_die);

    check(WIFSIGNALED(told->status) && WTERMSIG(told->status) == SIGKILL);
    const char *text = take_file();
    check(strstr(text, "\"check\":\"memory\",\"fault\":\"bad-handle\"") != NULL);
    check(strstr(text,
                 "{\"call\":\"cuEventSynchronize\",\"stack\":[{\"function\":\"fail_and_die\"") !=
          NULL);
    check(strstr(text, "\"made\":{\"call\":\"cuEventCreate\"") != NULL);
    check(strstr(text, "\"freed\":{\"call\":\"cuEventDestroy_v2\"") != NULL);
    check(lines_of(text) == 1 && text[strlen(text) - 1] == '\n');
    check_says_next(told, "cuEventSynchronize was given", "  called from", "fail_and_die+0x");
}

static void write_nowhere(void)
{
    setenv("CUPIPE_CHECK", "leaks", 1);
    setenv("CUPIPE_CHECK_JSON", "/no/such/folder/reports.json", 1);
    check_refused();
}

TEST(json_that_cannot_be_written_is_refused)
{
    check_says(told_well_by(write_nowhere), "names a file that cannot be written: No such file");
}
