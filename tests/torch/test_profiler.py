# SPDX-License-Identifier: MIT
"""torch.profiler sees each kernel once, and gives its time to the operator that launched it."""
import collections
import json
import pathlib
import tempfile
import unittest

import torch
from torch.profiler import ProfilerActivity, profile

TIMES = 5


def step(matrix):
    return ((matrix @ matrix) + 1).relu()


class Profiler(unittest.TestCase):
    def setUp(self):
        self.matrix = torch.rand(64, 64, device="cuda")
        for _ in range(2):  # the first call of an operator with new operands runs in the calling thread
            step(self.matrix)
        torch.cuda.synchronize()
        with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as self.profiler:
            for _ in range(TIMES):
                step(self.matrix)
            torch.cuda.synchronize()

    def test_operators_have_the_time_of_their_kernels(self):
        rows = {row.key: row for row in self.profiler.key_averages() if row.self_cpu_time_total > 0}
        for name in ("aten::mm", "aten::add", "aten::relu"):
            self.assertEqual(rows[name].count, TIMES, name)
            self.assertGreater(rows[name].device_time_total, 0, name)

    def test_a_trace_has_each_kernel_and_its_launch(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "trace.json"
            self.profiler.export_chrome_trace(str(path))
            events = json.loads(path.read_text())["traceEvents"]
        kernels = [event for event in events if event.get("cat") == "kernel"]
        self.assertEqual(collections.Counter(event["name"] for event in kernels),
                         {"aten::mm": TIMES, "aten::add.Tensor": TIMES, "aten::relu": TIMES})
        launches = {event["args"]["correlation"] for event in events if event.get("cat") == "cuda_runtime"}
        for kernel in kernels:
            self.assertIn(kernel["args"]["correlation"], launches, kernel["name"])


if __name__ == "__main__":
    unittest.main()
