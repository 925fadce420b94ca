/* SPDX-License-Identifier: MIT */
/* Wrong values that a kernel of the card finds by an assertion: the call returns, and later calls
 * fail. */
#ifndef CUPIPE_TORCH_DEVICE_ASSERTION_H
#define CUPIPE_TORCH_DEVICE_ASSERTION_H

#include <ATen/core/dispatch/Dispatcher.h>
#include <exception>

namespace cupipe
{

/* Tells whether the operator's CUDA kernel asserts on values where its CPU kernel throws this. What
 * a card finds before the launch, such as a wrong shape, is no assertion. */
bool asserts_on_device(const c10::OperatorHandle &op, std::exception_ptr thrown);

/* Submits work to the current stream that fails as an assertion, with the exception's text. */
void fail_on_device(const char *name, std::exception_ptr thrown, c10::Device device);

} // namespace cupipe

#endif
