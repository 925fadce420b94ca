/* SPDX-License-Identifier: MIT */
/* Transforms as work of streams: order, capture, threads. */
#include "hold.h"
#include "transform.h"

enum { LENGTH = 96, ROWS = 5 };

/* A transform with its arrays on the device. */
struct prepared {
    struct transform t;
    struct arrays a;
    CUdeviceptr in, out;
    cufftHandle plan;
};

static void prepare(struct prepared *p, cufftType type)
{
    p->t = (struct transform){
        .type = type, .rank = 1, .n = {LENGTH}, .batch = ROWS, .direction = CUFFT_FORWARD};
    set_dense(&p->t);
    p->a = make_arrays(&p->t);
    check_success(cuMemAlloc(&p->in, p->a.in_bytes));
    check_success(cuMemAlloc(&p->out, p->a.out_bytes));
    check_success(cuMemcpyHtoD(p->in, p->a.in, p->a.in_bytes));
    p->plan = make_plan(&p->t);
}

static void check_out(const struct prepared *p)
{
    void *result = malloc(p->a.out_bytes);

    check_success(cuMemcpyDtoH(result, p->out, p->a.out_bytes));
    compare(&p->t, &p->a, result);
    free(result);
}

TEST(transforms_wait_for_what_is_before_them)
{
    struct prepared p;
    atomic_uint *word;
    CUstream stream;

    with_context();
    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    prepare(&p, CUFFT_Z2Z);
    check_success(cuMemsetD8(p.in, 0, p.a.in_bytes));
    check_success(cuMemsetD8(p.out, 0, p.a.out_bytes));
    check_success(cuCtxSynchronize());
    check_fft(cufftSetStream(p.plan, stream), CUFFT_SUCCESS);
    word = pinned_words(1);
    hold_until(stream, word);
    check_success(cuMemcpyHtoDAsync(p.in, p.a.in, p.a.in_bytes, stream));
    check_fft(execute(&p.t, p.plan, p.in, p.out), CUFFT_SUCCESS);
    check_result(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    atomic_store(word, 1);
    check_success(cuStreamSynchronize(stream));
    check_out(&p);
}

TEST(a_plan_may_be_destroyed_while_its_work_waits)
{
    struct prepared p;
    atomic_uint *word;
    CUstream stream;

    with_context();
    only_cupipe(); /* NVIDIA's waits for the work */
    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    prepare(&p, CUFFT_R2C);
    check_fft(cufftSetStream(p.plan, stream), CUFFT_SUCCESS);
    word = pinned_words(1);
    hold_until(stream, word);
    check_fft(execute(&p.t, p.plan, p.in, p.out), CUFFT_SUCCESS);
    check_fft(cufftDestroy(p.plan), CUFFT_SUCCESS);
    atomic_store(word, 1);
    check_success(cuStreamSynchronize(stream));
    check_out(&p);
}

TEST(captured_transforms_run_at_each_launch)
{
    struct prepared p;
    CUstream stream;
    CUgraph graph;
    CUgraphExec exec;
    size_t nodes = 0;

    with_context();
    check_success(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    prepare(&p, CUFFT_C2C);
    check_success(cuMemsetD8(p.out, 0, p.a.out_bytes));
    check_fft(cufftSetStream(p.plan, stream), CUFFT_SUCCESS);
    check_success(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    check_fft(execute(&p.t, p.plan, p.in, p.out), CUFFT_SUCCESS);
    check_success(cuStreamEndCapture(stream, &graph));
    check_success(cuGraphGetNodes(graph, NULL, &nodes));
    check(nodes >= 1);
    check_success(cuGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 4; i++) {
        if (i == 3) {
            only_cupipe(); /* a graph keeps what it needs of a plan */
            check_fft(cufftDestroy(p.plan), CUFFT_SUCCESS);
        }
        check_success(cuMemsetD8(p.out, 0xff, p.a.out_bytes));
        check_success(cuCtxSynchronize()); /* the stream does not wait for the default stream */
        check_success(cuGraphLaunch(exec, stream));
        check_success(cuStreamSynchronize(stream));
        check_out(&p);
    }
    check_success(cuGraphExecDestroy(exec));
    check_success(cuGraphDestroy(graph));
}

struct worker {
    CUcontext context;
    struct prepared p;
};

static void *work(void *argument)
{
    struct worker *worker = argument;

    check_success(cuCtxSetCurrent(worker->context));
    for (int i = 0; i < 50; i++) {
        check_fft(execute(&worker->p.t, worker->p.plan, worker->p.in, worker->p.out),
                  CUFFT_SUCCESS);
        check_out(&worker->p);
    }
    return NULL;
}

TEST(threads_with_plans_of_their_own)
{
    struct worker workers[4];
    pthread_t threads[4];
    CUcontext context = with_context();

    for (int i = 0; i < 4; i++) {
        workers[i].context = context;
        prepare(&workers[i].p, all_types[i]);
    }
    for (int i = 0; i < 4; i++)
        check(pthread_create(&threads[i], NULL, work, &workers[i]) == 0);
    for (int i = 0; i < 4; i++)
        check(pthread_join(threads[i], NULL) == 0);
}

static void *create_and_destroy(void *argument)
{
    check_success(cuCtxSetCurrent(argument));
    for (int i = 0; i < 200; i++) {
        cufftHandle plan;

        check_fft(cufftPlan1d(&plan, 16 + i, CUFFT_C2C, 1), CUFFT_SUCCESS);
        check_fft(cufftDestroy(plan), CUFFT_SUCCESS);
    }
    return NULL;
}

TEST(threads_that_make_plans)
{
    pthread_t threads[4];
    CUcontext context = with_context();
    cufftHandle plan;

    for (int i = 0; i < 4; i++)
        check(pthread_create(&threads[i], NULL, create_and_destroy, context) == 0);
    for (int i = 0; i < 4; i++)
        check(pthread_join(threads[i], NULL) == 0);
    check_fft(cufftCreate(&plan), CUFFT_SUCCESS);
    check(plan == 1); /* all others are gone */
}

TEST(without_a_context_device_0_is_used)
{
    CUdeviceptr memory;
    cufftHandle plan;

    check_fft(cufftPlan1d(&plan, 16, CUFFT_C2C, 1), CUFFT_SUCCESS);
    with_context();
    check_success(cuMemAlloc(&memory, 16 * 8));
    check_fft(cufftExecC2C(plan, (void *)memory, (void *)memory, CUFFT_FORWARD), CUFFT_SUCCESS);
    check_success(cuCtxSynchronize());
}

static void exit_with_work(void)
{
    CUdeviceptr memory;
    cufftHandle plans[4];

    with_context();
    check_success(cuMemAlloc(&memory, (size_t)1 << 26));
    check_success(cuMemsetD8(memory, 0, (size_t)1 << 26));
    for (int i = 0; i < 4; i++) {
        check_fft(cufftPlan1d(&plans[i], 1000 + i, CUFFT_Z2Z, 1024), CUFFT_SUCCESS);
        check_fft(cufftExecZ2Z(plans[i], (void *)memory, (void *)memory, CUFFT_FORWARD),
                  CUFFT_SUCCESS);
    }
    exit(0);
}

TEST(a_process_may_exit_while_transforms_run)
{
    int status;

    for (int i = 0; i < 5; i++) {
        pid_t child = fork();

        check(child >= 0);
        if (child == 0)
            exit_with_work();
        check(waitpid(child, &status, 0) == child);
        check(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
}
