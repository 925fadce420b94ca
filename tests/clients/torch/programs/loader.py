# SPDX-License-Identifier: MIT
"""DataLoader with workers that are forked and spawned, and with pinned memory, beside work on the device."""
# packages: torch
import torch
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __len__(self):
        return 40

    def __getitem__(self, index):
        return torch.full((8,), float(index)), index


def total(context, after_cuda):
    if after_cuda:
        torch.ones(4, device="cuda").sum().item()    # the device is used before the workers are made
    loader = DataLoader(Rows(), batch_size=8, num_workers=2, pin_memory=True, multiprocessing_context=context, persistent_workers=False)
    result = torch.zeros((), device="cuda")
    for rows, indices in loader:
        assert rows.is_pinned() and indices.is_pinned()
        result += rows.to("cuda", non_blocking=True).sum() + indices.to("cuda", non_blocking=True).sum()
    return result.item()


if __name__ == "__main__":
    for context in ("fork", "spawn", "forkserver"):
        for after_cuda in (False, True):
            assert total(context, after_cuda) == sum(range(40)) * 9
        print(context, "right", flush=True)
    plain = DataLoader(Rows(), batch_size=8, num_workers=0, pin_memory=True)
    assert all(rows.is_pinned() for rows, _ in plain)
    print("DataLoader right")
