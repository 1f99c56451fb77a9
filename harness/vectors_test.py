#!/usr/bin/env python3
"""Reductions from the command line: promised figures, files, refusals, envelopes, gates."""

import fractions
import json
import os
import pathlib
import shlex
import subprocess
import tempfile
import unittest

import numpy

PROGRAM = os.environ["HALFULP_PROGRAM"]
TEN = ("1,0.999998987,1.000002027,0.99999702,1.000004053,0.999994993,1.00000596,0.999993026,"
       "1.000007987,0.999991")
ONE_AND_FOUR = "1,0x1p-24,0x1p-24,0x1p-24,0x1p-24"

# What `eval` prints: the arguments, then encodings and values by index.
FIGURES = """
sum --form naive --dtype f16 --fill 1 --width 3000 --backend stepwise           | 0x6800 2048
sum --form naive --dtype f16 --fill 1 --width 6000 --backend stepwise           | 0x6800 2048
sum --form naive --dtype bf16 --fill 1 --width 3000 --backend stepwise          | 0x4380 256
sum --form naive --dtype f16 --fill 1 --width 3000 --backend oracle             | 0x69dc 3000
sum --form naive --dtype f16 --fill 1 --width 6000 --backend fused-fp32         | 0x6ddc 6000
sum --form naive --dtype f32 --fill 2.25 --width 4194304 --backend stepwise     | 0x4b071c72 8854642
sum --form naive --dtype f32 --fill 2.25 --width 4194304 --backend oracle       | 0x4b100000 9437184
sum --form naive --dtype f32 --values {one_and_four} --backend stepwise         | 0x3f800000 1
sum --form kahan --dtype f32 --values {one_and_four} --backend stepwise         | 0x3f800002 1.000000238418579
sum --form naive --dtype f32 --values {one_and_four} --backend oracle           | 0x3f800002 1.000000238418579
variance --form naive --dtype f32 --values {ten} --backend stepwise             | 0xb4000000 -1.1920928955078125e-07
variance --form naive --output std --dtype f32 --values {ten} --backend stepwise | 0x7fc00000 nan
variance --form naive --dtype f32 --values {ten} --backend oracle               | 0x2df811ae 2.8202187113413046e-11
variance --form naive --dtype f32 --values 1000000,1000001,1000002 --backend stepwise | 0xc7800000 -65536
variance --form welford --dtype f32 --values 1000000,1000001,1000002 --backend stepwise | 0x3f2aaaab 0.6666666865348816
cross-entropy --form logsumexp-minus-logit --dtype f32 --values 1e4,1e4 --backend stepwise | 0x3f318000 0.693359375
cross-entropy --form logsumexp-minus-logit --dtype f32 --values 1e6,1e6 --backend stepwise | 0x3f300000 0.6875
cross-entropy --form logsumexp-minus-logit --dtype f32 --values 1e8,1e8 --backend stepwise | 0x00000000 0
cross-entropy --form logsumexp-minus-logit --dtype f32 --values 1e8,1e8 --backend oracle | 0x3f317218 0.6931471824645996
cross-entropy --form log-softmax --dtype f32 --values 1e8,1e8 --backend stepwise | 0x3f317218 0.6931471824645996
logsumexp --form stable --dtype f32 --values -inf,-inf --backend stepwise       | 0xff800000 -inf
scalar-op --op exp --dtype f32 --values 89,-104,-103 --backend oracle           | 0x7f800000 inf 0x00000000 0 0x00000001 1.401298464324817e-45
scalar-op --op exp --dtype f16 --values 11.0859375,11.09375 --backend stepwise  | 0x7bf7 65248 0x7c00 inf
convert --form truncate --dtype f32 --to bf16 --values 3.14,1e-8 --backend stepwise | 0x4048 3.125 0x322b 9.953510016202927e-09
convert --form nearest --dtype f32 --to bf16 --values 3.14,1e-8 --backend stepwise | 0x4049 3.140625 0x322c 1.0011717677116394e-08
cast-chain --form kept --dtype f32 --values 1 --backend stepwise                | 0x3e124000 0.142822265625
cast-chain --form folded --dtype f32 --values 1 --backend stepwise              | 0x3e124925 0.1428571492433548
cast-chain --form kept --dtype f32 --values 0..19 --rows 4 --output sums --backend stepwise | 0x40b6d000 5.712890625 0x40cdb600 6.428466796875 0x40e49800 7.1435546875 0x40fb6e00 7.857177734375
clip --form norm2 --dtype f16 --values 300 --limit 1 --backend stepwise         | 0x0000 0
clip --form norm2 --dtype f16 --values 300 --limit 1 --backend oracle           | 0x3c00 1
clip --form norm2 --dtype f32 --values 3,4 --limit 5 --backend stepwise         | 0x403ffffe 2.999999523162842 0x407ffffd 3.9999992847442627
finite-difference --form forward --dtype bf16 --values 1e-4 --backend stepwise  | 0x0000 0
finite-difference --form forward --dtype f16 --values 1e-4 --backend stepwise   | 0x0000 0
"""


class CommandTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def halfulp(self, command):
        return subprocess.run([PROGRAM, *shlex.split(command)], cwd=self.folder, text=True,
                              capture_output=True, timeout=120)

    def succeed(self, command):
        run = self.halfulp(command)
        self.assertEqual(run.returncode, 0, run.stderr)
        return run.stdout

    def report(self, command):
        self.succeed(f"--quiet {command} --json report.json")
        return json.loads((self.folder / "report.json").read_text())

    def refuse(self, command, expected, code=2):
        """One line on stderr, nothing on stdout."""
        run = self.halfulp(command)
        with self.subTest(command=command):
            self.assertEqual(run.returncode, code, run.stderr)
            self.assertEqual(run.stdout, "")
            self.assertRegex(run.stderr, r"\Ahalfulp: [^\n]+\n\Z")
            self.assertIn(expected, run.stderr)

    def save(self, name, array):
        numpy.save(self.folder / name, array)
        return name


class Figures(CommandTest):
    def test_figures(self):
        for line in FIGURES.strip().splitlines():
            command, expected = line.format(ten=TEN, one_and_four=ONE_AND_FOUR).split("|")
            words = expected.split()
            lines = [f"{i} {bits} {value}\n"
                     for i, (bits, value) in enumerate(zip(words[::2], words[1::2]))]
            with self.subTest(command=command):
                self.assertEqual(self.succeed("eval " + command), "".join(lines))

    def test_infinity_without_a_detour(self):
        """Every step of logsumexp(x) - x can be right and the result wrong; the oracle's is not."""
        for value in ("1e4", "1e6", "1e8"):
            for form in ("logsumexp-minus-logit", "log-softmax"):
                out = self.succeed(f"eval cross-entropy --form {form} --dtype f32 "
                                   f"--values {value},{value} --backend oracle")
                self.assertEqual(out, "0 0x3f317218 0.6931471824645996\n")

    def test_example_sweep(self):
        report = self.report("sweep softmax --form naive,stable --dtype f16,bf16 --widths 1..512 "
                             "--distribution normal --seed 1 --backend stepwise,fused-fp32 "
                             "--reference oracle")
        self.assertEqual(len(report["results"]), 8)
        for result in report["results"]:
            self.assertEqual(result["metrics"]["points"], 512 * 513 // 2)
            tiers = result["tiers"]
            self.assertEqual(tiers["certified"] + tiers["exact"] + tiers["ziv"], 512 * 513 // 2)
            self.assertEqual(tiers["disagreements"], 0)


def nearest_float32(exact):
    """The float32 nearest to a fraction, ties to even, by comparing distances."""
    guess = numpy.float32(float(exact))
    around = [numpy.nextafter(guess, numpy.float32(-numpy.inf)), guess,
              numpy.nextafter(guess, numpy.float32(numpy.inf))]
    return min(around, key=lambda v: (abs(fractions.Fraction(float(v)) - exact),
                                      int(v.view(numpy.uint32)) & 1))


class Files(CommandTest):
    def test_sums_of_a_file_against_numpy_scalars_and_fractions(self):
        random = numpy.random.default_rng(5)
        for length in (1, 2, 7, 100, 1001):
            x = (random.standard_normal(length) * 2.0 ** random.integers(-9, 9, length))
            x = x.astype(numpy.float32)
            x[length // 2:] = -random.permutation(x[:length - length // 2])
            name = self.save("x.npy", x)
            running = numpy.float32(0)
            for value in x:
                running += value
            exact = nearest_float32(sum(fractions.Fraction(float(v)) for v in x))
            for backend, expected in (("stepwise", running), ("oracle", exact)):
                out = self.succeed(f"eval sum --dtype f32 --input {name} --backend {backend}")
                bits = int((expected + numpy.float32(0)).view(numpy.uint32))
                self.assertEqual(out.split()[1], f"0x{bits:08x}", (length, backend))

    def test_half_precision_file(self):
        x = numpy.array([1, 2, 3], dtype=numpy.float16)
        out = self.succeed(f"eval sum --dtype f16 --input {self.save('x.npy', x)} --backend oracle")
        self.assertEqual(out, "0 0x4600 6\n")

    def test_files_that_do_not_fit(self):
        f32 = self.save("f32.npy", numpy.ones(3, dtype=numpy.float32))
        square = self.save("square.npy", numpy.ones((3, 3), dtype=numpy.float32))
        cube = self.save("cube.npy", numpy.ones((2, 2, 2), dtype=numpy.float32))
        two = self.save("two.npy", numpy.ones(2, dtype=numpy.float32))
        big_endian = self.save("big.npy", numpy.ones(3, dtype=">f4"))
        (self.folder / "text.npy").write_text("no array")
        whole = (self.folder / f32).read_bytes()
        (self.folder / "cut.npy").write_bytes(whole[:-2])
        (self.folder / "long.npy").write_bytes(whole + b"x")
        evaluate = "eval sum --backend stepwise"
        self.refuse(f"{evaluate} --dtype f16 --input {f32}", "float32")
        self.refuse(f"{evaluate} --dtype f32 --input {square}", "square.npy")
        self.refuse(f"{evaluate} --dtype f32 --input {cube}", "cube.npy")
        self.refuse(f"{evaluate} --dtype f32 --input {f32} --width 4", "4")
        self.refuse(f"{evaluate} --dtype f32 --input {big_endian}", "big.npy")
        self.refuse(f"{evaluate} --dtype f32 --input absent.npy", "absent.npy")
        self.refuse(f"{evaluate} --dtype f32 --input text.npy", "text.npy")
        self.refuse(f"{evaluate} --dtype f32 --input cut.npy", "cut.npy")
        self.refuse(f"{evaluate} --dtype f32 --input long.npy", "long.npy")
        self.refuse(f"{evaluate} --dtype f32 --input .", "directory")
        os.mkfifo(self.folder / "pipe.npy")
        self.refuse(f"{evaluate} --dtype f32 --input pipe.npy", "pipe")
        self.refuse(f"eval dot --dtype f32 --input {f32} --input-y {two} --backend stepwise", "2")


class Refusals(CommandTest):
    def test_vectors_that_make_no_sense(self):
        evaluate = "eval sum --dtype f32 --backend stepwise"
        self.refuse(f"{evaluate}", "--width")
        self.refuse(f"{evaluate} --values 1,2 --width 3", "3")
        self.refuse(f"{evaluate} --values 1,x", "'x'")
        self.refuse(f"{evaluate} --values 1,2 --fill 1", "fill")
        self.refuse(f"{evaluate} --width 3 --distribution nomal", "'normal'")
        self.refuse(f"{evaluate} --width 3 --distribution uniform --low 2 --high 1", "low")
        self.refuse(f"{evaluate} --width 99999999", "99999999")
        self.refuse("sweep sum --dtype f32 --values 1,2 --widths 2..3 --backend stepwise", "widths")
        self.refuse("eval softmax --dtype f64 --width 3 --backend stepwise", "f64")
        self.refuse("eval softmax --dtype f32 --width 0 --backend stepwise", "no results", code=5)
        self.refuse("eval cross-entropy --dtype f32 --values 1,2 --target 2 --backend stepwise",
                    "2")

    def test_backends_that_cannot(self):
        self.refuse("eval sum --dtype f32 --width 3 --backend eager-cpu", "+order=sequential")
        self.refuse("eval softmax --dtype f32 --width 3 --backend eager-cpu+order=sequential",
                    "+elementary=correct")
        self.refuse("eval sum --dtype f32 --width 3 --backend stepwise+order=pairwsie", "pairwise")
        self.refuse("eval sum --dtype f32 --width 3 --backend 'stepwise+order=lanes:0'", "lanes")

    def test_other_engines_run_once_an_order_is_chosen(self):
        out = self.succeed("eval sum --dtype f16 --fill 1 --width 3000 "
                           "--backend eager-cpu+order=sequential")
        self.assertEqual(out, "0 0x69dc 3000\n")


class Orders(CommandTest):
    def test_envelope_names_the_witness_order(self):
        report = self.report("sweep sum --dtype f32 --widths 100..120 --distribution cancelling "
                             "--backend stepwise+order=any")
        envelope, *worlds = report["results"]
        worst = envelope["envelope"]["worst"]["steps"]
        by_name = {world["backend"]: world["metrics"]["steps_max"] for world in worlds}
        self.assertEqual(set(envelope["envelope"]["worlds"]), set(by_name))
        self.assertEqual(by_name[worst], max(by_name.values()))
        self.assertEqual(envelope["metrics"]["steps_max"], by_name[worst])
        self.assertGreater(len(set(by_name.values())), 5)  # cancelling vectors tell orders apart
        table = self.succeed("--quiet sweep sum --dtype f32 --widths 100..120 "
                             "--distribution cancelling --backend stepwise+order=any")
        self.assertIn(f"most steps by {worst}\n", table)

    def test_an_order_is_printed_as_it_is_read(self):
        name = "stepwise+order=lanes:8(sequential/tree)"
        report = self.report(f"sweep sum --dtype f32 --widths 64 --backend '{name}'")
        self.assertEqual(report["results"][0]["backend"], name)

    def slowest_instruction_set(self):
        error = self.halfulp("sweep sum --widths 3 --isa none").stderr
        return error[error.index("known: ") + len("known: "):error.index(")")].split(", ")[-1]

    def test_results_do_not_depend_on_threads_or_instruction_set(self):
        command = ("sweep {} --dtype f16,f32 --widths 1..80 --backend stepwise+order=any,"
                   "fused-fp32+elementary=within-ulp --distribution normal")
        for case in ("softmax", "variance --form naive,welford", "dot"):
            results = [self.report(f"{command.format(case)} {options}")["results"]
                       for options in ("--threads 1", "--threads 3", f"--isa {self.slowest_instruction_set()}")]
            self.assertEqual(results[0], results[1])
            self.assertEqual(results[0], results[2])


class Gate(CommandTest):
    def test_a_baseline_of_reductions_gates(self):
        self.succeed("--quiet baseline record softmax --form naive,stable --dtype f16 "
                     "--widths 1..40 --backend stepwise,fused-fp32 --reference oracle "
                     "--reason 'first' --out base.json")
        self.succeed("--quiet gate --baseline base.json")
        run = self.halfulp("--quiet gate --baseline base.json --set seed=2")
        self.assertIn(run.returncode, (1, 3), run.stdout + run.stderr)

    def test_a_given_vector_gates_without_widths(self):
        self.succeed(f"--quiet baseline record variance --form naive --dtype f32 --values {TEN} "
                     "--backend stepwise --reference oracle --reason 'ten' --out base.json")
        self.succeed("--quiet gate --baseline base.json")


if __name__ == "__main__":
    unittest.main(verbosity=0)
