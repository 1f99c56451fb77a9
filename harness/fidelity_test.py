#!/usr/bin/env python3
"""`halfulp fidelity` as a program: recordings that match, that differ, and that are malformed."""

import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

PROGRAM = os.environ["HALFULP_PROGRAM"]
SOURCE = pathlib.Path(os.environ.get("HALFULP_SOURCE_DIR", pathlib.Path(__file__).parent.parent))
RECORDINGS = SOURCE / "reports" / "recordings"


def fidelity(*arguments):
    return subprocess.run([PROGRAM, "fidelity", "--quiet", *map(str, arguments)],
                          capture_output=True, text=True, errors="replace", timeout=300)


def records(name="torch_eager.jsonl"):
    return [json.loads(line) for line in (RECORDINGS / name).read_text().splitlines()]


class FidelityTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, content, name="record.jsonl"):
        path = pathlib.Path(self.folder.name, name)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def changed(self, **changes):
        return self.file(json.dumps({**records()[0], **changes}))

    def test_every_recording_matches(self):
        files = sorted(RECORDINGS.glob("*.json*"))
        run = fidelity(*files)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        lines = run.stdout.splitlines()
        skipped = [line for line in lines if line.startswith("skip ")]
        self.assertEqual(len(skipped), 1)
        self.assertRegex(skipped[0], "op=sqrt f32 not modelled$")
        self.assertEqual(lines[-1], "336 records, 18,860 widths, 24,853,714 points, 0 differ, "
                                    "1 not modelled")
        self.assertEqual(run.stderr, "")

    def test_output_does_not_depend_on_threads(self):
        file = RECORDINGS / "torch_compile_static.jsonl"
        self.assertEqual(fidelity(file, "--threads", 1).stdout,
                         fidelity(file, "--threads", 5).stdout)

    def test_flipped_digest_names_the_width(self):
        record = records()[0]
        digests = record["digests"]
        flipped = digests[:16] + ("0" if digests[16] != "0" else "1") + digests[17:]
        run = fidelity(self.changed(digests=flipped))
        self.assertEqual(run.returncode, 1)
        self.assertIn("first width 7, 1 of 136 widths differ; no variant", run.stdout)

    def test_relabelled_records_name_the_variant(self):
        for name, true, label, note in (
                ("torch_compile_static.jsonl", "inductor-cpu+arange_lanes=16", "inductor-cpu",
                 "matches with +arange_lanes=16"),
                ("torch_eager.jsonl", "eager-cpu+linspace=stepwise", "eager-cpu",
                 "matches with +linspace=stepwise"),
                ("torch_eager.jsonl", "eager-cpu+contraction=off",
                 "eager-cpu+linspace=stepwise", "matches with +linspace=float32+contraction=off"),
                ("torch_eager.jsonl", "eager-cpu", "fused-fp32", "matches as eager-cpu")):
            text = "".join(json.dumps({**r, "backend": label}) + "\n"
                           for r in records(name) if r["backend"] == true)
            run = fidelity(self.file(text))
            self.assertEqual(run.returncode, 1, note)
            self.assertIn(note, run.stdout.replace("contraction=off+linspace=float32",
                                                   "linspace=float32+contraction=off"))

    def test_wrong_scalar_digests(self):
        whole = json.loads((RECORDINGS / "scalar_ops.json").read_text())
        rsqrt = next(r for r in whole["records"] if "crc32_without_avx2" in r)
        for key in ("crc32", "crc32_without_avx2"):
            whole["records"] = [{**rsqrt, key: "00000000"}]
            run = fidelity(self.file(json.dumps(whole, indent=1), "scalar.json"))
            self.assertEqual(run.returncode, 1)
            self.assertIn("DIFF scalar.json#1 eager-cpu", run.stdout)
            self.assertIn("op=rsqrt f16 the digest differs", run.stdout)

    def test_malformed_files(self):
        line = json.dumps(records()[0])
        scalar = (RECORDINGS / "scalar_ops.json").read_text()
        malformed = {
            "truncated": line[:-50],
            "truncated in the middle": f"{line}\n{line[:200]}\n{line}\n",
            "truncated scalar": scalar[:1000],
            "short digests": line.replace('"digests": "', '"digests": "0'),
            "no hexadecimal": line.replace('"digests": "0', '"digests": "x').replace(
                '"digests": "', '"digests": "x', 1),
            "backend": line.replace("eager-cpu", "eager-cpi"),
            "backend field": line.replace('"eager-cpu', '"eager-cpu+arange_line=8'),
            "case": line.replace('"ramp"', '"rampe"'),
            "parameter": line.replace('"start"', '"strat"'),
            "dtype": line.replace('"dtype": "', '"dtype": "x'),
            "widths": line.replace('"widths": "3..', '"widths": "300..'),
            "schema": line.replace("halfulp-recording/1", "halfulp-recording/2"),
            "no schema": line.replace('"schema"', '"scheme"'),
            "wrong type": line.replace('"crc32"', "32"),
            "number beyond 2^53": line.replace('"crc32"', "9007199254740993"),
            "NaN": line.replace('"crc32"', "NaN"),
            "duplicate key": line[:-1] + ', "dtype": "f32"}',
            "unknown key": line[:-1] + ', "width": "3"}',
            "trailing text": line + " x",
            "nesting": "[" * 1_000_000,
            "nesting in a record": line.replace('"crc32"', "[" * 100_000),
            "binary": bytes(range(256)) * 50,
            "invalid UTF-8": b"\xff\xfe\xfd" * 50,
            "other JSON": "[1, 2, 3]",
        }
        for what, content in malformed.items():
            with self.subTest(what):
                run = fidelity(RECORDINGS / "torch_compile_static.jsonl", self.file(content))
                self.assertEqual(run.returncode, 2, run.stdout + run.stderr)
                self.assertEqual(run.stdout, "", "nothing is evaluated")
                self.assertEqual(run.stderr.count("\n"), 1)
                self.assertIn("record.jsonl", run.stderr)
                self.assertLess(len(run.stderr), 600)

    def test_huge_and_missing_files(self):
        start = time.monotonic()
        for path in (self.file(b"[" * 100_000_000), "/dev/zero", self.folder.name, "/nonexistent"):
            run = fidelity(path)
            self.assertEqual((run.returncode, run.stdout, run.stderr.count("\n")), (2, "", 1))
        self.assertLess(time.monotonic() - start, 20)

    def test_empty_files(self):
        self.assertEqual(fidelity(self.file("")).returncode, 5)
        self.assertEqual(fidelity(self.file("\r\n\r\n")).returncode, 5)
        whole = RECORDINGS / "torch_compile_static.jsonl"
        self.assertEqual(fidelity(whole, self.file("")).returncode, 5)

    def test_nothing_modelled_is_no_success(self):
        whole = json.loads((RECORDINGS / "scalar_ops.json").read_text())
        whole["records"] = [r for r in whole["records"] if r.get("modelled") is False]
        self.assertEqual(fidelity(self.file(json.dumps(whole))).returncode, 5)

    def test_line_ends_do_not_matter(self):
        text = "\r\n\r\n".join(json.dumps(r) for r in records()[:2])
        self.assertEqual(fidelity(self.file("\r\n" + text)).returncode, 0)

    def test_usage(self):
        file = RECORDINGS / "torch_compile_static.jsonl"
        for arguments in ((), (file, "--threads", 0), (file, "--threads", "x"), (file, "--thread", 1)):
            run = fidelity(*arguments)
            self.assertEqual((run.returncode, run.stderr.count("\n")), (2, 1))

    def test_interrupt(self):
        record = {**records()[0], "widths": f"{2**23}..{2**23 + 999}", "digests": "00000000" * 1000}
        run = subprocess.Popen([PROGRAM, "fidelity", "--quiet", self.file(json.dumps(record))],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(0.5)
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=30)
        self.assertEqual((run.returncode, out), (130, ""))
        self.assertRegex(err, "interrupted after [0-9,]+ of [0-9,]+ points; no verdict\n$")


if __name__ == "__main__":
    unittest.main()
