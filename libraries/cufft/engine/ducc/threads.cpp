/* SPDX-License-Identifier: MIT */
/* DUCC0's parallel loops on the driver's workers. The build compiles this file for each namespace
 * that DUCC0 has. A loop in a loop runs in one thread. */
#include "ducc0/infra/misc_utils.h"
#include "ducc0/infra/threading.h"

#include <exception>

extern "C" {
void lib_parallel(size_t count, void (*part)(void *arguments, size_t index), void *arguments);
void lib_finally(void (*action)(void *arguments), void (*finally)(void *arguments),
                 void *arguments);
unsigned lib_parallel_width(void);
}

namespace DUCC0_NAMESPACE
{
namespace detail_threading
{

static thread_local bool in_parallel_region;

size_t adjust_nthreads(size_t wanted)
{
    size_t width = in_parallel_region ? 1 : lib_parallel_width();

    return wanted == 0 || wanted > width ? width : wanted;
}

/* A loop over `work` items in chunks, which are dealt to `threads` parts in turn. */
struct Loop {
    size_t threads, work, chunk;
    std::function<void(Scheduler &)> &body;
    Mutex mutex;
    std::exception_ptr error; /* guarded by mutex */
};

class Part : public Scheduler
{
    const Loop &loop_;
    size_t index_, next_;

  public:
    Part(const Loop &loop, size_t index) : loop_(loop), index_(index), next_(index * loop.chunk)
    {
    }
    size_t num_threads() const override
    {
        return loop_.threads;
    }
    size_t thread_num() const override
    {
        return index_;
    }
    Range getNext() override
    {
        size_t first = next_;

        if (first >= loop_.work)
            return Range();
        next_ += loop_.threads * loop_.chunk;
        return Range(first, std::min(first + loop_.chunk, loop_.work));
    }
};

struct RunningPart {
    Loop *loop;
    size_t index;
    bool outer; /* what in_parallel_region was */
};

static void call_body(void *arguments)
{
    RunningPart *running = static_cast<RunningPart *>(arguments);
    Loop *loop = running->loop;

    try {
        Part part(*loop, running->index);

        loop->body(part);
    } catch (...) {
        LockGuard lock(loop->mutex);

        loop->error = std::current_exception();
    }
}

static void leave_region(void *arguments)
{
    in_parallel_region = static_cast<RunningPart *>(arguments)->outer;
}

static void run_part(void *arguments, size_t index)
{
    RunningPart running{static_cast<Loop *>(arguments), index, in_parallel_region};

    in_parallel_region = true;
    lib_finally(call_body, leave_region, &running);
}

static void run_loop(Loop &loop)
{
    if (loop.threads == 1) {
        Part part(loop, 0);

        loop.body(part);
        return;
    }
    lib_parallel(loop.threads, run_part, &loop);
    if (loop.error)
        std::rethrow_exception(loop.error);
}

void execStatic(size_t nwork, size_t nthreads, size_t chunksize,
                std::function<void(Scheduler &)> func)
{
    size_t threads = adjust_nthreads(nthreads);
    size_t chunk = chunksize ? chunksize : (nwork + threads - 1) / threads;
    size_t chunks = chunk ? (nwork + chunk - 1) / chunk : 1;
    Loop loop{std::max<size_t>(1, std::min(threads, chunks)), nwork, chunk, func, {}, nullptr};

    run_loop(loop);
}

void execParallel(size_t nthreads, std::function<void(Scheduler &)> func)
{
    size_t threads = adjust_nthreads(nthreads);
    Loop loop{threads, threads, 1, func, {}, nullptr};

    run_loop(loop);
}

void execParallel(size_t nthreads, std::function<void(size_t)> func)
{
    execParallel(nthreads, [&](Scheduler &scheduler) { func(scheduler.thread_num()); });
}

void execParallel(size_t lo, size_t hi, size_t nthreads, std::function<void(size_t, size_t)> func)
{
    execParallel(nthreads, [&](Scheduler &scheduler) {
        auto [first, last] = calcShare(scheduler.num_threads(), scheduler.thread_num(), lo, hi);

        func(first, last);
    });
}

void execParallel(size_t lo, size_t hi, size_t nthreads,
                  std::function<void(size_t, size_t, size_t)> func)
{
    execParallel(nthreads, [&](Scheduler &scheduler) {
        size_t index = scheduler.thread_num();
        auto [first, last] = calcShare(scheduler.num_threads(), index, lo, hi);

        func(index, first, last);
    });
}

} // namespace detail_threading
} // namespace DUCC0_NAMESPACE
