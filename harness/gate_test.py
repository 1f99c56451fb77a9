"""The gate from the command line: recording, judging, updating, comparing, and files that are wrong."""

import copy
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import jsonschema

PROGRAM = os.environ["HALFULP_PROGRAM"]
REPORTS = pathlib.Path(os.environ["HALFULP_SOURCE_DIR"], "reports")
SWEEP = ["meshgrid", "--form", "arange,float32-once", "--dtype", "f16,bf16", "--widths", "2..300",
         "--backend", "eager-cpu,fused-fp32,cuda-aten", "--reference", "oracle"]
REASON = ["--reason", "typed ramp and per-op rounding"]
ARANGE_BF16 = ["meshgrid", "--form", "arange", "--dtype", "bf16", "--widths", "2..300"]


def validate(value, schema):
    jsonschema.validate(value, json.loads((REPORTS / f"{schema}.schema.json").read_text()))


class GateTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def halfulp(self, *arguments, code=0):
        run = subprocess.run([PROGRAM, *map(str, arguments), "--quiet"], cwd=self.folder,
                             capture_output=True, text=True, timeout=120)
        self.assertEqual(run.returncode, code, run.stdout + run.stderr)
        return run.stdout + run.stderr

    def record(self, name="base.json", sweep=SWEEP, *more):
        self.halfulp("baseline", "record", *sweep, *REASON, "--out", name, *more)
        return json.loads((self.folder / name).read_text())

    def write(self, name, value):
        text = value if isinstance(value, str) else json.dumps(value)
        (self.folder / name).write_text(text)
        return name

    def report(self, name, *sweep):
        self.halfulp("sweep", *sweep, "--json", name)
        return json.loads((self.folder / name).read_text())

    def entry(self, baseline, **key):
        def matches(e):
            return all({**e, **e["params"]}[name] == value for name, value in key.items())
        (found,) = [e for e in baseline["entries"] if matches(e)]
        return found


class Recording(GateTest):
    def test_same_bytes_for_any_thread_count_and_valid(self):
        first = self.record("a.json", SWEEP, "--threads", "1", "--date", "2026-01-02")
        self.record("b.json", SWEEP, "--threads", "5", "--date", "2026-01-02")
        text = (self.folder / "a.json").read_bytes()
        self.assertEqual(text, (self.folder / "b.json").read_bytes())
        validate(first, "baseline")
        self.assertEqual(len(first["entries"]), 12)
        self.assertEqual(len(text.splitlines()), 12 + 6)
        self.assertNotIn("threads", first["provenance"]["command_line"])
        out = self.halfulp("gate", "--baseline", "a.json")
        self.assertIn("as expected", out)
        self.assertEqual(text, (self.folder / "a.json").read_bytes())

    def test_never_overwrites_and_needs_a_reason(self):
        self.write("there.json", "mine")
        self.halfulp("baseline", "record", *ARANGE_BF16, *REASON, "--out", "there.json", code=2)
        self.assertEqual((self.folder / "there.json").read_text(), "mine")
        out = self.halfulp("baseline", "record", *ARANGE_BF16, "--backend", "eager-cpu", "--out",
                           "new.json", code=2)
        self.assertIn("--reason", out)
        self.assertFalse((self.folder / "new.json").exists())

    def test_all_backends_with_worlds_gate_green(self):
        self.record("all.json", [*ARANGE_BF16, "--backend", "all"], "--threads", "2")
        validate(json.loads((self.folder / "all.json").read_text()), "baseline")
        out = self.halfulp("gate", "--baseline", "all.json")
        self.assertNotIn("unmatched", out)

    def test_unstable_and_budget(self):
        self.record("u.json", [*ARANGE_BF16, "--backend", "eager-cpu"], "--expectation", "unstable",
                    "--repeats", "2")
        validate(json.loads((self.folder / "u.json").read_text()), "baseline")
        self.halfulp("gate", "--baseline", "u.json")
        budget = self.record("b.json", [*ARANGE_BF16, "--backend", "eager-cpu"], "--expectation",
                             "budget")
        budget["entries"][0]["metrics"]["differing"] += 10
        self.write("loose.json", budget)
        self.halfulp("gate", "--baseline", "loose.json", code=3)
        budget["entries"][0]["slack"] = {"differing": 10}
        self.write("loose.json", budget)
        self.halfulp("gate", "--baseline", "loose.json")


