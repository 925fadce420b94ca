/* SPDX-License-Identifier: MIT */
/* One operator as one piece of work of a stream. See host_work.h. */
#include "host_work.h"

#include "../enqueue.h"
#include "../host_view.h"

#include <ATen/autocast_mode.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

namespace cupipe
{

at::Tensor host_work::reads(const at::Tensor &tensor)
{
    if (!tensor.defined())
        return tensor;
    if (!tensor.is_cuda()) {
        at::AutoDispatchBelowADInplaceOrView below_autograd;
        return tensor.clone();
    }
    read.push_back(tensor);
    return host_view(tensor);
}

at::Tensor host_work::writes(const at::Tensor &tensor)
{
    if (!tensor.defined() || !tensor.is_cuda())
        return tensor;
    written.push_back(tensor);
    return writable_host_view(tensor);
}

std::vector<at::Tensor> host_work::reads(const std::vector<at::Tensor> &tensors)
{
    std::vector<at::Tensor> views;

    for (const at::Tensor &tensor : tensors)
        views.push_back(reads(tensor));
    return views;
}

std::vector<at::Tensor> host_work::writes(const std::vector<at::Tensor> &tensors)
{
    std::vector<at::Tensor> views;

    for (const at::Tensor &tensor : tensors)
        views.push_back(writes(tensor));
    return views;
}

void host_work::submit(std::function<void()> run)
{
    enqueue(name, read, written, [run = std::move(run)] {
        at::NoGradGuard no_grad;
        at::AutoDispatchBelowADInplaceOrView below_autograd;
        c10::impl::ExcludeDispatchKeyGuard no_autocast(c10::autocast_dispatch_keyset);

        run();
    });
}

at::ScalarType accumulate_type(at::ScalarType type)
{
    return at::isReducedFloatingType(type) ? at::kFloat : type;
}

} // namespace cupipe
