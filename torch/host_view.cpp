/* SPDX-License-Identifier: MIT */
#include "host_view.h"

#include "quantized.h"
#include "result_memory.h"

#include <c10/core/impl/COW.h>

namespace cupipe
{

void own_memory(const at::Tensor &tensor)
{
    if (tensor.defined() && tensor.has_storage() &&
        c10::impl::cow::is_cow_data_ptr(tensor.storage().unsafeGetStorageImpl()->data_ptr()))
        tensor.storage().mutable_data();
}

c10::Storage host_storage(const c10::Storage &storage)
{
    c10::DataPtr memory(const_cast<void *>(storage.data()), nullptr, &c10::detail::deleteNothing,
                        c10::Device(c10::kCPU));

    return c10::Storage(c10::Storage::use_byte_size_t(), storage.nbytes(), std::move(memory),
                        result_allocator(), /*resizable=*/true);
}

at::Tensor tensor_like(const at::Tensor &like, c10::Storage storage, c10::DispatchKey key)
{
    at::Tensor made = like.is_quantized()
                          ? new_quantized(like, std::move(storage), key)
                          : at::detail::make_tensor<c10::TensorImpl>(
                                std::move(storage), c10::DispatchKeySet(key), like.dtype());
    c10::TensorImpl *impl = made.unsafeGetTensorImpl();

    impl->set_sizes_and_strides(like.sizes(), like.strides(), like.storage_offset());
    if (like.unsafeGetTensorImpl()->is_wrapped_number())
        impl->set_wrapped_number(true);
    if (like.is_conj())
        impl->_set_conj(true);
    if (like.is_neg())
        impl->_set_neg(true);
    return made;
}

at::Tensor host_view(const at::Tensor &tensor)
{
    return tensor_like(tensor, host_storage(tensor.storage()), c10::DispatchKey::CPU);
}

at::Tensor writable_host_view(const at::Tensor &tensor)
{
    own_memory(tensor);
    return host_view(tensor);
}

} // namespace cupipe
