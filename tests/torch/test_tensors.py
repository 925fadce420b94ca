# SPDX-License-Identifier: MIT
"""Tensors of other kinds: quantized ones, and copy-on-write clones."""
import io
import unittest

import torch

is_shared = torch._C._is_cow_tensor


class QuantizedTest(unittest.TestCase):
    """Integers are those that an H200 gave; but for channels it divides by scales in another way, which decides ties."""
    numbers = torch.tensor([[-1.0, 0.26, 0.5, 3.0], [0.1, 0.2, 0.3, 9.0]])
    integers = [[0, 6, 8, 33], [4, 5, 6, 93]]

    def setUp(self):
        self.tensor = torch.quantize_per_tensor(self.numbers.cuda(), 0.1, 3, torch.quint8)

    def holds(self, tensor, integers, device="cuda"):
        self.assertTrue(tensor.is_quantized)
        self.assertEqual((tensor.device.type, tensor.q_scale(), tensor.q_zero_point()), (device, 0.1, 3))
        self.assertEqual(tensor.int_repr().tolist(), integers)

    def test_types(self):
        for dtype, least in ((torch.quint8, 0), (torch.qint8, -7), (torch.qint32, -7)):
            tensor = torch.quantize_per_tensor(self.numbers.cuda(), 0.1, 3, dtype)
            self.assertEqual(tensor.dtype, dtype)
            self.holds(tensor, [[least, 6, 8, 33], [4, 5, 6, 93]])
        dynamic = torch.quantize_per_tensor_dynamic(self.numbers.cuda(), torch.quint8, False)
        self.assertEqual(dynamic.int_repr().tolist(), [[0, 33, 39, 102], [29, 31, 34, 255]])

    def test_numbers(self):
        expected = torch.quantize_per_tensor(self.numbers, 0.1, 3, torch.quint8).dequantize()
        self.assertTrue(torch.equal(self.tensor.dequantize().cpu(), expected))
        self.assertEqual(self.tensor.dequantize().device.type, "cuda")

    def test_copies(self):
        self.holds(self.tensor.cpu(), self.integers, "cpu")
        self.holds(self.tensor.cpu().cuda(), self.integers)
        self.holds(self.tensor.clone(), self.integers)
        self.holds(self.tensor.clone().copy_(self.numbers), self.integers)
        file = io.BytesIO()
        torch.save(self.tensor, file)
        file.seek(0)
        self.holds(torch.load(file, weights_only=False), self.integers)
        with self.assertRaisesRegex(RuntimeError, "Copying from quantized Tensor to non-quantized Tensor is not allowed"):
            torch.empty(2, 4, device="cuda").copy_(self.tensor)

    def test_shapes(self):
        columns = [list(each) for each in zip(*self.integers)]
        self.holds(self.tensor.t(), columns)
        self.holds(self.tensor.t().contiguous(), columns)
        self.holds(self.tensor[:, 1:3], [[6, 8], [5, 6]])
        self.holds(self.tensor.view(-1), sum(self.integers, []))
        self.assertIn("quint8", repr(self.tensor))

    def test_operators(self):
        self.holds(torch.relu(self.tensor), [[3, 6, 8, 33], [4, 5, 6, 93]])
        self.holds(self.tensor.flip(0), self.integers[::-1])
        self.holds(self.tensor.index_select(0, torch.tensor([1], device="cuda")), self.integers[1:])
        self.holds(self.tensor.clone().fill_(0.5), [[8] * 4] * 2)
        with self.assertRaisesRegex(NotImplementedError, "QuantizedCUDA"):
            self.tensor + self.tensor

    def test_channels(self):
        scales, zeros = torch.tensor([0.1, 0.2], dtype=torch.float64), torch.tensor([1, 2])
        tensor = torch.quantize_per_channel(self.numbers.cuda(), scales.cuda(), zeros.cuda(), 0, torch.qint8)
        expected = torch.quantize_per_channel(self.numbers, scales, zeros, 0, torch.qint8)
        self.assertEqual(tensor.q_per_channel_scales().device.type, "cuda")
        for got in (tensor, tensor.cpu(), tensor.cpu().cuda()):
            self.assertEqual(got.q_per_channel_scales().device, got.device)
            self.assertTrue(torch.equal(got.int_repr().cpu(), expected.int_repr()))
            self.assertTrue(torch.equal(got.dequantize().cpu(), expected.dequantize()))


class CopyOnWriteTest(unittest.TestCase):
    def setUp(self):
        self.values = torch.rand(1 << 16)
        self.tensor = self.values.cuda()
        self.clone = torch._lazy_clone(self.tensor)

    def test_reading_leaves_them_shared(self):
        for read in (lambda t: t + 1, lambda t: t.sum(), lambda t: t.cpu(), torch.bernoulli, torch.poisson,
                     lambda t: torch.nn.functional.dropout(t), lambda t: torch.rms_norm(t, t.shape), lambda t: t[5].item()):
            read(self.clone)
            torch.cuda.synchronize()
            self.assertTrue(is_shared(self.tensor) and is_shared(self.clone))

    def written(self, write):
        write(self.clone)
        torch.cuda.synchronize()
        self.assertFalse(is_shared(self.clone))
        self.assertTrue(torch.equal(self.tensor.cpu(), self.values))
        return self.clone.cpu()

    def test_in_place(self):
        self.assertTrue(torch.equal(self.written(lambda t: t.add_(1)), self.values + 1))

    def test_out(self):
        self.assertTrue(torch.equal(self.written(lambda t: torch.mul(self.tensor, 2, out=t)), self.values * 2))

    def test_copy(self):
        self.assertTrue(torch.equal(self.written(lambda t: t.copy_(self.values * 3)), self.values * 3))

    def test_random_numbers(self):
        self.assertEqual(self.written(lambda t: t.uniform_(5, 6)).ge(5).all(), True)

    def test_list(self):
        self.assertTrue(torch.equal(self.written(lambda t: torch._foreach_mul_([t], 2)), self.values * 2))

    def test_statistics_of_batch_norm(self):
        mean = torch.zeros(3, device="cuda")
        running = torch._lazy_clone(mean)
        torch.nn.functional.batch_norm(torch.ones(4, 3, device="cuda"), running, torch.ones(3, device="cuda"), training=True)
        self.assertEqual((mean.tolist(), is_shared(running)), ([0, 0, 0], False))
        torch.testing.assert_close(running.cpu(), torch.full((3,), 0.1))


if __name__ == "__main__":
    unittest.main()
