# SPDX-License-Identifier: MIT
"""Random operators of CUDA tensors against what PyTorch 2.11 gave on an H200 (random/h200.txt).

    test_random.py [NAME...]       all cases, or those whose name contains one of these; exits with 77 without torch or cupipe
    test_random.py --print         what the operators give on this machine, in full
    test_random.py --record        the lines of random/h200.txt, to record another card

Each case runs twice with each of two seeds. What it gives is type, size and strides of the results, a hash of their bytes, and the
generator's offset after the call. The recording has a hash of all that for each case.
"""
import hashlib
import sys
import warnings
from pathlib import Path

try:
    import torch
    import torch.nn.functional as F
except ImportError:
    print("skipped: torch is not installed")
    sys.exit(77)

SEEDS = (7, 98765432109876)
RECORDED = Path(__file__).resolve().parent / "random" / "h200.txt"
FLOATS = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
INTEGERS = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool)
# Tensors whose elements do not lie in the order of their dimensions, and sizes that kernels treat differently.
LAYOUTS = {
    "t": lambda dt: empty(30, 50, dtype=dt).t(),
    "perm": lambda dt: empty(4, 5, 6, 7, dtype=dt).permute(2, 0, 3, 1),
    "slice": lambda dt: empty(100, 90, dtype=dt)[3:70:2, 1:80:3],
    "cl": lambda dt: empty(2, 3, 40, 41, dtype=dt).to(memory_format=torch.channels_last),
    "off1": lambda dt: empty(1001, dtype=dt)[1:],
    "zero": lambda dt: empty(dtype=dt),
    "empty": lambda dt: empty(0, 3, dtype=dt),
    "bigslice": lambda dt: empty(1100, 1300, dtype=dt)[:, ::2],
    "flipstride": lambda dt: empty(64, 3, 5, dtype=dt).transpose(0, 1)[:, 1:, :],
}


def empty(*sizes, dtype=torch.float32):
    return torch.empty(sizes, device="cuda", dtype=dtype)


def full(value, count=5000, dtype=torch.float32):
    return torch.full((count,), value, device="cuda", dtype=dtype)


def name_of(dtype):
    return str(dtype)[6:]


def layout_cases():
    for layout, make in LAYOUTS.items():
        for dt in (torch.float32, torch.float64, torch.float16):
            t = f"{layout}/{name_of(dt)}"
            yield "rand/" + t, lambda: make(dt).uniform_()
            yield "randn/" + t, lambda: make(dt).normal_()
            yield "bern/" + t, lambda: make(dt).bernoulli_(.4)
            yield "bernt/" + t, lambda: make(dt).bernoulli_(torch.full(make(dt).shape, .4, device="cuda"))
            yield "dropout/" + t, lambda: torch.native_dropout(make(dt).fill_(1), .3, True)
            yield "gamma/" + t, lambda: torch._standard_gamma(make(dt).fill_(2.5))
            yield "poisson/" + t, lambda: torch.poisson(make(dt).fill_(7))
            yield "rrelu/" + t, lambda: F.rrelu(make(dt).fill_(-1), .1, .3, True)
        yield "randint/" + layout, lambda: make(torch.int64).random_(0, 1000)
        yield "random/" + layout, lambda: make(torch.int32).random_()


def grid_cases():
    """Sizes around the number of threads that the card holds."""
    for n in (257, 270336, 270337, 1081345, 2162689):
        yield f"rand/n{n}", lambda: torch.rand(n, device="cuda")
        yield f"rand64/n{n}", lambda: torch.rand(n, device="cuda", dtype=torch.float64)
        yield f"randn/n{n}", lambda: torch.randn(n, device="cuda")
        yield f"randint/n{n}", lambda: torch.randint(0, 10, (n,), device="cuda")
        yield f"randlong/n{n}", lambda: torch.randint(0, 1 << 50, (n,), device="cuda")
        yield f"bernt/n{n}", lambda: torch.bernoulli(torch.full((n,), .25, device="cuda"))
        for dt in FLOATS:
            yield f"dropout/n{n}/{name_of(dt)}", lambda: torch.native_dropout(torch.ones(n, device="cuda", dtype=dt), .5, True)
    for n in (1000, 1002, 1001):
        for shift in (0, 1, 2, 4):
            for dt in FLOATS:
                yield (f"fused_dropout/n{n}+{shift}/{name_of(dt)}",
                       lambda: torch._fused_dropout(torch.ones(n + shift, device="cuda", dtype=dt)[shift:], .25))


