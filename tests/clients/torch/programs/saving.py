# SPDX-License-Identifier: MIT
"""torch.save and torch.load between devices: tensors, views of one storage, modules, optimizers, generators and pickles."""
# packages: torch
# variables: CUPIPE_DEVICES=2
import copy
import io
import pickle

import torch


def through(value, **options):
    file = io.BytesIO()
    torch.save(value, file)
    file.seek(0)
    return torch.load(file, **options)


whole = torch.arange(12.0, device="cuda").reshape(3, 4)
back = through({"whole": whole, "row": whole[1], "column": whole.t()[0]})
assert all(t.device == torch.device("cuda", 0) for t in back.values())
back["whole"].zero_()
assert back["row"].sum() == 0 and back["column"].sum() == 0    # views share the storage still
assert through(whole, map_location="cpu").device.type == "cpu"
assert through(whole.cpu(), map_location="cuda:1").device == torch.device("cuda", 1)
assert through(torch.ones(3, device="cuda:1"), map_location={"cuda:1": "cuda:0"}).device.index == 0
assert torch.equal(through(whole, map_location=lambda storage, place: storage).cuda(), whole)
for dtype in (torch.float16, torch.bfloat16, torch.complex64, torch.int8, torch.bool, torch.float8_e4m3fn):
    value = torch.tensor([0, 1, 1], device="cuda").to(dtype)
    assert torch.equal(through(value).cpu().to(torch.float32 if not dtype.is_complex else dtype), value.cpu().to(torch.float32 if not dtype.is_complex else dtype))
model = torch.nn.LSTM(4, 8).cuda()
optimizer = torch.optim.Adam(model.parameters())
model(torch.randn(5, 2, 4, device="cuda"))[0].sum().backward()
optimizer.step()
state = through({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, map_location="cpu")
other = torch.nn.LSTM(4, 8)
other.load_state_dict(state["model"])
torch.optim.Adam(other.parameters()).load_state_dict(state["optimizer"])
assert torch.equal(other.weight_ih_l0, model.weight_ih_l0.cpu())
before = torch.cuda.get_rng_state()
first = torch.rand(5, device="cuda")
torch.cuda.set_rng_state(through(before))
assert torch.equal(first, torch.rand(5, device="cuda"))
assert torch.equal(pickle.loads(pickle.dumps(whole)), whole) and torch.equal(copy.deepcopy(whole), whole)
sparse = torch.eye(3, device="cuda").to_sparse()
assert torch.equal(through(sparse, map_location="cpu").to_dense(), torch.eye(3))
print("save and load right")
