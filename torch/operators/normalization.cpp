/* SPDX-License-Identifier: MIT */
/* Normalization: RMS norm, batch norm with parameters of several types and of cuDNN, and the parts
 * of nn.SyncBatchNorm.
 *
 * Statistics are float for half precision. */
#include "arguments.h"
#include "host_work.h"
#include "operators.h"
#include "redirect.h"

#include <ATen/ATen.h>
#include <limits>

namespace cupipe
{

namespace
{

/* The default of `eps`: that of the type in which values are accumulated. */
double epsilon_of(at::ScalarType type)
{
    return type == at::kDouble ? std::numeric_limits<double>::epsilon()
                               : std::numeric_limits<float>::epsilon();
}

/* The dimensions that a norm covers: the last ones. */
std::vector<int64_t> last_dimensions(int64_t count)
{
    std::vector<int64_t> dimensions;

    for (int64_t i = -count; i < 0; i++)
        dimensions.push_back(i);
    return dimensions;
}

void rms_norm(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);
    host_work work(op);
    at::Tensor input = args.tensor("input");
    int64_t normalized = (int64_t)args.integers("normalized_shape").size();
    at::ScalarType type = accumulate_type(input.scalar_type());
    double epsilon = args.number("eps", epsilon_of(input.scalar_type()));
    std::vector<int64_t> sizes = input.sizes().vec();
    at::Tensor out = at::empty(sizes, input.options()), rstd;

    for (int64_t i = input.dim() - normalized; i < input.dim(); i++)
        sizes[i] = 1;
    rstd = at::empty(sizes, input.options().dtype(type));
    work.submit([=, from = work.reads(input), weight = work.reads(args.tensor("weight")),
                 to = work.writes(out), scale = work.writes(rstd)] {
        at::Tensor values = from.to(type);

        scale.copy_(
            at::rsqrt(at::mean(values * values, last_dimensions(normalized), true).add_(epsilon)));
        values = values * scale;
        to.copy_(weight.defined() ? values.mul_(weight) : values);
    });
    args.give(out, rstd);
}

void rms_norm_backward(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);
    host_work work(op);
    at::Tensor input = args.tensor("input"), weight = args.tensor("weight");
    std::vector<bool> wanted = args.flags("output_mask");
    std::vector<int64_t> shape = args.integers("normalized_shape");
    int64_t normalized = (int64_t)shape.size();
    at::Tensor grad_input, grad_weight;

    if (wanted[0])
        grad_input = at::empty(input.sizes(), input.options());
    if (wanted[1] && weight.defined())
        grad_weight = at::empty(weight.sizes(), weight.options());
    work.submit([=, grad_out = work.reads(args.tensor("grad_out")), from = work.reads(input),
                 rstd = work.reads(args.tensor("rstd")), factor = work.reads(weight),
                 to_input = work.writes(grad_input), to_weight = work.writes(grad_weight)] {
        at::ScalarType type = accumulate_type(from.scalar_type());
        at::Tensor values = from.to(type) * rstd, grad = grad_out.to(type);

        if (to_weight.defined())
            to_weight.copy_((grad * values).sum_to_size(shape));
        if (!to_input.defined())
            return;
        if (factor.defined())
            grad = grad * factor;
        grad = grad - values * at::mean(grad * values, last_dimensions(normalized), true);
        to_input.copy_(grad.mul_(rstd));
    });
    args.give(grad_input, grad_weight);
}

/* Whether weights and running values of a batch norm in half precision have several types. A card
 * takes any; the CPU's kernels take those of the input's type, or single precision for all. */
bool mixes_types(const arguments &args)
{
    at::ScalarType type = args.tensor("input").scalar_type(), first = at::ScalarType::Undefined;
    bool mixes = false;

    if (type != at::kHalf && type != at::kBFloat16)
        return false;
    for (const char *name : {"weight", "bias", "running_mean", "running_var"}) {
        at::Tensor each = args.tensor(name);
        if (!each.defined())
            continue;
        mixes |= first != at::ScalarType::Undefined && each.scalar_type() != first;
        first = each.scalar_type();
    }
    return mixes;
}

at::Tensor to_float(const at::Tensor &tensor)
{
    return tensor.defined() ? tensor.to(at::kFloat) : tensor;
}

