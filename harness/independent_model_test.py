#!/usr/bin/env python3
"""The engine models, the oracle and the metrics against a slow second model in exact fractions.

Written from the recipes of engines in words, not from the C++: every operation is evaluated over
the rationals and rounded by comparing remainders, so that nothing is shared with the program.
"""

import functools
import json
import os
import pathlib
import random
import struct
import subprocess
import tempfile
import unittest
from fractions import Fraction
from typing import NamedTuple

PROGRAM = os.environ["HALFULP_PROGRAM"]
HALF = Fraction(1, 2)


class Format(NamedTuple):
    name: str
    precision: int
    emin: int
    emax: int

    def exponent(self, value):
        """Of the binade that holds the value; never below the smallest normal one."""
        numerator, denominator = abs(value.numerator), value.denominator
        exponent = numerator.bit_length() - denominator.bit_length()
        if numerator * 2 ** max(0, -exponent) < denominator * 2 ** max(0, exponent):
            exponent -= 1
        return max(exponent, self.emin)

    def ulp(self, value):
        exponent = self.exponent(value) if value else self.emin
        return Fraction(2) ** (exponent - self.precision + 1)

    def round(self, value):
        """The nearest multiple of the ulp, ties to even. No test here overflows."""
        ulp = self.ulp(value)
        return round(value / ulp) * ulp  # Fraction.__round__ is exact, ties to even

    def encode(self, value):
        magnitude = abs(value)
        significand = int(magnitude / self.ulp(magnitude))
        exponent = self.exponent(magnitude) if magnitude else self.emin
        return self.sign_bit * (value < 0) + significand + (exponent - self.emin) * self.hidden_bit

    @property
    def hidden_bit(self):
        return 2 ** (self.precision - 1)

    @property
    def sign_bit(self):
        return 2 * (self.emax + 1) * self.hidden_bit

    def ordinal(self, encoding):
        return self.sign_bit - encoding if encoding >= self.sign_bit else encoding

    def next(self, value, direction):
        """The neighbour of a value of the format, for one that is neither 0 nor a power of two
        seen from above."""
        exact_power = abs(value) == Fraction(2) ** self.exponent(value)
        toward_zero = (value > 0) != (direction > 0)
        return value + direction * self.ulp(value) / (2 if exact_power and toward_zero else 1)


F64 = Format("f64", 53, -1022, 1023)
F32 = Format("f32", 24, -126, 127)
TF32 = Format("tf32", 11, -126, 127)
F16 = Format("f16", 11, -14, 15)
BF16 = Format("bf16", 8, -126, 127)
HALVES = (F16, BF16)


def wide(dtype):
    """The format that an engine computes in."""
    return F64 if dtype is F64 else F32


def through_wide(dtype):
    """One operation of eager mode: computed in the wide format, narrowed."""
    return lambda value: dtype.round(wide(dtype).round(value))


# Ramps


def exact_ramp(n, **_):
    return [Fraction(i) for i in range(n)]


def blocked_arange(n, dtype, lanes, eager):
    """Vector blocks: the base is rounded to the dtype, each lane is the rounded base + k. In eager
    mode two vectors at a time, the rest one by one, and a fresh start every 32,768 elements."""
    if dtype not in HALVES or lanes == 0:
        return [through_wide(dtype)(x) for x in exact_ramp(n)]
    whole = n - n % (2 * lanes) if eager else n
    return [dtype.round(dtype.round(Fraction(i - i % lanes)) + i % lanes if i < whole
                        else Fraction(i)) for i in range(n)]


def eager_linspace(n, dtype, start, end, stepwise=False, contracted=True):
    """Two-sided: from the start in the first half, from the end in the second."""
    start, end = dtype.round(Fraction(start)), dtype.round(Fraction(end))
    inner = dtype.round if stepwise else wide(dtype).round
    fused = contracted and dtype is not F16 and not stepwise
    step = inner(inner(end - start) / inner(Fraction(n - 1)))

    def element(i):
        base, steps, sign = (start, i, 1) if i < n // 2 else (end, n - 1 - i, -1)
        product = step * inner(Fraction(steps))
        return dtype.round(inner(base + sign * (product if fused else inner(product))))
    return [element(i) for i in range(n)]


# Grids


class Grid(NamedTuple):
    form: str
    align: bool
    dtype: Format
    n: int

    @property
    def in_float32(self):
        return self.form in ("float32-once", "exact-numerator")

    def exact(self):
        divisor = self.n - 1 if self.align else self.n
        return [Fraction(2 * i - (self.n - 1), divisor) for i in range(self.n)]