class Judging(GateTest):
    def setUp(self):
        super().setUp()
        self.base = self.record()
        self.results = self.report("r.json", *SWEEP)

    def gate(self, code, *more):
        return self.halfulp("gate", "--baseline", "base.json", *more, code=code)

    def gate_result(self, change, code):
        """Gates a report in which one result was changed."""
        report = copy.deepcopy(self.results)
        (row,) = [r for r in report["results"] if r["backend"] == "eager-cpu" and
                  r["dtype"] == "bf16" and r["params"]["form"] == "arange"]
        change(row)
        self.write("changed.json", report)
        self.gate(code, "--report", "changed.json", "--json", "verdict.json")
        verdict = json.loads((self.folder / "verdict.json").read_text())
        validate(verdict, "gate")
        self.assertEqual(verdict["exit"], code)
        red = [f for f in verdict["findings"] if f["exit"] != 0]
        self.assertEqual(len(red), 1)
        self.assertIn("eager-cpu", red[0]["command"])
        return red[0]

    def test_a_report_is_judged_as_a_run(self):
        self.assertEqual(self.gate(0), self.gate(0, "--report", "r.json"))

    def test_worse_better_zero_nan_points(self):
        def add(name, amount):
            def change(row):
                row["metrics"][name] += amount
            return change
        self.assertEqual(self.gate_result(add("differing", 1), 1)["status"], "fail")
        self.assertEqual(self.gate_result(add("zero_lost", 1), 1)["status"], "fail")
        self.assertEqual(self.gate_result(add("nonfinite", 1), 1)["status"], "fail")
        better = self.gate_result(add("differing", -1), 3)
        self.assertEqual(better["status"], "changed")
        self.assertEqual(better["expected"]["differing"] - better["actual"]["differing"], 1)

        def nan(row):
            row["metrics"]["abs_max"] = "nan"
        self.assertEqual(self.gate_result(nan, 1)["status"], "fail")

        def point_fewer(row):
            row["metrics"]["points"] -= 1
            row["announced"] -= 1
        self.assertEqual(self.gate_result(point_fewer, 5)["status"], "fail")

        def incomplete(row):
            row["metrics"]["points"] -= 1
        self.assertEqual(self.gate_result(incomplete, 5)["status"], "fail")

        def moved(row):
            row["witness"]["actual"] = "0x0001"
        finding = self.gate_result(moved, 1)
        self.assertEqual((finding["status"], finding["witness"]["actual"]), ("changed", "0x0001"))

        def unavailable(row):
            for name in list(row):
                if name not in ("case", "dtype", "backend", "reference", "params"):
                    del row[name]
            row["unavailable"] = "no device"
        self.assertEqual(self.gate_result(unavailable, 5)["status"], "unavailable")
        self.gate(0, "--report", "changed.json", "--allow-unavailable")

    def test_a_reciprocal_that_is_one_step_off(self):
        self.record("t.json", ["meshgrid", "--form", "arange", "--dtype", "f16", "--widths",
                               "2..300", "--backend", "triton-div+reciprocal=nearest"])
        self.halfulp("gate", "--baseline", "t.json")
        out = self.halfulp("gate", "--baseline", "t.json", "--set", "backend=triton-div", code=1)
        self.assertIn("worse: differing", out)
        # Not every divisor admits this one.
        out = self.halfulp("gate", "--baseline", "t.json", "--set",
                           "backend=triton-div+reciprocal=above", code=5)
        self.assertIn("other points than recorded", out)

    def test_the_fix_is_an_improvement(self):
        out = self.gate(3, "--only", "meshgrid/*form=arange*/eager-cpu/*", "--set",
                        "form=float32-once")
        self.assertIn("better: differing", out)
        out = self.gate(1, "--only", "meshgrid/*form=float32-once*/eager-cpu/*", "--set",
                        "form=arange")
        self.assertIn("fail", out)

    def test_only(self):
        out = self.gate(0, "--only", "bf16")
        self.assertIn("left out by --only: 6", out)
        self.assertNotIn("unmatched", self.gate(0, "--only", "bf16", "--report", "r.json"))
        out = self.gate(5, "--only", "bf61")
        self.assertIn("'bf61' matches none", out)

    def test_rows_on_one_side_only(self):
        self.report("some.json", *ARANGE_BF16, "--backend", "eager-cpu,inductor-cpu")
        out = self.gate(2, "--report", "some.json", "--all")
        self.assertIn("12 unmatched", out)

    def test_stale_entries(self):
        def entry(width):
            return {"case": "meshgrid", "params": {"form": "float32-once", "widths": str(width)},
                    "dtype": "f16", "backend": "fused-fp32", "reference": "oracle",
                    "expectation": "exact", "metrics": {"points": width, "differing": 3},
                    "reason": "x", "comments": ["kept", {"as": "it is"}]}
        lines = ",\n".join(json.dumps(entry(width)) for width in (300, 301))
        self.write("stale.json", '{"schema": "halfulp-baseline/1", "comments": "mine", "entries": [\n'
                   + lines + "\n]}\n")
        report = self.report("w300.json", "meshgrid", "--form", "float32-once", "--dtype", "f16",
                             "--widths", "300", "--backend", "fused-fp32")
        for name in ("differing", "steps_max"):
            report["results"][0]["metrics"][name] = 0
        self.write("w300.json", report)
        out = self.halfulp("gate", "--baseline", "stale.json", "--report", "w300.json", code=2)
        self.assertIn("xpass stale.json:2 meshgrid", out)
        self.assertIn("unmatched stale.json:3 meshgrid", out)
        self.assertIn("widths=301", out)
        self.halfulp("baseline", "prune", "--baseline", "stale.json", "--report", "w300.json")
        left = json.loads((self.folder / "stale.json").read_text())
        self.assertEqual([e["params"]["widths"] for e in left["entries"]], ["300"])
        self.assertEqual(left["comments"], "mine")
        self.assertEqual(left["entries"][0]["comments"], entry(300)["comments"])


