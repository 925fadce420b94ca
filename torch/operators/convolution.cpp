/* SPDX-License-Identifier: MIT */
/* Convolutions of cuDNN and depthwise convolutions, by the convolution of the CPU. */
#include "arguments.h"
#include "host_work.h"
#include "operators.h"

#include <ATen/ATen.h>

namespace cupipe
{

namespace
{

/* One number for each dimension of space. */
struct convolution {
    std::vector<int64_t> stride, padding, dilation, output_padding;
    bool transposed = false;
    int64_t groups = 1;
};

/* A list of one number counts for all dimensions. */
std::vector<int64_t> numbers(const arguments &args, const char *name, int64_t count)
{
    std::vector<int64_t> given = args.integers(name);

    if (given.size() == 1)
        given.assign(count, given[0]);
    TORCH_CHECK((int64_t)given.size() == count, args.op().schema().name(), ": ", name,
                " must have ", count, " elements, but has ", given.size());
    return given;
}

convolution read_convolution(const arguments &args, int64_t space)
{
    convolution made;

    made.stride = numbers(args, "stride", space);
    made.padding = numbers(args, "padding", space);
    made.dilation = numbers(args, "dilation", space);
    made.output_padding.assign(space, 0);
    made.groups = args.integer("groups", 1);
    return made;
}

std::vector<int64_t> result_sizes(const convolution &made, const at::Tensor &input,
                                  const at::Tensor &weight)
{
    std::vector<int64_t> sizes = {input.size(0),
                                  made.transposed ? weight.size(1) * made.groups : weight.size(0)};

    for (int64_t i = 0; i + 2 < input.dim(); i++) {
        int64_t kernel = made.dilation[i] * (weight.size(i + 2) - 1) + 1, size = input.size(i + 2);

        sizes.push_back(made.transposed
                            ? (size - 1) * made.stride[i] - 2 * made.padding[i] + kernel +
                                  made.output_padding[i]
                            : (size + 2 * made.padding[i] - kernel) / made.stride[i] + 1);
    }
    return sizes;
}

/* Channels come last in the result if they do in the input or in the weight. */
at::MemoryFormat result_format(const at::Tensor &input, const at::Tensor &weight)
{
    at::MemoryFormat format = input.suggest_memory_format();

    return format == at::MemoryFormat::Contiguous ? weight.suggest_memory_format() : format;
}

/* Computes into `out`; a new tensor is made if it is undefined. */
at::Tensor run_convolution(const arguments &args, const convolution &made, at::Tensor out = {},
                           const at::Tensor &addend = {}, double alpha = 1, bool relu = false)
{
    host_work work(args.op());
    at::Tensor input = args.tensor("self"), weight = args.tensor("weight");
    std::vector<int64_t> sizes = result_sizes(made, input, weight);

    if (!out.defined())
        out = at::empty(sizes, input.options().memory_format(result_format(input, weight)));
    else if (out.sizes() != at::IntArrayRef(sizes))
        out.resize_(sizes);
    work.submit([=, from = work.reads(input), kernel = work.reads(weight),
                 bias = work.reads(args.tensor("bias")), plus = work.reads(addend),
                 to = work.writes(out)] {
        at::Tensor result =
            at::convolution(from, kernel, bias, made.stride, made.padding, made.dilation,
                            made.transposed, made.output_padding, made.groups);

        if (plus.defined())
            result = result.to(accumulate_type(result.scalar_type())).add(plus, alpha);
        to.copy_(relu ? result.relu_() : result);
    });
    return out;
}

void cudnn_convolution(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);

    args.give(run_convolution(args, read_convolution(args, args.tensor("self").dim() - 2),
                              args.tensor("out")));
}

void cudnn_convolution_transpose(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);
    int64_t space = args.tensor("self").dim() - 2;
    convolution made = read_convolution(args, space);

    made.transposed = true;
    made.output_padding = numbers(args, "output_padding", space);
    args.give(run_convolution(args, made));
}

void cudnn_convolution_relu(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);

    args.give(run_convolution(args, read_convolution(args, args.tensor("self").dim() - 2), {},
                              args.tensor("z"), args.number("alpha", 1), true));
}

void depthwise_convolution(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);
    at::Tensor input = args.tensor("self");
    convolution made = read_convolution(args, input.dim() - 2);

    made.groups = input.size(1);
    args.give(run_convolution(args, made, args.tensor("out")));
}

} // namespace

void register_convolution(torch::Library &aten_cuda)
{
    add_boxed<cudnn_convolution>(aten_cuda, "cudnn_convolution");
    add_boxed<cudnn_convolution>(aten_cuda, "cudnn_convolution.out");
    add_boxed<cudnn_convolution_transpose>(aten_cuda, "cudnn_convolution_transpose");
    add_boxed<cudnn_convolution_relu>(aten_cuda, "cudnn_convolution_relu");
    add_boxed<cudnn_convolution_relu>(aten_cuda, "cudnn_convolution_add_relu");
    add_boxed<depthwise_convolution>(aten_cuda, "_conv_depthwise2d");
    add_boxed<depthwise_convolution>(aten_cuda, "_conv_depthwise2d.out");
    add_boxed<depthwise_convolution>(aten_cuda, "conv_depthwise3d");
}

} // namespace cupipe
