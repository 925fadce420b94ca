/* SPDX-License-Identifier: MIT */
/* The memory that a CPU kernel gets for its results. While it runs, the CPU allocator of its thread
 * hands out device memory, so that results need not be copied. */
#ifndef CUPIPE_TORCH_RESULT_MEMORY_H
#define CUPIPE_TORCH_RESULT_MEMORY_H

#include <ATen/core/Tensor.h>
#include <c10/core/Allocator.h>

namespace cupipe
{

/* Stands in front of torch's CPU allocator, and is it outside of the scopes below. */
c10::Allocator *result_allocator();
void install_result_allocator();

/* While it lives, what the thread allocates on the CPU is memory of the CUDA caching allocator, on
 * the current device and stream. */
class allocate_on_device
{
  public:
    allocate_on_device();
    ~allocate_on_device();
    allocate_on_device(const allocate_on_device &) = delete;
    allocate_on_device &operator=(const allocate_on_device &) = delete;
};

/* Memory for a result that is still to be computed. */
struct given_memory {
    void *address;
    size_t bytes;
    bool handed_out;
};

/* While it lives, an allocation of the thread gets the first given memory that has just that many
 * bytes and was not handed out yet; others get memory of the host. */
class allocate_given
{
  public:
    allocate_given(given_memory *memories, size_t memory_count);
    ~allocate_given();
    allocate_given(const allocate_given &) = delete;
    allocate_given &operator=(const allocate_given &) = delete;

  private:
    friend class result_memory;
    given_memory *given;
    size_t count;
    allocate_given *outer;
};

/* Moves the memory of a storage that was allocated on the device to a CUDA storage; copies it if it
 * is memory of the host. */
c10::Storage take_device_memory(const c10::Storage &storage, c10::Device device);

/* A new CUDA storage on the current device and stream. */
c10::Storage new_device_storage(size_t bytes, c10::Device device);

} // namespace cupipe

#endif