class Changing(GateTest):
    def setUp(self):
        super().setUp()
        base = self.record()
        self.better = self.entry(base, form="arange", dtype="bf16", backend="eager-cpu")
        self.better["metrics"]["differing"] += 100
        self.worse = self.entry(base, form="arange", dtype="f16", backend="eager-cpu")
        self.worse["metrics"]["differing"] -= 100
        self.write("base.json", base)

    def update(self, *more, code=0):
        return self.halfulp("baseline", "update", "--baseline", "base.json", *more, code=code)

    def test_update(self):
        before = (self.folder / "base.json").read_bytes()
        self.halfulp("gate", "--baseline", "base.json", code=1)
        out = self.update("--all", code=2)
        self.assertIn("differing:", out)
        self.assertIn("--reason", out)
        self.update("--reason", "x", code=2)
        self.update("--all", "--reason", "x", "--dry-run")
        self.assertEqual(before, (self.folder / "base.json").read_bytes())
        self.update("--only-worse", "--reason", "the new kernel")
        self.halfulp("gate", "--baseline", "base.json", code=3)
        self.update("--only-better", "--reason", "the fix")
        self.halfulp("gate", "--baseline", "base.json")
        after = json.loads((self.folder / "base.json").read_text())
        reasons = sorted(e["reason"] for e in after["entries"] if "reason" in e)
        self.assertEqual(reasons.count("the fix"), 1)
        self.assertEqual(reasons.count("the new kernel"), 1)
        self.assertIn("nothing to update", self.update("--all", "--reason", "x"))

    def test_merge_by_maximum(self):
        self.record("other.json")
        self.halfulp("baseline", "merge", "base.json", "other.json", "--out", "merged.json")
        self.halfulp("gate", "--baseline", "merged.json")
        merged = json.loads((self.folder / "merged.json").read_text())
        entry = self.entry(merged, form="arange", dtype="bf16", backend="eager-cpu")
        self.assertEqual(entry["expectation"], "budget")
        self.assertEqual(entry["metrics"]["differing"], self.better["metrics"]["differing"])
        self.assertEqual(entry["slack"], {"differing": 100})
        self.halfulp("baseline", "merge", "base.json", "other.json", "--out", "merged.json", code=2)

    def test_show(self):
        out = self.halfulp("baseline", "show", "--baseline", "base.json", "--only", "f16")
        self.assertIn("typed ramp", out)
        self.assertNotIn("bf16", out.split("recorded")[0])
        self.halfulp("baseline", "show", "--baseline", "base.json", "--only", "nothing", code=5)

    def test_a_directory_that_cannot_be_written(self):
        self.halfulp("baseline", "merge", "base.json", "base.json", "--out", "no/such.json", code=2)


