"""Trains the network of this project and saves it with the digits under `data/`.

The digits are the 1,797 handwritten ones that scikit-learn ships (`load_digits`): 8 x 8
pixels of 0 to 16, by E. Alpaydin and C. Kaynak, UCI Machine Learning Repository, Optical
Recognition of Handwritten Digits (CC BY 4.0).

The network has 64 inputs, 16 hidden units with the rectifier max(x, 0), and 10 outputs;
the class is the first output of the largest value. Stochastic gradient descent with
momentum minimises the cross entropy of the first 1,197 digits; the last 600 are never
seen in training. Everything is float64 NumPy with one fixed seed; the weights are saved
as float32, and those files are what the build uses.

Needs `pip install scikit-learn numpy`.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits

SEED = 17
HIDDEN, CLASSES = 16, 10
TRAINED = 1197
EPOCHS, BATCH = 120, 32
RATE, MOMENTUM, DECAY = 0.05, 0.9, 0.0005

Matrix = NDArray[np.float64]
Parameters = list[Matrix]


def initial(generator: np.random.Generator) -> Parameters:
    """Weights and biases: He's initialisation, biases zero."""
    return [
        generator.normal(0.0, np.sqrt(2.0 / 64), (HIDDEN, 64)),
        np.zeros(HIDDEN),
        generator.normal(0.0, np.sqrt(2.0 / HIDDEN), (CLASSES, HIDDEN)),
        np.zeros(CLASSES),
    ]


def gradients(parameters: Parameters, pixels: Matrix, labels: NDArray[np.int64]) -> Parameters:
    """Gradients of the mean cross entropy of a batch, in the order of the parameters."""
    hidden_weights, hidden_bias, output_weights, output_bias = parameters
    before = pixels @ hidden_weights.T + hidden_bias
    hidden = np.maximum(before, 0.0)
    scores = hidden @ output_weights.T + output_bias
    likelihood = np.exp(scores - scores.max(axis=1, keepdims=True))
    likelihood /= likelihood.sum(axis=1, keepdims=True)
    likelihood[np.arange(labels.size), labels] -= 1.0
    to_scores = likelihood / labels.size
    to_before = (to_scores @ output_weights) * (before > 0.0)
    return [
        to_before.T @ pixels,
        to_before.sum(axis=0),
        to_scores.T @ hidden,
        to_scores.sum(axis=0),
    ]


def train(pixels: Matrix, labels: NDArray[np.int64]) -> Parameters:
    """Trained parameters for `pixels` (count, 64) in 0 to 1 and `labels` (count,)."""
    generator = np.random.default_rng(SEED)
    parameters = initial(generator)
    speeds = [np.zeros_like(parameter) for parameter in parameters]
    for epoch in range(EPOCHS):
        rate = RATE * (1.0 - epoch / EPOCHS)
        order = generator.permutation(labels.size)
        for start in range(0, labels.size, BATCH):
            batch = order[start : start + BATCH]
            slopes = gradients(parameters, pixels[batch], labels[batch])
            for parameter, speed, slope in zip(parameters, speeds, slopes, strict=True):
                speed *= MOMENTUM
                speed -= rate * (slope + DECAY * parameter)
                parameter += speed
    return parameters


def main() -> None:
    """Trains and saves digits, labels and weights."""
    digits = load_digits()
    images = digits.data.astype(np.uint8)
    labels = digits.target.astype(np.int64)
    parameters = train(images[:TRAINED] / 16.0, labels[:TRAINED])
    data = Path(__file__).parent / "data"
    data.mkdir(exist_ok=True)
    np.save(data / "images.npy", images)
    np.save(data / "labels.npy", labels.astype(np.uint8))
    names = ("hidden_weights", "hidden_bias", "output_weights", "output_bias")
    for name, parameter in zip(names, parameters, strict=True):
        np.save(data / f"{name}.npy", parameter.astype(np.float32))


if __name__ == "__main__":
    main()
