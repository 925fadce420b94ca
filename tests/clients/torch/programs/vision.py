# SPDX-License-Identifier: MIT
"""torchvision: its own operators (nms, roi_align, roi_pool, ps_roi_align, deform_conv2d) and a ResNet, CUDA against CPU."""
# packages: torch torchvision
import torch
import torchvision
from torchvision import ops

torch.manual_seed(0)
corners = torch.rand(50, 2) * 50
boxes, scores = torch.cat([corners, corners + 5 + torch.rand(50, 2) * 20], 1), torch.rand(50)
assert torch.equal(ops.nms(boxes.cuda(), scores.cuda(), 0.4).cpu(), ops.nms(boxes, scores, 0.4))
for some in (scores, scores.flip(0)):  # how many boxes are kept depends on values
    for threshold in (0.1, 0.4, 0.7):
        expected = ops.nms(boxes, some, threshold)
        assert torch.equal(ops.nms(boxes.cuda(), some.cuda(), threshold).cpu(), expected)
grid = torch.arange(0, 64, 4).float()
squares, order = torch.stack([grid, grid, grid + 8, grid + 8], 1), torch.arange(16, 0, -1).float()
kept = ops.nms(squares.half().cuda(), order.half().cuda(), 0.1)  # the CPU has no kernel for half precision
assert kept.tolist() == ops.nms(squares, order, 0.1).tolist() and len(kept) < 16, kept
try:
    ops.nms(squares.bfloat16().cuda(), order.bfloat16().cuda(), 0.1)
    raise AssertionError("a card refuses bfloat16")
except NotImplementedError:
    pass
print("nms right", flush=True)
feature = torch.randn(2, 8, 20, 20)
regions = torch.tensor([[0, 1, 1, 12, 12.0], [1, 3, 2, 18, 9]])


def check(name, function, *inputs):
    here = [t.clone().requires_grad_(t.is_floating_point() and t is not regions) for t in inputs]
    there = [t.cuda().requires_grad_(t.is_floating_point() and t is not regions) for t in inputs]
    expected, actual = function(*here), function(*there)
    torch.testing.assert_close(actual.cpu(), expected, rtol=1e-4, atol=1e-4)
    expected.square().sum().backward()
    actual.square().sum().backward()
    for a, b in zip(there, here, strict=True):
        if b.requires_grad:
            torch.testing.assert_close(a.grad.cpu(), b.grad, rtol=1e-3, atol=1e-3)
    print(name, "right", flush=True)


check("roi_align", lambda f, r: ops.roi_align(f, r, 5, sampling_ratio=2), feature, regions)
check("roi_pool", lambda f, r: ops.roi_pool(f, r, 4), feature, regions)
check("ps_roi_align", lambda f, r: ops.ps_roi_align(f, r, 2), feature, regions)
check("ps_roi_pool", lambda f, r: ops.ps_roi_pool(f, r, 2), feature, regions)
check("deform_conv2d", lambda i, o, w: ops.deform_conv2d(i, o, w), torch.randn(1, 3, 8, 8), torch.randn(1, 18, 6, 6), torch.randn(4, 3, 3, 3))
model = torchvision.models.resnet18(num_classes=10)
data = torch.randn(2, 3, 64, 64)
expected = model.eval()(data)
torch.testing.assert_close(model.cuda()(data.cuda()).cpu(), expected, rtol=1e-3, atol=1e-4)
model.train()(data.cuda()).sum().backward()
print("resnet18 right")
