# SPDX-License-Identifier: MIT
"""torch.cuda.set_sync_debug_mode(): how often calls warn is what an H200 was recorded to do."""
import unittest
import warnings

import torch

cuda = "cuda"
x, m = torch.rand(4, device=cuda), torch.rand(4, 4, device=cuda)
y = torch.rand((), device=cuda)
index, mask = torch.tensor([1, 2, 2], device=cuda), torch.tensor([True, False, True, False], device=cuda)
repeats = torch.full((1,), 2, device=cuda)
pageable, pinned = torch.rand(4), torch.rand(4).pin_memory()
index_cpu, mask_cpu = index.cpu(), mask.cpu()
probabilities, labels = torch.rand(5, 1, 4, device=cuda).log_softmax(2), torch.ones(1, 2, dtype=torch.long, device=cuda)
lengths = torch.tensor([2, 2], device=cuda)
F = torch.nn.functional


def put(where, what):
    x[where] = what


CALLS = [
    (1, "item", lambda: y.item()),
    (1, "bool", lambda: bool(y > 0)),
    (0, "equal to itself", lambda: torch.equal(x, x)),
    (1, "nonzero", lambda: x.nonzero()),
    (0, "nonzero_static", lambda: torch.nonzero_static(x, size=4)),
    (1, "masked_select", lambda: x.masked_select(mask)),
    (0, "masked_scatter", lambda: x.masked_scatter(mask, x)),
    (0, "masked_fill", lambda: x.masked_fill(mask, 1.0)),
    (1, "index by mask", lambda: x[mask]),
    (0, "index by mask of the host", lambda: x[mask_cpu]),
    (0, "index by integers", lambda: x[index]),
    (1, "index by integers of the host", lambda: x[index_cpu]),
    (0, "put a number by mask", lambda: put(mask, 1.0)),
    (1, "put a tensor by mask", lambda: put(mask, y)),
    (0, "put by mask of the host", lambda: put(mask_cpu, y)),
    (0, "put by integers", lambda: put(index, y)),
    (1, "put by integers of the host", lambda: put(index_cpu, y)),
    (1, "put a number by integers", lambda: put(index, 1.0)),
    (0, "index_select", lambda: x.index_select(0, index)),
    (0, "gather", lambda: x.gather(0, index)),
    (1, "unique", lambda: index.unique()),
    (1, "unique with counts", lambda: index.unique(return_inverse=True, return_counts=True)),
    (0, "unique of rows", lambda: m.unique(dim=0)),
    (1, "unique_consecutive", lambda: index.unique_consecutive()),
    (0, "unique_consecutive of rows", lambda: m.unique_consecutive(dim=0)),
    (2, "bincount", lambda: index.bincount()),
    (2, "histc", lambda: x.histc()),
    (0, "histc with a range", lambda: x.histc(4, 0.0, 1.0)),
    (2, "repeat_interleave", lambda: x.repeat_interleave(repeats)),
    (0, "repeat_interleave with a size", lambda: x.repeat_interleave(repeats, output_size=8)),
    (1, "one_hot", lambda: F.one_hot(index)),
    (1, "cpu", lambda: x.cpu()),
    (0, "cpu without waiting", lambda: x.to("cpu", non_blocking=True)),
    (1, "cuda", lambda: pageable.to(cuda)),
    (1, "cuda of pinned memory", lambda: pinned.to(cuda)),
    (0, "cuda without waiting", lambda: pinned.to(cuda, non_blocking=True)),
    (1, "copy_ with another type", lambda: torch.empty(4, dtype=torch.float64).copy_(x)),
    (1, "copy_ with gaps", lambda: torch.empty(8)[::2].copy_(x)),
    (0, "copy_ on the device", lambda: x.copy_(x * 1)),
    (1, "tensor", lambda: torch.tensor([1.0], device=cuda)),
    (0, "synchronize", torch.cuda.synchronize),
    (1, "synchronize of a stream", lambda: torch.cuda.current_stream().synchronize()),
    (0, "sort", lambda: x.sort()),
    (0, "median", lambda: x.median()),
    (0, "multinomial", lambda: torch.multinomial(x, 2)),
    (1, "allclose", lambda: torch.allclose(x, x)),
    (6, "ctc_loss", lambda: F.ctc_loss(probabilities, labels, torch.tensor([5]), torch.tensor([2]))),
    (1, "inverse", lambda: m.inverse()),
    (1, "eigh", lambda: torch.linalg.eigh(m)),
    (2, "svd", lambda: torch.linalg.svd(m)),
    (0, "inv_ex", lambda: torch.linalg.inv_ex(m)),
    (1, "to_sparse", lambda: m.to_sparse()),
    (2, "segment_reduce", lambda: torch.segment_reduce(x, "sum", lengths=lengths)),
]


class WaitTest(unittest.TestCase):
    def tearDown(self):
        torch.cuda.set_sync_debug_mode("default")

    def test_warnings(self):
        torch.cuda.set_sync_debug_mode("warn")
        for expected, name, call in CALLS:
            with self.subTest(name), warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                call()
                self.assertEqual(sum("called a synchronizing CUDA operation" in str(each.message) for each in caught), expected)

    def test_errors(self):
        torch.cuda.set_sync_debug_mode("error")
        for expected, name, call in CALLS:
            with self.subTest(name):
                if expected:
                    self.assertRaisesRegex(RuntimeError, "called a synchronizing CUDA operation", call)
                else:
                    call()


if __name__ == "__main__":
    unittest.main()
