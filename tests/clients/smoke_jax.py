# SPDX-License-Identifier: MIT
"""JAX: products, a convolution, a transform, factorisations, gradients and a loop on the GPU, against numpy."""
import jax
import jax.numpy as jnp
import numpy

assert jax.default_backend() == "gpu", jax.devices()
random = numpy.random.default_rng(0)
a, b = (random.standard_normal((24, 24)).astype("f") for _ in range(2))
positive = a @ a.T + 24 * numpy.eye(24, dtype="f")


def compare(name, device, host, near=1e-4):
    error = float(abs(numpy.asarray(device, host.dtype) - host).max() / abs(host).max())
    print(name, error)
    assert error <= near, name


def steps(x):
    return jax.lax.scan(lambda carry, row: (carry * 0.5 + row, carry), jnp.zeros(24), x)[0]


def steps_host(x):
    carry = numpy.zeros(24, "f")
    for row in x:
        carry = carry * numpy.float32(0.5) + row
    return carry


compare("jit", jax.jit(lambda x: jnp.sin(x) * 2 + x.sum(0))(a), numpy.sin(a) * 2 + a.sum(0))
with jax.default_matmul_precision("highest"):
    compare("product", jnp.asarray(a) @ b, a @ b)
    compare("gradient", jax.grad(lambda x: jnp.tanh(x @ b).sum())(a), (1 - numpy.tanh(a @ b) ** 2) @ b.T)
compare("product of bfloat16", (jnp.asarray(a, "bfloat16") @ jnp.asarray(b, "bfloat16")), a @ b, 0.02)
compare("convolution", jax.lax.conv(jnp.ones((1, 2, 6, 6)), jnp.ones((3, 2, 3, 3)), (1, 1), "VALID"),
        numpy.full((1, 3, 4, 4), 18, "f"))
compare("transform", jnp.fft.rfft(a), numpy.fft.rfft(a).astype("F"))
compare("cholesky", jnp.linalg.cholesky(positive), numpy.linalg.cholesky(positive))
compare("solve", jnp.linalg.solve(positive, b), numpy.linalg.solve(positive, b))
compare("svd", jnp.linalg.svd(a, compute_uv=False), numpy.linalg.svd(a, compute_uv=False))
compare("eigh", jnp.linalg.eigh(positive)[0], numpy.linalg.eigh(positive)[0])
compare("sort", jnp.sort(a, axis=0), numpy.sort(a, axis=0))
compare("scan", steps(jnp.asarray(a)), steps_host(a))
numbers = jax.random.uniform(jax.random.key(0), (3,))
with jax.default_device(jax.devices("cpu")[0]):
    compare("random", numbers, numpy.asarray(jax.random.uniform(jax.random.key(0), (3,))))
