/* SPDX-License-Identifier: MIT */
/* Operators of cuDNN that are others under another name, the CTC loss, and old forms of dropout. */
#include "arguments.h"
#include "host_work.h"
#include "operators.h"

#include <ATen/ATen.h>

namespace cupipe
{

namespace
{

enum { BILINEAR, ZEROS = 0 }; /* of grid_sampler_2d */

/* cuDNN samples with aligned corners. */
void grid_sampler(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);

    args.give(at::grid_sampler_2d(args.tensor("self"), args.tensor("grid"), BILINEAR, ZEROS, true));
}

void grid_sampler_backward(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);
    auto [self, grid] =
        at::grid_sampler_2d_backward(args.tensor("grad_output"), args.tensor("self"),
                                     args.tensor("grid"), BILINEAR, ZEROS, true, {true, true});

    args.give(self, grid);
}

std::vector<int64_t> grid_sizes(const arguments &args)
{
    return {args.integer("N"), args.integer("C"), args.integer("H"), args.integer("W")};
}

void affine_grid(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);

    args.give(at::affine_grid_generator(args.tensor("theta"), grid_sizes(args), true));
}

void affine_grid_backward(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);

    args.give(at::affine_grid_generator_backward(args.tensor("grad"), grid_sizes(args), true));
}

/* The native loss is computed for every input, so cuDNN's is never needed. */
void use_cudnn_ctc_loss(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments(op, stack, arguments::ANY_DEVICE).give(false);
}

/* Lengths are a list or a tensor on the host. */
std::vector<int64_t> lengths(const arguments &args, const char *name)
{
    at::Tensor given = args.tensor(name);
    std::vector<int64_t> made;

    if (!given.defined())
        return args.integers(name);
    given = given.to(at::kCPU, at::kLong).contiguous();
    made.assign(given.const_data_ptr<int64_t>(), given.const_data_ptr<int64_t>() + given.numel());
    return made;
}

void cudnn_ctc_loss(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack, arguments::ANY_DEVICE);
    host_work work(op);
    at::Tensor log_probs = args.tensor("log_probs"), targets = args.tensor("targets");
    at::Tensor loss = at::empty({log_probs.size(1)}, log_probs.options());
    at::Tensor gradient = at::empty(log_probs.sizes(), log_probs.options());
    std::vector<int64_t> inputs = lengths(args, "input_lengths");
    std::vector<int64_t> labels = lengths(args, "target_lengths");
    int64_t blank = args.integer("blank");
    bool finite = args.flag("zero_infinity");

    work.submit([=, from = work.reads(log_probs), to = work.reads(targets),
                 loss_view = work.writes(loss), gradient_view = work.writes(gradient)] {
        auto [value, alpha] = at::_ctc_loss(from, to, inputs, labels, blank, finite);

        loss_view.copy_(value);
        gradient_view.copy_(at::_ctc_loss_backward(at::ones_like(value), from, to, inputs, labels,
                                                   value, alpha, blank, finite));
    });
    args.give(loss, gradient);
}

/* p is the probability of an element to stay. */
void fused_dropout(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);
    at::Tensor self = args.tensor("self"), mask;
    double keep = args.number("p");
    c10::IValue generator = args.value("generator");

    if (generator.isNone()) {
        auto [out, kept] = at::native_dropout(self, 1 - keep, true);

        args.give(out, kept.to(at::kByte));
        return;
    }
    mask = at::empty_like(self, self.options().dtype(at::kByte))
               .bernoulli_(keep, generator.toGenerator());
    args.give(self * mask.to(self.scalar_type()) * (1 / keep), mask);
}

void masked_scale(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);
    host_work work(op);
    at::Tensor self = args.tensor("self"), out = at::empty_like(self);

    TORCH_CHECK(args.tensor("mask").scalar_type() == at::kByte, "mask should be torch.uint8 dtype");
    work.submit([=, from = work.reads(self), mask = work.reads(args.tensor("mask")),
                 scale = args.number("scale"), to = work.writes(out)] {
        at::ScalarType type = accumulate_type(from.scalar_type());

        to.copy_(from.to(type) * mask.to(type) * scale);
    });
    args.give(out);
}

/* The CPU kernel of nansum takes no complex numbers. */
void nansum(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);
    at::Tensor self = args.tensor("self"), out = args.tensor("out");
    std::vector<int64_t> dimensions;

    if (!args.value("dim").isNone())
        dimensions = args.integers("dim");
    if (at::isFloatingType(self.scalar_type()) || at::isComplexType(self.scalar_type()))
        self = at::where(at::isnan(self), at::zeros({}, self.options()), self);
    if (out.defined())
        at::sum_out(out, self, dimensions, args.flag("keepdim"), args.optional_type("dtype"));
    else
        out = at::sum(self, dimensions, args.flag("keepdim"), args.optional_type("dtype"));
    args.give(out);
}

} // namespace

void register_others(torch::Library &aten_cuda)
{
    add_boxed<grid_sampler>(aten_cuda, "cudnn_grid_sampler");
    add_boxed<grid_sampler_backward>(aten_cuda, "cudnn_grid_sampler_backward");
    add_boxed<affine_grid>(aten_cuda, "cudnn_affine_grid_generator");
    add_boxed<affine_grid_backward>(aten_cuda, "cudnn_affine_grid_generator_backward");
    add_boxed<use_cudnn_ctc_loss>(aten_cuda, "_use_cudnn_ctc_loss");
    add_boxed<use_cudnn_ctc_loss>(aten_cuda, "_use_cudnn_ctc_loss.Tensor");
    add_boxed<cudnn_ctc_loss>(aten_cuda, "_cudnn_ctc_loss");
    add_boxed<cudnn_ctc_loss>(aten_cuda, "_cudnn_ctc_loss.Tensor");
    add_boxed<fused_dropout>(aten_cuda, "_fused_dropout");
    add_boxed<masked_scale>(aten_cuda, "_masked_scale");
    add_boxed<nansum>(aten_cuda, "nansum");
    add_boxed<nansum>(aten_cuda, "nansum.out");
}

} // namespace cupipe
