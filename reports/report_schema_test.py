#!/usr/bin/env python3
"""Real reports against the published schema: strict JSON, valid, reproducible, whole or not there."""

import copy
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

import jsonschema

PROGRAM = os.environ["HALFULP_PROGRAM"]
SOURCE = pathlib.Path(os.environ.get("HALFULP_SOURCE_DIR", pathlib.Path(__file__).parent.parent))
SCHEMA = json.loads((SOURCE / "reports" / "report.schema.json").read_text())
ARANGE_300 = ("meshgrid --form arange --dtype bf16 --widths 300 --height 2 --backend eager-cpu "
              "--reference fused-fp32")
SWEEPS = (
    ARANGE_300,
    "meshgrid --form arange --dtype f16,bf16,f32 --widths 1..70 --backend all",
    "meshgrid --form float32-once,linspace --dtype bf16,f64 --widths 2..40,257 --backend all "
    "--height 3 --align-corners false",
    "meshgrid --form arange-size-tensor --dtype tf32 --widths 2..40 --backend eager-cpu,fused-fp32",
    "meshgrid --form arange --dtype f64 --widths 2..20 --backend all",  # one cannot run
    "scalar-op --op x+s --scalar 3 --dtype e4m3,e5m2,toy --backend eager-cpu,fused-fp32",
    "meshgrid3d --dtype bf16 --widths 2..40 --backend all",
    "ramp --kind linspace --start -1 --end 1 --dtype f16 --widths 2..100:7 --backend all "
    "--reference eager-cpu",
    "scalar-division --a 0..50 --b 1,3,0.3 --dtype bf16 --backend eager-cpu,cuda-aten",
    "scalar-op --op x/s --scalar 3 --dtype bf16 --backend all",
    "scalar-op --op rsqrt --dtype f16 --backend eager-cpu+rsqrt=stepwise",
    "scalar-op --op to_e5m2 --dtype f32 --backend eager-cpu",
)


def refuse_constant(name):
    raise ValueError(f"{name} is not JSON")


def read(path):
    """Strict JSON: no NaN or Infinity, no key twice."""
    def unique(pairs):
        keys = [key for key, _ in pairs]
        if len(set(keys)) != len(keys):
            raise ValueError(f"a key twice among {keys}")
        return dict(pairs)
    return json.loads(path.read_bytes().decode("utf-8"), parse_constant=refuse_constant,
                      object_pairs_hook=unique)


class ReportTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.validator = jsonschema.Draft202012Validator(SCHEMA)

    def sweep(self, arguments, *more, name="report.json", code=0):
        path = self.folder / name
        run = subprocess.run([PROGRAM, "--quiet", "sweep", *arguments.split(), "--json", path, *more],
                             capture_output=True, text=True, timeout=300)
        self.assertEqual(run.returncode, code, run.stdout + run.stderr)
        return path

    def test_schema_itself(self):
        jsonschema.Draft202012Validator.check_schema(SCHEMA)

    def test_real_reports_are_valid(self):
        for arguments in SWEEPS:
            with self.subTest(arguments):
                report = read(self.sweep(arguments))
                errors = [f"{error.json_path}: {error.message[:200]}"
                          for error in self.validator.iter_errors(report)]
                self.assertEqual(errors, [])
                self.check_consistency(report)

    def check_consistency(self, report):
        points = 0
        for row in report["results"]:
            if "unavailable" in row:
                continue
            metrics = row["metrics"]
            points += 0 if "envelope" in row else metrics["points"]
            self.assertEqual(metrics["points"], row["announced"])
            self.assertEqual(metrics["first_width"] is None, row["first"] is None)
            self.assertEqual(metrics["differing"] == 0, row["first"] is None)
            self.assertEqual(row["witness"], row["witnesses"]["steps"])
            self.assertEqual(sum(metrics["histogram"].values()) + metrics["nonfinite"]
                             <= metrics["points"], True)
            for metric, witness in row["witnesses"].items():
                self.assertEqual(witness is None, metrics[f"{metric}_max"] == 0, metric)
        self.assertEqual(report["context"]["points"], points)

    def test_known_figures(self):
        row = read(self.sweep(ARANGE_300))["results"][0]
        self.assertEqual(row["metrics"]["tensor_differing"], 334)
        self.assertEqual(row["metrics"]["tensor_points"], 1200)
        self.assertEqual(row["metrics"]["abs_max"], 0.01171875)
        self.assertEqual(row["first"]["index"], 12)
        self.assertEqual(row["witnesses"]["abs"]["index"], 269)
        self.assertEqual(row["params"]["widths"], "300")

    def test_broken_reports_are_rejected(self):
        good = read(self.sweep(ARANGE_300))
        self.assertTrue(self.validator.is_valid(good))
        row = good["results"][0]
        breakages = (
            lambda r: r.update(schema="halfulp-report/2"),
            lambda r: r.update(extra=1),
            lambda r: r["context"].pop("specification_hash"),
            lambda r: r["context"]["run"].update(host="x"),
            lambda r: r.update(results=[]),
            lambda r: r["results"][0].pop("metrics"),
            lambda r: r["results"][0].update(unavailable="too"),
            lambda r: r["results"][0].update(tiers=r["context"]["tiers"]),
            lambda r: r["results"][0].update(dtype="bf61"),
            lambda r: r["results"][0]["metrics"].update(points=-1),
            lambda r: r["results"][0]["metrics"].update(abs_max="nan"),
            lambda r: r["results"][0]["metrics"].pop("tensor_points"),
            lambda r: r["results"][0]["metrics"]["histogram"].update({"5": 1}),
            lambda r: r["results"][0]["witness"].update(actual="3f80"),
            lambda r: r["results"][0]["witness"].update(actual=16256),
            lambda r: r["results"][0]["witnesses"].pop("abs"),
        )
        self.assertIsNotNone(row["witness"])
        for number, damage in enumerate(breakages):
            with self.subTest(number):
                bad = copy.deepcopy(good)
                damage(bad)
                self.assertFalse(self.validator.is_valid(bad))

    def test_threads_change_the_run_block_only(self):
        arguments = "meshgrid --form arange --dtype bf16,f16 --widths 1..600 --backend all --height 2"
        texts = [self.sweep(arguments, "--threads", str(n), name=f"{n}.json").read_text()
                 for n in (1, 3)]
        runs = [json.loads(text)["context"]["run"] for text in texts]
        self.assertEqual([run["threads"] for run in runs], [1, 3])
        without_run = []
        for text in texts:
            head, rest = text.split('    "run": ', 1)
            without_run.append(head + rest.split('\n  },\n  "results": ', 1)[1])
        self.assertEqual(*without_run)

    def test_refused_runs_leave_no_file(self):
        self.sweep("meshgrid --widths 5..2", code=2)
        self.sweep("meshgrid --widths 2..9 --dtype bf61", code=2)
        self.sweep("meshgrid --widths 2..9 --backend nothing", code=2)
        self.sweep("meshgrid --widths 2..9", name="missing/report.json", code=2)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_an_unwritable_path_is_found_before_the_sweep(self):
        start = time.monotonic()
        self.sweep("meshgrid --form arange --widths 2..16384 --backend all", name="", code=2)
        self.assertLess(time.monotonic() - start, 5)

    def test_an_interrupted_sweep_keeps_the_old_report(self):
        path = self.sweep(ARANGE_300)
        before = path.read_bytes()
        run = subprocess.Popen([PROGRAM, "--quiet", "sweep", "meshgrid", "--widths", "15000000..15001000",
                                "--backend", "eager-cpu", "--json", path],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(0.5)
        run.send_signal(signal.SIGINT)
        _, err = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 130)
        self.assertIn("interrupted after", err)
        self.assertEqual(path.read_bytes(), before)
        self.assertEqual([entry.name for entry in self.folder.iterdir()], ["report.json"])

    def test_standard_output_and_devices(self):
        run = subprocess.run([PROGRAM, "--quiet", "sweep", *ARANGE_300.split(), "--json", "-"],
                             capture_output=True, text=True, timeout=60)
        self.assertIn('{\n  "schema": "halfulp-report/1"', run.stdout)
        self.sweep(ARANGE_300, "--json", "/dev/null", name="x", code=2)  # the option twice


if __name__ == "__main__":
    unittest.main()
