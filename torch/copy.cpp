/* SPDX-License-Identifier: MIT */
/* Copies between host and device, and between devices, are copies of the driver: a program that
 * forgets to wait for one is wrong here as on a card. Only tensors of the same type and layout are
 * copied so; another tensor is first converted, on the side it comes from. What the host gives
 * without waiting is converted on the device: earlier work may still write it. */
#include "copy.h"

#include "driver.h"
#include "enqueue.h"
#include "quantized.h"
#include "redirect.h"
#include "sync_debug.h"

#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <ATen/ExpandUtils.h>
#include <ATen/cuda/CachingHostAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

namespace cupipe
{
namespace
{

bool same_bytes(const at::Tensor &to, const at::Tensor &from)
{
    return to.dtype() == from.dtype() && to.sizes() == from.sizes() &&
           to.strides() == from.strides() && to.is_non_overlapping_and_dense() &&
           to.is_conj() == from.is_conj() && to.is_neg() == from.is_neg();
}

/* A new tensor on the device of `from` with the type, sizes and, if they leave no gaps, strides of
 * `to`, that has the values of `from`. */
at::Tensor converted(const at::Tensor &to, const at::Tensor &from)
{
    at::TensorOptions options = from.options().dtype(to.dtype());
    at::Tensor made = to.is_non_overlapping_and_dense()
                          ? at::empty_strided(to.sizes(), to.strides(), options)
                          : at::empty(to.sizes(), options);

    made.copy_(from);
    return made;
}

void copy_bytes(const at::Tensor &to, const at::Tensor &from, CUstream stream)
{
    check(driver().memcpy_async(reinterpret_cast<CUdeviceptr>(to.mutable_data_ptr()),
                                reinterpret_cast<CUdeviceptr>(from.const_data_ptr()), to.nbytes(),
                                stream));
}

void copy_with_host(const at::Tensor &to, const at::Tensor &from, bool non_blocking)
{
    const at::Tensor &host = to.is_cuda() ? from : to;
    c10::cuda::CUDAStream stream =
        c10::cuda::getCurrentCUDAStream((to.is_cuda() ? to : from).device().index());

    copy_bytes(to, from, current_stream(stream.device()));
    if (!non_blocking) {
        note_wait();
        check(driver().stream_synchronize(stream.stream()));
        return;
    }
    /* Pinned memory of torch is not used again before the copy has ended. */
    at::getHostAllocator(at::kCUDA)->record_event(const_cast<void *>(host.storage().data()),
                                                  host.storage().data_ptr().get_context(),
                                                  stream.unwrap());
}

/* The copy is work of the stream of the source's device, between what the stream of the other
 * device has done so far and what it does next. */
void copy_between_devices(const at::Tensor &to, const at::Tensor &from)
{
    CUstream reader = current_stream(from.device());
    CUstream writer = current_stream(to.device());
    auto follow = [](CUstream later, CUstream first, c10::Device device) {
        c10::cuda::CUDAGuard guard(device);
        CUevent event;
        check(driver().event_create(&event, CU_EVENT_DISABLE_TIMING));
        check(driver().event_record(event, first));
        check(driver().stream_wait_event(later, event, 0));
        check(driver().event_destroy(event));
    };

    follow(reader, writer, to.device());
    {
        c10::cuda::CUDAGuard guard(from.device());
        copy_bytes(to, from, reader);
    }
    follow(writer, reader, from.device());
}

/* The values that the host has when the stream reaches the copy. */
at::Tensor arrived(const at::Tensor &to, const at::Tensor &from)
{
    at::Tensor source = from.is_non_overlapping_and_dense() ? from : from.contiguous();
    at::Tensor made =
        at::empty_strided(source.sizes(), source.strides(), to.options().dtype(source.dtype()));

    if (source.is_conj())
        made = made.conj();
    if (source.is_neg())
        made = made._neg_view();
    made.copy_(source, /*non_blocking=*/true);
    return made;
}

void copy_within_device(at::Tensor &to, const at::Tensor &from, bool non_blocking)
{
    static const c10::OperatorHandle op =
        c10::Dispatcher::singleton().findSchemaOrThrow("aten::copy_", "");
    torch::jit::Stack stack = {to, from, non_blocking};

    redirect(op, to.is_quantized() ? c10::DispatchKey::QuantizedCPU : c10::DispatchKey::CPU,
             &stack);
}

at::Tensor &copy_(at::Tensor &to, const at::Tensor &given, bool non_blocking)
{
    at::NoGradGuard no_grad;

    if (to.is_same(given) || to.numel() == 0)
        return to;
    at::Tensor from =
        to.is_quantized() || given.is_quantized() ? prepare_quantized_copy(to, given) : given;
    if (from._is_zerotensor())
        return to.zero_();
    if (to.device() == from.device()) {
        copy_within_device(to, from, non_blocking);
    } else if (!same_bytes(to, from) && to.is_cuda() && from.is_cpu() && non_blocking) {
        c10::cuda::CUDAGuard guard(to.device());
        to.copy_(arrived(to, from));
    } else if (!same_bytes(to, from)) {
        c10::cuda::OptionalCUDAGuard guard;
        if (from.is_cuda())
            guard.set_device(from.device());
        at::Tensor source = same_bytes(to, from) ? from : converted(to, from);
        if (to.is_non_overlapping_and_dense()) {
            to.copy_(source, non_blocking);
        } else {
            if (to.is_cuda())
                guard.set_device(to.device());
            at::Tensor gapless = at::empty(to.sizes(), to.options());
            gapless.copy_(source, non_blocking);
            to.copy_(gapless);
        }
    } else if (to.is_cuda() && from.is_cuda()) {
        copy_between_devices(to, from);
    } else {
        c10::cuda::CUDAGuard guard((to.is_cuda() ? to : from).device());
        copy_with_host(to, from, non_blocking);
    }
    return to;
}

} // namespace

void register_copy(torch::Library &aten)
{
    aten.impl("copy_", TORCH_FN(copy_));
}

} // namespace cupipe
