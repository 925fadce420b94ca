# SPDX-License-Identifier: MIT
"""Operators that have a kernel for CUDA and none for the CPU, against references on the CPU.

    test_operators.py [NAME...]       all tests, or some; exits with 77 without torch or cupipe

References are computed in float64 where the operator accumulates in float. Shapes, strides and
masks of dropout are those that an H200 gives.
"""
import sys
import unittest

try:
    import torch
    import torch.sparse._semi_structured_conversions
except ImportError:
    print("skipped: torch is not installed")
    sys.exit(77)

if not torch.cuda.is_available() or "cupipe" not in torch.cuda.get_device_name().lower():
    print("skipped: torch does not run on cupipe")
    sys.exit(77)

aten = torch.ops.aten
F = torch.nn.functional
SDPBackend = torch.nn.attention.SDPBackend


def random(*sizes, dtype=torch.float32, requires_grad=False):
    return torch.randn(*sizes, device="cuda").to(dtype).requires_grad_(requires_grad)


def wide(tensor):
    """A copy on the CPU in float64 that wants gradients as the original does."""
    return tensor.detach().cpu().double().requires_grad_(tensor.requires_grad)


class OperatorTest(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(11)

    def close(self, got, expected, tolerance=None):
        if tolerance is None:
            tolerance = {torch.float16: 4e-3, torch.bfloat16: 3e-2, torch.float32: 2e-5}.get(got.dtype, 1e-10)
        torch.testing.assert_close(got.detach().cpu().double(), expected.detach().double(), rtol=tolerance, atol=tolerance)

    def grads_close(self, got, expected, tolerance=None):
        for a, b in zip(got, expected):
            self.close(a.grad, b.grad, tolerance)


def attention(query, key, value, bias=None, hidden=None, scale=None, keep=None, p=0.0):
    """softmax(scale query keyT + bias) value, with the logarithms of the sums."""
    groups = query.shape[1] // key.shape[1]
    key, value = key.repeat_interleave(groups, 1), value.repeat_interleave(groups, 1)
    scores = query @ key.mT * (scale or query.shape[-1] ** -0.5)
    if bias is not None:
        scores = scores + bias
    if hidden is not None:
        scores = scores.masked_fill(hidden, -torch.inf)
    weights = scores.softmax(-1).nan_to_num(0)
    if keep is not None:
        weights = weights * keep / (1 - p)
    return weights @ value, scores.logsumexp(-1)


class Attention(OperatorTest):
    def qkv(self, dtype=torch.float16, heads=4, key_heads=None, queries=37, keys=53, width=40, value_width=None):
        key_heads = key_heads or heads
        shapes = (heads, queries, width), (key_heads, keys, width), (key_heads, keys, value_width or width)
        return [random(2, n, h, w, dtype=dtype).transpose(1, 2).requires_grad_() for h, n, w in shapes]

    def check(self, backend, **options):
        """The public function with one backend, forward and backward."""
        call = {k: options.pop(k) for k in ("is_causal", "scale", "enable_gqa") if k in options}
        bias = options.pop("bias", None)
        tensors = self.qkv(**options)
        copies = [wide(t) for t in tensors]
        with torch.nn.attention.sdpa_kernel(backend):
            out = F.scaled_dot_product_attention(*tensors, attn_mask=bias, **call)
        hidden = None
        if call.get("is_causal"):
            hidden = torch.ones(out.shape[2], tensors[1].shape[2], dtype=torch.bool).triu(1)
        bias_copy = wide(bias) if bias is not None else None
        expected, _ = attention(*copies, bias=bias_copy, hidden=hidden, scale=call.get("scale"))
        grad = random(*out.shape, dtype=out.dtype)
        out.backward(grad)
        expected.backward(wide(grad))
        self.close(out, expected)
        self.grads_close(tensors, copies, 2e-2 if out.dtype != torch.float32 else 2e-5)
        if bias is not None and bias.requires_grad:
            self.close(bias.grad, bias_copy.grad, 2e-2 if out.dtype != torch.float32 else 2e-5)

    def test_flash(self):
        for dtype in (torch.float16, torch.bfloat16):
            self.check(SDPBackend.FLASH_ATTENTION, dtype=dtype)
        self.check(SDPBackend.FLASH_ATTENTION, is_causal=True, queries=53)
        self.check(SDPBackend.FLASH_ATTENTION, key_heads=2, enable_gqa=True, scale=0.3)

    def test_efficient(self):
        for dtype in (torch.float16, torch.bfloat16, torch.float32):
            self.check(SDPBackend.EFFICIENT_ATTENTION, dtype=dtype)
        self.check(SDPBackend.EFFICIENT_ATTENTION, is_causal=True, dtype=torch.float32)
        self.check(SDPBackend.EFFICIENT_ATTENTION, value_width=48, dtype=torch.float32)
        bias = random(2, 1, 37, 53, requires_grad=True)
        self.check(SDPBackend.EFFICIENT_ATTENTION, bias=bias, dtype=torch.float32)

    def test_cudnn(self):
        self.check(SDPBackend.CUDNN_ATTENTION)
        self.check(SDPBackend.CUDNN_ATTENTION, is_causal=True, dtype=torch.bfloat16)

    def test_default_choice_computes(self):
        tensors = self.qkv()
        copies = [wide(t) for t in tensors]
        self.close(F.scaled_dot_product_attention(*tensors), attention(*copies)[0])

    def test_boolean_mask_with_blind_query(self):
        tensors = self.qkv(dtype=torch.float32)
        mask = torch.rand(2, 4, 37, 53, device="cuda") > 0.3
        mask[:, :, 3] = False
        with torch.nn.attention.sdpa_kernel(SDPBackend.EFFICIENT_ATTENTION):
            out = F.scaled_dot_product_attention(*tensors, attn_mask=mask)
        out.sum().backward()
        expected, _ = attention(*[wide(t) for t in tensors], hidden=~mask.cpu())
        self.close(out, expected)
        self.assertTrue(all(bool(t.grad.isfinite().all()) for t in tensors))
        bias = torch.zeros(2, 4, 37, 53, device="cuda").masked_fill(~mask, -torch.inf)
        sums = aten._scaled_dot_product_efficient_attention(*[t.detach() for t in tensors], bias, True)[1]
        self.assertTrue(bool((sums[:, :, 3] == 0).all()))

    def test_results_of_flash(self):
        query, key, value = [t.detach() for t in self.qkv()]
        out, sums, a, b, queries, keys, state, unused, mask = aten._scaled_dot_product_flash_attention(query, key, value)
        self.assertEqual((out.shape, out.stride()), (query.shape, query.stride()))
        self.assertEqual((sums.shape, sums.dtype), ((2, 4, 37), torch.float32))
        self.assertEqual((a, b, queries, keys, state.shape, state.dtype), (None, None, 37, 53, (2,), torch.uint64))
        self.assertEqual((unused.shape, mask.shape), ((), (0,)))
        self.close(sums, attention(wide(query), wide(key), wide(value))[1], 1e-3)

    def test_results_of_efficient(self):
        query, key, value = [t.detach() for t in self.qkv()]
        out, sums, seed, offset = aten._scaled_dot_product_efficient_attention(query, key, value, None, True)
        self.assertEqual(out.stride(), (37 * 160, 40, 160, 1))
        self.assertEqual((sums.shape, seed.device.type, offset.dtype), ((2, 4, 64), "cpu", torch.int64))
        self.assertTrue(bool((sums[:, :, 37:] == torch.inf).all()))
        self.close(sums[:, :, :37], attention(wide(query), wide(key), wide(value))[1], 1e-3)
        self.assertEqual(aten._scaled_dot_product_efficient_attention(query, key, value, None, False)[1].shape, (2, 4, 0))

    def test_results_of_cudnn(self):
        query, key, value = [t.detach() for t in self.qkv()]
        results = aten._scaled_dot_product_cudnn_attention(query, key, value, None, True)
        self.assertEqual((results[0].stride(), results[1].shape), (query.stride(), (2, 4, 37, 1)))
        self.assertEqual((results[4], results[5], results[6].device.type, results[6].dtype), (37, 53, "cuda", torch.int64))
        self.assertIsNone(aten._scaled_dot_product_cudnn_attention(query, key, value, None, False)[1])

    def test_flash_refuses_float(self):
        with self.assertRaisesRegex(RuntimeError, "only support fp16 and bf16"):
            aten._scaled_dot_product_flash_attention(*self.qkv(dtype=torch.float32))

    def test_flash_causal_ends_with_the_last_key(self):
        for queries, keys in ((37, 53), (53, 37)):
            query, key, value = [t.detach() for t in self.qkv(queries=queries, keys=keys)]
            out, sums, *_ = aten._flash_attention_forward(query.mT.mT.transpose(1, 2), key.transpose(1, 2), value.transpose(1, 2), None, None, queries, keys, 0.0, True, False)
            hidden = torch.ones(queries, keys, dtype=torch.bool).triu(1 + keys - queries)
            expected, logs = attention(wide(query), wide(key), wide(value), hidden=hidden)
            self.close(out.transpose(1, 2), expected)
            self.close(sums, logs.masked_fill(logs == -torch.inf, torch.inf), 1e-3)

    def packed(self):
        ends_q = torch.tensor([0, 5, 20, 37], dtype=torch.int32, device="cuda")
        ends_k = torch.tensor([0, 9, 30, 53], dtype=torch.int32, device="cuda")
        return random(37, 4, 40, dtype=torch.float16), random(53, 4, 40, dtype=torch.float16), random(53, 4, 40, dtype=torch.float16), ends_q, ends_k

    def packed_reference(self, query, key, value, ends_q, ends_k, grad=None, hide=None):
        copies = [wide(t).requires_grad_() for t in (query, key, value)]
        parts, logs = [], []
        for i in range(len(ends_q) - 1):
            q = copies[0][ends_q[i] : ends_q[i + 1]].transpose(0, 1)[None]
            k, v = (t[ends_k[i] : ends_k[i + 1]].transpose(0, 1)[None] for t in copies[1:])
            out, sums = attention(q, k, v, hidden=hide(q.shape[2], k.shape[2]) if hide else None)
            parts.append(out[0].transpose(0, 1))
            logs.append(sums[0])
        out = torch.cat(parts)
        if grad is not None:
            out.backward(wide(grad))
        return out, logs, [t.grad for t in copies]

    def test_flash_packed(self):
        query, key, value, ends_q, ends_k = self.packed()
        grad = random(37, 4, 40, dtype=torch.float16)
        out, sums, state, unused, _ = aten._flash_attention_forward(query, key, value, ends_q, ends_k, 15, 23, 0.0, False, False)
        expected, logs, grads = self.packed_reference(query, key, value, ends_q, ends_k, grad)
        self.close(out, expected)
        self.assertEqual(sums.shape, (4, 37))
        self.close(sums, torch.cat(logs, 1), 1e-3)
        made = aten._flash_attention_backward(grad, query, key, value, out, sums, ends_q, ends_k, 15, 23, 0.0, False, state, unused)
        for a, b in zip(made, grads):
            self.close(a, b, 2e-2)

    def test_flash_window(self):
        query, key, value, ends_q, ends_k = self.packed()
        out = aten._flash_attention_forward(query, key, value, ends_q, ends_k, 15, 23, 0.0, False, False, window_size_left=3, window_size_right=2)[0]

        def hide(queries, keys):
            distance = torch.arange(keys)[None] - torch.arange(queries)[:, None] - (keys - queries)
            return (distance < -3) | (distance > 2)

        self.close(out, self.packed_reference(query, key, value, ends_q, ends_k, hide=hide)[0])

    def test_flash_pages(self):
        if not any(a.name == "block_table" for a in aten._flash_attention_forward.default._schema.arguments):
            self.skipTest("this torch has no pages")
        query, key, value, ends_q, ends_k = self.packed()
        lengths = (ends_k[1:] - ends_k[:-1])
        table = torch.tensor([[5, 0], [2, 4], [1, 3]], dtype=torch.int32, device="cuda")
        pages = [torch.zeros(6, 16, 4, 40, dtype=torch.float16, device="cuda") for _ in range(2)]
        for i in range(3):
            for tensor, page in zip((key, value), pages):
                part = tensor[ends_k[i] : ends_k[i + 1]]
                page[table[i, 0], : min(16, len(part))] = part[:16]
                if len(part) > 16:
                    page[table[i, 1], : len(part) - 16] = part[16:]
        out = aten._flash_attention_forward(query, *pages, ends_q, None, 15, 32, 0.0, False, False, seqused_k=lengths, block_table=table)[0]
        self.close(out, self.packed_reference(query, key, value, ends_q, ends_k)[0])

    def test_efficient_packed(self):
        query, key, value, ends_q, ends_k = self.packed()
        grad = random(1, 37, 4, 40, dtype=torch.float16)
        given = query[None], key[None], value[None]
        out, sums, seed, offset, most_q, most_k = aten._efficient_attention_forward(*given, None, ends_q, ends_k, 15, 23, 0.0, 0, True)
        expected, logs, grads = self.packed_reference(query, key, value, ends_q, ends_k, grad[0])
        self.close(out[0], expected)
        self.assertEqual((sums.shape, most_q, most_k), ((3, 4, 32), 15, 23))
        self.close(sums[1, :, :15], logs[1], 1e-3)
        made = aten._efficient_attention_backward(grad, *given, None, out, ends_q, ends_k, 15, 23, sums, 0.0, seed, offset, 0, False)
        for a, b in zip(made, grads):
            self.close(a[0], b, 2e-2)

    def test_cudnn_packed(self):
        query, key, value, ends_q, ends_k = self.packed()
        grad = random(37, 4, 40, dtype=torch.float16)
        results = aten._cudnn_attention_forward(query, key, value, None, ends_q, ends_k, 15, 23, True)
        expected, logs, grads = self.packed_reference(query, key, value, ends_q, ends_k, grad)
        self.close(results[0], expected)
        self.assertEqual(results[1].shape, (37, 4, 1))
        self.close(results[1].squeeze(-1).t(), torch.cat(logs, 1), 1e-3)
        made = aten._cudnn_attention_backward(grad, query, key, value, *results[:2], *results[6:8], None, ends_q, ends_k, 15, 23, 0.0, False)
        for a, b in zip(made, grads):
            self.close(a, b, 2e-2)

    def test_result_in_given_tensor(self):
        query, key, value, ends_q, ends_k = self.packed()
        expected = self.packed_reference(query, key, value, ends_q, ends_k)[0]
        for name, tail in (("_flash_attention_forward_no_dropout_inplace", (0.0, False, False)), ("_cudnn_attention_forward_no_dropout_inplace", (False,))):
            if not hasattr(aten, name):
                self.skipTest("this torch has no " + name)
            out = torch.empty_like(query)
            getattr(aten, name)(out, query, key, value, ends_q, ends_k, 15, 23, *tail)
            self.close(out, expected)

    def test_flash_of_float8(self):
        if "quantized" not in aten._scaled_dot_product_flash_attention.overloads():
            self.skipTest("this torch has no attention of float8")
        query, key, value = [t.detach().to(torch.float8_e4m3fn) for t in self.qkv(key_heads=2)]
        factors = [torch.rand(2, 2, device="cuda") + 0.5 for _ in range(3)]
        out = aten._scaled_dot_product_flash_attention.quantized(query, key, value, *factors)[0]
        self.assertEqual(out.dtype, torch.bfloat16)
        heads = [wide(f)[:, :, None, None] for f in factors]
        scaled = wide(query.float()) * heads[0].repeat_interleave(2, 1), wide(key.float()) * heads[1], wide(value.float()) * heads[2]
        self.close(out, attention(*scaled)[0], 3e-2)

    def test_efficient_masks(self):
        query, key, value = [t.detach().transpose(1, 2) for t in self.qkv(dtype=torch.float32)]
        for kind, shift in ((1, 0), (2, 53 - 37)):
            out = aten._efficient_attention_forward(query, key, value, None, None, None, None, None, 0.0, kind, True)[0]
            hidden = torch.ones(37, 53, dtype=torch.bool).triu(1 + shift)
            self.close(out.transpose(1, 2), attention(*[wide(t).transpose(1, 2) for t in (query, key, value)], hidden=hidden)[0])

    def test_dropout_of_flash_is_the_card_s(self):
        """The first elements that an H200 drops for seed 123 and offset 12, p = 0.3."""
        query, key, value = [random(2, 70 if i == 0 else 150, 3, 64, dtype=torch.float16) for i in range(3)]
        torch.cuda.manual_seed(123)
        torch.rand(1, device="cuda"), torch.rand(1, device="cuda"), torch.rand(1, device="cuda")
        results = aten._flash_attention_forward(query, key, value, None, None, 70, 150, 0.3, False, True)
        self.assertEqual(results[2].tolist(), [123, 12])
        dropped = (results[4][:, :, :70, :150] < 0).cpu()
        self.assertEqual(dropped.sum().item(), DROPPED_BY_FLASH)
        self.assertEqual("".join("01"[int(x)] for x in dropped[1, 2, 33, :64]), ROW_OF_FLASH)

    def test_dropout_gradient(self):
        for backend in (SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.CUDNN_ATTENTION):
            tensors = self.qkv(queries=40, keys=40, width=40)
            torch.cuda.manual_seed(5)
            with torch.nn.attention.sdpa_kernel(backend):
                identity = torch.eye(40, dtype=torch.float16, device="cuda").expand(2, 4, 40, 40).contiguous()
                mask = F.scaled_dot_product_attention(tensors[0].detach(), tensors[1].detach(), identity, dropout_p=0.25) != 0
                torch.cuda.manual_seed(5)
                out = F.scaled_dot_product_attention(*tensors, dropout_p=0.25)
            self.assertAlmostEqual(mask.double().mean().item(), 0.75, delta=0.02)
            copies = [wide(t) for t in tensors]
            expected, _ = attention(*copies, keep=mask.cpu(), p=0.25)
            grad = random(*out.shape, dtype=torch.float16)
            out.backward(grad)
            expected.backward(wide(grad))
            self.close(out, expected, 1e-2)
            self.grads_close(tensors, copies, 2e-2)

    def test_fill_dropout_mask(self):
        mask = torch.empty(2, 3, 70, 150, device="cuda")
        aten._fill_mem_eff_dropout_mask_(mask, 0.3, 1234567, 40)
        self.close(mask.flatten()[:8], torch.tensor(UNIFORM_OF_EFFICIENT), 1e-7)


# Recorded on an H200 with torch 2.11.
DROPPED_BY_FLASH = 18747
ROW_OF_FLASH = "0000000000100101010001111000010000001110000100000110000011001010"
UNIFORM_OF_EFFICIENT = [0.575254142, 0.000282321, 0.797685862, 0.128642902, 0.442185163, 0.314262033, 0.799786806, 0.776367903]


class Recurrent(OperatorTest):
    def check(self, kind, sizes=None, **options):
        module = getattr(torch.nn, kind)(6, 8, 2, **options).double()
        copy = getattr(torch.nn, kind)(6, 8, 2, **options).double()
        copy.load_state_dict(module.state_dict())
        module = module.cuda()
        data = torch.randn(3, 7, 6, dtype=torch.float64) if options.get("batch_first") else torch.randn(7, 3, 6, dtype=torch.float64)
        inputs = data.cuda().requires_grad_(), data.clone().requires_grad_()
        if sizes:
            pack = torch.nn.utils.rnn.pack_padded_sequence
            given = [pack(x, sizes, enforce_sorted=True) for x in inputs]
        else:
            given = inputs
        (got, got_state), (expected, state) = module(given[0]), copy(given[1])
        if sizes:
            got, expected = got.data, expected.data
        self.assertEqual(got.shape, expected.shape)
        self.close(got, expected)
        states = list(zip(got_state, state)) if kind == "LSTM" else [(got_state, state)]
        for a, b in states:
            self.close(a, b)
        weight = torch.randn_like(expected)
        (got * weight.cuda()).sum().add(sum((a * a).sum() for a, _ in states)).backward()
        (expected * weight).sum().add(sum((b * b).sum() for _, b in states)).backward()
        self.grads_close([inputs[0], *module.parameters()], [inputs[1], *copy.parameters()])

    def test_modules(self):
        for kind in ("LSTM", "GRU", "RNN"):
            for options in ({}, {"bidirectional": True}, {"bias": False}, {"batch_first": True, "bidirectional": True}):
                self.check(kind, **options)
        self.check("RNN", nonlinearity="relu")
        self.check("LSTM", proj_size=5, bidirectional=True)

    def test_packed_sequences(self):
        for kind in ("LSTM", "GRU", "RNN"):
            self.check(kind, sizes=[7, 4, 2], bidirectional=True)

    def test_half_precision(self):
        module = torch.nn.LSTM(6, 8, 2).cuda().half()
        data = random(7, 3, 6, dtype=torch.float16)
        copy = torch.nn.LSTM(6, 8, 2).double()
        copy.load_state_dict({k: v.cpu().double() for k, v in module.state_dict().items()})
        self.close(module(data)[0], copy(wide(data))[0])

    def test_dropout_repeats_and_has_gradients(self):
        module = torch.nn.LSTM(6, 64, 2, dropout=0.5).cuda()
        data = random(7, 3, 6, requires_grad=True)
        first, second = module(data)[0], module(data)[0]
        self.assertFalse(torch.equal(first, second))
        first.sum().backward()
        self.assertTrue(bool(data.grad.isfinite().all()))
        module.eval()
        self.assertTrue(torch.equal(module(data)[0], module(data)[0]))

    def test_backward_needs_training(self):
        module = torch.nn.LSTM(6, 8).cuda().eval()
        with self.assertRaisesRegex(RuntimeError, "can only be called in training mode"):
            module(random(7, 3, 6, requires_grad=True))[0].sum().backward()

    def test_flatten_weight_puts_matrices_first(self):
        module = torch.nn.LSTM(6, 8, 2).cuda()
        before = [p.detach().clone() for p in module.parameters()]
        module.flatten_parameters()
        offsets = [p.storage_offset() for p in module._flat_weights]
        self.assertEqual(offsets, [0, 192, 960, 992, 448, 704, 1024, 1056])
        for a, b in zip(module.parameters(), before):
            self.assertTrue(torch.equal(a, b))

    def test_cells(self):
        for kind in ("LSTMCell", "GRUCell"):
            for bias in (True, False):
                cell = getattr(torch.nn, kind)(6, 8, bias=bias).double()
                copy = getattr(torch.nn, kind)(6, 8, bias=bias).double()
                copy.load_state_dict(cell.state_dict())
                cell = cell.cuda()
                data = torch.randn(3, 6, dtype=torch.float64)
                given = data.cuda().requires_grad_(), data.clone().requires_grad_()
                got, expected = cell(given[0]), copy(given[1])
                if kind == "LSTMCell":
                    got, expected = torch.cat(got, 1), torch.cat(expected, 1)
                self.close(got, expected)
                got.square().sum().backward()
                expected.square().sum().backward()
                self.grads_close([given[0], *cell.parameters()], [given[1], *copy.parameters()])


class Normalization(OperatorTest):
    def test_rms_norm(self):
        for dtype in (torch.float32, torch.bfloat16):
            for weighted in (True, False):
                x = random(3, 5, 16, dtype=dtype, requires_grad=True)
                weight = random(16, dtype=dtype, requires_grad=True) if weighted else None
                copies = wide(x), wide(weight) if weighted else None
                out = F.rms_norm(x, (16,), weight, 1e-5)
                expected = F.rms_norm(copies[0], (16,), copies[1], 1e-5)
                grad = random(3, 5, 16, dtype=dtype)
                out.backward(grad)
                expected.backward(wide(grad))
                self.close(out, expected)
                self.close(x.grad, copies[0].grad, 5e-2 if dtype == torch.bfloat16 else None)
                if weighted:
                    self.close(weight.grad, copies[1].grad, 5e-2 if dtype == torch.bfloat16 else None)
        x = random(4, 64, dtype=torch.float16) * 1e-3
        expected = wide(x) * (wide(x).square().mean(1, True) + torch.finfo(torch.float32).eps).rsqrt()
        self.close(F.rms_norm(x, (64,)), expected)
        out, rstd = aten._fused_rms_norm(random(3, 5, 16, dtype=torch.bfloat16), [5, 16], None, None)
        self.assertEqual((rstd.shape, rstd.dtype), ((3, 1, 1), torch.float32))

    def test_cudnn_batch_norm(self):
        x, weight, bias = random(4, 6, 5, 7, dtype=torch.float64), random(6, dtype=torch.float64), random(6, dtype=torch.float64)
        for x in (x, x.to(memory_format=torch.channels_last)):
            mean, var = torch.zeros(6, device="cuda", dtype=torch.float64), torch.ones(6, device="cuda", dtype=torch.float64)
            out, save_mean, save_std, reserve = aten.cudnn_batch_norm(x, weight, bias, mean, var, True, 0.1, 1e-5)
            copy = torch.nn.BatchNorm2d(6).double()
            copy.weight.data, copy.bias.data = weight.cpu(), bias.cpu()
            given = wide(x).requires_grad_()
            expected = copy(given)
            grad = random(4, 6, 5, 7, dtype=torch.float64)
            expected.backward(grad.cpu())
            self.close(out, expected)
            self.assertEqual(out.stride(), x.stride())
            self.close(mean, copy.running_mean)
            self.close(var, copy.running_var)
            made = aten.cudnn_batch_norm_backward(x, grad, weight, mean, var, save_mean, save_std, 1e-5, reserve)
            for a, b in zip(made, (given.grad, copy.weight.grad, copy.bias.grad)):
                self.close(a, b)

    def test_module(self):
        module, copy = torch.nn.BatchNorm2d(6).cuda(), torch.nn.BatchNorm2d(6).double()
        x = random(4, 6, 5, 7, requires_grad=True)
        given = wide(x)
        out, expected = module(x), copy(given)
        out.square().sum().backward()
        expected.square().sum().backward()
        self.close(out, expected)
        self.close(x.grad, given.grad)
        self.close(module.eval()(x), copy.eval()(given))

    def test_parts_of_sync_batch_norm(self):
        x, grad = random(8, 6, 5, 7, dtype=torch.float64), random(8, 6, 5, 7, dtype=torch.float64)
        weight, bias = random(6, dtype=torch.float64), random(6, dtype=torch.float64)
        copy = torch.nn.BatchNorm2d(6).double()
        copy.weight.data, copy.bias.data = weight.cpu(), bias.cpu()
        given = wide(x).requires_grad_()
        expected = copy(given)
        expected.backward(grad.cpu())
        parts = x[:3], x[3:]
        stats = [aten.batch_norm_stats(part, 1e-5) for part in parts]
        counts = torch.tensor([3.0 * 35, 5.0 * 35], device="cuda", dtype=torch.float64)
        mean, var = torch.zeros_like(weight), torch.ones_like(weight)
        means, stds = torch.stack([s[0] for s in stats]), torch.stack([s[1] for s in stats])
        joined = aten.batch_norm_gather_stats_with_counts(x, means, stds, mean, var, 0.1, 1e-5, counts)
        self.close(mean, copy.running_mean)
        self.close(var, copy.running_var)
        self.close(aten.batch_norm_elemt(x, weight, bias, *joined, 1e-5), expected)
        sums = aten.batch_norm_backward_reduce(grad, x, *joined, weight, True, True, True)
        self.close(sums[2], copy.weight.grad)
        self.close(sums[3], copy.bias.grad)
        total = torch.tensor([3 * 35, 5 * 35], device="cuda", dtype=torch.int32)
        self.close(aten.batch_norm_backward_elemt(grad, x, *joined, weight, sums[0], sums[1], total), given.grad)
        even = aten.batch_norm_gather_stats(x, means[:1], stds[:1], None, None, 0.1, 1e-5, 105)
        self.close(even[0], means[0].cpu())


class Convolution(OperatorTest):
    def test_cudnn(self):
        x, weight, bias = random(2, 4, 9, 9), random(6, 4, 3, 3), random(6)
        for x in (x, x.to(memory_format=torch.channels_last)):
            expected = F.conv2d(wide(x), wide(weight), stride=2, padding=1)
            out = aten.cudnn_convolution(x, weight, [1, 1], [2, 2], [1, 1], 1, False, False, True)
            self.close(out, expected)
            self.assertEqual(out.stride()[1] == 1, x.stride()[1] == 1)
            relu = aten.cudnn_convolution_relu(x, weight, bias, [1, 1], [1, 1], [1, 1], 1)
            self.close(relu, F.conv2d(wide(x), wide(weight), wide(bias), padding=1).relu())
            z = random(2, 6, 9, 9)
            both = aten.cudnn_convolution_add_relu(x, weight, z, 0.5, bias, [1, 1], [1, 1], [1, 1], 1)
            self.close(both, (F.conv2d(wide(x), wide(weight), wide(bias), padding=1) + 0.5 * wide(z)).relu())
        weight = random(4, 6, 3, 3)
        out = aten.cudnn_convolution_transpose(x, weight, [1, 1], [1, 1], [2, 2], [1, 1], 1, False, False, True)
        self.close(out, F.conv_transpose2d(wide(x), wide(weight), stride=2, padding=1, output_padding=1))

    def test_gradient(self):
        x, weight = random(2, 4, 9, 9, requires_grad=True), random(6, 4, 3, 3, requires_grad=True)
        copies = wide(x), wide(weight)
        torch._convolution(x, weight, None, [1, 1], [1, 1], [1, 1], False, [0, 0], 1, False, False, True, True).square().sum().backward()
        F.conv2d(*copies, padding=1).square().sum().backward()
        self.grads_close((x, weight), copies, 1e-4)

    def test_depthwise(self):
        x, weight, bias = random(2, 4, 9, 9), random(8, 1, 3, 3), random(8)
        self.close(aten._conv_depthwise2d(x, weight, [3, 3], bias, [1, 1], [1, 1], [1, 1]), F.conv2d(wide(x), wide(weight), wide(bias), padding=1, groups=4))
        x, weight = random(2, 4, 5, 9, 9), random(8, 1, 3, 3, 3)
        self.close(aten.conv_depthwise3d(x, weight, [3] * 3, bias, [1] * 3, [1] * 3, [1] * 3), F.conv3d(wide(x), wide(weight), wide(bias), padding=1, groups=4))


class Products(OperatorTest):
    def test_result_in_float(self):
        for dtype in (torch.float16, torch.bfloat16):
            a, b, c = random(2, 8, 16, dtype=dtype), random(2, 16, 8, dtype=dtype), random(2, 8, 8, dtype=dtype)
            for got, expected in (
                (torch.mm(a[0], b[0], out_dtype=torch.float32), wide(a[0]) @ wide(b[0])),
                (torch.bmm(a, b, out_dtype=torch.float32), wide(a) @ wide(b)),
                (torch.addmm(c[0], a[0], b[0], out_dtype=torch.float32), wide(c[0]) + wide(a[0]) @ wide(b[0])),
                (torch.baddbmm(c, a, b, out_dtype=torch.float32, beta=2), 2 * wide(c) + wide(a) @ wide(b)),
            ):
                self.assertEqual(got.dtype, torch.float32)
                self.close(got, expected)
        with self.assertRaisesRegex(RuntimeError, "out_dtype must be the same"):
            torch.mm(a[0], b[0], out_dtype=torch.float64)

    def float8(self, *sizes):
        return random(*sizes).to(torch.float8_e4m3fn)

    def test_scaled(self):
        a, b = self.float8(32, 64), self.float8(48, 64).t()
        one, two = torch.tensor(1.5, device="cuda"), torch.tensor(0.25, device="cuda")
        product = wide(a.float()) @ wide(b.float())
        got = torch._scaled_mm(a, b, one, two, out_dtype=torch.float32)
        self.close(got, product * 0.375, 1e-4)
        bias = random(48, dtype=torch.bfloat16)
        self.close(torch._scaled_mm(a, b, one, two, bias=bias, out_dtype=torch.bfloat16), product * 0.375 + wide(bias), 3e-2)
        rows, columns = torch.rand(32, 1, device="cuda"), torch.rand(1, 48, device="cuda")
        self.close(torch._scaled_mm(a, b, rows, columns, out_dtype=torch.bfloat16), product * wide(rows) * wide(columns), 3e-2)
        self.assertEqual(torch._scaled_mm(a, b, one, two).dtype, torch.float8_e4m3fn)
        with self.assertRaisesRegex(ValueError, "two Float8_e5m2"):
            torch._scaled_mm(a.to(torch.float8_e5m2), b.to(torch.float8_e5m2), one, two)
        with self.assertRaisesRegex(RuntimeError, "row-major and column-major"):
            torch._scaled_mm(a, b.contiguous(), one, two)
        with self.assertRaisesRegex(RuntimeError, "Invalid scaling configuration"):
            torch._scaled_mm(a, b, rows[1:], columns, out_dtype=torch.bfloat16)

    def test_scaled_blocks(self):
        a, b = self.float8(128, 256), self.float8(256, 256).t()
        left, right = torch.rand(2, 128, device="cuda").t(), torch.rand(2, 256, device="cuda")
        expected = (wide(a.float()) * wide(left).repeat_interleave(128, 1)) @ (wide(b.float()) * wide(right).repeat_interleave(128, 0))
        self.close(torch._scaled_mm(a, b, left, right, out_dtype=torch.bfloat16), expected, 3e-2)

    def test_scaled_second_version(self):
        if not hasattr(F, "scaled_mm"):
            self.skipTest("this torch has no scaled_mm")
        a, b = self.float8(32, 64), self.float8(48, 64).t()
        rows, columns = torch.rand(32, 1, device="cuda"), torch.rand(1, 48, device="cuda")
        kind = F.ScalingType.RowWise
        got = F.scaled_mm(a, b, rows, kind, columns, kind, output_dtype=torch.bfloat16)
        self.close(got, wide(a.float()) @ wide(b.float()) * wide(rows) * wide(columns), 3e-2)

    def test_scaled_tiles_of_scales(self):
        a, b = self.float8(128, 256), self.float8(256, 256).t()
        exponents = [torch.randint(-2, 3, (rows, 8)) for rows in (128, 256)]

        def tiles(matrix):
            rows, columns = matrix.shape
            blocks = matrix.view(rows // 128, 4, 32, columns // 4, 4).permute(0, 3, 2, 1, 4)
            return blocks.flatten().float().exp2().to(torch.float8_e8m0fnu).cuda()

        got = torch._scaled_mm(a, b, tiles(exponents[0]), tiles(exponents[1]), out_dtype=torch.bfloat16)
        left, right = (e.double().exp2().repeat_interleave(32, 1) for e in exponents)
        self.close(got, (wide(a.float()) * left) @ (wide(b.float()) * right.t()), 3e-2)

    def test_grouped(self):
        ends = torch.tensor([16, 32, 64], dtype=torch.int32, device="cuda")
        starts = [0, 16, 32, 64]
        a, b = random(64, 32, dtype=torch.bfloat16), random(3, 44, 32, dtype=torch.bfloat16).transpose(1, 2)
        out = torch._grouped_mm(a, b, offs=ends)
        self.assertEqual((out.shape, out.stride()), ((64, 44), (48, 1)))
        expected = torch.cat([wide(a[starts[i] : starts[i + 1]]) @ wide(b[i]) for i in range(3)])
        self.close(out, expected, 5e-2)
        both = torch._grouped_mm(random(3, 16, 32, dtype=torch.bfloat16), b)
        self.assertEqual(both.stride(), (768, 48, 1))
        c, d = random(24, 64, dtype=torch.bfloat16), random(40, 64, dtype=torch.bfloat16).t()
        expected = torch.stack([wide(c[:, starts[i] : starts[i + 1]]) @ wide(d[starts[i] : starts[i + 1]]) for i in range(3)])
        self.close(torch._grouped_mm(c, d, offs=ends), expected, 5e-2)
        with self.assertRaisesRegex(RuntimeError, "Have to provide offsets"):
            torch._grouped_mm(a, b)

    def test_scaled_grouped(self):
        ends = torch.tensor([16, 32, 64], dtype=torch.int32, device="cuda")
        starts = [0, 16, 32, 64]
        a, b = self.float8(64, 32), self.float8(3, 48, 32).transpose(1, 2)
        left, right = torch.rand(64, device="cuda"), torch.rand(3, 48, device="cuda")
        out = torch._scaled_grouped_mm(a, b, left, right, offs=ends, out_dtype=torch.bfloat16)
        expected = [wide(a.float())[starts[i] : starts[i + 1]] @ wide(b.float())[i] * wide(left)[starts[i] : starts[i + 1], None] * wide(right)[i] for i in range(3)]
        self.close(out, torch.cat(expected), 5e-2)

    def test_four_bits(self):
        values = torch.randint(0, 16, (32, 128), device="cuda", dtype=torch.int32)
        packed = ((values[:, ::2] << 4) | values[:, 1::2]).to(torch.uint8)
        pairs = torch.rand(4, 32, 2, device="cuda").to(torch.bfloat16)
        x = random(5, 128, dtype=torch.bfloat16)
        weight = (wide(values) - 8) * wide(pairs)[..., 0].t().repeat_interleave(32, 1) + wide(pairs)[..., 1].t().repeat_interleave(32, 1)
        for inner in (2, 4, 8):
            tiles = aten._convert_weight_to_int4pack(packed, inner)
            self.assertEqual(tiles.shape, (4, 128 // (inner * 16), 32, inner // 2))
            self.close(aten._weight_int4pack_mm(x, tiles, 32, pairs), wide(x) @ weight.t(), 0.3)
        first = tiles.flatten()[0].item() & 0xFFFFFFFF
        columns = [0, 8, 16, 24, 1, 9, 17, 25]
        self.assertEqual([first >> 4 * i & 15 for i in range(8)], [values[0, c].item() for c in columns])

    def test_eight_bits(self):
        a, b = (torch.randint(-128, 127, s, device="cuda", dtype=torch.int8) for s in ((17, 8), (8, 16)))
        self.assertEqual(torch._int_mm(a, b).cpu().tolist(), (a.cpu().long() @ b.cpu().long()).tolist())

    def test_semi_structured(self):
        mask = torch.tensor([1, 0, 0, 1], device="cuda").repeat(64, 32)
        weight, x, bias = (random(64, 128) * mask).half(), random(128, 64, dtype=torch.float16), random(64, dtype=torch.float16)
        compressed = aten._cslt_compress(weight)
        self.assertEqual(compressed.shape, (64, 72))
        expected = wide(weight) @ wide(x)
        self.close(aten._cslt_sparse_mm(compressed, x), expected, 2e-2)
        self.close(aten._cslt_sparse_mm(compressed, x, bias=bias), expected + wide(bias)[:, None], 2e-2)
        self.close(aten._cslt_sparse_mm(compressed, x, transpose_result=True), expected.t(), 2e-2)
        small = (torch.randint(-9, 9, (64, 128), device="cuda") * mask).to(torch.int8)
        y = torch.randint(-9, 9, (128, 64), device="cuda", dtype=torch.int8)
        got = aten._cslt_sparse_mm(aten._cslt_compress(small), y, out_dtype=torch.int32)
        self.assertEqual(got.cpu().tolist(), (small.cpu().long() @ y.cpu().long()).tolist())


    def test_semi_structured_tiles(self):
        x = random(64, 128, dtype=torch.float16)
        packed, positions, turned, turned_positions, masks = aten._sparse_semi_structured_tile(x)
        self.assertEqual((positions.shape, positions.stride()), ((64, 2, 4), (2, 1, 128)))
        self.assertEqual((turned.shape, turned_positions.shape, masks.shape), ((128, 32), (128, 2, 2), (8, 16, 8)))
        dense = aten._sparse_semi_structured_apply_dense(x, masks).cpu()
        kept = dense != 0
        self.assertTrue(torch.equal(dense[kept], x.cpu()[kept]))
        self.assertTrue(bool((kept.view(64, 32, 4).sum(-1) <= 2).all()) and bool((kept.t().reshape(128, 16, 4).sum(-1) <= 2).all()))
        largest = x.cpu().view(16, 4, 32, 4).amax((1, 3))
        self.assertTrue(torch.equal(dense.where(kept, torch.tensor(-torch.inf, dtype=dense.dtype)).view(16, 4, 32, 4).amax((1, 3)), largest))
        for matrix, values, meta in ((dense, packed, positions), (dense.t(), turned, turned_positions)):
            restored = torch.sparse._semi_structured_conversions.sparse_semi_structured_to_dense_cutlass(values, torch.as_strided(meta, (values.shape[0], meta.numel() // values.shape[0]), (meta.numel() // values.shape[0], 1)))
            self.assertTrue(torch.equal(restored.cpu(), matrix))
        again = aten._sparse_semi_structured_apply(x, masks)
        self.assertTrue(torch.equal(again[0], packed) and torch.equal(again[1], turned))
        x, y = random(128, 128, dtype=torch.float16), random(128, 64, dtype=torch.float16)
        packed, _, _, _, masks = aten._sparse_semi_structured_tile(x, use_cutlass=False)
        self.close(aten._cslt_sparse_mm(packed, y), wide(aten._sparse_semi_structured_apply_dense(x, masks)) @ wide(y), 2e-2)


class Nested(OperatorTest):
    def test_padding(self):
        parts = random(5, 64), random(7, 64)
        nested = torch.nested.nested_tensor(list(parts))
        padded = torch.nested.to_padded_tensor(nested, 0.5)
        self.assertEqual(padded.shape, (2, 7, 64))
        self.close(padded[0, :5], parts[0].cpu())
        self.assertTrue(bool((padded[0, 5:] == 0.5).all()))

    def test_dense_operand(self):
        parts = random(5, 64), random(7, 64)
        nested = torch.nested.nested_tensor(list(parts))
        other = random(2, 1, 64)
        for i, got in enumerate((nested * other).unbind()):
            self.close(got, wide(parts[i]) * wide(other[i]))

    def test_encoder(self):
        """The fast path of an encoder with a mask of padding makes nested tensors."""
        layer = torch.nn.TransformerEncoderLayer(64, 4, 128, batch_first=True)
        module = torch.nn.TransformerEncoder(layer, 2).eval()
        x = torch.randn(2, 7, 64)
        mask = torch.tensor([[False] * 7, [False] * 5 + [True] * 2])
        with torch.no_grad():
            expected = module(x, src_key_padding_mask=mask)
            got = module.cuda()(x.cuda(), src_key_padding_mask=mask.cuda())
        self.close(got, expected, 1e-4)

    def test_attention(self):
        lengths = 5, 7
        parts = [random(n, 4, 16, dtype=torch.float16) for n in lengths]
        nested = torch.nested.nested_tensor(parts).transpose(1, 2)
        out = F.scaled_dot_product_attention(nested, nested, nested)
        for part, got in zip(parts, out.unbind()):
            copy = wide(part).transpose(0, 1)[None]
            self.close(got, attention(copy, copy, copy)[0][0])


class Others(OperatorTest):
    def test_grids(self):
        theta = random(2, 2, 3)
        self.close(aten.cudnn_affine_grid_generator(theta, 2, 3, 4, 5), F.affine_grid(wide(theta), (2, 3, 4, 5), align_corners=True))
        x, grid = random(2, 4, 9, 9, requires_grad=True), (torch.rand(2, 5, 6, 2, device="cuda") * 2 - 1).requires_grad_()
        copies = wide(x), wide(grid)
        out = F.grid_sample(x, grid, align_corners=True)
        expected = F.grid_sample(*copies, align_corners=True)
        out.square().sum().backward()
        expected.square().sum().backward()
        self.close(out, expected)
        self.grads_close((x, grid), copies, 1e-4)

    def test_ctc_loss(self):
        logits = random(10, 2, 5, requires_grad=True)
        copy = wide(logits)
        targets = torch.tensor([[1, 2], [3, 1]])
        lengths = torch.tensor([10, 10]), torch.tensor([2, 2])
        F.ctc_loss(logits.log_softmax(-1), targets.cuda(), *lengths).backward()
        F.ctc_loss(copy.log_softmax(-1), targets, *lengths).backward()
        self.close(logits.grad, copy.grad)
        flat = targets.flatten().int()
        logits.grad = None
        F.ctc_loss(logits.log_softmax(-1), flat, [10, 10], [2, 2]).backward()
        self.close(logits.grad, copy.grad)
        loss, gradient = aten._cudnn_ctc_loss(logits.detach().log_softmax(-1), flat, [10, 10], [2, 2], 0, True, False)
        self.close(loss, F.ctc_loss(wide(logits).log_softmax(-1), targets, *lengths, reduction="none"))
        self.close(gradient.sum(-1), torch.zeros(10, 2), 1e-5)

    def test_dropout(self):
        x = random(1000)
        out, mask = aten._fused_dropout(x, 0.7)
        self.assertEqual(mask.dtype, torch.uint8)
        self.close(out, wide(x) * mask.cpu() / 0.7)
        self.close(aten._masked_scale(x, mask, 2.0), wide(x) * mask.cpu() * 2)

    def test_errors_name_devices(self):
        with self.assertRaisesRegex(RuntimeError, "Expected all tensors to be on the same device"):
            aten._fused_rms_norm(random(3, 16), [16], torch.ones(16), 1e-5)

    def test_refusals(self):
        q = random(2, 4, 8, 16)
        with self.assertRaisesRegex(RuntimeError, "should be overridden in python"):
            aten._triton_scaled_dot_attention(q, q, q)
        with self.assertRaisesRegex(NotImplementedError, "cupipe knows the algorithm"):
            aten._sparse_semi_structured_tile(random(128, 128, dtype=torch.float16), "causal1122")
        with self.assertRaisesRegex(RuntimeError, "ATen not compiled with MIOpen support"):
            aten.miopen_convolution(random(2, 4, 9, 9), random(6, 4, 3, 3), None, [1, 1], [1, 1], [1, 1], 1, False, False)


@torch.jit.script
def rows_of(table: torch.Tensor, rows: torch.Tensor):
    return table[rows], torch.cat([table, table])


class TorchScriptTest(OperatorTest):
    """Its lists of tensors have types that are equal to the dispatcher's, but others."""
    def test_lists(self):
        table, rows = random(5, 3), torch.tensor([4, 0, 4])
        chosen, both = rows_of(table, rows.cuda())
        self.assertTrue(torch.equal(chosen.cpu(), table.cpu()[rows]))
        self.assertEqual(both.shape, (10, 3))

    def test_mask(self):
        table = random(5, 3)
        mask = torch.tensor([True, False, True, False, False])
        self.assertTrue(torch.equal(rows_of(table, mask.cuda())[0].cpu(), table.cpu()[mask]))


class BatchNormTypes(OperatorTest):
    """Weights and running values of several types, with half precision."""
    def norm(self, shape, weight_type, running_type):
        torch.manual_seed(3)
        tensors = [torch.randn(shape), torch.randn(shape[1]), torch.randn(shape[1]), torch.zeros(shape[1]), torch.ones(shape[1])]
        values, weight, bias = (each.cuda().to(kind).requires_grad_()
                                for each, kind in zip(tensors, (torch.half, weight_type, weight_type)))
        mean, var = (each.cuda().to(running_type) for each in tensors[3:])
        out = torch.nn.functional.batch_norm(values, mean, var, weight, bias, training=True)
        return out, values, weight, mean

    def test_half_weights_and_single_running_values(self):
        out, values, weight, mean = self.norm((16, 8), torch.half, torch.float)
        out.float().square().sum().backward()
        self.assertEqual((out.dtype, weight.grad.dtype, mean.dtype), (torch.half, torch.half, torch.float))
        self.assertTrue(torch.allclose(mean, 0.1 * values.float().mean(0), atol=1e-3))
        single, _, single_weight, _ = self.norm((16, 8), torch.float, torch.float)
        single.float().square().sum().backward()
        self.assertTrue(torch.allclose(out, single, atol=1e-2))
        self.assertTrue(torch.allclose(weight.grad.float(), single_weight.grad, rtol=1e-2, atol=1e-1))

    def test_running_values_are_written_in_their_type(self):
        _, values, _, mean = self.norm((4, 8, 5, 5), torch.float, torch.half)
        self.assertEqual(mean.dtype, torch.half)
        self.assertTrue(torch.allclose(mean.float(), 0.1 * values.float().mean((0, 2, 3)), atol=1e-3))

    def test_gradients_of_channels_first_are_refused(self):
        """As on a card, whose kernel reads weights and running values in one type."""
        out, _, _, _ = self.norm((4, 8, 5, 5), torch.half, torch.float)
        with self.assertRaisesRegex(RuntimeError, "Expected running_mean to have type"):
            out.float().sum().backward()


class Types(OperatorTest):
    """Types that a CUDA kernel takes and the CPU kernel of the same operator does not."""

    def test_complex_half(self):
        x = torch.complex(random(4, 5).abs() + 0.5, random(4, 5)).to(torch.complex32)
        copy = x.cpu().to(torch.complex64)
        for name in "acos acosh asin asinh atan atanh cos cosh exp log rsqrt sigmoid sin sinh sqrt sum prod tan tanh nansum".split():
            got = getattr(torch, name)(x)
            self.assertEqual(got.dtype, torch.complex32, name)
            expected = getattr(copy.nan_to_num() if name == "nansum" else copy, name.replace("nansum", "sum"))()
            torch.testing.assert_close(got.cpu().to(torch.complex64), expected, rtol=4e-3, atol=4e-3)
        self.assertEqual(torch.angle(x).dtype, torch.float16)
        torch.testing.assert_close((x / x.flip(0)).cpu().to(torch.complex64), copy / copy.flip(0), rtol=4e-3, atol=4e-3)
        y = x.clone()
        self.assertIs(y.div_(2), y)
        torch.testing.assert_close(y.cpu().to(torch.complex64), copy / 2, rtol=4e-3, atol=4e-3)

    def test_nansum_complex(self):
        x = torch.tensor([1 + 2j, complex("nan"), 3 - 1j], device="cuda")
        self.assertEqual(torch.nansum(x).item(), 4 + 1j)
        self.assertEqual(torch.nansum(torch.tensor([[1.0, torch.nan], [2.0, 3.0]], device="cuda"), 1).tolist(), [1.0, 5.0])

    def test_half_precision(self):
        for dtype in (torch.float16, torch.bfloat16):
            x = random(2, 3, 4, 6, 8, dtype=dtype, requires_grad=True)
            copy = wide(x)
            F.avg_pool3d(x, 2).square().sum().backward()
            F.avg_pool3d(copy, 2).square().sum().backward()
            self.close(x.grad, copy.grad, 2e-2)
            x = random(4, 5, dtype=dtype, requires_grad=True)
            copy = wide(x)
            target = torch.tensor([1, 0, 4, 2])
            F.multi_margin_loss(x, target.cuda()).backward()
            F.multi_margin_loss(copy, target).backward()
            self.close(x.grad, copy.grad, 1e-2)
            x = random(1, 2, 8, 8, dtype=dtype)
            got = F.interpolate(x, size=(5, 5), mode="bilinear", antialias=True)
            self.close(got, F.interpolate(wide(x), size=(5, 5), mode="bilinear", antialias=True), 3e-2)

    def test_fft_of_half(self):
        x = random(16, dtype=torch.float16)
        got = torch.fft.rfft(x)
        self.assertEqual(got.dtype, torch.complex32)
        torch.testing.assert_close(got.cpu().to(torch.complex64), torch.fft.rfft(x.cpu().float()), rtol=1e-2, atol=1e-2)
        back = torch.fft.irfft(got)
        self.assertEqual(back.dtype, torch.float16)
        self.close(back, wide(x), 1e-2)

    def test_integers_and_bool(self):
        x = torch.tensor([1, 2, 2, 9, 4], device="cuda")
        self.assertEqual(torch.histc(x, 4, 0, 8).tolist(), [1, 2, 1, 0])
        self.assertEqual(torch.histc(x.int(), 4, 0, 8).dtype, torch.int32)
        self.assertEqual(torch.abs(torch.tensor([True, False], device="cuda")).tolist(), [True, False])
        self.assertEqual(torch.trace(torch.eye(3, dtype=torch.bool, device="cuda")).dtype, torch.int64)

    def test_what_the_card_refuses_stays_refused(self):
        with self.assertRaisesRegex(RuntimeError, "not implemented for|Low precision"):
            torch.linalg.qr(random(4, 4, dtype=torch.float16))


class FactorizationTest(OperatorTest):
    def test_lu_without_pivoting(self):
        for sizes in ((3, 3), (2, 4, 3), (2, 3, 5)):
            a = random(*sizes) + 3 * torch.eye(*sizes[-2:], device="cuda")
            p, lower, upper = torch.linalg.lu(a, pivot=False)
            self.assertEqual(p.shape, (0,))
            self.close(lower @ upper, a.cpu())
            packed, pivots = torch.linalg.lu_factor(a, pivot=False)
            self.close(packed.triu()[..., :upper.shape[-2], :], upper.cpu())
            self.assertEqual(pivots.flatten()[:3].tolist(), [1, 2, 3])
        self.assertEqual(torch.linalg.lu_factor_ex(torch.zeros(2, 2, device="cuda"), pivot=False)[2].item(), 1)


class ConjugateTest(OperatorTest):
    def test_conjugate_bit_of_out(self):
        a = torch.randn(3, 3, dtype=torch.complex64, device="cuda")
        b = torch.randn(2, 3, dtype=torch.complex64, device="cuda")
        packed, pivots = torch.linalg.lu_factor(a)
        out = torch.empty(0, dtype=torch.complex64, device="cuda")
        for _ in range(2):
            torch.linalg.lu_solve(packed, pivots, b, left=False, out=out)
            torch.testing.assert_close(out @ a, b, rtol=1e-4, atol=1e-4)

    def test_conjugate_in_place(self):
        a = torch.randn(5, dtype=torch.complex64, device="cuda")
        expected = a.cpu().conj()
        torch.testing.assert_close(a.conj_physical_().cpu(), expected.resolve_conj())


class SoftmaxTest(OperatorTest):
    def test_float_results_of_half_precision(self):
        for function in (torch.softmax, torch.log_softmax):
            for dtype in (torch.float16, torch.bfloat16):
                x = random(4, 5, dtype=dtype, requires_grad=True)
                reference = wide(x)
                y, expected = function(x, -1, dtype=torch.float32), function(reference, -1)
                self.assertEqual(y.dtype, torch.float32)
                self.close(y, expected)
                y.square().sum().backward()
                expected.square().sum().backward()
                self.assertEqual(x.grad.dtype, dtype)
                self.close(x.grad, reference.grad)


class GroupedHeadsTest(OperatorTest):
    def test_a_key_serves_several_heads(self):
        for dtype in (torch.float32, torch.float16):
            query = random(2, 4, 12, 8, dtype=dtype, requires_grad=True)
            key, value = (random(2, 2, 12, 8, dtype=dtype, requires_grad=True) for _ in range(2))
            references = [wide(each) for each in (query, key, value)]
            got = F.scaled_dot_product_attention(query, key, value, enable_gqa=True)
            expected = F.scaled_dot_product_attention(*references, enable_gqa=True)
            self.close(got, expected)
            got.sum().backward()
            expected.sum().backward()
            self.grads_close((query, key, value), references)


if __name__ == "__main__":
    unittest.main(verbosity=1)
