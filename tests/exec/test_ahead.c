/* SPDX-License-Identifier: MIT */
/* Kernels that are compiled after their launches were submitted, and several at the same time. */
#include "cache_folder.h"
#include "launch.h"

#include "exec/code/code.h"
#include "stream/engine.h"

#include <sched.h>

static _Atomic(int) released;

static void count_release(void *owner)
{
    atomic_fetch_add((_Atomic(int) *)owner, 1);
}

static void with_workers(const char *count)
{
    setenv("CUPIPE_THREADS", count, 1);
    with_cache();
}

static bool is_compiled(const char *name)
{
    struct cup_exec_request request = request_of(name, 1, 32, NULL);

    return cup_code_ready(&test_image, request.function, CUP_SHAPE_ROWS) != NULL;
}

/* Neither compilation ends before the other has begun. */
TEST(kernels_launched_in_a_row_are_compiled_at_the_same_time)
{
    uint64_t out[8] = {0};
    struct params params = {.out = out};

    setenv("EXEC_MEET", "2", 1);
    with_workers("2");
    launch("empty", 1, 32, NULL);
    launch("tables", 8, 32, &params);
    check_success(cuCtxSynchronize());
    check(out[0] == 1001822 && compilations() == 2);
    remove_cache();
}

TEST(launches_of_one_kernel_compile_it_once)
{
    uint64_t out[8] = {0};
    struct params params = {.out = out};

    with_workers("4");
    for (int i = 0; i < 20; i++)
        launch("tables", 8, 32, &params);
    check_success(cuCtxSynchronize());
    check(out[0] == 1001822 && compilations() == 1);
    remove_cache();
}

TEST(with_one_worker_a_launch_compiles)
{
    with_workers("1");
    launch("empty", 1, 32, NULL);
    check(is_compiled("empty") && compilations() == 1);
    check_success(cuCtxSynchronize());
    remove_cache();
}

TEST(a_kernel_in_the_cache_is_ready_at_the_launch)
{
    with_workers("2");
    launch("empty", 1, 32, NULL);
    check_success(cuCtxSynchronize());
    cup_code_image_finish(&test_image);
    check(!is_compiled("empty"));
    launch("empty", 1, 32, NULL);
    check(is_compiled("empty") && compilations() == 1);
    check_success(cuCtxSynchronize());
    remove_cache();
}

/* The launch was accepted, so its failure is that of asynchronous work. */
TEST(a_failed_compilation_is_an_error_of_the_device)
{
    setenv("CUPIPE_LOG", "none", 1);
    with_workers("2");
    struct cup_exec_request request = request_of("no_such_kernel", 1, 32, NULL);
    request.release = count_release;
    request.owner = &released;
    check_success(try_request(&request));
    check_success(try_request(&request));
    check_result(cuCtxSynchronize(), CUDA_ERROR_INVALID_PTX);
    check(atomic_load(&released) == 2 && compilations() == 1);
    remove_cache();
}

static void launch_in(CUstream handle, const char *name, const struct params *params)
{
    struct cup_exec_request request = request_of(name, 1, 32, params);
    struct CUstream_st *stream;

    check_success(cup_stream_find(handle, &stream));
    check_success(cup_exec_launch(stream, &request));
    cup_stream_unref(stream);
}

/* The kind of a job is known with the code: kernels that spin get threads of their own, and leave
 * the workers to others. */
TEST(kernels_that_spin_do_not_keep_workers)
{
    uint32_t flag = 0;
    uint64_t out[4][8] = {{0}};
    CUstream streams[4];

    with_workers("2");
    for (int i = 0; i < 4; i++)
        check_success(cuStreamCreate(&streams[i], CU_STREAM_NON_BLOCKING));
    for (int i = 0; i < 3; i++) {
        struct params params = {.out = out[i], .flag = &flag};
        launch_in(streams[i], "host_flag", &params);
    }
    launch_in(streams[3], "tables", &(struct params){.out = out[3]});
    while (cuStreamQuery(streams[3]) == CUDA_ERROR_NOT_READY)
        sched_yield();
    check(out[3][0] == 1001822 && out[0][0] == 0);
    __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
    check_success(cuCtxSynchronize());
    check(out[0][0] == 1 && out[1][0] == 1 && out[2][0] == 1 && compilations() == 2);
    remove_cache();
}

TEST(prepared_kernels_are_compiled_at_the_same_time)
{
    struct cup_exec_wanted wanted[2] = {{.image = &test_image, .block = {32, 1, 1}},
                                        {.image = &test_image, .block = {32, 1, 1}}};

    setenv("EXEC_MEET", "2", 1);
    with_workers("2");
    wanted[0].function = request_of("empty", 1, 32, NULL).function;
    wanted[1].function = request_of("fill", 1, 32, NULL).function;
    check(!cup_exec_is_prepared(&wanted[0]));
    cup_exec_prepare_all(wanted, 2);
    check(cup_exec_is_prepared(&wanted[0]) && cup_exec_is_prepared(&wanted[1]));
    check(compilations() == 2);
    remove_cache();
}

struct counted {
    struct cup_offer offer;
    _Atomic(int) runs;
};

static void count_run(struct cup_offer *offer)
{
    atomic_fetch_add(&((struct counted *)offer)->runs, 1);
}

/* A withdrawn offer has run once or never does. */
TEST(offers_are_taken_once_or_withdrawn)
{
    struct counted offers[64] = {0};

    with_workers("3");
    launch("empty", 1, 32, NULL); /* starts the workers */
    check_success(cuCtxSynchronize());
    for (int round = 0; round < 200; round++) {
        for (int i = 0; i < 64; i++) {
            offers[i] = (struct counted){.offer = {.run = count_run}};
            cup_engine_offer(&offers[i].offer);
        }
        for (int i = 0; i < 64; i++) {
            cup_engine_withdraw(&offers[i].offer);
            check(atomic_load(&offers[i].runs) <= 1);
        }
    }
    remove_cache();
}

/* Such kernels are compiled when they are launched, because the launch fixes limits. */
TEST(kernels_that_may_print_are_known)
{
    static const char text[] =
        ".version 8.0\n.target sm_80\n.address_size 64\n"
        ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 v);\n"
        ".func say()\n{\n.reg .b64 %d;\n.reg .b32 %r;\nmov.u64 %d, 0;\n{\n"
        ".param .b64 a;\n.param .b64 b;\n.param .b32 c;\nst.param.b64 [a], %d;\n"
        "st.param.b64 [b], %d;\ncall.uni (c), vprintf, (a, b);\n}\nret;\n}\n"
        ".visible .entry quiet()\n{\nret;\n}\n"
        ".visible .entry loud()\n{\ncall.uni say;\nret;\n}\n";
    struct cup_code_resources resources[2];
    uint32_t kernels[2], count = 0;
    enum ptx_failure failure;
    struct ptx_program *program = ptx_parse(text, sizeof(text) - 1, NULL, &failure);

    check(program != NULL);
    for (uint32_t i = 0; i < program->function_count; i++) {
        if (program->functions[i].is_kernel)
            kernels[count++] = i;
    }
    check(count == 2 && cup_code_resources_estimate(program, kernels, 2, 0, resources));
    for (uint32_t i = 0; i < 2; i++) {
        bool is_loud = strcmp(program->functions[kernels[i]].name, "loud") == 0;
        check(resources[i].fixes_limits == is_loud);
    }
    ptx_program_free(program);
}