def integer_cases():
    for dt in (*INTEGERS, torch.uint16, torch.uint32, *FLOATS):
        t = name_of(dt)
        yield "random_/" + t, lambda: empty(3000, dtype=dt).random_()
        yield "random_to/" + t, lambda: empty(3000, dtype=dt).random_(2 if dt == torch.bool else 100)
        yield "random_from/" + t, lambda: empty(3000, dtype=dt).random_(1, None)
        yield "random_full/" + t, lambda: empty(3000, dtype=dt).random_(-(1 << 63), None)
        yield "bernoulli/" + t, lambda: empty(3000, dtype=dt).bernoulli_(.7)
        yield "bernoulli-t/" + t, lambda: empty(3000, dtype=dt).bernoulli_(torch.linspace(0, 1, 3000, device="cuda"))
        yield "geometric/" + t, lambda: empty(3000, dtype=dt).geometric_(.02)
        for limit in ((1 << 20) + 7, (1 << 28) - 1, 1 << 28, (1 << 32) - 1, 1 << 33):
            yield f"randint0-{limit}/{t}", lambda: empty(3000, dtype=dt).random_(0, limit)


def float_cases():
    for dt in FLOATS:
        t = "/" + name_of(dt)
        for a, b in ((0, 1), (-1, 1), (.1, .3), (5, 5), (-1e4, 3e4), (1000, 1001)):
            yield f"uniform{a},{b}{t}", lambda: empty(30000, dtype=dt).uniform_(a, b)
        for a, b in ((0, 1), (1.5, .02), (-100, 30), (0, 0)):
            yield f"normal{a},{b}{t}", lambda: empty(30000, dtype=dt).normal_(a, b)
        for a in (1, .1, 7.3, 1e-3):
            yield f"exponential{a}{t}", lambda: empty(60000, dtype=dt).exponential_(a)
        for a, b in ((0, 1), (2, .3)):
            yield f"cauchy{a},{b}{t}", lambda: empty(60000, dtype=dt).cauchy_(a, b)
            yield f"lognormal{a},{b}{t}", lambda: empty(60000, dtype=dt).log_normal_(a, b + .1)
        yield "randn/4M" + t, lambda: torch.randn(4000003, device="cuda", dtype=dt)
    for dt in (torch.complex64, torch.complex128, torch.complex32):
        yield "rand/" + name_of(dt), lambda: torch.rand(500, 3, device="cuda", dtype=dt)
        yield "randn/" + name_of(dt), lambda: torch.randn(500, 3, device="cuda", dtype=dt)
        yield "randn-s/" + name_of(dt), lambda: empty(30, 40, dtype=dt)[:, ::3].normal_(1, 2)


