# SPDX-License-Identifier: MIT
"""PyTorch's symmetric memory (torch.distributed._symmetric_memory) on cupipe.

Its memory is made and exchanged with functions of CUDA, which work as they are. What it computes with are kernels that exist
as machine code alone: signals, which are replaced by work of the stream (torch/signals.cpp), and reductions, which are
written here over the buffers of all ranks. The backend NVSHMEM has kernels that share state with NVIDIA's library, and is
refused.
"""
import os

_NO_NVSHMEM = ("cupipe: symmetric memory over NVSHMEM is not supported; the backend CUDA is: "
               "leave out set_backend(\"NVSHMEM\") and TORCH_SYMMMEM=NVSHMEM")


def _exchange(torch, memory, put, wait, channel, timeout_ms):
    """Gives signals to some ranks and takes signals of some. A pad has a word for each channel and rank."""
    pads, rank, size = memory.signal_pad_ptrs, memory.rank, memory.world_size
    if channel < 0 or 4 * size * (channel + 1) > memory.signal_pad_size:
        raise RuntimeError(f"channel {channel} of symmetric memory: the pads have no room for it")
    for peer in (*put, *wait):
        if not 0 <= peer < size:
            raise RuntimeError(f"rank {peer} of symmetric memory, which has {size}")
    with torch.cuda.device(memory.device):
        torch.ops.cupipe.exchange_signals([pads[peer] + 4 * (size * channel + rank) for peer in put],
                                          [pads[rank] + 4 * (size * channel + peer) for peer in wait], rank, timeout_ms)


def _replace_signals(torch, kind):
    def barrier(self, channel=0, timeout_ms=0):
        others = [peer for peer in range(self.world_size) if peer != self.rank]
        _exchange(torch, self, others, others, channel, timeout_ms)

    def put_signal(self, dst_rank, channel=0, timeout_ms=0):
        _exchange(torch, self, [dst_rank], [], channel, timeout_ms)

    def wait_signal(self, src_rank, channel=0, timeout_ms=0):
        _exchange(torch, self, [], [src_rank], channel, timeout_ms)

    kind.barrier, kind.put_signal, kind.wait_signal = barrier, put_signal, wait_signal


def _refuse_nvshmem(functions, kind):
    """NVIDIA's library would end the process when it finds that its kernels do not run."""
    set_backend, allocate = kind.set_backend, kind.empty_strided_p2p

    def refuse_or_set(name):
        if name == "NVSHMEM":
            raise RuntimeError(_NO_NVSHMEM)
        set_backend(name)

    def refuse_or_allocate(*arguments, **named):
        if os.environ.get("TORCH_SYMMMEM") == "NVSHMEM":
            raise RuntimeError(_NO_NVSHMEM)
        return allocate(*arguments, **named)

    kind.set_backend, kind.empty_strided_p2p = staticmethod(refuse_or_set), staticmethod(refuse_or_allocate)
    if hasattr(functions, "_is_nvshmem_available"):
        functions._is_nvshmem_available = lambda: False


