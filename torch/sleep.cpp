/* SPDX-License-Identifier: MIT */
#include "sleep.h"

#include "enqueue.h"

#include <c10/cuda/CUDAFunctions.h>
#include <chrono>
#include <thread>

namespace cupipe
{
namespace
{

constexpr double CYCLES_PER_NANOSECOND = 1.98; /* of an H200 */

class sleeping_work final : public stream_work
{
  public:
    explicit sleeping_work(int64_t cycles)
        : stream_work("sleep"),
          duration(static_cast<int64_t>(static_cast<double>(cycles) / CYCLES_PER_NANOSECOND))
    {
    }
    void run() override
    {
        std::this_thread::sleep_for(duration);
    }

  private:
    std::chrono::nanoseconds duration;
};

} // namespace

void sleep_on_device(int64_t cycles)
{
    launch(std::make_unique<sleeping_work>(cycles),
           c10::Device(c10::kCUDA, c10::cuda::current_device()));
}

} // namespace cupipe
