/* SPDX-License-Identifier: MIT */
#include "result_memory.h"

#include "driver.h"
#include "enqueue.h"

#include <c10/core/CPUAllocator.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <cstring>

namespace cupipe
{
namespace
{

namespace caching = c10::cuda::CUDACachingAllocator;

c10::Allocator *host_allocator; /* torch's own */
thread_local int on_device;     /* how many scopes allocate_on_device the thread is in */
thread_local allocate_given *innermost;

bool is_device_memory(const void *memory)
{
    unsigned type = 0;

    return driver().pointer_get_attribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                          reinterpret_cast<CUdeviceptr>(memory)) == CUDA_SUCCESS &&
           type == CU_MEMORYTYPE_DEVICE;
}

/* New memory belongs to the current stream, which may still have work with it: an allocator of a
 * memory pool fills it, and another thread of the stream may have freed it behind its last use. */
void wait_before_host_writes()
{
    c10::Device device(c10::kCUDA, c10::cuda::current_device());

    check(driver().stream_synchronize(current_stream(device)));
}

} // namespace

class result_memory final : public c10::Allocator
{
  public:
    c10::DataPtr allocate(size_t bytes) override
    {
        if (bytes && on_device)
            return on_current_device(bytes);
        if (void *memory = bytes && innermost ? take_given(*innermost, bytes) : nullptr)
            return {memory, memory, &c10::detail::deleteNothing, c10::Device(c10::kCPU)};
        return host_allocator->allocate(bytes);
    }

    /* For memory that is freed by its address alone, as oneDNN frees its scratch memory. */
    c10::DeleterFnPtr raw_deleter() const override
    {
        return &delete_any;
    }

    void copy_data(void *to, const void *from, std::size_t bytes) const override
    {
        std::memcpy(to, from, bytes);
    }

  private:
    static c10::DataPtr on_current_device(size_t bytes)
    {
        void *memory = caching::raw_alloc(bytes);

        wait_before_host_writes();
        return {memory, memory, caching::get()->raw_deleter(), c10::Device(c10::kCPU)};
    }

    static void *take_given(allocate_given &scope, size_t bytes)
    {
        for (given_memory *each = scope.given; each < scope.given + scope.count; each++)
            if (each->bytes == bytes && !each->handed_out) {
                each->handed_out = true;
                return each->address;
            }
        return nullptr;
    }

    static void delete_any(void *memory)
    {
        if (!memory)
            return;
        for (const allocate_given *scope = innermost; scope; scope = scope->outer)
            for (size_t i = 0; i < scope->count; i++)
                if (scope->given[i].address == memory)
                    return;
        if (is_device_memory(memory))
            caching::raw_delete(memory);
        else
            host_allocator->raw_deleter()(memory);
    }
};

c10::Allocator *result_allocator()
{
    static result_memory allocator;
    return &allocator;
}

void install_result_allocator()
{
    host_allocator = c10::GetCPUAllocator();
    c10::SetCPUAllocator(result_allocator(), /*priority=*/100);
}

allocate_on_device::allocate_on_device()
{
    on_device++;
}

allocate_on_device::~allocate_on_device()
{
    on_device--;
}

allocate_given::allocate_given(given_memory *memories, size_t memory_count)
    : given(memories), count(memory_count), outer(innermost)
{
    for (size_t i = 0; i < count; i++)
        given[i].handed_out = false;
    innermost = this;
}

allocate_given::~allocate_given()
{
    innermost = outer;
}

c10::Storage new_device_storage(size_t bytes, c10::Device device)
{
    c10::DataPtr memory = bytes ? caching::get()->allocate(bytes) : c10::DataPtr(nullptr, device);

    return c10::Storage(c10::Storage::use_byte_size_t(), bytes, std::move(memory), caching::get(),
                        /*resizable=*/true);
}

c10::Storage take_device_memory(const c10::Storage &storage, c10::Device device)
{
    c10::StorageImpl *from = storage.unsafeGetStorageImpl();
    size_t bytes = from->nbytes();

    if (bytes == 0 || from->data_ptr().get_deleter() != caching::get()->raw_deleter()) {
        c10::Storage copy = new_device_storage(bytes, device);
        if (bytes) {
            wait_before_host_writes();
            std::memcpy(copy.mutable_data(), from->data(), bytes);
        }
        return copy;
    }
    c10::DataPtr memory = from->set_data_ptr(c10::DataPtr(nullptr, c10::Device(c10::kCPU)));
    void *address = memory.release_context();
    return c10::Storage(c10::Storage::use_byte_size_t(), bytes,
                        c10::DataPtr(address, address, caching::get()->raw_deleter(), device),
                        caching::get(), /*resizable=*/true);
}

} // namespace cupipe