def sample_cases():
    for dt in FLOATS:
        t = "/" + name_of(dt)
        for rate in (.01, 1, 5, 30, 63.9, 4001, 30000):
            if 64 <= torch.tensor(rate, dtype=dt).item() <= 4000:
                continue  # the card has another method there
            yield f"poisson{rate}{t}", lambda: torch.poisson(full(rate, dtype=dt))
        for count, p in ((10, .3), (10, .8), (1, .5), (100, .05), (100, .5), (1000, .9), (30, .0), (30, 1.), (2000, .4)):
            yield f"binomial{count},{p}{t}", lambda: torch.binomial(full(float(count), dtype=dt), full(p, dtype=dt))
        yield "native_dropout-inf" + t, lambda: torch.native_dropout(full(float("inf"), 3000, dt), .3, True)
        yield "native_dropout-none" + t, lambda: torch.native_dropout(full(1., 3000, dt), .3, None)
        yield "native_dropout-false" + t, lambda: torch.native_dropout(full(1., 3000, dt), .3, False)
    shape = torch.linspace(0, 5, 20000, device="cuda")
    yield "gamma/float32", lambda: torch._standard_gamma(shape)
    yield "gamma-large/float32", lambda: torch._standard_gamma(shape * 200 + 1)
    yield "dirichlet/float32", lambda: torch._sample_dirichlet(shape.view(-1, 10) + .3)
    yield "dirichlet3/float32", lambda: torch._sample_dirichlet(shape[:18000].view(10, -1, 3) + .3)
    mean, deviation = torch.linspace(-3, 3, 5000, device="cuda"), torch.linspace(.1, 3, 5000, device="cuda")
    yield "normal-mt/float32", lambda: torch.normal(mean, 2.)
    yield "normal-ts/float32", lambda: torch.normal(2., deviation)
    yield "normal-tt/float32", lambda: torch.normal(mean, deviation)
    yield "normal-bc/float32", lambda: torch.normal(mean[:10].view(10, 1), deviation[:6])
    yield "normal-out/float32", lambda: torch.normal(mean, deviation, out=empty(5000, 2)[:, 0])
    inputs = torch.linspace(-2, 1, 3000, device="cuda")
    for function in (F.dropout, F.dropout1d, F.alpha_dropout, F.feature_alpha_dropout):
        yield function.__name__ + "/float32", lambda: function(inputs.view(10, 30, 10), .35, True)
    yield "rrelu_in/float32", lambda: F.rrelu_(inputs.clone(), .1, .3, True)
    yield "rrelu_t/float32", lambda: F.rrelu(inputs.view(30, 100).t(), .1, .3, True)


def choice_cases():
    for n in (0, 1, 2, 3, 10, 257, 1000, 20000, 65536, 1000000):
        yield f"randperm{n}/int64", lambda: torch.randperm(n, device="cuda")
        yield f"randperm{n}/int32", lambda: torch.randperm(n, device="cuda", dtype=torch.int32)
    yield "randperm-out", lambda: torch.randperm(1000, out=empty(1000, 2, dtype=torch.int64)[:, 0])
    yield "randperm/u8", lambda: torch.randperm(200, device="cuda", dtype=torch.uint8)
    yield "randperm/float16", lambda: torch.randperm(200, device="cuda", dtype=torch.float16)
    for dt in (torch.float32, torch.float64):
        for categories, count in ((50, 40), (3, 2), (1000, 300)):
            weights = (torch.arange(1., categories + 1, device="cuda") / (1 if categories < 100 else 1000)).to(dt)
            for again in (False, True):
                t = f"{categories},{count},{again}/{name_of(dt)}"
                yield "multinomial" + t, lambda: torch.multinomial(weights, count, again)
                yield "multinomial2d" + t, lambda: torch.multinomial(torch.stack([weights] * 7 + [weights.flip(0)]), count, again)
            yield f"multinomial1-{categories}/{name_of(dt)}", lambda: torch.multinomial(weights, 1)


def generator_cases():
    generator = torch.Generator(device="cuda")

    def with_generator(draw):
        generator.manual_seed(torch.initial_seed())
        return draw(), torch.tensor([generator.get_offset()])

    yield "gen-rand", lambda: with_generator(lambda: torch.rand(1000, device="cuda", generator=generator))
    yield "gen-perm", lambda: with_generator(lambda: torch.randperm(1000, device="cuda", generator=generator))
    yield "gen-multi", lambda: with_generator(lambda: torch.multinomial(full(1., 9), 20, True, generator=generator))
    yield "gen-bern", lambda: with_generator(lambda: torch.bernoulli(full(.5, 99), generator=generator))
    yield "gen-poisson", lambda: with_generator(lambda: torch.poisson(full(5., 99), generator=generator))
    yield "gen-randint", lambda: with_generator(lambda: torch.randint(0, 9, (99,), device="cuda", generator=generator))
    yield "gen-cpu", lambda: torch.rand(3, device="cuda", generator=torch.Generator())
    yield "bad-overlap", lambda: empty(3, 1).expand(3, 4).uniform_()
    yield "bad-bern", lambda: empty(3).bernoulli_(1.5)
    yield "bad-std", lambda: empty(3).normal_(0, -1)
    yield "bad-range", lambda: empty(3).random_(5, 5)
    yield "bad-unif", lambda: empty(3).uniform_(2, 1)
    yield "bad-multi", lambda: torch.multinomial(full(1., 3), 5)
    yield "bad-exp-int", lambda: empty(3, dtype=torch.int32).exponential_()
    yield "bad-norm-int", lambda: empty(3, dtype=torch.int32).normal_()
    yield "bad-poisson-int", lambda: torch.poisson(full(1, 3, torch.int32))


