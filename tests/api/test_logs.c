/* SPDX-License-Identifier: MIT */
/* The log of failed calls: callbacks, iterators, dumps. */
#include "test.h"

struct seen {
    atomic_int lines;
    int level;
    size_t length;
    char text[512];
};

static void CUDA_CB count_lines(void *data, CUlogLevel level, char *message, size_t length)
{
    struct seen *seen = data;

    atomic_fetch_add(&seen->lines, 1);
    seen->level = (int)level;
    seen->length = length;
    snprintf(seen->text, sizeof(seen->text), "%s", message);
}

static void fail_once(void)
{
    check_result(cuMemAlloc(NULL, 64), CUDA_ERROR_INVALID_VALUE);
}

TEST(callbacks_get_each_line)
{
    struct seen first = {0}, second = {0};
    CUlogsCallbackHandle handles[2];
    CUdeviceptr memory;

    with_context();
    check_success(cuLogsRegisterCallback(count_lines, &first, &handles[0]));
    check_success(cuLogsRegisterCallback(count_lines, &second, &handles[1]));
    fail_once();
    check(first.lines == 2 && second.lines == 2);
    check(first.level == CU_LOG_LEVEL_ERROR && first.length == strlen(first.text));
    check(strstr(first.text, "CUDA_ERROR_INVALID_VALUE") || strstr(first.text, "nvalid"));
    check_success(cuMemAlloc(&memory, 64));
    check_success(cuMemFree(memory));
    check(first.lines == 2);
    check_success(cuLogsUnregisterCallback(handles[0]));
    fail_once();
    check(first.lines == 2 && second.lines == 4);
    check_result(cuLogsUnregisterCallback(NULL), CUDA_ERROR_INVALID_VALUE);
    check_result(cuLogsRegisterCallback(NULL, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
}

TEST(a_callback_is_unregistered_once)
{
    struct seen seen = {0};
    CUlogsCallbackHandle handle;

    with_context();
    only_cupipe();
    check_success(cuLogsRegisterCallback(count_lines, &seen, &handle));
    check_success(cuLogsUnregisterCallback(handle));
    check_result(cuLogsUnregisterCallback(handle), CUDA_ERROR_INVALID_VALUE);
}

static void CUDA_CB fail_inside(void *data, CUlogLevel level, char *message, size_t length)
{
    (void)level;
    (void)message;
    (void)length;
    if (atomic_fetch_add((atomic_int *)data, 1) < 3)
        cuMemAlloc(NULL, 64);
}

TEST(a_callback_may_fail_itself)
{
    atomic_int calls = 0;

    with_context();
    check_success(cuLogsRegisterCallback(fail_inside, &calls, NULL));
    fail_once();
    check(calls == 8);
}

TEST(iterators_count_lines)
{
    CUlogIterator before, after;
    char buffer[1000];
    size_t size = sizeof(buffer);

    with_context();
    check_success(cuLogsCurrent(&before, 0));
    fail_once();
    check_success(cuLogsCurrent(&after, 0));
    check(after - before == 2);
    check_success(cuLogsDumpToMemory(&before, buffer, &size, 0));
    check(before == after && size == strlen(buffer) && buffer[size - 1] == '\n');
    size = sizeof(buffer);
    check_success(cuLogsDumpToMemory(&before, buffer, &size, 0));
    check(size == 0);
    before = after + 1000;
    check_result(cuLogsDumpToMemory(&before, buffer, &size, 0), CUDA_ERROR_INVALID_VALUE);
    size = 10;
    check_result(cuLogsDumpToMemory(NULL, buffer, &size, 0), CUDA_ERROR_INVALID_VALUE);
    check(size == 0);
}

TEST(the_log_keeps_a_hundred_lines)
{
    static char buffer[65536];
    size_t size = sizeof(buffer);
    CUlogIterator start;
    unsigned lines = 0;

    with_context();
    check_success(cuLogsCurrent(&start, 0));
    for (int i = 0; i < 300; i++)
        fail_once();
    check_success(cuLogsDumpToMemory(&start, buffer, &size, 0));
    check(size <= 25600);
    for (size_t i = 0; i < size; i++)
        lines += buffer[i] == '\n';
    check(lines == 101); /* the first tells that older ones are missing */
}

TEST(dump_to_a_file)
{
    char path[] = "/tmp/cuda-log-XXXXXX", text[1000] = "";
    int descriptor = mkstemp(path);
    CUlogIterator start;

    check(descriptor >= 0);
    with_context();
    check_success(cuLogsCurrent(&start, 0));
    fail_once();
    check_success(cuLogsDumpToFile(&start, path, 0));
    check(read(descriptor, text, sizeof(text) - 1) > 0 && strstr(text, "cuMemAlloc"));
    check_result(cuLogsDumpToFile(&start, "/nonexistent/log", 0), CUDA_ERROR_INVALID_VALUE);
    close(descriptor);
    unlink(path);
}
