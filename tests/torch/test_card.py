# SPDX-License-Identifier: MIT
"""What PyTorch does on a card and otherwise on the CPU, although CPU kernels compute it here.

    test_card.py [NAME...]            all tests, or some; exits with 77 without torch or cupipe
"""
import sys
import unittest
import warnings

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
    def test_a_half_type_that_is_asked_for(self):
        a = torch.tensor([[1 + 1j, 2], [3, 1j]], device="cuda", dtype=torch.complex64)
        product = torch.prod(a, 1, dtype=torch.complex32)
        self.assertEqual((product.dtype, product.to(torch.complex64).tolist()), (torch.complex32, [2 + 2j, 3j]))

    def test_trace_of_half_precision(self):
        for dtype in (torch.float16, torch.bfloat16):
            x = torch.ones(3, 3, device="cuda", dtype=dtype)
            self.assertEqual((x.trace().item(), x.trace().dtype), (3, dtype))

    def test_medians_have_at_most_24_dimensions(self):
        torch.ones((1,) * 24, device="cuda").median(-1)
        with self.assertRaisesRegex(RuntimeError, "CUDA Tensors cannot have more than 25 dimensions"):
            torch.ones((1,) * 25, device="cuda").median(-1)


    def test_types_that_the_card_refuses(self):
        def ones(*sizes, dtype=torch.int64):
            return torch.ones(sizes, device="cuda", dtype=dtype)

        refused = (
            (lambda: ones(2, 2) @ ones(2, 2), '"addmm_cuda" not implemented for .Long'),
            (lambda: ones(2, 2, dtype=torch.int32) @ ones(2, dtype=torch.int32), '"addmv_impl_cuda" not implemented for .Int'),
            (lambda: ones(1, 2, 2, dtype=torch.bool).bmm(ones(1, 2, 2, dtype=torch.bool)), '"baddbmm_cuda" not implemented for .Bool'),
            (lambda: ones(2).dot(ones(2)), '"dot" not implemented for .Long'),
            (lambda: F.conv2d(ones(1, 1, 3, 3), ones(1, 1, 2, 2)), "getCudnnDataTypeFromScalarType.. not supported for Long"),
            (lambda: F.max_pool2d(ones(1, 1, 4, 4), 2), '"max_pool2d_with_indices_out_cuda_frame" not implemented for .Long'),
            (lambda: F.avg_pool2d(ones(1, 1, 4, 4), 2), '"avg_pool2d_out_cuda_frame" not implemented for .Long'),
            (lambda: F.interpolate(ones(1, 1, 4, 4, dtype=torch.uint8), scale_factor=2, mode="bilinear"),
             '"upsample_bilinear2d_out_frame" not implemented for .Byte'),
        )
        for reduce, dtype in (("prod", torch.bool), ("amax", torch.bool), ("prod", torch.complex64)):
            with self.assertRaisesRegex(RuntimeError, "cuda_scatter_gather_base_kernel_func. not implemented"):
                ones(2, dtype=dtype).scatter_reduce(0, ones(2) * 0, ones(2, dtype=dtype), reduce)
        for function, words in refused:
            with self.assertRaisesRegex(RuntimeError, words):
                function()
        x = ones(1, 4, 2, 8, dtype=torch.float64)
        with self.assertRaisesRegex(RuntimeError, "Expected query to have dtype"):
            torch.ops.aten._efficient_attention_forward(x, x, x, None, None, None, None, None, 0.0, 0)
        torch.cuda.synchronize()    # the device is not lost
        self.assertEqual((ones(0, 2) @ ones(2, 3)).shape, (0, 3))
        self.assertEqual((ones(2, 0) @ ones(0, 2)).tolist(), [[0, 0], [0, 0]])


class StridesTest(unittest.TestCase):
    """Compiled code asserts these."""

    def test_results(self):
        x = torch.eye(4, device="cuda")
        for _ in range(2):
            self.assertEqual(x.nonzero().stride(), (1, 4))
            self.assertEqual(x.nonzero().tolist(), [[i, i] for i in range(4)])
            self.assertEqual(torch.nonzero_static(x, size=6).stride(), (1, 6))
            self.assertEqual(torch.linalg.eig(x)[1].stride(), (4, 1))
            big = torch.randn(3, 70, 60, device="cuda")
            u, s, vh = torch.linalg.svd(big, full_matrices=False)
            self.assertEqual(vh.stride(), (3600, 60, 1))
            torch.testing.assert_close((u * s[:, None]) @ vh, big, rtol=1e-4, atol=1e-4)

    def test_convolutions_put_channels_last(self):
        for size in (16, 160):
            x = torch.rand(2, 8, size, size, device="cuda").to(memory_format=torch.channels_last).requires_grad_()
            weight = torch.rand(12, 8, 3, 3, device="cuda", requires_grad=True)
            for _ in range(2):
                y = F.conv2d(x, weight, padding=1)
                self.assertTrue(y.is_contiguous(memory_format=torch.channels_last))
                gradients = torch.autograd.grad(y.sum(), (x, weight))
                self.assertTrue(gradients[0].is_contiguous(memory_format=torch.channels_last))
                self.assertTrue(gradients[1].is_contiguous())
                torch.testing.assert_close(y.cpu(), F.conv2d(x.cpu(), weight.cpu(), padding=1), rtol=1e-4, atol=1e-4)