class _Shared:
    """A tensor in symmetric memory: the handle of its memory, and the same tensor of every rank."""

    def __init__(self, kind, tensor, group):
        if not tensor.is_contiguous():
            raise RuntimeError("a tensor in symmetric memory must be contiguous here")
        self.memory = kind.rendezvous(tensor, group)
        if self.memory is None:
            raise RuntimeError("the tensor is not allocated with torch.distributed._symmetric_memory.empty()")
        distance = tensor.data_ptr() - self.memory.buffer_ptrs[self.memory.rank]
        self.of_rank = [self.memory.get_buffer(rank, tensor.shape, tensor.dtype, distance // tensor.element_size())
                        for rank in range(self.memory.world_size)]

    def sum_into(self, out, part=lambda each: each):
        """The sum of a part of the tensors, in the order of ranks, so that every rank has the same."""
        total = part(self.of_rank[0]).clone()
        for each in self.of_rank[1:]:
            total += part(each)
        return out.copy_(total.view(out.shape))


def _check(reduce_op):
    if reduce_op != "sum":
        raise RuntimeError(f"symmetric memory reduces by \"sum\", not by \"{reduce_op}\"")


def _reductions(torch, kind):
    """The operators of the namespace symm_mem that reduce or gather, by name."""
    def one_shot_all_reduce_out(input, reduce_op, group_name, out):
        _check(reduce_op)
        if input.numel() == 0:
            return out
        shared = _Shared(kind, input, group_name)
        shared.memory.barrier()
        shared.sum_into(out)
        shared.memory.barrier()
        return out

    def one_shot_all_reduce(input, reduce_op, group_name):
        return one_shot_all_reduce_out(input, reduce_op, group_name, torch.empty_like(input))

    def one_shot_all_reduce_copy_out(symm_buffer, local_input, reduce_op, group_name, out):
        shared = symm_buffer.view(-1)[:local_input.numel()]
        shared.copy_(local_input.reshape(-1))
        return one_shot_all_reduce_out(shared, reduce_op, group_name, out)

    def one_shot_all_reduce_copy(symm_buffer, local_input, reduce_op, group_name):
        return one_shot_all_reduce_copy_out(symm_buffer, local_input, reduce_op, group_name, torch.empty_like(local_input))

    def one_shot_reduce_out(input, reduce_op, root, group_name, out):
        _check(reduce_op)
        shared = _Shared(kind, input, group_name)
        shared.memory.barrier()
        if shared.memory.rank == root:
            shared.sum_into(out)
        shared.memory.barrier()
        return out

    def two_shot_all_reduce_(input, reduce_op, group_name):
        """Every rank sums a part, and writes it to all."""
        _check(reduce_op)
        if input.numel() == 0:
            return input
        shared = _Shared(kind, input, group_name)
        rank, size = shared.memory.rank, shared.memory.world_size
        first, last = input.numel() * rank // size, input.numel() * (rank + 1) // size
        total = torch.empty(last - first, dtype=input.dtype, device=input.device)
        shared.memory.barrier()
        shared.sum_into(total, lambda each: each.view(-1)[first:last])
        for each in shared.of_rank:
            each.view(-1)[first:last] = total
        shared.memory.barrier()
        return input

    def reduce_scatter_out(input, group_name, split_last_dim, output):
        if input.numel() == 0:
            return output
        shared = _Shared(kind, input, group_name)
        rank, size = shared.memory.rank, shared.memory.world_size
        whole = input if split_last_dim else input.view(-1)
        width = whole.shape[-1] // size
        # As the card's kernel, which moves 16 bytes at a time.
        if whole.shape[-1] % size or width * input.element_size() % 16:
            raise RuntimeError(f"reduce_scatter_out: {whole.shape[-1]} elements are not divisible into {size} parts of "
                               "multiples of 16 bytes")
        shared.memory.barrier()
        shared.sum_into(output, lambda each: each.view(whole.shape)[..., rank * width:(rank + 1) * width])
        shared.memory.barrier()
        return output

    def all_gather_out(input, group_name, out):
        shared = _Shared(kind, out, group_name)
        rank, count = shared.memory.rank, input.numel()
        shared.memory.barrier()
        for each in shared.of_rank:
            each.view(-1)[rank * count:(rank + 1) * count] = input.reshape(-1)
        shared.memory.barrier()
        return out

    return {
        "one_shot_all_reduce": one_shot_all_reduce,
        "one_shot_all_reduce_out": one_shot_all_reduce_out,
        "one_shot_all_reduce_copy": one_shot_all_reduce_copy,
        "one_shot_all_reduce_copy_out": one_shot_all_reduce_copy_out,
        "two_shot_all_reduce_": two_shot_all_reduce_,
        "two_shot_all_reduce_out": one_shot_all_reduce_out,
        "reduce_scatter_out": reduce_scatter_out,
        "multimem_all_reduce_": two_shot_all_reduce_,
        "multimem_one_shot_all_reduce": one_shot_all_reduce,
        "multimem_one_shot_all_reduce_out": one_shot_all_reduce_out,
        "multimem_one_shot_reduce_out": one_shot_reduce_out,
        "multimem_all_gather_out": all_gather_out,
    }


_libraries = []  # a registration lasts as long as its object


def install(torch):
    """Replaces what launches kernels of the card. Does nothing for a PyTorch without symmetric memory."""
    functions = getattr(getattr(torch, "_C", None), "_distributed_c10d", None)
    kind = getattr(functions, "_SymmetricMemory", None)
    if kind is None or not hasattr(kind, "signal_pad_ptrs"):
        return
    _replace_signals(torch, kind)
    _refuse_nvshmem(functions, kind)
    library = torch.library.Library("symm_mem", "IMPL")
    for name, function in _reductions(torch, kind).items():
        if torch._C._dispatch_has_kernel_for_dispatch_key(f"symm_mem::{name}", "CUDA"):
            library.impl(name, function, "CUDA", allow_override=True)
    _libraries.append(library)
