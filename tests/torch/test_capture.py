# SPDX-License-Identifier: MIT
"""Operators in CUDA graphs: torch.cuda.graph, make_graphed_callables."""
import gc
import subprocess
import sys
import unittest

import torch


class CaptureTest(unittest.TestCase):
    def captured(self, function):
        """A graph of the function, and what the function returned."""
        gc.collect()    # a graph of an earlier test must not be destroyed within the capture
        graph = torch.cuda.CUDAGraph()
        gc.collect()  # a graph that is freed during a capture invalidates it
        with torch.cuda.graph(graph):
            result = function()
        return graph, result

    def test_new_in_place_and_out(self):
        for count in (100, 1 << 18):
            x = torch.zeros(count, device="cuda")
            out = torch.empty(count, device="cuda")

            def step():
                x.add_(1)
                torch.mul(x, 3, out=out)
                return x * 2

            graph, y = self.captured(step)
            for _ in range(3):
                graph.replay()
            torch.cuda.synchronize()
            self.assertEqual((x[0].item(), y[0].item(), out[-1].item()), (3, 6, 9))

    def test_indices(self):
        """The shape of a result tells nothing of integers, so indexing by them does not wait."""
        x = torch.arange(1 << 16, device="cuda").view(256, 256)
        rows = torch.zeros(5, dtype=torch.long, device="cuda")
        graph, y = self.captured(lambda: x[rows, rows + 1])
        rows.copy_(torch.arange(5))
        graph.replay()
        self.assertEqual(y.tolist(), [1, 258, 515, 772, 1029])

    def test_lists(self):
        tensors = [torch.full((n,), float(n), device="cuda") for n in (3, 1 << 16)]
        graph, (added, parts) = self.captured(lambda: (torch._foreach_add(tensors, 1), torch._foreach_sqrt(tensors)))
        graph.replay()
        torch.cuda.synchronize()
        self.assertEqual([t[0].item() for t in added], [4, (1 << 16) + 1])
        self.assertEqual(parts[1][0].item(), 256)
        graph, sorted_pair = self.captured(lambda: torch.sort(tensors[0]))
        graph.replay()
        self.assertEqual(sorted_pair[1].tolist(), [0, 1, 2])

    def test_random_numbers_go_on(self):
        torch.manual_seed(5)
        expected = [torch.rand(1000, device="cuda") for _ in range(3)]
        torch.manual_seed(5)
        graph, x = self.captured(lambda: torch.rand(1000, device="cuda"))
        torch.manual_seed(5)
        got = []
        for _ in range(3):
            graph.replay()
            got.append(x.clone())
        for a, b in zip(got, expected):
            torch.testing.assert_close(a, b, rtol=0, atol=0)

    def test_training_step(self):
        torch.manual_seed(0)
        model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.LayerNorm(64), torch.nn.GELU(), torch.nn.Linear(64, 8)).cuda()
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2, capturable=True)
        data, target = torch.randn(32, 64, device="cuda"), torch.randint(8, (32,), device="cuda")

        def step():
            optimizer.zero_grad(set_to_none=True)
            loss = torch.nn.functional.cross_entropy(model(data), target)
            loss.backward()
            optimizer.step()
            return loss

        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(3):
                step()
        torch.cuda.current_stream().wait_stream(stream)
        graph, loss = self.captured(step)
        graph.replay()
        first = loss.item()
        for _ in range(20):
            graph.replay()
        self.assertLess(loss.item(), first * 0.5)

    def test_graphed_callables(self):
        model = torch.nn.Linear(16, 16).cuda()
        sample = torch.randn(4, 16, device="cuda", requires_grad=True)
        graphed = torch.cuda.make_graphed_callables(torch.nn.Linear(16, 16).cuda(), (sample,))
        graphed.load_state_dict(model.state_dict())
        x = torch.randn(4, 16, device="cuda", requires_grad=True)
        expected, = torch.autograd.grad(model(x).sum(), x)
        got, = torch.autograd.grad(graphed(x).sum(), x)
        torch.testing.assert_close(got, expected)

    def test_failed_capture_leaves_the_stream_usable(self):
        """In another process: the generator of older versions of PyTorch stays in the capture."""
        program = """
import torch
x = torch.ones(10, device='cuda')
try:
    with torch.cuda.graph(torch.cuda.CUDAGraph()):
        x.nonzero()
except RuntimeError as error:
    print('refused')
print(x.sum().item())
"""
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        self.assertEqual(done.stdout.split(), ["refused", "10.0"], done.stderr)

    def test_nodes_are_freed_with_the_graph(self):
        x = torch.zeros(1 << 16, device="cuda")
        for _ in range(3):
            graph, y = self.captured(lambda: (x + 1).relu())
            graph.replay()
            torch.cuda.synchronize()
            del graph, y
        torch.cuda.empty_cache()
        self.assertLess(torch.cuda.memory_allocated(), 8 << 20)


if __name__ == "__main__":
    unittest.main()
