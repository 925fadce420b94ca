# SPDX-License-Identifier: MIT
"""tinygrad with its own PTX renderer: a product of matrices, and a reduction."""
import numpy as np
from tinygrad import Tensor

a = np.arange(64, dtype=np.float32).reshape(8, 8)
assert np.allclose((Tensor(a) @ Tensor(a)).numpy(), a @ a)
assert Tensor(a).sum().item() == a.sum()
