# SPDX-License-Identifier: MIT
"""Operators are work of the current stream: they run later, in its order, and the checks know them by name.

Programs that are wrong run in processes of their own, under a schedule or a check.
"""
import unittest

import torch

from processes import run as run_program

PREPARE = """
import torch
s = torch.cuda.Stream()
x = torch.zeros(1 << 16, device='cuda')
x.add_(0), x * 2, x[0].item()  # the first call of an operator is slow, and late work runs after a while in any case
torch.cuda.synchronize()
"""


def run(program, **options):
    return run_program(PREPARE + program, **options)


class OrderTest(unittest.TestCase):
    def test_work_runs_when_it_is_waited_for(self):
        """Under the lazy schedule nothing has run before somebody waits."""
        result, text = run("""
host = torch.full((1 << 16,), 7.0).pin_memory()
y = x + 1
host.copy_(y, non_blocking=True)
print(host[0].item())
torch.cuda.synchronize()
print(host[0].item())
""", CUPIPE_SCHEDULE="lazy")
        self.assertEqual((result, text.split()), (0, ["7.0", "1.0"]))

    def test_forgotten_wait_is_wrong_when_lazy(self):
        result, text = run("""
with torch.cuda.stream(s):
    x.add_(1)
y = x * 2
print(y[0].item())
""", CUPIPE_SCHEDULE="lazy")
        self.assertEqual((result, text.strip()), (0, "0.0"))

    def test_wait_stream_is_right_when_lazy(self):
        result, text = run("""
with torch.cuda.stream(s):
    x.add_(1)
torch.cuda.current_stream().wait_stream(s)
y = x * 2
print(y[0].item())
""", CUPIPE_SCHEDULE="lazy")
        self.assertEqual((result, text.strip()), (0, "2.0"))

    def test_new_memory_is_written_after_work_that_its_allocator_gave_the_stream(self):
        """The allocator of symmetric memory fills what it allocates, in the stream. The kernel of an operator whose result
        has as many rows as it finds runs in the calling thread, and writes into such memory."""
        result, text = run("""
import torch.distributed._symmetric_memory as symmetric
full = torch.ones(100, device='cuda')
torch.cuda.synchronize()
with torch.cuda.use_mem_pool(symmetric.get_mem_pool(torch.device('cuda', 0))):
    found = full.nonzero()
print(found.sum().item())
""", CUPIPE_SCHEDULE="lazy")
        self.assertEqual((result, text.strip()), (0, "4950"))

    def test_blocking_launch_tells_of_the_error_in_its_own_line(self):
        program = """
table = torch.zeros(10, device='cuda')
bad = torch.full((1 << 17,), 11, device='cuda')
table[bad % 10]
torch.cuda.synchronize()
try:
    table[bad]
    print('returned')
    torch.cuda.synchronize()
except RuntimeError:
    print('raised')
"""
        result, text = run(program, CUPIPE_SCHEDULE="lazy")
        self.assertIn("returned", text)
        result, text = run(program, CUPIPE_SCHEDULE="lazy", CUDA_LAUNCH_BLOCKING="1")
        self.assertNotIn("returned", text)
        self.assertIn("raised", text)

    def test_check_names_both_operators(self):
        program = """
with torch.cuda.stream(s):
    y = x * 3
{wait}
x.add_(1)
torch.cuda.synchronize()
"""
        result, text = run(program.format(wait=""), CUPIPE_CHECK="streams")
        self.assertIn("aten::mul.Tensor", text)
        self.assertIn("aten::add_.Tensor", text)
        result, text = run(program.format(wait="torch.cuda.current_stream().wait_stream(s)"), CUPIPE_CHECK="streams")
        self.assertEqual((result, text), (0, ""))

    def test_check_knows_the_first_call_of_an_operator(self):
        result, text = run("""
with torch.cuda.stream(s):
    y = x.exp()
x.sub_(1)
torch.cuda.synchronize()
""", CUPIPE_CHECK="streams")
        self.assertIn("aten::exp", text)
        self.assertIn("aten::sub_.Tensor", text)

    def test_forgotten_record_stream_is_told(self):
        """The allocator gives the memory of a freed tensor to the next one of its stream."""
        program = """
y = torch.ones(1 << 20, device='cuda')
s.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(s):
    z = y * 2
{record}
del y
y = torch.zeros(1 << 20, device='cuda')
torch.cuda.synchronize()
"""
        result, text = run(program.format(record=""), CUPIPE_CHECK="streams")
        self.assertIn("aten::mul.Tensor", text)
        result, text = run(program.format(record="y.record_stream(s)"), CUPIPE_CHECK="streams")
        self.assertEqual((result, text), (0, ""))

    def test_views_of_one_tensor_do_not_collide(self):
        """Two streams write different columns of a matrix."""
        result, text = run("""
m = x.view(256, 256)
s.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(s):
    m[:, :128].add_(1)
m[:, 128:].add_(2)
torch.cuda.synchronize()
print(m.sum().item())
""", CUPIPE_CHECK="streams")
        self.assertEqual((result, text.strip()), (0, str(256 * 128 * 3.0)))

    def test_event_measures_the_work_before_it(self):
        first, last = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        first.record()
        torch.cuda._sleep(20_000_000)  # about 10 ms
        last.record()
        last.synchronize()
        self.assertGreater(first.elapsed_time(last), 5)

    def test_values_of_the_host_are_taken_at_the_call(self):
        result, text = run("""
number = torch.tensor(2.0)
y = x + number
number.fill_(5)
print(y[0].item())
""", CUPIPE_SCHEDULE="lazy")
        self.assertEqual((result, text.strip()), (0, "2.0"))

    def test_labels_of_the_host_are_taken_at_the_call(self):
        result, text = run("""
log = torch.randn(50, 3, 20, device='cuda').log_softmax(2)
def loss(change):
    labels, sizes, counts = torch.ones(12, dtype=torch.int), torch.full((3,), 50), torch.tensor([5, 4, 3])
    made = torch.ops.aten._cudnn_ctc_loss.Tensor(log, labels, sizes, counts, 0, False, False)[0]
    if change:
        labels.fill_(2), counts.fill_(1)
    return made.cpu()
print(torch.equal(loss(False), loss(True)))
""", CUPIPE_SCHEDULE="lazy")
        self.assertEqual((result, text.strip()), (0, "True"))

    def test_seed_of_the_host_is_taken_at_the_call(self):
        result, text = run("""
query = torch.randn(1, 64, 2, 16, device='cuda')
forward = torch.ops.aten._efficient_attention_forward(query, query, query, None, None, None, 64, 64, 0.5, 0, True)
def gradient(change):
    seed = forward[2].clone()
    made = torch.ops.aten._efficient_attention_backward(query, query, query, query, None, forward[0], None, None, 64, 64,
                                                        forward[1], 0.5, seed, forward[3], 0, False)[0]
    if change:
        seed.fill_(99)
    return made.cpu()
print(forward[2].is_cpu, torch.equal(gradient(False), gradient(True)))
""", CUPIPE_SCHEDULE="lazy")
        self.assertEqual((result, text.split()), (0, ["True", "True"]))

    def test_out_is_resized(self):
        out = torch.empty(0, device="cuda")
        big = torch.ones(1 << 16, device="cuda")
        torch.add(big, big, out=out)
        self.assertEqual(out.shape, big.shape)
        self.assertEqual(out.sum().item(), 2 << 16)

    def test_out_may_be_the_input(self):
        a, b = torch.ones(4, device="cuda"), torch.zeros(4, device="cuda")
        torch.deg2rad(a, out=b)
        self.assertIs(torch.deg2rad(a, out=a), a)
        self.assertIs(torch.deg2rad(a, out=b), b)
        torch.testing.assert_close(b, torch.deg2rad(a))

    def test_results_in_each_others_memory(self):
        """Temporary tensors of the kernel take the memory that results are to get."""
        a = torch.rand(2, 2, generator=torch.Generator().manual_seed(1))
        u, s, v = torch.linalg.svd(a.cuda())
        torch.testing.assert_close((u @ torch.diag(s) @ v).cpu(), a)


    def test_saving_waits_for_work(self):
        """torch.save waits with Python's lock, so the stream's thread may not need it. Under the schedule the shapes come
        from Meta kernels, which are written in Python."""
        for variables in ({}, {"CUPIPE_SCHEDULE": "random:1"}):
            result, text = run("""
import io
a = torch.rand(300, 300, device='cuda')
torch.cuda._sleep(10**8)
a.add_(1)
a.mul_(2)
torch.save(a, io.BytesIO())
print('saved')
""", **variables)
            self.assertEqual((result, text.strip()), (0, "saved"))

    def test_process_ends_with_work_pending(self):
        for variables in ({}, {"CUPIPE_SCHEDULE": "lazy"}):
            result, text = run("""
big = torch.rand(1000, 1000, device='cuda')
for _ in range(10):
    y = big @ big
    z = (x * 2).softmax(0)
""", frees_objects=True, **variables)
            self.assertEqual((result, text), (0, ""))


