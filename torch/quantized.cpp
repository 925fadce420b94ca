/* SPDX-License-Identifier: MIT */
#include "quantized.h"

#include <ATen/Functions.h>
#include <ATen/quantized/QTensorImpl.h>
#include <ATen/quantized/Quantizer.h>

namespace cupipe
{
namespace
{

bool has_channels(const at::QuantizerPtr &quantizer)
{
    return quantizer->qscheme() == at::kPerChannelAffine ||
           quantizer->qscheme() == at::kPerChannelAffineFloatQParams;
}

/* The quantizer of a tensor. That of channels has tensors, which are on the device of the tensor
 * that it belongs to. */
at::QuantizerPtr quantizer_on(const at::Tensor &tensor, c10::DeviceType device)
{
    at::QuantizerPtr quantizer = at::get_qtensorimpl(tensor)->quantizer();

    if (!has_channels(quantizer) || device == c10::kMeta)
        return quantizer;
    auto *channels = static_cast<at::PerChannelAffineQuantizer *>(quantizer.get());
    if (channels->scales().device().type() == device)
        return quantizer;
    return at::make_per_channel_affine_quantizer(channels->scales().to(device),
                                                 channels->zero_points().to(device),
                                                 channels->axis(), tensor.scalar_type());
}

c10::DispatchKey quantized_key(c10::DispatchKey backend)
{
    switch (backend) {
    case c10::DispatchKey::CPU:
        return c10::DispatchKey::QuantizedCPU;
    case c10::DispatchKey::CUDA:
        return c10::DispatchKey::QuantizedCUDA;
    default:
        return c10::DispatchKey::QuantizedMeta;
    }
}

} // namespace

at::Tensor new_quantized(const at::Tensor &like, c10::Storage storage, c10::DispatchKey backend)
{
    c10::DeviceType device = storage.device_type();

    return at::detail::make_tensor<at::QTensorImpl>(std::move(storage),
                                                    c10::DispatchKeySet(quantized_key(backend)),
                                                    like.dtype(), quantizer_on(like, device));
}

at::Tensor prepare_quantized_copy(const at::Tensor &to, const at::Tensor &from)
{
    TORCH_CHECK(to.is_quantized(),
                "Copying from quantized Tensor to non-quantized Tensor is not allowed, please use "
                "dequantize to get a float Tensor from a quantized Tensor");
    if (from.is_quantized()) {
        TORCH_CHECK(to.scalar_type() == from.scalar_type(),
                    "Quantized Copy only works with the same type, not from ", from.scalar_type(),
                    " to ", to.scalar_type());
        at::set_quantizer_(to, quantizer_on(from, to.device().type()));
        return from;
    }
    TORCH_CHECK(from.scalar_type() == at::kFloat,
                "Quantized copy only works with kFloat as source Tensor");
    at::QuantizerPtr quantizer = at::get_qtensorimpl(to)->quantizer();
    if (has_channels(quantizer)) {
        auto *channels = static_cast<at::PerChannelAffineQuantizer *>(quantizer.get());
        return at::quantize_per_channel(from, channels->scales().to(from.device()),
                                        channels->zero_points().to(from.device()), channels->axis(),
                                        to.scalar_type());
    }
    return at::quantize_per_tensor(from, to.q_scale(), to.q_zero_point(), to.scalar_type());
}

} // namespace cupipe
