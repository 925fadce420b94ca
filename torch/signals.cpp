/* SPDX-License-Identifier: MIT */
#include "signals.h"

#include "enqueue.h"

#include <c10/cuda/CUDAFunctions.h>
#include <c10/util/Exception.h>
#include <chrono>
#include <thread>
#include <vector>

namespace cupipe
{
namespace
{

using time_of = std::chrono::steady_clock;

enum { POLLS_BEFORE_SLEEP = 1000 };

/* A word that changes from one value to the other. */
struct signal_word {
    uint32_t *word;
    uint32_t before;

    bool try_change() const
    {
        uint32_t expected = before;

        return __atomic_compare_exchange_n(word, &expected, 1 - before, false, __ATOMIC_ACQ_REL,
                                           __ATOMIC_RELAXED);
    }
};

class signal_work final : public stream_work
{
  public:
    signal_work(c10::ArrayRef<int64_t> put, c10::ArrayRef<int64_t> wait, int64_t own_rank,
                int64_t timeout_ms)
        : stream_work("symmetric memory signals"), timeout(timeout_ms), rank(own_rank)
    {
        for (int64_t address : put)
            words.push_back({reinterpret_cast<uint32_t *>(address), 0});
        for (int64_t address : wait)
            words.push_back({reinterpret_cast<uint32_t *>(address), 1});
    }

    void run() override
    {
        std::vector<signal_word> left = words;
        time_of::time_point start = time_of::now();

        for (int polls = 0; !left.empty(); polls++) {
            left.erase(std::remove_if(left.begin(), left.end(),
                                      [](const signal_word &each) { return each.try_change(); }),
                       left.end());
            if (left.empty() || process_ends())
                return;
            TORCH_CHECK(timeout.count() == 0 || time_of::now() - start < timeout, "rank ", rank,
                        " of symmetric memory: ", left.size(), " of ", words.size(),
                        " signals did not come or were not taken within ", timeout.count(), " ms");
            if (polls < POLLS_BEFORE_SLEEP)
                std::this_thread::yield();
            else
                std::this_thread::sleep_for(std::chrono::microseconds(50));
        }
    }

  private:
    std::vector<signal_word> words;
    std::chrono::milliseconds timeout; /* 0: none */
    int64_t rank;
};

} // namespace

void exchange_signals(c10::ArrayRef<int64_t> put, c10::ArrayRef<int64_t> wait, int64_t rank,
                      int64_t timeout_ms)
{
    launch(std::make_unique<signal_work>(put, wait, rank, timeout_ms),
           c10::Device(c10::kCUDA, c10::cuda::current_device()));
}

} // namespace cupipe