void native_batch_norm(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);

    if (!mixes_types(args)) {
        redirect(op, c10::DispatchKey::CPU, stack);
        return;
    }
    at::Tensor mean = args.tensor("running_mean"), var = args.tensor("running_var");
    at::Tensor wide_mean = to_float(mean), wide_var = to_float(var);
    auto made = at::native_batch_norm(
        args.tensor("input"), to_float(args.tensor("weight")), to_float(args.tensor("bias")),
        wide_mean, wide_var, args.flag("training"), args.number("momentum"), args.number("eps"));
    if (mean.defined() && !mean.is_same(wide_mean))
        mean.copy_(wide_mean);
    if (var.defined() && !var.is_same(wide_var))
        var.copy_(wide_var);
    args.give(std::get<0>(made), std::get<1>(made), std::get<2>(made));
}

void native_batch_norm_backward(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);
    at::Tensor weight = args.tensor("weight");

    if (!mixes_types(args)) {
        redirect(op, c10::DispatchKey::CPU, stack);
        return;
    }
    at::Tensor input = args.tensor("input"), running_mean = args.tensor("running_mean");
    bool channels_last =
        input.dim() == 2 ||
        (input.dim() == 4 && input.is_contiguous(at::MemoryFormat::ChannelsLast)) ||
        (input.dim() == 5 && input.is_contiguous(at::MemoryFormat::ChannelsLast3d));
    /* The card's kernel for other inputs reads them in one type. */
    TORCH_CHECK(channels_last || !weight.defined() || !running_mean.defined() ||
                    running_mean.scalar_type() == weight.scalar_type(),
                "Expected running_mean to have type ", weight.scalar_type(), " but got ",
                running_mean.scalar_type());
    std::vector<bool> mask = args.flags("output_mask");
    auto made = at::native_batch_norm_backward(
        args.tensor("grad_out"), input, to_float(weight), to_float(running_mean),
        to_float(args.tensor("running_var")), to_float(args.tensor("save_mean")),
        to_float(args.tensor("save_invstd")), args.flag("train"), args.number("eps"),
        {mask[0], mask[1], mask[2]});
    auto like_weight = [&](const at::Tensor &gradient) {
        return gradient.defined() && weight.defined() ? gradient.to(weight.scalar_type())
                                                      : gradient;
    };
    args.give(std::get<0>(made), like_weight(std::get<1>(made)), like_weight(std::get<2>(made)));
}

void cudnn_batch_norm(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);
    at::Tensor input = args.tensor("input"), reserve;
    bool training = args.flag("training");
    auto [out, mean, invstd] =
        at::native_batch_norm(input, args.tensor("weight"), args.tensor("bias"),
                              args.tensor("running_mean"), args.tensor("running_var"), training,
                              args.number("exponential_average_factor"), args.number("epsilon"));

    reserve = at::empty({0}, input.options().dtype(at::kByte));
    args.give(out, mean, invstd, reserve);
}

void cudnn_batch_norm_out(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);
    at::Tensor out[4] = {args.tensor("out0"), args.tensor("out1"), args.tensor("out2"),
                         args.tensor("out3")};
    auto made = at::native_batch_norm(
        args.tensor("input"), args.tensor("weight"), args.tensor("bias"),
        args.tensor("running_mean"), args.tensor("running_var"), args.flag("training"),
        args.number("exponential_average_factor"), args.number("epsilon"));

    out[0].resize_(std::get<0>(made).sizes()).copy_(std::get<0>(made));
    out[1].resize_(std::get<1>(made).sizes()).copy_(std::get<1>(made));
    out[2].resize_(std::get<2>(made).sizes()).copy_(std::get<2>(made));
    out[3].resize_({0});
    args.give(out[0], out[1], out[2], out[3]);
}

void cudnn_batch_norm_backward(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);
    auto [grad_input, grad_weight, grad_bias] = at::native_batch_norm_backward(
        args.tensor("grad_output"), args.tensor("input"), args.tensor("weight"),
        args.tensor("running_mean"), args.tensor("running_var"), args.tensor("save_mean"),
        args.tensor("save_var"), true, args.number("epsilon"), {true, true, true});

    args.give(grad_input, grad_weight, grad_bias);
}

/* A value for each channel, shaped to broadcast over `like`. */
at::Tensor per_channel(const at::Tensor &values, const at::Tensor &like)
{
    std::vector<int64_t> sizes(like.dim(), 1);

    sizes[1] = values.numel();
    return values.view(sizes);
}

