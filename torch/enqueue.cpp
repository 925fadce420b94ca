/* SPDX-License-Identifier: MIT */
#include "enqueue.h"

#include "driver.h"

#include <ATen/Parallel.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace cupipe
{
namespace
{

enum { MOST_ROWS = 4096 }; /* a tensor of more rows is not told to the checks row by row */

bool wants_ranges()
{
    return driver().table->wants_ranges();
}

/* Adds the contiguous parts of a strided tensor. Too many parts are left out: a range over all of
 * them would accuse work that writes in between. */
void add_rows(const at::Tensor &tensor, bool written, c10::SmallVectorImpl<cupipe_range> &ranges)
{
    uint64_t address = reinterpret_cast<uintptr_t>(tensor.const_data_ptr());
    size_t bytes = tensor.itemsize();
    c10::SmallVector<std::pair<int64_t, int64_t>, 5> dimensions; /* stride, size */

    if (tensor.numel() == 0)
        return;
    for (int64_t i = 0; i < tensor.dim(); i++)
        if (tensor.size(i) != 1 && tensor.stride(i) != 0)
            dimensions.emplace_back(tensor.stride(i), tensor.size(i));
    std::sort(dimensions.begin(), dimensions.end());
    size_t inner = 0;
    while (inner < dimensions.size() &&
           static_cast<uint64_t>(dimensions[inner].first) * tensor.itemsize() == bytes)
        bytes *= static_cast<size_t>(dimensions[inner++].second);
    int64_t rows = 1;
    for (size_t i = inner; i < dimensions.size(); i++)
        rows *= dimensions[i].second;
    if (rows > MOST_ROWS)
        return;
    for (int64_t row = 0; row < rows; row++) {
        int64_t rest = row, offset = 0;
        for (size_t i = inner; i < dimensions.size(); i++) {
            offset += rest % dimensions[i].second * dimensions[i].first;
            rest /= dimensions[i].second;
        }
        ranges.push_back(
            {address + static_cast<uint64_t>(offset) * tensor.itemsize(), bytes, written});
    }
}

/* Work that runs, and whether the process ends. torch's own objects are destroyed at the end, so no
 * kernel may run then. */
std::atomic<int> running;
std::atomic<bool> ending;

/* The driver waits for each piece of work then; the call that caused an error shall tell of it. */
bool launches_block()
{
    static const bool blocking = [] {
        const char *value = secure_getenv("CUDA_LAUNCH_BLOCKING");
        return value && std::strcmp(value, "1") == 0;
    }();
    return blocking;
}

void end_work()
{
    ending = true;
    while (running)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

class function_work final : public stream_work
{
  public:
    function_work(const char *work_name, std::function<void()> work_function)
        : stream_work(work_name), function(std::move(work_function))
    {
    }
    void run() override
    {
        function();
    }

  private:
    std::function<void()> function;
};

} // namespace

bool process_ends()
{
    return ending;
}

CUstream current_stream(c10::Device device)
{
    thread_local bool has_context;

    if (!has_context) {
        c10::cuda::set_device(c10::cuda::current_device(), /*force=*/true);
        has_context = true;
    }
    return c10::cuda::getCurrentCUDAStream(device.index()).stream();
}

stream_work::stream_work(const char *work_name)
    : name(work_name), threads(at::get_num_threads()), told(wants_ranges())
{
}

void stream_work::touches(const at::Tensor &tensor, bool written)
{
    if (told && tensor.is_cuda() && tensor.layout() == at::kStrided)
        add_rows(tensor, written, ranges);
}

/* The program sees an exception of enqueued work as the card's kernels show it: a line on stderr,
 * and an error of every call that follows. */
CUresult stream_work::run_reported()
{
    try {
        run();
        return CUDA_SUCCESS;
    } catch (const c10::Error &error) {
        std::fprintf(stderr, "cupipe: %s: device-side assertion: %s\n", name,
                     error.what_without_backtrace());
    } catch (const std::exception &error) {
        std::fprintf(stderr, "cupipe: %s: device-side assertion: %s\n", name, error.what());
    }
    return CUDA_ERROR_ASSERT;
}

CUresult stream_work::run_later(void *work)
{
    stream_work *self = static_cast<stream_work *>(work);
    CUresult result = CUDA_SUCCESS;

    running++;
    if (!ending) {
        if (at::get_num_threads() != self->threads)
            at::set_num_threads(self->threads);
        result = self->run_reported();
    }
    running--;
    return result;
}

CUresult stream_work::run_now(void *work)
{
    stream_work *self = static_cast<stream_work *>(work);

    try {
        self->run();
    } catch (...) {
        self->thrown = std::current_exception();
    }
    return CUDA_SUCCESS;
}

void stream_work::release(void *work)
{
    delete static_cast<stream_work *>(work);
}

void launch(std::unique_ptr<stream_work> work, c10::Device device)
{
    work->keep_values();
    const cupipe_work submitted = {work->name, stream_work::run_later, stream_work::release,
                                   work.get(), work->ranges.data(),    work->ranges.size()};

    check(driver().table->launch_work(current_stream(device), &submitted));
    work.release();
    if (launches_block() && !is_capturing(device))
        check(driver().stream_synchronize(current_stream(device)));
}

bool run_at_once(stream_work &work, c10::Device device, std::exception_ptr &thrown)
{
    const cupipe_work submitted = {work.name, stream_work::run_now, nullptr,
                                   &work,     work.ranges.data(),   work.ranges.size()};
    CUresult result = driver().table->run_work(current_stream(device), &submitted);

    if (result == CUDA_ERROR_NOT_READY)
        return false;
    check(result);
    thrown = std::move(work.thrown);
    return true;
}

void enqueue(const char *name, at::ArrayRef<at::Tensor> reads, at::ArrayRef<at::Tensor> writes,
             std::function<void()> run)
{
    auto work = std::make_unique<function_work>(name, std::move(run));
    std::exception_ptr thrown;
    size_t bytes = 0;

    for (const at::Tensor &tensor : reads) {
        work->touches(tensor, false);
        bytes += tensor.nbytes();
    }
    for (const at::Tensor &tensor : writes) {
        work->touches(tensor, true);
        bytes += tensor.nbytes();
    }
    c10::Device device = (writes.empty() ? reads : writes).front().device();
    if (bytes > SMALL_BYTES || !run_at_once(*work, device, thrown))
        launch(std::move(work), device);
    if (thrown)
        std::rethrow_exception(thrown);
}

void wait_for_stream(const char *name, at::ArrayRef<at::Tensor> reads, c10::Device device)
{
    if (wants_ranges()) {
        auto work = std::make_unique<function_work>(name, [] {});
        for (const at::Tensor &tensor : reads)
            work->touches(tensor, false);
        launch(std::move(work), device);
    }
    check(driver().stream_synchronize(current_stream(device)));
}

bool defers_work()
{
    static const bool deferred = [] {
        const char *schedule = secure_getenv("CUPIPE_SCHEDULE");
        return schedule && *schedule && std::strncmp(schedule, "eager", strlen("eager")) != 0;
    }();
    return deferred;
}

void end_work_at_exit()
{
    std::atexit(end_work);
}

bool is_capturing(c10::Device device)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;

    check(driver().stream_is_capturing(current_stream(device), &status));
    return status != CU_STREAM_CAPTURE_STATUS_NONE;
}

} // namespace cupipe
