# SPDX-License-Identifier: MIT
"""What PyTorch does on a card and otherwise on the CPU, although CPU kernels compute it here.

    test_card.py [NAME...]            all tests, or some; exits with 77 without torch or cupipe
"""
import sys
import unittest

try:
    import torch
except ImportError:
    print("skipped: torch is not installed")
    sys.exit(77)

if not torch.cuda.is_available() or "cupipe" not in torch.cuda.get_device_name().lower():
    print("skipped: torch does not run on cupipe")
    sys.exit(77)

F = torch.nn.functional


class SparseTest(unittest.TestCase):
    def test_gradients_of_an_embedding_add_up(self):
        for dtype in (torch.float32, torch.float16):
            for first, second in ((True, True), (True, False), (False, True)):
                weight = torch.zeros(4, 3, device="cuda", dtype=dtype, requires_grad=True)
                for sparse in (first, second):
                    F.embedding(torch.tensor([1, 2, 1], device="cuda"), weight, sparse=sparse).sum().backward()
                self.assertEqual(weight.grad.is_sparse, first and second)
                self.assertEqual(weight.grad.to_dense().sum(1).tolist(), [0, 12, 6, 0])

    def test_in_place(self):
        for dtype in (torch.float32, torch.float16, torch.bfloat16):
            a = torch.eye(3, device="cuda", dtype=dtype).to_sparse()
            a.add_(torch.ones(3, 3, device="cuda", dtype=dtype).to_sparse())
            a.mul_(2)
            self.assertEqual(a.to_dense().tolist(), [[4, 2, 2], [2, 4, 2], [2, 2, 4]])


class CopyTest(unittest.TestCase):
    def test_host_values_are_read_in_stream_order(self):
        host = torch.zeros(4, pin_memory=True)
        device = torch.full((4,), 3.0, device="cuda")
        result = torch.zeros(4, device="cuda", dtype=torch.int64)
        torch.cuda._sleep(10**8)
        host.copy_(device, non_blocking=True)
        result.copy_(host, non_blocking=True)
        self.assertEqual(result.tolist(), [3, 3, 3, 3])

    def test_other_strides_and_types_without_waiting(self):
        host = torch.randn(4, 6, dtype=torch.complex64).pin_memory()
        for view in (host, host[:, ::2], host.t(), host[0].expand(3, 6), host.conj(), host.imag):
            device = torch.zeros(view.shape, device="cuda", dtype=torch.complex128)
            device.copy_(view, non_blocking=True)
            torch.testing.assert_close(device.cpu(), view.to(torch.complex128))


class TypesTest(unittest.TestCase):
    def test_trace_of_half_precision(self):
        for dtype in (torch.float16, torch.bfloat16):
            x = torch.ones(3, 3, device="cuda", dtype=dtype)
            self.assertEqual((x.trace().item(), x.trace().dtype), (3, dtype))

    def test_medians_have_at_most_24_dimensions(self):
        torch.ones((1,) * 24, device="cuda").median(-1)
        with self.assertRaisesRegex(RuntimeError, "CUDA Tensors cannot have more than 25 dimensions"):
            torch.ones((1,) * 25, device="cuda").median(-1)


if __name__ == "__main__":
    unittest.main(verbosity=1)
