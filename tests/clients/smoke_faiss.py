# SPDX-License-Identifier: MIT
"""Faiss: nearest neighbours and k-means on the GPU, whose products are cuBLAS', against Faiss on the host."""
import faiss
import numpy

WIDTH, COUNT = 32, 2000
random = numpy.random.default_rng(0)
base, queries = (random.standard_normal((rows, WIDTH)).astype("f") for rows in (COUNT, 50))
resources = faiss.StandardGpuResources()


def compare(name, host, same, near):
    """Most neighbours are the same (distances of f16 may be equal) and the distances as near as the elements allow."""
    device = faiss.index_cpu_to_gpu(resources, 0, host)
    (distances, indices), (found, numbers) = host.search(queries, 10), device.search(queries, 10)
    print(name, (indices == numbers).mean(), abs(distances - found).max())
    assert (indices == numbers).mean() >= same and abs(distances - found).max() <= near


def flat(metric):
    index = faiss.IndexFlat(WIDTH, metric)
    index.add(base)
    return index


def lists():
    index = faiss.IndexIVFFlat(faiss.IndexFlatL2(WIDTH), WIDTH, 16)
    index.train(base)
    index.add(base)
    index.nprobe = 8
    return index


compare("inner product", flat(faiss.METRIC_INNER_PRODUCT), 0.99, 1e-4)
compare("distance", flat(faiss.METRIC_L2), 0.99, 1e-3)
compare("lists", lists(), 0.99, 1e-3)
objectives = []
for gpu in (False, True):
    means = faiss.Kmeans(WIDTH, 16, niter=5, gpu=gpu, seed=1)
    means.train(base)
    objectives.append(means.obj[-1])
print("k-means", *objectives)
assert abs(objectives[0] - objectives[1]) < 1e-3 * objectives[0]
print("Faiss", faiss.__version__, "right")