/* All dimensions but that of the channels. */
std::vector<int64_t> other_dimensions(const at::Tensor &tensor)
{
    std::vector<int64_t> dimensions = {0};

    for (int64_t i = 2; i < tensor.dim(); i++)
        dimensions.push_back(i);
    return dimensions;
}

at::Tensor new_statistics(const at::Tensor &input)
{
    return at::empty({input.size(1)}, input.options().dtype(accumulate_type(input.scalar_type())));
}

void batch_norm_stats(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);
    host_work work(op);
    at::Tensor input = args.tensor("input");
    at::Tensor mean = new_statistics(input), invstd = new_statistics(input);

    work.submit([=, epsilon = args.number("eps"), from = work.reads(input),
                 to_mean = work.writes(mean), to_invstd = work.writes(invstd)] {
        auto [variance, average] = at::var_mean(from.to(to_mean.scalar_type()),
                                                at::OptionalIntArrayRef(other_dimensions(from)),
                                                std::optional<at::Scalar>(0), false);

        to_mean.copy_(average);
        to_invstd.copy_(variance.add_(epsilon).rsqrt_());
    });
    args.give(mean, invstd);
}

/* (input - mean) invstd weight + bias */
void submit_elemt(const arguments &args, const at::Tensor &out)
{
    host_work work(args.op());

    work.submit([=, from = work.reads(args.tensor("input")),
                 weight = work.reads(args.tensor("weight")), bias = work.reads(args.tensor("bias")),
                 mean = work.reads(args.tensor("mean")), invstd = work.reads(args.tensor("invstd")),
                 to = work.writes(out)] {
        at::Tensor factor = weight.defined() ? invstd * weight : invstd;
        at::Tensor values = from.to(mean.scalar_type()) - per_channel(mean, from);

        values.mul_(per_channel(factor, from));
        if (bias.defined())
            values.add_(per_channel(bias, from));
        to.copy_(values);
    });
}

void batch_norm_elemt(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);
    at::Tensor out = at::empty_like(args.tensor("input"));

    submit_elemt(args, out);
    args.give(out);
}

void batch_norm_elemt_out(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);
    at::Tensor out = args.tensor("out");

    if (out.sizes() != args.tensor("input").sizes())
        out.resize_(args.tensor("input").sizes());
    submit_elemt(args, out);
    args.give(out);
}

void update_running(const at::Tensor &running, const at::Tensor &value, double momentum)
{
    if (running.defined())
        running.copy_(running * (1 - momentum) + value * momentum);
}

/* Joins the statistics of several parts of a batch. `counts` are elements of each part. */
void submit_gather(const arguments &args, const at::Tensor &counts, int64_t count,
                   const at::Tensor &mean, const at::Tensor &invstd)
{
    host_work work(args.op());
    double momentum = args.number("momentum"), epsilon = args.number("eps");

    work.submit([=, means = work.reads(args.tensor("mean")),
                 invstds = work.reads(args.tensor("invstd")), each = work.reads(counts),
                 running_mean = work.writes(args.tensor("running_mean")),
                 running_var = work.writes(args.tensor("running_var")), to_mean = work.writes(mean),
                 to_invstd = work.writes(invstd)] {
        at::ScalarType type = to_mean.scalar_type();
        at::Tensor all = means.to(type).view({-1, to_mean.numel()});
        at::Tensor deviations = invstds.to(type).view(all.sizes());
        at::Tensor weights = each.defined() ? each.to(type).view({-1, 1})
                                            : at::full({all.size(0), 1}, (double)count, type);
        at::Tensor total = weights.sum(), average = (all * weights).sum(0) / total;
        at::Tensor difference = all - average;
        at::Tensor squares =
            ((deviations.pow(-2).sub_(epsilon) + difference * difference) * weights).sum(0);

        to_mean.copy_(average);
        to_invstd.copy_(at::rsqrt(squares / total + epsilon));
        update_running(running_mean, average, momentum);
        update_running(running_var, squares / (total - 1), momentum);
    });
}

void batch_norm_gather(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);
    at::Tensor input = args.tensor("input");
    at::Tensor mean = new_statistics(input), invstd = new_statistics(input);

    submit_gather(args, args.tensor("counts"), args.integer("count"), mean, invstd);
    args.give(mean, invstd);
}

