# SPDX-License-Identifier: MIT
"""The modules of torch's database (module_db): forward and backward, in training and in evaluation, CUDA against CPU."""
import copy
import re

import torch
from compare import Mismatch, check_same, gradients
from operators import attempt, first_line
from torch.testing._internal.common_modules import module_db
from torch.utils._pytree import tree_map


def entries(_kind):
    return list(module_db)


def name_of(info):
    return info.name


def applies(info, dtype):
    return dtype in info.supported_dtypes("cuda")


def on_cuda(value):
    made = {}    # a tensor that is given twice stays one

    def copy_leaf(leaf):
        if not isinstance(leaf, torch.Tensor):
            return leaf
        if id(leaf) not in made:
            made[id(leaf)] = leaf.detach().cuda().requires_grad_(leaf.requires_grad)
        return made[id(leaf)]
    return tree_map(copy_leaf, value)


def forward(module, given):
    torch.manual_seed(0)
    return module(*given.args, **given.kwargs)


def is_random(module):
    """Whether the module draws random numbers in training, which are others on another device."""
    return any(re.search("Dropout|RReLU|FractionalMaxPool", type(part).__name__) or isinstance(getattr(part, "dropout", None), float)
               and part.dropout > 0 for part in module.modules())


def check_input(info, given, dtype, training, gradient):
    what = f"{'training' if training else 'evaluation'} {given.desc or 'default'}"
    build = given.constructor_input
    torch.manual_seed(0)
    here = info.module_cls(*build.args, **build.kwargs).train(training)
    if any(p.is_floating_point() for p in here.parameters()):
        here = here.to(dtype)
    if info.is_lazy:
        forward(here, given.forward_input)    # makes the parameters, from random numbers of the device
    there = copy.deepcopy(here).cuda()
    moved = copy.copy(given.forward_input)
    moved.args, moved.kwargs = on_cuda((moved.args, moved.kwargs))
    try:
        expected = forward(here, given.forward_input)
    except Exception:    # no reference
        return
    try:
        actual = forward(there, moved)
    except Exception as error:
        raise Mismatch(f"{what}: {type(error).__name__}: {first_line(error)}") from None
    values = not (training and is_random(here))
    check_same(info, actual, expected, what, dtype, values)
    if gradient:
        check_backward(info, (here, given.forward_input, expected), (there, moved, actual), what, dtype, values)


def check_backward(info, reference, device, what, dtype, values):
    def grads(module, given, result):
        return gradients(result, [list(module.parameters()), given.args, given.kwargs])
    try:
        expected = grads(*reference)
    except Exception:
        return
    try:
        actual = grads(*device)
    except Exception as error:
        raise Mismatch(f"{what}, gradient: {type(error).__name__}: {first_line(error)}") from None
    if expected is not None:
        check_same(info, [t for t in actual if t is not None], [t for t in expected if t is not None], f"{what}, gradient", dtype, values)


def check(_kind, info, dtype, options):
    for training in (True, False):
        made = info.module_inputs_func(info, device="cpu", dtype=dtype, requires_grad=options.gradient, training=training)
        for index, given in enumerate(made):
            if options.samples and index >= options.samples:
                break
            if given.forward_input is not None:
                yield attempt(check_input, info, given, dtype, training, options.gradient)