def grid_steps(grid, x, divide, rounded, fused_divide=None):
    """The program's operations one by one; fused_divide(a, c) is a / m + c rounded once."""
    if grid.form == "exact-numerator":
        return [divide(2 * i - Fraction(grid.n - 1)) for i in range(grid.n)]
    subtract = fused_divide or (lambda a, c: rounded(divide(a) + c))
    if grid.align:
        return [rounded(2 * subtract(a, -HALF)) for a in x]
    return [subtract(rounded(rounded(2 * a) + 1), Fraction(-1)) for a in x]


def divisor_of(grid, size_minus_one, run_time):
    """As the program and the engine round it: a size tensor, a cast, a run-time value, or exact."""
    exact = Fraction(grid.n - 1 if grid.align else grid.n)
    if grid.form == "arange-size-tensor":
        size = grid.dtype.round(Fraction(grid.n))
        return size_minus_one(size - 1) if grid.align else size
    if grid.form == "divisor-in-dtype" or (run_time and not grid.in_float32):
        return grid.dtype.round(exact)
    return exact


def eager_cpu(grid, lanes=16, stepwise=False, contracted=True):
    rounded = wide(grid.dtype).round if grid.in_float32 else through_wide(grid.dtype)
    if grid.in_float32:
        x = exact_ramp(grid.n)
    elif grid.form == "linspace":
        x = eager_linspace(grid.n, grid.dtype, 0, grid.n - 1, stepwise, contracted)
    else:
        x = blocked_arange(grid.n, grid.dtype, lanes, eager=True)
    divisor = divisor_of(grid, through_wide(grid.dtype), run_time=False)
    return grid_steps(grid, x, lambda a: rounded(a / divisor), rounded)


def cuda_aten(grid):
    rounded = wide(grid.dtype).round if grid.in_float32 else through_wide(grid.dtype)
    reciprocal = wide(grid.dtype).round(1 / divisor_of(grid, None, run_time=False))
    x = [rounded(a) for a in exact_ramp(grid.n)]
    return grid_steps(grid, x, lambda a: rounded(a * reciprocal), rounded)


def inductor_cpu(grid, lanes=32, run_time=False):
    rounded = wide(grid.dtype).round
    typed = not grid.in_float32 and grid.form != "linspace"
    x = blocked_arange(grid.n, grid.dtype, lanes, eager=False) if typed else exact_ramp(grid.n)
    divisor = divisor_of(grid, rounded, run_time)
    return grid_steps(grid, x, lambda a: rounded(a / divisor), rounded)


def fused_fp32(grid):
    rounded = wide(grid.dtype).round
    divisor = Fraction(grid.n - 1 if grid.align else grid.n)
    return grid_steps(grid, exact_ramp(grid.n), lambda a: rounded(a / divisor), rounded)


def triton(grid, reciprocal, contracted=True):
    rounded = wide(grid.dtype).round
    return grid_steps(grid, exact_ramp(grid.n), lambda a: rounded(a * reciprocal), rounded,
                      (lambda a, c: rounded(a * reciprocal + c)) if contracted else None)


def triton_const(grid, contracted=True):
    reciprocal = wide(grid.dtype).round(1 / Fraction(grid.n - 1 if grid.align else grid.n))
    return triton(grid, reciprocal, contracted)


def admitted_reciprocals(divisor):
    """The float32 values that bracket 1 / divisor; three when it is one itself."""
    exact = 1 / Fraction(divisor)
    nearest = F32.round(exact)
    worlds = {"nearest": nearest}
    if nearest >= exact:
        worlds["below"] = F32.next(nearest, -1)
    if nearest <= exact:
        worlds["above"] = F32.next(nearest, 1)
    return worlds


def triton_div(grid, world, contracted=True):
    reciprocal = admitted_reciprocals(grid.n - 1 if grid.align else grid.n)[world]
    return triton(grid, reciprocal, contracted)