void batch_norm_backward_reduce(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);
    host_work work(op);
    at::Tensor input = args.tensor("input"), weight = args.tensor("weight");
    at::TensorOptions options = weight.defined() ? weight.options() : input.options();
    at::Tensor sum_dy, sum_dy_xmu, grad_weight, grad_bias;

    if (args.flag("input_g")) {
        sum_dy = new_statistics(input);
        sum_dy_xmu = new_statistics(input);
    }
    if (args.flag("weight_g"))
        grad_weight = at::empty({input.size(1)}, options);
    if (args.flag("bias_g"))
        grad_bias = at::empty({input.size(1)}, options);
    work.submit([=, grad_out = work.reads(args.tensor("grad_out")), from = work.reads(input),
                 mean = work.reads(args.tensor("mean")), invstd = work.reads(args.tensor("invstd")),
                 to_dy = work.writes(sum_dy), to_dy_xmu = work.writes(sum_dy_xmu),
                 to_weight = work.writes(grad_weight), to_bias = work.writes(grad_bias)] {
        std::vector<int64_t> dimensions = other_dimensions(from);
        at::Tensor grad = grad_out.to(mean.scalar_type()), sum = grad.sum(dimensions);
        at::Tensor product =
            ((from.to(mean.scalar_type()) - per_channel(mean, from)) * grad).sum(dimensions);

        if (to_dy.defined()) {
            to_dy.copy_(sum);
            to_dy_xmu.copy_(product);
        }
        if (to_weight.defined())
            to_weight.copy_(product * invstd);
        if (to_bias.defined())
            to_bias.copy_(sum);
    });
    args.give(sum_dy, sum_dy_xmu, grad_weight, grad_bias);
}

void batch_norm_backward_elemt(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    arguments args(op, stack);
    host_work work(op);
    at::Tensor input = args.tensor("input"), out = at::empty_like(input);

    work.submit([=, grad_out = work.reads(args.tensor("grad_out")), from = work.reads(input),
                 mean = work.reads(args.tensor("mean")), invstd = work.reads(args.tensor("invstd")),
                 weight = work.reads(args.tensor("weight")),
                 sum_dy = work.reads(args.tensor("sum_dy")),
                 sum_dy_xmu = work.reads(args.tensor("sum_dy_xmu")),
                 count = work.reads(args.tensor("count")), to = work.writes(out)] {
        at::ScalarType type = mean.scalar_type();
        at::Tensor total = count.sum().to(type);
        at::Tensor slope = invstd * invstd * sum_dy_xmu / total;
        at::Tensor factor = weight.defined() ? invstd * weight : invstd;
        at::Tensor values = from.to(type) - per_channel(mean, from);

        values.mul_(per_channel(slope, from)).neg_().add_(grad_out.to(type));
        values.sub_(per_channel(sum_dy / total, from)).mul_(per_channel(factor, from));
        to.copy_(values);
    });
    args.give(out);
}

} // namespace

void register_normalization(torch::Library &aten_cuda)
{
    add_boxed<rms_norm>(aten_cuda, "_fused_rms_norm");
    add_boxed<rms_norm_backward>(aten_cuda, "_fused_rms_norm_backward");
    add_boxed<native_batch_norm>(aten_cuda, "native_batch_norm");
    add_boxed<native_batch_norm_backward>(aten_cuda, "native_batch_norm_backward");
    add_boxed<cudnn_batch_norm>(aten_cuda, "cudnn_batch_norm");
    add_boxed<cudnn_batch_norm_out>(aten_cuda, "cudnn_batch_norm.out");
    add_boxed<cudnn_batch_norm_backward>(aten_cuda, "cudnn_batch_norm_backward");
    add_boxed<batch_norm_stats>(aten_cuda, "batch_norm_stats");
    add_boxed<batch_norm_elemt>(aten_cuda, "batch_norm_elemt");
    add_boxed<batch_norm_elemt_out>(aten_cuda, "batch_norm_elemt.out");
    add_boxed<batch_norm_gather>(aten_cuda, "batch_norm_gather_stats");
    add_boxed<batch_norm_gather>(aten_cuda, "batch_norm_gather_stats_with_counts");
    add_boxed<batch_norm_backward_reduce>(aten_cuda, "batch_norm_backward_reduce");
    add_boxed<batch_norm_backward_elemt>(aten_cuda, "batch_norm_backward_elemt");
}

} // namespace cupipe