def cases():
    for group in (layout_cases, grid_cases, integer_cases, float_cases, sample_cases, choice_cases, generator_cases):
        yield from group()


def bytes_of(tensor):
    tensor = tensor.detach().contiguous().cpu()
    if tensor.is_complex():
        tensor = torch.view_as_real(tensor)
    return tensor.contiguous().view(-1).view(torch.uint8).numpy().tobytes() if tensor.numel() else b""


def describe(result):
    """Results and offset as a line has them."""
    words = []
    for tensor in result if isinstance(result, (tuple, list)) else (result,):
        sizes, strides = (",".join(map(str, numbers)) or "-" for numbers in (tensor.shape, tensor.stride()))
        words += [name_of(tensor.dtype), sizes, strides, hashlib.sha1(bytes_of(tensor)).hexdigest()[:16]]
    return " ".join(words) + f" offset={torch.cuda.default_generators[0].get_offset()}"


def lines_of(name, draw, seed):
    torch.manual_seed(seed)
    for suffix in ("", "/again"):
        try:
            yield f"{name}{suffix}/s{seed}", describe(draw())
        except Exception as error:  # what a card refuses is part of the recording
            yield f"{name}{suffix}/s{seed}", f"{type(error).__name__} {str(error).splitlines()[0][:100]}"
            return


def graph_lines(seed):
    """Under capture seed and offset are read at each replay."""
    ones, graph = torch.ones(5000, device="cuda"), torch.cuda.CUDAGraph()
    torch.manual_seed(seed)
    torch.rand(7, device="cuda")
    with torch.cuda.graph(graph):
        results = {"y": torch.rand(1000, device="cuda"), "z": F.dropout(ones, .3), "w": torch.randn(2000000, device="cuda"),
                   "w2": torch.randperm(500, device="cuda"), "w3": torch.poisson(ones), "w4": torch.bernoulli(ones * .5),
                   "w5": torch._standard_gamma(ones)}
    for replay in range(3):
        graph.replay()
        torch.cuda.synchronize()
        for name, tensor in results.items():
            yield f"graph{replay}/{name}/s{seed}", describe(tensor)
    yield f"graph-after/s{seed}", describe(torch.rand(100, device="cuda"))


def state_line(seed):
    torch.manual_seed(seed)
    torch.rand(5000000, device="cuda")
    state = torch.cuda.get_rng_state()
    first = torch.rand(5, device="cuda")
    torch.cuda.set_rng_state(state)
    again = torch.equal(torch.rand(5, device="cuda"), first)
    return f"state/s{seed}", state.numpy().tobytes().hex() + f" {again}"


def results(wanted):
    """Each case with its lines."""
    for name, draw in cases():
        if not wanted or any(word in name for word in wanted):
            yield name, [line for seed in SEEDS for line in lines_of(name, draw, seed)]
    if not wanted:
        yield "graph", [line for seed in SEEDS for line in graph_lines(seed)]
        yield "state", [state_line(seed) for seed in SEEDS]


def digest(lines):
    return hashlib.sha1("\n".join(": ".join(line) for line in lines).encode()).hexdigest()[:16]


def compare(wanted):
    recorded = dict(line.split(": ") for line in RECORDED.read_text().splitlines())
    count, wrong = 0, 0
    for name, lines in results(wanted):
        count += 1
        if recorded.get(name) != digest(lines):
            wrong += 1
            print(f"not the card's: {name}")
    print(f"{count - wrong} of {count} cases give what the card gives")
    return 1 if wrong or not count else 0


def main(arguments):
    warnings.simplefilter("ignore")
    if arguments not in (["--print"], ["--record"]):
        return compare(arguments)
    for name, lines in results([]):
        for line in [(name, digest(lines))] if arguments == ["--record"] else lines:
            print(": ".join(line))
    return 0


if __name__ == "__main__":
    if not torch.cuda.is_available():
        print("skipped: torch has no CUDA device")
        sys.exit(77)
    sys.exit(main(sys.argv[1:]))