ENGINES = {
    "oracle": Grid.exact,
    "eager-cpu": eager_cpu,
    "eager-cpu+arange_lanes=8": functools.partial(eager_cpu, lanes=8),
    "eager-cpu+arange_lanes=0": functools.partial(eager_cpu, lanes=0),
    "eager-cpu+linspace=stepwise": functools.partial(eager_cpu, stepwise=True),
    "eager-cpu+contraction=off": functools.partial(eager_cpu, contracted=False),
    "inductor-cpu": inductor_cpu,
    "inductor-cpu+arange_lanes=8": functools.partial(inductor_cpu, lanes=8),
    "inductor-cpu-dynamic": functools.partial(inductor_cpu, run_time=True),
    "inductor-cpu-dynamic+arange_lanes=16": functools.partial(inductor_cpu, lanes=16,
                                                              run_time=True),
    "fused-fp32": fused_fp32,
    "fused-fp32-recip": functools.partial(triton_const, contracted=False),
    "cuda-aten": cuda_aten,
    "triton-const": triton_const,
    "triton-const-nofma": functools.partial(triton_const, contracted=False),
    **{f"triton-div{suffix}+reciprocal={world}": functools.partial(
        triton_div, world=world, contracted=contracted)
       for world in ("nearest", "below", "above")
       for suffix, contracted in (("", True), ("-nofma", False))},
}
EXACT_SIZES = ("float32-once", "arange", "linspace", "exact-numerator")
FORMS = EXACT_SIZES + ("arange-size-tensor", "divisor-in-dtype")


def modelled(backend, grid):
    """What the recipes in words cover."""
    if grid.form not in EXACT_SIZES:  # written down for the CPU engines only
        return backend == "oracle" or backend.startswith(("eager-cpu", "inductor-cpu"))
    if backend == "cuda-aten":
        return grid.form != "linspace"
    if backend.startswith("triton-div"):
        divisor = grid.n - 1 if grid.align else grid.n
        return grid.dtype is not F64 and \
            backend.partition("reciprocal=")[2] in admitted_reciprocals(divisor)
    return True


def encodings(backend, grid):
    """Of the stored results; a singleton axis is 0."""
    if grid.n == 1:
        return [0]
    return [grid.dtype.encode(grid.dtype.round(value)) for value in ENGINES[backend](grid)]


# The program under test


def halfulp(*arguments):
    run = subprocess.run([PROGRAM, "--quiet", *map(str, arguments)], capture_output=True, text=True,
                         timeout=120)
    if run.returncode != 0:
        raise AssertionError(f"{arguments}: exit {run.returncode}: {run.stderr}")
    return run.stdout


def evaluated(case, backend, dtype, *arguments):
    lines = halfulp("eval", case, "--backend", backend, "--dtype", dtype.name, *arguments)
    return [int(line.split()[1], 16) for line in lines.splitlines()]


def swept(*arguments):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "report.json")
        halfulp("sweep", *arguments, "--json", path)
        return json.loads(path.read_text())["results"]


def read_npy(path):
    """Header and 16-bit encodings of a .npy file, version 1 or 2."""
    content = path.read_bytes()
    assert content[:6] == b"\x93NUMPY"
    size_format, start = ("<H", 10) if content[6] == 1 else ("<I", 12)
    end = start + struct.unpack_from(size_format, content, 8)[0]
    assert end % 64 == 0
    header = eval(content[start:end].decode("latin1"), {"__builtins__": {}})
    body = content[end:]
    return header, list(struct.unpack(f"<{len(body) // 2}H", body))


