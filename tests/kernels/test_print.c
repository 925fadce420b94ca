/* SPDX-License-Identifier: MIT */
/* Kernels that print and allocate. What they print comes out of the process's standard output when
 * the context is synchronised. */
#include "kernels.h"

static int saved_output;
static FILE *captured;

static void capture_begin(void)
{
    fflush(stdout);
    captured = tmpfile();
    saved_output = dup(STDOUT_FILENO);
    check(captured && dup2(fileno(captured), STDOUT_FILENO) == STDOUT_FILENO);
}

/* What was printed since, as a string to be freed. */
static char *capture_end(void)
{
    fflush(stdout);
    dup2(saved_output, STDOUT_FILENO);
    close(saved_output);
    long size = lseek(fileno(captured), 0, SEEK_END);
    char *text = calloc(1, (size_t)size + 1);
    check(pread(fileno(captured), text, (size_t)size, 0) == size);
    fclose(captured);
    return text;
}

TEST(every_thread_prints_its_line)
{
    enum { GRID = 5, BLOCK = 40, COUNT = GRID * BLOCK };
    CUfunction function = kernel_from("print.ptx", "print_index");
    CUdeviceptr out = device_zeros(COUNT * 4);
    void *parameters[] = {&out};
    int returned[COUNT], seen[COUNT] = {0}, lines = 0;

    capture_begin();
    launch_line(function, GRID, BLOCK, 0, parameters);
    check_success(cuCtxSynchronize());
    char *text = capture_end();
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"), lines++) {
        int number = -1;
        check(sscanf(line, "thread %d", &number) == 1 && number >= 0 && number < COUNT);
        seen[number]++;
    }
    check(lines == COUNT);
    check_success(cuMemcpyDtoH(returned, out, sizeof returned));
    for (int i = 0; i < COUNT; i++)
        check(seen[i] == 1 && returned[i] == 1);
}

TEST(lines_of_a_thread_in_order)
{
    CUfunction function = kernel_from("print.ptx", "print_index");
    CUdeviceptr out = device_zeros(4);
    void *parameters[] = {&out};

    capture_begin();
    for (int i = 0; i < 3; i++)
        launch_line(function, 1, 1, 0, parameters);
    check_success(cuCtxSynchronize());
    check(strcmp(capture_end(), "thread 0\nthread 0\nthread 0\n") == 0);
}

TEST(text_without_arguments)
{
    CUfunction function = kernel_from("print.ptx", "print_plain");

    capture_begin();
    launch_line(function, 1, 3, 0, NULL);
    check_success(cuStreamSynchronize(NULL));
    check(strcmp(capture_end(), "plain\nplain\nplain\n") == 0);
}

TEST(every_conversion)
{
    CUfunction function = kernel_from("print.ptx", "print_formats");
    const uint64_t string = 0x5757575757575757ull;
    char wanted[1000];
    struct {
        int32_t numbers[12]; /* d i u 5d -5d 05d +d x X #x o c */
        uint64_t strings[4];
        double reals[4];
        int64_t wide[2];
        double last;
        char rest[120];
    } arguments = {{-7, 8, (int32_t)4000000000u, 42, 42, 42, 42, 255, 255, 255, 8, 'A'},
                   {string, string, string, string},
                   {3.25, 2.0 / 3, 12345.678, 1e-5},
                   {-1234567890123ll, 0x123456789abll},
                   99.5,
                   ""};
    void *parameters[] = {&arguments};

    capture_begin();
    launch_line(function, 1, 1, 0, parameters);
    check_success(cuCtxSynchronize());
    char *got = capture_end();
    snprintf(
        wanted, sizeof wanted,
        "%d|%i|%u|%5d|%-5d|%05d|%+d|%x|%X|%#x|%o|%c|%s|%8s|%-8s|%.2s|%f|%.3f|%10.2e|%g|%lld|%llx|"
        "%5.1f%%\n",
        -7, 8, 4000000000u, 42, 42, 42, 42, 255, 255, 255, 8, 'A', "text", "text", "text", "text",
        3.25, 2.0 / 3, 12345.678, 1e-5, -1234567890123ll, 0x123456789abll, 99.5);
    if (strcmp(got, wanted) != 0)
        test_fail(__FILE__, __LINE__, "%s and not %s", got, wanted);
}

TEST(more_text_than_fits)
{
    CUfunction function;
    CUdeviceptr out;
    size_t size;

    with_context();
    check_success(cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, 65536));
    check_success(cuCtxGetLimit(&size, CU_LIMIT_PRINTF_FIFO_SIZE));
    check(size >= 65536);
    function = kernel_of(module_from("print.ptx"), "print_index");
    out = device_zeros(100000 * 4);
    void *parameters[] = {&out};
    capture_begin();
    launch_line(function, 1000, 100, 0, parameters);
    check_success(cuCtxSynchronize());
    free(capture_end());
}

TEST(memory_of_a_kernel_lives_until_it_is_freed)
{
    enum { COUNT = 3 * 50 };
    CUfunction allocate = kernel_from("print.ptx", "allocate");
    CUmodule module;
    CUdeviceptr out = device_zeros(COUNT * 8);
    uint64_t size = 100, got[COUNT];
    void *parameters[] = {&out, &size};

    check_success(cuFuncGetModule(&module, allocate));
    CUfunction release = kernel_of(module, "release");
    for (int round = 0; round < 20; round++) {
        launch_line(allocate, 3, 50, 0, parameters);
        check_success(cuMemcpyDtoH(got, out, sizeof got));
        for (int i = 0; i < COUNT; i++) {
            check(got[i] && got[i] % 16 == 0);
            check(i == 0 || got[i] != got[i - 1]);
        }
        launch_line(release, 3, 50, 0, parameters);
        check_success(cuMemcpyDtoH(got, out, sizeof got));
        for (int i = 0; i < COUNT; i++)
            check(got[i] == (uint64_t)i);
    }
}

TEST(allocation_that_does_not_fit_is_null)
{
    CUfunction allocate = kernel_from("print.ptx", "allocate");
    CUdeviceptr out = device_zeros(8);
    uint64_t size = 1ull << 40, got = 1;
    void *parameters[] = {&out, &size};

    launch_line(allocate, 1, 1, 0, parameters);
    check_success(cuMemcpyDtoH(&got, out, 8));
    check(got == 0);
}
