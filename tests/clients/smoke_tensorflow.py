# SPDX-License-Identifier: MIT
"""TensorFlow: operations on the GPU against numpy, and Keras models whose training there follows that on the processor."""
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
import keras  # noqa: E402
import numpy  # noqa: E402
import tensorflow as tf  # noqa: E402

assert tf.config.list_physical_devices("GPU"), "TensorFlow sees no GPU"
tf.config.experimental.enable_tensor_float_32_execution(False)
random = numpy.random.default_rng(0)
a = random.standard_normal((24, 24)).astype("f")
positive = a @ a.T + 24 * numpy.eye(24, dtype="f")


def compare(name, device, host, near=1e-4):
    error = float(abs(numpy.asarray(device) - host).max() / abs(host).max())
    print(name, error)
    assert error <= near, name


def train(place, layers, x, y):
    """The losses of a model that begins with the same weights everywhere."""
    keras.utils.set_random_seed(0)
    with tf.device(place):
        model = keras.Sequential([keras.layers.Input(x.shape[1:]), *layers("GPU" in place), keras.layers.Dense(1)])
        model.compile(keras.optimizers.SGD(0.05), "mse")
        return numpy.array(model.fit(x, y, epochs=3, batch_size=16, shuffle=False, verbose=0).history["loss"])


def images(on_gpu):
    return [keras.layers.Conv2D(4, 3, activation="relu"), keras.layers.MaxPooling2D(), keras.layers.Flatten(),
            keras.layers.Dense(8, activation="tanh")]


def sequences(on_gpu):
    return [keras.layers.LSTM(4, use_cudnn=on_gpu)]  # cuDNN's would run on the GPU even for the processor


with tf.device("/GPU:0"):
    result = tf.matmul(a, a)
    assert "GPU" in result.device, result.device
    compare("product", result, a @ a)
    compare("sine", tf.sin(a), numpy.sin(a))
    compare("transform", tf.signal.rfft(a), numpy.fft.rfft(a))
    compare("cholesky", tf.linalg.cholesky(positive), numpy.linalg.cholesky(positive))
    compare("svd", tf.linalg.svd(a, compute_uv=False), numpy.linalg.svd(a, compute_uv=False))
for name, layers, shape in (("convolutions", images, (8, 8, 1)), ("an LSTM", sequences, (5, 3))):
    x = random.standard_normal((64, *shape)).astype("f")
    y = x.reshape(64, -1).mean(1)
    compare(f"losses of {name}", train("/GPU:0", layers, x, y), train("/CPU:0", layers, x, y), 1e-3)