class Engines(unittest.TestCase):
    def check(self, backend, grid):
        with self.subTest(backend=backend, grid=grid):
            actual = evaluated("meshgrid", backend, grid.dtype, "--form", grid.form, "--width",
                               grid.n, "--align-corners", str(grid.align).lower())
            self.assertEqual(actual, encodings(backend, grid))

    def test_every_backend_and_form(self):
        generator = random.Random(20261130)
        widths = [1, 2, 3, 257, 258, 300, *(generator.randrange(4, 400) for _ in range(30))]
        for backend in ENGINES:
            for form in FORMS:
                for align in (True, False):
                    dtype = generator.choice((F64, F32, TF32, F16, BF16, BF16))
                    grid = Grid(form, align, dtype, generator.choice(widths))
                    if grid.n == 1 and backend.startswith("triton-div"):
                        continue
                    if modelled(backend, grid):
                        self.check(backend, grid)

    def test_ramps_beyond_the_exact_integers(self):
        for backend in ("eager-cpu", "eager-cpu+arange_lanes=8", "inductor-cpu",
                        "inductor-cpu-dynamic+arange_lanes=16", "triton-div+reciprocal=nearest"):
            self.check(backend, Grid("arange", True, BF16, 4200))

    def test_stepwise_linspace(self):
        for dtype in HALVES:
            self.check("eager-cpu+linspace=stepwise", Grid("linspace", True, dtype, 2100))

    def test_linspace_between_numbers(self):
        for dtype in (F32, F16, BF16):
            for n in (2, 4, 7, 50, 301):
                for backend, options in (
                        ("eager-cpu", {}), ("eager-cpu+contraction=off", {"contracted": False}),
                        ("eager-cpu+linspace=stepwise", {"stepwise": dtype is not F32})):
                    with self.subTest(dtype=dtype.name, n=n, backend=backend):
                        expected = eager_linspace(n, dtype, -1, 1, **options)
                        self.assertEqual(
                            evaluated("ramp", backend, dtype, "--kind", "linspace", "--start", -1,
                                      "--end", 1, "--width", n),
                            [dtype.encode(value) for value in expected])

    def test_division_by_a_scalar(self):
        dividends = range(-40, 400, 7)
        for divisor in ("3", "-7", "13", "83", "-0.75"):
            exact = Fraction(divisor)
            for dtype in (F32, F16, BF16):
                stored = [dtype.round(Fraction(a)) for a in dividends]
                recipes = {"eager-cpu": lambda a: a / exact,
                           "cuda-aten": lambda a: a * F32.round(1 / exact),
                           "oracle": lambda a: a / exact}
                for backend, recipe in recipes.items():
                    rounded = dtype.round if backend == "oracle" else through_wide(dtype)
                    with self.subTest(backend=backend, divisor=divisor, dtype=dtype.name):
                        actual = evaluated("scalar-division", backend, dtype, f"--b={divisor}",
                                           "--a=" + ",".join(map(str, dividends)))
                        # 0 / -7 is -0 in an engine and 0 in the rationals: compared elsewhere
                        self.assertEqual(
                            [a for a, x in zip(actual, stored) if x],
                            [dtype.encode(rounded(recipe(x))) for x in stored if x])


class Tensors(unittest.TestCase):
    def npy(self, case, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "grid.npy")
            halfulp("eval", case, "--npy", path, *arguments)
            return read_npy(path)

    def axis(self, n):
        return encodings("fused-fp32", Grid("float32-once", True, F16, n))

    def test_two_axes_have_x_then_y(self):
        header, body = self.npy("meshgrid", "--width", 5, "--height", 3, "--dtype", "f16",
                                "--backend", "fused-fp32")
        self.assertEqual(header, {"descr": "<f2", "fortran_order": False, "shape": (1, 3, 5, 2)})
        self.assertEqual(body, [c for y in self.axis(3) for x in self.axis(5) for c in (x, y)])

    def test_three_axes_have_z_then_x_then_y(self):
        header, body = self.npy("meshgrid3d", "--width", 4, "--height", 3, "--depth", 2, "--dtype",
                                "f16", "--backend", "fused-fp32")
        self.assertEqual(header["shape"], (1, 2, 3, 4, 3))
        self.assertEqual(body, [c for z in self.axis(2) for y in self.axis(3)
                                for x in self.axis(4) for c in (z, x, y)])


class Point(NamedTuple):
    width: int
    index: int
    actual: int
    expected: int
    exact: Fraction