class DevicesTest(unittest.TestCase):
    def test_numbers_of_the_host(self):
        a, number = torch.ones(3, device="cuda"), torch.tensor(2.0)
        self.assertEqual(torch.addcmul(a, a, number).tolist(), [3, 3, 3])
        with self.assertRaisesRegex(RuntimeError, "CPU Scalar support for tensor1 argument"):
            torch.addcmul(a, number, a)
        with self.assertRaisesRegex(RuntimeError, "CPU Scalar support for self argument"):
            torch.addcmul(number, a, a)
        with self.assertRaisesRegex(RuntimeError, "Expected all tensors to be on the same device, but got other is on cpu"):
            torch.gcd(a.int(), number.int())

    def test_indices_of_another_device(self):
        index = torch.tensor([0, 1])
        with self.assertRaisesRegex(RuntimeError, r"indices should be either .* \(cpu\)"):
            torch.ones(3)[index.cuda()]
        self.assertEqual(torch.ones(3, device="cuda")[index].tolist(), [1, 1])

    def test_samples_of_another_device(self):
        with self.assertRaisesRegex(RuntimeError, "Expected all tensors to be on the same device"):
            torch.multinomial(torch.ones(3), 2, out=torch.empty(2, dtype=torch.int64, device="cuda"))

    def test_out_is_on_the_device_even_if_it_is_a_number(self):
        a = torch.ones((), device="cuda")
        with self.assertRaisesRegex(RuntimeError, "Expected all tensors to be on the same device"):
            torch.nansum(a, out=torch.zeros(()))
        for function in (torch.maximum, torch.add):
            with self.assertRaisesRegex(RuntimeError, "Expected all tensors to be on the same device"):
                function(a, a, out=torch.zeros(()))
        with self.assertRaisesRegex(RuntimeError, "Expected all tensors to be on the same device"):
            torch.zeros(()).add_(a)
        self.assertEqual((a + torch.ones(())).item(), 2)


class OutTest(unittest.TestCase):
    def test_each_resize_of_elements_warns(self):
        a = torch.rand(3, device="cuda")
        torch.set_warn_always(True)
        self.addCleanup(torch.set_warn_always, False)
        for _ in range(3):
            with self.assertWarnsRegex(UserWarning, "An output with one or more elements was resized"):
                torch.abs(a, out=torch.empty(5, device="cuda"))
        with self.assertWarnsRegex(UserWarning, "An output with one or more elements was resized"):
            torch.linalg.lu_factor(torch.eye(3, device="cuda"), pivot=False,
                                   out=(torch.empty(1, device="cuda"), torch.empty(3, dtype=torch.int32, device="cuda")))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.assertEqual(torch.abs(a, out=torch.empty(0, device="cuda")).tolist(), a.tolist())

    def test_strides_stay(self):
        for count in (8, 8000):    # at once, and enqueued
            a = torch.rand(count, device="cuda")
            values, order = torch.empty(2 * count, device="cuda")[::2], torch.empty(2 * count, device="cuda", dtype=torch.int64)[::2]
            torch.sort(a, out=(values, order))
            self.assertEqual((values.stride(), order.stride()), ((2,), (2,)))
            self.assertTrue(torch.equal(values.cpu(), a.cpu().sort().values))

    def test_another_type_is_refused_without_pivoting(self):
        with self.assertRaisesRegex(RuntimeError, "Expected out tensor to have dtype float, but got long int"):
            torch.linalg.lu_factor(torch.eye(3, device="cuda"), pivot=False,
                                   out=(torch.empty(3, 3, dtype=torch.int64, device="cuda"),
                                        torch.empty(3, dtype=torch.int32, device="cuda")))


