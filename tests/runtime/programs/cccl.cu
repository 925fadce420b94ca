// SPDX-License-Identifier: MIT
// What programs take from the headers of CCCL: Thrust, CUB and libcu++, on the device.
#include "check.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cub/cub.cuh>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/std/array>
#include <cuda/std/complex>
#include <cuda/std/tuple>
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>

#pragma nv_diag_suppress static_var_with_dynamic_init // barriers are initialised by init()

enum { THREADS = 128, BLOCKS = 4, COUNT = THREADS * BLOCKS };

__global__ void reduce_block(const int *in, int *out)
{
    using Reduce = cub::BlockReduce<int, THREADS>;
    __shared__ typename Reduce::TempStorage storage;
    int sum = Reduce(storage).Sum(in[blockIdx.x * THREADS + threadIdx.x]);

    if (threadIdx.x == 0)
        cuda::atomic_ref<int, cuda::thread_scope_device>(*out).fetch_add(
            sum, cuda::memory_order_relaxed);
}

__global__ void reduce_warps(const int *in, int *out)
{
    auto warp = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());
    int sum = cooperative_groups::reduce(warp, in[threadIdx.x], cooperative_groups::plus<int>());

    if (warp.thread_rank() == 0)
        atomicAdd(out, sum);
}

// Two stages: the copy of a tile runs while the one before is summed.
__global__ void sum_by_pipeline(const int *in, int *out)
{
    using Pipe = cuda::pipeline_shared_state<cuda::thread_scope_block, 2>;
    __shared__ Pipe state;
    __shared__ int tiles[2][THREADS];
    auto block = cooperative_groups::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int sum = 0;

    for (int tile = 0; tile <= BLOCKS; tile++) {
        if (tile < BLOCKS) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, tiles[tile % 2], in + tile * THREADS, sizeof tiles[0], pipe);
            pipe.producer_commit();
        }
        if (tile > 0) {
            pipe.consumer_wait();
            sum += tiles[(tile - 1) % 2][THREADS - 1 - threadIdx.x];
            block.sync();
            pipe.consumer_release();
        }
    }
    atomicAdd(out, sum);
}

__global__ void wait_at_barrier(int *out)
{
    using Barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ int count;
    __shared__ Barrier barrier;

    if (threadIdx.x == 0) {
        init(&barrier, blockDim.x);
        count = 0;
    }
    __syncthreads();
    for (int turn = 1; turn <= 3; turn++) {
        atomicAdd_block(&count, 1);
        barrier.arrive_and_wait();
        if (count != turn * int(blockDim.x))
            atomicAdd(out, 1);
        barrier.arrive_and_wait();
    }
}

__global__ void use_standard_types(int *out)
{
    cuda::std::array<int, 3> numbers{1, 2, 3};
    auto both = cuda::std::make_tuple(numbers[1], cuda::std::complex<float>(0, 1));
    auto square = cuda::std::get<1>(both) * cuda::std::get<1>(both);

    *out = cuda::std::get<0>(both) * 100 + int(square.real());
}

template <typename Kernel, typename... Arguments>
static int answer(Kernel kernel, int blocks, Arguments... arguments)
{
    thrust::device_vector<int> out(1);
    int value;

    kernel<<<blocks, THREADS>>>(arguments..., thrust::raw_pointer_cast(out.data()));
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaMemcpy(&value, thrust::raw_pointer_cast(out.data()), sizeof value,
                          cudaMemcpyDeviceToHost));
    return value;
}

static void check_device_sort(thrust::device_vector<int> &values)
{
    thrust::device_vector<int> sorted(values.size());
    size_t bytes = 0;

    CHECK_CUDA(cub::DeviceRadixSort::SortKeys(
        nullptr, bytes, thrust::raw_pointer_cast(values.data()),
        thrust::raw_pointer_cast(sorted.data()), (int)values.size()));
    thrust::device_vector<char> work(bytes);
    CHECK_CUDA(cub::DeviceRadixSort::SortKeys(
        thrust::raw_pointer_cast(work.data()), bytes, thrust::raw_pointer_cast(values.data()),
        thrust::raw_pointer_cast(sorted.data()), (int)values.size()));
    for (int i = 0; i < COUNT; i++)
        CHECK(sorted[i] == i);
}

int main()
{
    thrust::device_vector<int> values(COUNT);

    thrust::sequence(values.begin(), values.end());
    const int *in = thrust::raw_pointer_cast(values.data());
    CHECK(thrust::reduce(values.begin(), values.end()) == COUNT * (COUNT - 1) / 2);
    CHECK(answer(reduce_block, BLOCKS, in) == COUNT * (COUNT - 1) / 2);
    CHECK(answer(reduce_warps, 1, in) == THREADS * (THREADS - 1) / 2);
    CHECK(answer(sum_by_pipeline, 1, in) == COUNT * (COUNT - 1) / 2);
    CHECK(answer(wait_at_barrier, 1) == 0);
    CHECK(answer(use_standard_types, 1) == 199);

    thrust::sort(values.begin(), values.end(), thrust::greater<int>());
    CHECK(values[0] == COUNT - 1 && values[COUNT - 1] == 0);
    check_device_sort(values);
    thrust::inclusive_scan(values.begin(), values.end(), values.begin());
    CHECK(values[COUNT - 1] == COUNT * (COUNT - 1) / 2);
    return 0;
}
