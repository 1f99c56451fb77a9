#!/usr/bin/env python3
"""A second model of reductions, in NumPy scalars and decimals, against the program."""

import decimal
import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy

PROGRAM = os.environ["HALFULP_PROGRAM"]
VECTORS = 25
decimal.getcontext().prec = 60


def running_sum(values, kind):
    total = kind(0)
    for value in values:
        total = kind(total + value)
    return total


class Textbook:
    """Every operation rounded to `kind`; exp and log through float64, which rounds them once as
    good as always."""

    def __init__(self, x, kind):
        self.x, self.kind, self.n = x, kind, kind(len(x))
        self.largest = x.max()
        self.shifted = [kind(v - self.largest) for v in x]
        self.exponentials = [kind(numpy.exp(numpy.float64(v))) for v in self.shifted]
        self.total = running_sum(self.exponentials, kind)
        self.mean = kind(running_sum(x, kind) / self.n)
        self.deviations = [kind(v - self.mean) for v in x]
        self.squares = running_sum([kind(v * v) for v in x], kind)

    def log_total(self):
        return self.kind(numpy.log(numpy.float64(self.total)))

    def softmax(self):
        return [self.kind(e / self.total) for e in self.exponentials]

    def logsumexp(self):
        return [self.kind(self.largest + self.log_total())]

    def log_softmax(self):
        return [self.kind(v - self.log_total()) for v in self.shifted]

    def naive_variance(self):
        return [self.kind(self.kind(self.squares / self.n) - self.kind(self.mean * self.mean))]

    def two_pass_variance(self):
        return [self.kind(running_sum([self.kind(d * d) for d in self.deviations], self.kind)
                          / self.n)]

    def welford_variance(self):
        kind, mean, m2 = self.kind, self.kind(0), self.kind(0)
        for k, v in enumerate(self.x, 1):
            d = kind(v - mean)
            mean = kind(mean + kind(d / kind(k)))
            m2 = kind(m2 + kind(d * kind(v - mean)))
        return [kind(m2 / self.n)]

    def layer_norm(self):
        variance, = self.two_pass_variance()
        root = self.kind(numpy.sqrt(self.kind(variance + self.kind(1e-5))))
        return [self.kind(d / root) for d in self.deviations]

    def norm(self):
        return [self.kind(numpy.sqrt(self.squares))]

    def clip(self):
        kind = self.kind
        factor = min(kind(1), kind(kind(1) / kind(self.norm()[0] + kind(1e-6))))
        return [kind(v * factor) for v in self.x]


class Exact:
    """60 digits, rounded once."""

    def __init__(self, x, kind):
        self.x, self.kind = [decimal.Decimal(float(v)) for v in x], kind
        self.largest = max(self.x)
        self.exponentials = [(v - self.largest).exp() for v in self.x]
        self.total = sum(self.exponentials)

    def rounded(self, value):
        near = self.kind(float(value))
        around = [numpy.nextafter(near, self.kind(-numpy.inf)), near,
                  numpy.nextafter(near, self.kind(numpy.inf))]
        return min(around, key=lambda v: abs(decimal.Decimal(float(v)) - value))

    def softmax(self):
        return [self.rounded(e / self.total) for e in self.exponentials]

    def logsumexp(self):
        return [self.rounded(self.largest + self.total.ln())]

    def layer_norm(self):
        mean = sum(self.x) / len(self.x)
        variance = sum((v - mean) ** 2 for v in self.x) / len(self.x)
        root = (variance + decimal.Decimal("1e-5")).sqrt()
        return [self.rounded((v - mean) / root) for v in self.x]


STEPWISE = {
    "softmax --form stable": Textbook.softmax,
    "logsumexp --form stable": Textbook.logsumexp,
    "log-softmax --form stable": Textbook.log_softmax,
    "variance --form naive": Textbook.naive_variance,
    "variance --form two-pass": Textbook.two_pass_variance,
    "variance --form welford": Textbook.welford_variance,
    "layer-norm --form two-pass": Textbook.layer_norm,
    "norm --form naive": Textbook.norm,
    "clip --form norm2 --limit 1": Textbook.clip,
}
ORACLE = {
    "softmax --form naive": Exact.softmax,
    "softmax --form stable": Exact.softmax,
    "logsumexp --form naive": Exact.logsumexp,
    "layer-norm --form welford": Exact.layer_norm,
}


class IndependentModel(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name) / "x.npy"

    def compare(self, command, dtype, backend, expected):
        arguments = ["eval", *command.split(), "--dtype", dtype, "--input", self.file, "--backend",
                     backend]
        run = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=60)
        self.assertEqual(run.returncode, 0, run.stderr)
        actual = [int(line.split()[1], 16) for line in run.stdout.splitlines()]
        unsigned = {"f16": numpy.uint16, "f32": numpy.uint32}[dtype]
        with self.subTest(command=command, dtype=dtype, backend=backend):
            self.assertEqual(actual, [int(v.view(unsigned)) for v in expected])

    def test_vectors(self):
        random = numpy.random.default_rng(3)
        for _ in range(VECTORS):
            length = int(random.integers(1, 60))
            spread = 2.0 ** random.integers(-2, 4)
            for kind, dtype in ((numpy.float16, "f16"), (numpy.float32, "f32")):
                x = (random.standard_normal(length) * spread).astype(kind)
                numpy.save(self.file, x)
                for command, model in STEPWISE.items():
                    self.compare(command, dtype, "stepwise", model(Textbook(x, kind)))
                fused = Textbook(x.astype(numpy.float32), numpy.float32).softmax()
                self.compare("softmax --form stable", dtype, "fused-fp32", [kind(v) for v in fused])
                for command, model in ORACLE.items():
                    self.compare(command, dtype, "oracle", model(Exact(x, kind)))


if __name__ == "__main__":
    unittest.main(verbosity=0)