class PrecisionTest(unittest.TestCase):
    def test_half_precision_is_rounded_once(self):
        torch.manual_seed(3)
        for dtype in (torch.float16, torch.bfloat16):
            for dimensions in (2, 3):
                image = torch.randn((2, 3) + (7,) * dimensions, device="cuda", dtype=dtype)
                grid = torch.rand((2,) + (5,) * dimensions + (dimensions,), device="cuda", dtype=dtype) * 2 - 1
                result = F.grid_sample(image, grid, align_corners=False)
                expected = F.grid_sample(image.double(), grid.double(), align_corners=False).to(dtype)
                torch.testing.assert_close(result, expected, rtol=1e-3 if dtype == torch.float16 else 8e-3, atol=1e-5)


class RecurrentTest(unittest.TestCase):
    def test_autocast(self):
        for make in (torch.nn.LSTM, torch.nn.GRU, torch.nn.RNN):
            module = make(4, 5, num_layers=2).cuda()
            x = torch.randn(3, 2, 4, device="cuda")
            with torch.autocast("cuda"):
                result = module(x)[0]
            self.assertEqual(result.dtype, torch.float16)
            torch.testing.assert_close(result.float(), module(x)[0], rtol=1e-2, atol=1e-2)
            result.sum().backward()
            self.assertTrue(all(p.grad.isfinite().all() for p in module.parameters()))

    def test_all_is_dropped(self):
        module = torch.nn.RNN(4, 5, num_layers=2, dropout=1.0, bias=False).cuda()
        self.assertEqual(module(torch.randn(3, 2, 4, device="cuda"))[0].abs().sum().item(), 0)

    def test_weights_in_pieces(self):
        module = torch.nn.GRU(4, 5).cuda()
        with torch.no_grad():
            module.weight_hh_l0.set_(module.weight_hh_l0.clone())
        with self.assertWarnsRegex(UserWarning, "not part of single contiguous chunk"):
            module(torch.randn(3, 2, 4, device="cuda"))


class DeterminismTest(unittest.TestCase):
    def tearDown(self):
        torch.use_deterministic_algorithms(False)

    def test_alerts(self):
        a = torch.zeros(4, device="cuda")
        torch.use_deterministic_algorithms(True)
        with self.assertRaisesRegex(RuntimeError, "put_ does not have a deterministic implementation"):
            a.put_(torch.tensor([0, 0], device="cuda"), torch.ones(2, device="cuda"), accumulate=True)
        bag = torch.nn.EmbeddingBag(4, 3, mode="max").cuda()
        with self.assertRaisesRegex(RuntimeError, "embedding_bag_backward_cuda_max does not have a deterministic"):
            bag(torch.tensor([[0, 1]], device="cuda")).sum().backward()


class DivisionTest(unittest.TestCase):
    """The results are those of an H200."""

    def test_integers_by_zero(self):
        low = 0xffffffff
        for dtype, numbers, ones, floors in (
                (torch.int32, [0, 1, -1, 2**31 - 1, -2**31], [-1, -1, -1, -1, -1], [-1, -1, -2, -1, -2]),
                (torch.uint8, [0, 1, 200], [255, 255, 255], [255, 255, 255]),
                (torch.int64, [0, 7, -7, 2**31, 2**63 - 1, -2**63], [low, low, -1, low, -1, -1], [low, low, -2, low, -1, -2])):
            a = torch.tensor(numbers, dtype=dtype, device="cuda")
            zeros = torch.zeros_like(a)
            for zero in (zeros, torch.tensor(0, dtype=dtype, device="cuda"), torch.tensor(0, dtype=dtype), 0):
                self.assertEqual(a.remainder(zero).tolist(), ones)
                self.assertEqual(a.fmod(zero).tolist(), ones)
                self.assertEqual(a.div(zero, rounding_mode="trunc").tolist(), ones)
                self.assertEqual(a.div(zero, rounding_mode="floor").tolist(), floors)
                self.assertEqual(a.floor_divide(zero).tolist(), floors)
                self.assertEqual(a.clone().remainder_(zero).tolist(), ones)
                self.assertEqual(torch.fmod(a, zero, out=torch.empty_like(a)).tolist(), ones)
            self.assertEqual(torch.remainder(5, zeros).tolist(), [ones[1]] * len(numbers))

    def test_only_where_the_divisor_is_zero(self):
        a = torch.arange(10, device="cuda")
        b = torch.tensor([3, 0] * 5, device="cuda")
        expected = [n % 3 if i % 2 == 0 else 0xffffffff for i, n in enumerate(range(10))]
        self.assertEqual(a.remainder(b).tolist(), expected)
        self.assertEqual(a.clone().remainder_(b).tolist(), expected)
        self.assertEqual(torch.remainder(a[:, None], b[:2]).tolist(), [[n % 3, 0xffffffff] for n in range(10)])


if __name__ == "__main__":
    unittest.main(verbosity=1)
