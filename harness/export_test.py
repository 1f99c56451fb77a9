#!/usr/bin/env python3
"""`halfulp baseline export` as a program: figures, the consumers' formats, and bad input."""

import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import types
import unittest
from unittest import mock

PROGRAM = os.environ["HALFULP_PROGRAM"]
TEMPLATE = "tests/geometry/test_grid.py::test_meshgrid[cpu-{dtype}-{width}]"


def halfulp(*arguments, cwd=None):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True,
                          errors="replace", timeout=300, cwd=cwd)


class ExportTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.directory.cleanup)
        cls.folder = pathlib.Path(cls.directory.name)
        cls.fix = cls.record("fix.json", "--widths", "2..8192", "--backend", "fused-fp32")
        cls.small = cls.record("small.json", "--form", "arange", "--widths", "2..12",
                               "--backend", "eager-cpu,fused-fp32")

    @classmethod
    def record(cls, name, *arguments):
        path = cls.folder / name
        run = halfulp("baseline", "record", "meshgrid", "--dtype", "f16,bf16", *arguments,
                      "--reason", "rounding", "--out", path)
        assert run.returncode == 0, run.stderr
        return path

    def export(self, baseline, *arguments, atol="1e-4", template=TEMPLATE):
        return halfulp("baseline", "export", "--baseline", baseline, "--atol", atol,
                       "--template", template, *arguments)

    def ids(self, baseline, *arguments, **named):
        run = self.export(baseline, "--quiet", "--format", "ids", *arguments, **named)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(run.stderr, "")
        return run.stdout.splitlines()

    def assert_refused(self, run, code, *words):
        self.assertEqual(run.returncode, code, run.stdout + run.stderr)
        self.assertEqual(run.stdout, "")
        self.assertEqual(len(run.stderr.splitlines()), 1, run.stderr)
        for word in words:
            self.assertIn(word, run.stderr)

    def test_the_correctly_rounded_grid_meets_1e_4_at_few_widths(self):
        listed = self.ids(self.fix, "--rtol", "0")
        self.assertEqual(listed, sorted(set(listed)))
        powers = [2] + [2**k + 1 for k in range(1, 13)]
        reachable = {"bf16": [n for n in powers if n <= 513], "f16": sorted(powers + [4, 6])}
        self.assertEqual(len(reachable["bf16"]), 10)
        self.assertEqual(len(reachable["f16"]), 15)
        expected = {TEMPLATE.format(dtype=dtype, width=width)
                    for dtype, met in reachable.items()
                    for width in range(2, 8193) if width not in met}
        self.assertEqual(set(listed), expected)

    def test_the_reason_says_who_misses(self):
        out = self.folder / "conftest_fix.py"
        run = self.export(self.fix, "--format", "conftest", "--out", out, "--quiet")
        self.assertEqual((run.returncode, run.stdout, run.stderr), (0, "", ""))
        reasons = self.load(out).EXPECTED_FAILURES
        for reason in reasons.values():
            self.assertRegex(reason, r"^unreachable in this dtype \(smallest attainable tolerance "
                                     r"0\.00\d+\)$")

    def test_the_attainable_tolerance_is_attainable(self):
        run = self.export(self.fix, "--format", "ids", "--out", self.folder / "ids.txt")
        ranges = re.findall(r"smallest-attainable-atol-(\d): sizes (\d+)\.\.(\d+): correctly rounded "
                            r"(\S+), this backend (\S+),", run.stdout)
        self.assertEqual(len(ranges), 24)
        for subject, first, last, rounded, backend in ranges:
            if int(last) > 255:
                continue
            dtype = ["bf16", "f16"][int(subject) - 1]
            self.assertEqual(rounded, backend)
            listed = self.ids(self.fix, "--only", dtype, atol=rounded, template="{width}")
            self.assertFalse([n for n in map(int, listed) if int(first) <= n <= int(last)])

    def test_manifest(self):
        out = self.folder / "manifest.tsv"
        run = self.export(self.small, "--rtol", "0", "--format", "pytest-manifest", "--header",
                          "torch=2.9.1", "--out", out)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("expected-failures: ", run.stdout)
        lines = out.read_text().splitlines()
        header = [line for line in lines if line.startswith("#")]
        body = lines[len(header):]
        pairs = [re.fullmatch(r"# ([\w-]+): (.+)", line).groups() for line in header]
        keys = [key for key, _ in pairs]
        self.assertEqual(keys[:6], ["schema", "profile", "versions", "os", "arch", "torch"])
        self.assertEqual(len(keys), len(set(keys)))
        self.assertEqual(body, sorted(body))
        for line in body:
            phase, exception, node = line.split("\t")
            self.assertEqual((phase, exception), ("call", "AssertionError"))
            self.assertRegex(node, r"test_meshgrid\[cpu-(b?f16)-\d+\]$")
        self.assertIn("{backend}", dict(pairs)["note"])
        again = self.folder / "again.tsv"
        self.export(self.small, "--header", "torch=2.9.1", "--out", again)
        self.assertEqual(again.read_text(), out.read_text())

    def load(self, path):
        """Runs a conftest.py, with a stub where pytest is not installed."""
        stub = types.ModuleType("pytest")
        stub.mark = types.SimpleNamespace(xfail=lambda **arguments: arguments)
        namespace = types.SimpleNamespace()
        with mock.patch.dict(sys.modules, {"pytest": stub}):
            exec(compile(path.read_text(), str(path), "exec"), namespace.__dict__)
        return namespace

    def test_conftest_marks_strictly(self):
        out = self.folder / "conftest_small.py"
        run = self.export(self.small, "--format", "conftest", "--out", out)
        self.assertEqual(run.returncode, 0, run.stderr)
        module = self.load(out)
        self.assertEqual(sorted(module.EXPECTED_FAILURES), self.ids(self.small))

        class Item:
            def __init__(self, nodeid):
                self.nodeid, self.marks = nodeid, []

            def add_marker(self, mark):
                self.marks.append(mark)

        listed, other = Item(next(iter(module.EXPECTED_FAILURES))), Item("other")
        module.pytest_collection_modifyitems([listed, other])
        self.assertEqual(other.marks, [])
        self.assertEqual(listed.marks, [{"reason": module.EXPECTED_FAILURES[listed.nodeid],
                                         "raises": AssertionError, "strict": True}])

    @unittest.skipUnless(importlib.util.find_spec("pytest"), "pytest is not installed")
    def test_conftest_under_pytest(self):
        folder = self.folder / "suite"
        folder.mkdir()
        node = "test_grid.py::test_meshgrid[{dtype}-{width}]"
        run = self.export(self.fix, "--format", "conftest", "--only", "f16", "--out",
                          folder / "conftest.py", template=node)
        self.assertEqual(run.returncode, 0, run.stderr)
        (folder / "test_grid.py").write_text(
            "import pytest\n"
            "@pytest.mark.parametrize('width', range(2, 34))\n"
            "@pytest.mark.parametrize('dtype', ['f16'])\n"
            "def test_meshgrid(dtype, width):\n"
            "    assert width in (2, 3, 4, 5, 6, 9, 17, 33, 20)\n")
        run = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
                             cwd=folder, capture_output=True, text=True)
        # 20 is listed and passes: a strict failure.
        self.assertIn("1 failed, 8 passed, 23 xfailed", run.stdout)
        self.assertIn("[XPASS(strict)] unreachable in this dtype", run.stdout)

    def test_torch_names_and_parameters(self):
        listed = self.ids(self.small, "--only", "eager-cpu",
                          template="{case}.{form}.{backend}.{torch_dtype}.{width}")
        self.assertTrue(listed)
        for line in listed:
            self.assertRegex(line, r"^meshgrid\.arange\.eager-cpu\.b?float16\.\d+$")

    def test_nothing_missed_is_an_empty_list(self):
        self.assertEqual(self.ids(self.small, atol="1"), [])

    def test_both_zero_asks_for_exact_results(self):
        listed = self.ids(self.small, "--only", "fused-fp32", atol="0", template="{dtype}-{width}")
        self.assertEqual(listed, sorted(f"{dtype}-{n}" for dtype in ("bf16", "f16")
                                        for n in (4, 6, 7, 8, 10, 11, 12)))

    def test_bad_input_is_one_line(self):
        for bad in ("nan", "inf", "-1e-4", "1e999", "x", ""):
            self.assert_refused(self.export(self.small, f"--atol={bad}"), 2, "atol")
        for bad in ("nan", "-inf", "-1", "1,5"):
            self.assert_refused(self.export(self.small, f"--rtol={bad}"), 2, "rtol")
        self.assert_refused(self.export(self.small, "--format", "conftset"), 2, "'conftest'")
        self.assert_refused(self.export(self.small, template="{widht}"), 2, "did you mean 'width'?")
        self.assert_refused(self.export(self.small, template="{width"), 2, "stray")
        self.assert_refused(self.export(self.small, template="{height}"), 2, "{height}")
        self.assert_refused(self.export(self.small, "--phase", "cal"), 2, "'call'")
        self.assert_refused(self.export(self.small, "--exception", "a b"), 2, "'a b'")
        self.assert_refused(self.export(self.small, "--header", "torch"), 2, "key=value")
        self.assert_refused(self.export(self.small, "--atoll", "1"), 2, "--atol")
        self.assert_refused(self.export(self.folder / "none.json"), 2, "none.json")
        self.assert_refused(self.export(self.small, "--out", self.folder / "no" / "x"), 2, "write")

    def test_nothing_to_evaluate_fails(self):
        self.assert_refused(self.export(self.small, "--only", "f61", "--quiet"), 5, "f61")


if __name__ == "__main__":
    unittest.main()