class Comparing(GateTest):
    def test_compare(self):
        old = self.report("old.json", *ARANGE_BF16, "--backend", "eager-cpu,fused-fp32")
        out = self.halfulp("compare", "old.json", "old.json")
        self.assertIn("2 same", out)
        new = copy.deepcopy(old)
        new["results"][0]["metrics"]["differing"] -= 5
        self.write("new.json", new)
        out = self.halfulp("compare", "old.json", "new.json", code=3)
        self.assertIn("better", out)
        self.halfulp("compare", "new.json", "old.json", code=1)
        new["results"][1]["metrics"]["nonfinite"] = 1
        self.write("new.json", new)
        self.halfulp("compare", "old.json", "new.json", code=1)
        self.report("wide.json", *ARANGE_BF16[:-1], "2..301", "--backend", "eager-cpu")
        out = self.halfulp("compare", "old.json", "wide.json", code=2)
        self.assertIn("nothing was compared", out)


ENTRY = {"case": "meshgrid", "params": {"form": "arange", "widths": "2..20"}, "dtype": "bf16",
         "backend": "fused-fp32", "reference": "oracle", "expectation": "exact",
         "metrics": {"points": 209, "differing": 0}}


class WrongFiles(GateTest):
    def refuse(self, text, code, *words, more=()):
        self.write("wrong.json", text)
        out = self.halfulp("gate", "--baseline", "wrong.json", *more, code=code)
        for word in words:
            self.assertIn(word, out)
        return out

    def entries(self, *entries):
        return {"schema": "halfulp-baseline/1", "entries": list(entries)}

    def test_the_entry_itself_is_right(self):
        self.write("right.json", self.entries(ENTRY))
        self.halfulp("gate", "--baseline", "right.json")

    def test_hostile_json(self):
        self.refuse("", 2, "wrong.json")
        self.refuse('{"schema": "halfulp-baseline/1", "entries": [', 2)
        self.refuse("[" * 1_000_000, 2, "nested")
        self.refuse('{"schema": "halfulp-baseline/2", "entries": []}', 2, "halfulp-baseline/2")
        self.refuse('{"schema": 1, "entries": []}', 2)
        self.refuse('{"schema": "halfulp-baseline/1", "entries": {}}', 2)
        self.refuse('{"schema": "halfulp-baseline/1", "entries": [], "entries": []}', 2, "duplicate")
        self.refuse(self.entries(3), 2)
        self.refuse(self.entries(), 5, "no entry")
        text = json.dumps(self.entries(ENTRY))
        self.refuse(text.replace("209", "9007199254740993"), 2, "2^53")
        self.refuse(text.replace('"differing": 0', '"differing": NaN'), 2)
        self.refuse(text[:-20], 2)

    def test_wrong_entries(self):
        def wrong(code, *words, **members):
            return self.refuse(self.entries({**ENTRY, **members}), code, *words)
        wrong(2, "unknown key 'reson'; did you mean 'reason'", reson="x")
        wrong(2, "'diferring'; did you mean 'differing'",
              metrics={"points": 209, "diferring": 0, "differing": 0})
        wrong(2, "'reason' is missing", metrics={"points": 209, "differing": 1})
        wrong(2, "'reason' is missing", metrics={"points": 209, "differing": 1}, reason=" ")
        wrong(2, "nan", metrics={"points": 209, "differing": 0, "abs_max": "nan"})
        wrong(2, "inf", metrics={"points": 209, "differing": 0, "abs_max": "inf"})
        wrong(2, "-1", metrics={"points": 209, "differing": 0, "abs_max": -1.0})
        wrong(2, metrics={"points": 209, "differing": -1})
        wrong(2, "nothing would be compared", metrics={"points": 0, "differing": 0})
        wrong(2, "missing key 'differing'", metrics={"points": 209})
        wrong(2, "exakt", expectation="exakt")
        wrong(2, "'fused-fp23'; did you mean 'fused-fp32'", backend="fused-fp23")
        wrong(2, "meshgrid", case="mehsgrid")
        wrong(2, "widths", params={"form": "arange", "widths": "5..2"})
        wrong(2, "hash", provenance={"sweep": "xxh3:0123456789abcdef"})
        wrong(5, "other points", metrics={"points": 210, "differing": 0})
        wrong(2, "other points", metrics={"points": 208, "differing": 0})
        wrong(5, "when", when={"isa": "PDP-11"})
        wrong(2, "iza", when={"iza": "AVX2"})
        out = self.refuse(self.entries(ENTRY, ENTRY), 2, "a second entry")
        self.assertEqual(len(out.splitlines()), 1)
        same = {**ENTRY, "params": {"form": "arange", "widths": "2..20", "align_corners": True}}
        self.refuse(self.entries(ENTRY, same), 2, "a second entry")

    def test_one_of_several_files(self):
        self.write("right.json", self.entries(ENTRY))
        self.refuse("{", 2, "wrong.json", more=["--baseline", "right.json"])

    def test_reports(self):
        self.write("right.json", self.entries(ENTRY))
        def judge(code, report, *words):
            self.write("report.json", report)
            out = self.halfulp("gate", "--baseline", "right.json", "--report", "report.json",
                               code=code)
            for word in words:
                self.assertIn(word, out)
        good = self.report("good.json", "meshgrid", "--form", "arange", "--dtype", "bf16",
                           "--widths", "2..20", "--backend", "fused-fp32")
        judge(0, good)
        judge(5, {**good, "results": []}, "has no results")
        judge(2, {**good, "schema": "halfulp-report/9"}, "halfulp-report/9")
        judge(5, {**good, "context": {**good["context"], "complete": False}}, "incomplete")
        judge(2, {**good, "results": good["results"] * 2}, "a second result")
        judge(2, "{")
        (row,) = good["results"]
        metrics = dict(row["metrics"])
        del metrics["differing"]
        judge(2, {**good, "results": [{**row, "metrics": metrics}]}, "differing")
        metrics["diferring"] = 0
        judge(2, {**good, "results": [{**row, "metrics": metrics}]}, "'differing'")

    def test_unwritable_output_is_found_before_the_run(self):
        self.write("right.json", self.entries(ENTRY))
        out = self.halfulp("gate", "--baseline", "right.json", "--json", "no/such/file", code=2)
        self.assertEqual(len(out.splitlines()), 1)

    def test_unknown_options(self):
        self.write("right.json", self.entries(ENTRY))
        self.assertIn("--only", self.halfulp("gate", "--baseline", "right.json", "--onyl", "x",
                                             code=2))
        self.halfulp("baseline", code=2)
        self.halfulp("baseline", "recrod", code=2)


if __name__ == "__main__":
    unittest.main()
