/* SPDX-License-Identifier: MIT */
/* Packages of AOTInductor call operators by C functions of libtorch_cuda, aoti_torch_cuda_NAME,
 * which call the card's kernels and not the dispatcher. torch_build.py writes functions of the same
 * names, which call call_shim(); the object is loaded before any package, so that packages find
 * these first. */
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <torch/csrc/inductor/aoti_torch/c/shim.h>
#include <type_traits>

namespace cupipe
{

/* An argument as C passes it: which member counts follows from the operator's schema. */
struct shim_argument {
    int64_t integer = 0;
    double real = 0;
    const void *pointer = nullptr;

    template <typename Type> shim_argument(Type value)
    {
        if constexpr (std::is_pointer_v<Type>)
            pointer = value;
        else if constexpr (std::is_floating_point_v<Type>)
            real = value;
        else
            integer = value;
    }
};

/* `name` is the operator's, with its overload behind an underscore. Tensors for out= come first,
 * then the arguments of the schema, then places for the results. */
AOTITorchError call_shim(const char *name, std::span<const shim_argument> arguments);

template <typename... Types> AOTITorchError shim(const char *name, Types... values)
{
    const std::array<shim_argument, sizeof...(Types)> arguments = {shim_argument(values)...};

    return call_shim(name, arguments);
}

} // namespace cupipe
