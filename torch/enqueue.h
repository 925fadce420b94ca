/* SPDX-License-Identifier: MIT */
/* Work of the host in the order of a CUDA stream, as kernels are. */
#ifndef CUPIPE_TORCH_ENQUEUE_H
#define CUPIPE_TORCH_ENQUEUE_H

#include <ATen/core/Tensor.h>
#include <c10/util/SmallVector.h>
#include <cupipe.h>
#include <exception>
#include <functional>

namespace cupipe
{

/* Work that a stream runs. It works on views of device memory (host_view.h), which own nothing: as
 * for a kernel, the allocator keeps the memory of a freed tensor for later work of the same
 * stream. */
class stream_work
{
  public:
    explicit stream_work(const char *work_name); /* the name stays valid as long as the process */
    virtual ~stream_work() = default;

    /* Does the work. It may not call CUDA, and may be called more than once, by a graph. What it
     * throws is a device-side assertion: the context's sticky error. */
    virtual void run() = 0;

    /* Makes the work independent of tensors of the caller, which may change them or wait for this
     * work with a lock that a tensor with a Python object needs to be freed. Called before work is
     * launched. */
    virtual void keep_values()
    {
    }

    /* Tells which memory the work reads or writes. Does nothing if no check wants to know. */
    void touches(const at::Tensor &tensor, bool written);

    const char *const name;

  private:
    friend void launch(std::unique_ptr<stream_work>, c10::Device);
    friend bool run_at_once(stream_work &, c10::Device, std::exception_ptr &);
    CUresult run_reported();
    static CUresult run_later(void *work);
    static CUresult run_now(void *work);
    static void release(void *work);

    c10::SmallVector<cupipe_range, 8> ranges;
    std::exception_ptr thrown; /* by a run at once */
    int threads;               /* of the caller, for one operator */
    bool told;                 /* a check wants the ranges */
};

/* Submits work to the current stream of the device. */
void launch(std::unique_ptr<stream_work> work, c10::Device device);

/* Runs the work in the calling thread if the current stream of the device has nothing else to do;
 * otherwise returns false. `thrown` is what the work threw. */
bool run_at_once(stream_work &work, c10::Device device, std::exception_ptr &thrown);

/* Submits `run` to the current stream of the device of the tensors, or runs it at once if it is
 * small and the stream idle. `reads` and `writes` are what it touches. */
void enqueue(const char *name, at::ArrayRef<at::Tensor> reads, at::ArrayRef<at::Tensor> writes,
             std::function<void()> run);

/* Waits for the current stream of the device, before the calling thread reads the tensors. */
void wait_for_stream(const char *name, at::ArrayRef<at::Tensor> reads, c10::Device device);

/* The current stream of the device. A thread that has not called CUDA yet, as those that compute
 * gradients, gets a current context: the driver's functions need one. */
CUstream current_stream(c10::Device device);

bool is_capturing(c10::Device device);

/* Tells whether CUPIPE_SCHEDULE runs work later than it could. */
bool defers_work();

/* Has the end of the process wait for work that runs, and drop what waits. */
void end_work_at_exit();

/* Tells whether the process ends: work that waits for something must return. */
bool process_ends();

/* Work on at most so much memory may run at once; that of an operator on each element for itself on
 * more of it, because it takes less time than to wake another thread's team. */
enum { SMALL_BYTES = 32768, SMALL_POINTWISE_BYTES = 4 << 20 };

} // namespace cupipe

#endif