class Metrics(unittest.TestCase):
    """Every figure of a report, by brute force over the points of a small sweep."""

    def points(self, backend, form, align, dtype, widths):
        for width in widths:
            grid = Grid(form, align, dtype, width)
            if not modelled(backend, grid):
                continue
            for index, point in enumerate(zip(encodings(backend, grid), encodings("oracle", grid),
                                              grid.exact())):
                yield Point(width, index, *point)

    def measures(self, dtype, values):
        one = dtype.ulp(Fraction(1))

        def distance(point):
            return abs(values[point.actual] - point.exact)
        return {
            "steps": lambda p: abs(dtype.ordinal(p.actual) - dtype.ordinal(p.expected)),
            "ulp_error": lambda p: distance(p) / dtype.ulp(p.exact),
            "range_ulp": lambda p: distance(p) / one,
            "abs": distance,
            "rel": lambda p: distance(p) / abs(p.exact) if p.exact else Fraction(0),
        }

    def check(self, result, points, dtype):
        differing = [p for p in points if p.actual != p.expected]
        metrics = result["metrics"]
        self.assertEqual(metrics["points"], len(points))
        self.assertEqual(metrics["differing"], len(differing))
        self.assertEqual(metrics["widths_affected"], len({p.width for p in differing}))
        first = {"width": differing[0].width, "index": differing[0].index} if differing else None
        self.assertEqual(metrics["first_width"], first and first["width"])
        shown = result["first"]
        self.assertEqual(shown and {"width": shown["width"], "index": shown["index"]}, first)
        self.assertEqual(metrics["zero_lost"],
                         sum(p.exact == 0 and p.actual != 0 for p in points))
        values = {p.actual: self.value(dtype, p.actual) for p in points}
        for name, measure in self.measures(dtype, values).items():
            with self.subTest(metric=name):
                # max takes the first of equals: points ascend by (width, index)
                largest = max(points, key=measure)
                self.assertEqual(metrics[name + "_max"], float(measure(largest)))
                witness = result["witnesses"][name]
                if measure(largest) == 0:
                    self.assertIsNone(witness)
                    continue
                self.assertEqual((witness["width"], witness["index"]), largest[:2])
                self.assertEqual((int(witness["actual"], 16), int(witness["expected"], 16)),
                                 (largest.actual, largest.expected))
                self.assertEqual(Fraction(witness["exact"]), largest.exact)
        self.check_histogram(metrics["histogram"], [self.measures(dtype, values)["steps"](p)
                                                    for p in points])

    def value(self, dtype, encoding):
        magnitude = encoding % dtype.sign_bit
        exponent, fraction = divmod(magnitude, dtype.hidden_bit)
        significand = fraction + (dtype.hidden_bit if exponent else 0)
        scale = Fraction(2) ** (max(exponent, 1) - 1 + dtype.emin - dtype.precision + 1)
        return significand * scale * (-1 if encoding >= dtype.sign_bit else 1)

    def check_histogram(self, histogram, steps):
        total = 0
        for bucket, count in histogram.items():
            low, _, high = bucket.partition("..")
            inside = sum(int(low) <= s <= int(high or low) for s in steps)
            self.assertEqual(count, inside, bucket)
            total += count
        self.assertEqual(total, len(steps))

    def test_against_the_oracle(self):
        for backend, form, align, dtype in (
                ("eager-cpu", "arange", True, BF16), ("cuda-aten", "float32-once", True, F32),
                ("triton-const", "arange", False, F16), ("eager-cpu", "arange", True, F64),
                ("inductor-cpu-dynamic", "arange", True, TF32),
                ("triton-div+reciprocal=below", "float32-once", True, BF16)):
            with self.subTest(backend=backend, dtype=dtype.name, align=align):
                points = list(self.points(backend, form, align, dtype, range(2, 61)))
                result, = swept("meshgrid", "--form", form, "--dtype", dtype.name, "--widths",
                                "2..60", "--backend", backend, "--align-corners",
                                str(align).lower())
                self.check(result, points, dtype)

    def test_envelope_of_the_worlds(self):
        widths = range(2, 61)
        some = every = 0
        for width in widths:
            grid = Grid("arange", True, F32, width)
            expected = encodings("oracle", grid)
            worlds = [encodings(f"triton-div+reciprocal={world}", grid)
                      for world in admitted_reciprocals(width - 1)]
            for index, correct in enumerate(expected):
                wrong = [world[index] != correct for world in worlds]
                some += any(wrong)
                every += all(wrong)
        result = swept("meshgrid", "--form", "arange", "--dtype", "f32", "--widths", "2..60",
                       "--backend", "triton-div")[0]
        self.assertEqual(result["envelope"]["some_world_differs"], some)
        self.assertEqual(result["envelope"]["every_world_differs"], every)
        self.assertEqual(result["metrics"]["differing"], some)

    def test_whole_tensors_count_every_element(self):
        form, backend, dtype, height = "arange", "eager-cpu", BF16, 6
        y_axis = Grid(form, True, dtype, height)
        rows = [a != e for a, e in zip(encodings(backend, y_axis), encodings("fused-fp32", y_axis))]
        differing = total = 0
        for width in range(2, 40):
            x_axis = Grid(form, True, dtype, width)
            columns = [a != e for a, e in zip(encodings(backend, x_axis),
                                              encodings("fused-fp32", x_axis))]
            differing += sum(columns) * height + sum(rows) * width
            total += 2 * width * height
        result, = swept("meshgrid", "--form", form, "--dtype", dtype.name, "--widths", "2..39",
                        "--height", height, "--backend", backend, "--reference", "fused-fp32")
        self.assertEqual(result["metrics"]["tensor_differing"], differing)
        self.assertEqual(result["metrics"]["tensor_points"], total)


if __name__ == "__main__":
    unittest.main()