class ErrorTest(unittest.TestCase):
    def test_index_out_of_range_is_an_assertion(self):
        for size, index in ((8, "[9]"), (1 << 16, f"[{1 << 16}]")):
            for expression in (f"x[:{size}][torch.tensor({index}, device='cuda')]",
                               f"torch.gather(x[:{size}], 0, torch.tensor({index}, device='cuda'))",
                               f"torch.nn.functional.embedding(torch.tensor({index}, device='cuda'), x[:{size}].view(-1, 1))"):
                result, text = run(f"y = {expression}\nprint('returned', y.shape)\ntorch.cuda.synchronize()\n")
                self.assertIn("returned", text, expression)
                self.assertIn("device-side assert triggered", text, expression)
                self.assertEqual(result, 1, expression)

    def test_wrong_shapes_are_told_at_once(self):
        a = torch.ones(1 << 8, 1 << 8, device="cuda")
        with self.assertRaisesRegex(RuntimeError, "shapes cannot be multiplied"):
            a @ a[:5]
        with self.assertRaisesRegex(RuntimeError, "must match"):
            a + torch.ones(7, device="cuda")
        torch.cuda.synchronize()

    def test_mixed_devices(self):
        a = torch.ones(4, 4, device="cuda")
        for wrong in (lambda: a + torch.ones(4, 4), lambda: a @ torch.ones(4, 4), lambda: torch.cat([a, torch.ones(4, 4)])):
            with self.assertRaisesRegex(RuntimeError, "Expected all tensors to be on the same device"):
                wrong()

    def test_words_of_the_card(self):
        with self.assertRaisesRegex(RuntimeError, "to be on same device"):
            torch.ones(2).masked_fill(torch.ones(2, dtype=torch.bool), torch.tensor(1.0, device="cuda"))
        with self.assertRaisesRegex(RuntimeError, "cannot have more than 25 dimensions"):
            torch.ones([1] * 26, device="cuda").median()

    def test_nondeterministic_kernels_are_refused(self):
        x = torch.rand(10, device="cuda")
        torch.use_deterministic_algorithms(True)
        try:
            with self.assertRaisesRegex(RuntimeError, "_histc_cuda with floating point input does not have a deterministic"):
                torch.histc(x)
            torch.bincount(torch.arange(3, device="cuda"))
            with self.assertRaisesRegex(RuntimeError, "_bincount_cuda does not have a deterministic"):
                torch.bincount(torch.arange(3, device="cuda"), torch.ones(3, device="cuda"))
            x.sum(), x.sort()
        finally:
            torch.use_deterministic_algorithms(False)

    def test_out_of_memory(self):
        result, text = run("""
try:
    y = torch.empty(1 << 30, device='cuda')
except torch.OutOfMemoryError as error:
    print('told', 'GiB' in str(error))
print(torch.cuda.memory_allocated() < 1 << 20, (x + 1).sum().item() == x.numel())
""", CUPIPE_MEMORY="512M")
        self.assertEqual((result, text.split()), (0, ["told", "True", "True", "True"]))


if __name__ == "__main__":
    unittest.main()
