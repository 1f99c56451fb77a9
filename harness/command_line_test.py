#!/usr/bin/env python3
"""`halfulp` as a program: promised figures, refusal of bad input, interruption, reproducibility."""

import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import tempfile
import time
import unittest

PROGRAM = os.environ["HALFULP_PROGRAM"]
SOURCE = pathlib.Path(os.environ.get("HALFULP_SOURCE_DIR", pathlib.Path(__file__).parent.parent))
RECORDING = SOURCE / "reports" / "recordings" / "torch_compile_static.jsonl"
SWEEP = "sweep meshgrid --dtype bf16 --backend eager-cpu"
LONG_SWEEP = f"{SWEEP} --form arange --widths 2..60000 --json report.json"
INTERRUPTED = 130


class CommandTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def halfulp(self, command, **options):
        arguments = shlex.split(command) if isinstance(command, str) else command
        options = {"capture_output": True, **options}
        return subprocess.run([PROGRAM, *arguments], cwd=self.folder, text=True, errors="replace",
                              timeout=60, **options)

    def succeed(self, command):
        run = self.halfulp(command)
        self.assertEqual(run.returncode, 0, run.stderr)
        return run.stdout

    def report(self, command):
        path = self.folder / "report.json"
        self.succeed(f"--quiet {command} --json {path.name}")
        return json.loads(path.read_text())

    def refuse(self, command, expected="", code=2):
        """One line on stderr, nothing on stdout, no file."""
        before = set(self.folder.iterdir())
        run = self.halfulp(command)
        with self.subTest(command=command):
            self.assertEqual(run.returncode, code, run.stderr)
            self.assertEqual(run.stdout, "")
            self.assertRegex(run.stderr, r"\Ahalfulp: [^\n]+\n\Z")
            self.assertIn(expected, run.stderr)
            self.assertEqual(set(self.folder.iterdir()), before)


class Examples(CommandTest):
    def test_published_divergence_of_eager_and_fused(self):
        report = self.report("sweep meshgrid --form arange --dtype bf16 --widths 300 --height 2 "
                             "--backend eager-cpu --reference fused-fp32")
        result, = report["results"]
        metrics = result["metrics"]
        self.assertEqual((metrics["tensor_differing"], metrics["tensor_points"]), (334, 1200))
        self.assertEqual(metrics["abs_max"], 0.01171875)
        self.assertEqual((result["first"]["width"], result["first"]["index"]), (300, 12))
        self.assertEqual(result["witnesses"]["abs"]["index"], 269)

    def test_fixed_form_against_the_oracle(self):
        report = self.report("sweep meshgrid --form float32-once --dtype f16,bf16 --widths 2..4096 "
                             "--backend fused-fp32 --reference oracle")
        figures = {result["dtype"]: result["metrics"] for result in report["results"]}
        for dtype, expected in {"f16": (8390655, 3753, 1523, 252),
                                "bf16": (8390655, 280, 177, 468)}.items():
            self.assertEqual(tuple(figures[dtype][name] for name in
                                   ("points", "differing", "widths_affected", "first_width")),
                             expected)

    def test_one_encoding(self):
        command = "eval meshgrid --form arange --dtype bf16 --width 258 --backend "
        self.assertIn("257 0x3f7e 0.9921875\n", self.succeed(command + "eager-cpu"))
        self.assertIn("257 0x3f80 1\n", self.succeed(command + "oracle"))

    def test_division_by_thirteen_on_cuda(self):
        command = "eval scalar-division --a 169 --b 13 --dtype f32 --backend "
        self.assertEqual(self.succeed(command + "cuda-aten").split(),
                         ["0", "0x41500001", "13.000000953674316"])
        self.assertEqual(self.succeed(command + "oracle").split()[1], "0x41500000")

    def test_compiled_function_remembers_its_first_call(self):
        report = self.report("sweep meshgrid --form arange --dtype bf16 --widths 9001 "
                             "--backend inductor-cpu-dynamic+arange_lanes=16 "
                             "--reference inductor-cpu-dynamic+arange_lanes=32")
        self.assertGreater(report["results"][0]["metrics"]["differing"], 0)
        self.assertEqual(report["results"][0]["first"]["width"], 9001)

    def test_eager_and_compiled_agree_after_the_fix(self):
        report = self.report("sweep meshgrid --form float32-once --dtype f16,bf16 "
                             "--widths 2..8192:7 --backend eager-cpu,inductor-cpu "
                             "--reference fused-fp32")
        self.assertEqual([r["metrics"]["differing"] for r in report["results"]], [0] * 4)

    def test_examples_of_the_help_texts_work(self):
        for command in ("", "list", "eval", "sweep", "fidelity", "ulp", "selftest"):
            for line in self.succeed(f"{command} --help").splitlines():
                example = re.match(r"(?:  |Example: )halfulp (.*)", line)
                if example is None:
                    continue
                arguments = example[1].replace("reports/", f"{SOURCE}/reports/")
                arguments = re.split(r"\s{2,}", arguments)[0]
                with self.subTest(example=arguments):
                    expanded = subprocess.run(["bash", "-c", f'"{PROGRAM}" {arguments}'],
                                              cwd=self.folder, capture_output=True, timeout=60)
                    self.assertEqual(expanded.returncode, 0, expanded.stderr)

    def test_a_backend_that_cannot_run_says_why_and_the_rest_is_kept(self):
        command = "sweep meshgrid --dtype f64 --widths 2..9 --backend triton-div,fused-fp32"
        self.assertRegex(self.succeed(command), r"triton-div +f64 +unavailable: \w+")
        broken, kept = self.report(command)["results"]
        self.assertIn("unavailable", broken)
        self.assertEqual(kept["metrics"]["points"], 44)


class BadInput(CommandTest):
    def test_unknown_names_suggest_the_nearest(self):
        for command, suggestion in {
            "sweep meshgird --widths 3": "did you mean 'meshgrid'",
            "sweep meshgrid --widths 3 --dtype bf61": "did you mean 'bf16'",
            "sweep meshgrid --widths 3 --backend eager-cp": "did you mean 'eager-cpu'",
            "sweep meshgrid --widths 3 --backend eager-cpu+arange_lane=8": "'arange_lanes'",
            "sweep meshgrid --widths 3 --reference orcale": "did you mean 'oracle'",
            "sweep meshgrid --widths 3 --form aranje": "did you mean 'arange'",
            "sweep meshgrid --widths 3 --isa AVX22": "did you mean 'AVX2'",
            "eval meshgird --width 3 --backend oracle": "did you mean 'meshgrid'",
            "eval meshgrid --width 3 --backend orcale": "did you mean 'oracle'",
            "ulp 1 --dtype bf61": "did you mean 'bf16'",
            "sweeep meshgrid --widths 3": "'sweeep'",
        }.items():
            self.refuse(command, suggestion)

    def test_widths(self):
        for widths in ("0", "00", "-3", "-0", "5..2", "2..", "..5", "abc", "3,,4", "3,", ",", "",
                       " ", "2..8:0", "2..8:", "2..8:-1", "2:3", "2..8..9", "2..8:2:2", "2...8",
                       "1e3", "0x10", "+5", "3.5", "nan", "inf", "٣", "3\n", " 3", "2..8,abc",
                       "16777217", "2..16777217", "4294967298", "18446744073709551618",
                       "2..99999999999999999999", "5,5", "2..8,7"):
            self.refuse([*SWEEP.split(), "--widths", widths, "--json", "report.json"], "widths")

    def test_options(self):
        for options in ("--threads 0", "--threads -1", "--threads 1.5", "--threads abc",
                        "--threads 99999999999", "--dtype f16,f16", "--dtype ''", "--dtype e4m3",
                        "--dtype bf16,e4m3", "--backend ''", "--backend eager-cpu,",
                        "--backend eager-cpu,eager-cpu", "--backend eager-cpu+",
                        "--backend eager-cpu+arange_lanes", "--backend eager-cpu+arange_lanes=7",
                        "--backend eager-cpu+=8", "--reference ''", "--reference triton-div",
                        "--reference fused-fp32,cuda-aten", "--form ''", "--align-corners maybe",
                        "--height 0", "--height -1", "--height 99999999999999999999",
                        "--depth 3", "--kind arange", "--unknown", "stray"):
            self.refuse(f"sweep meshgrid --widths 3 --json report.json {options}")

    def test_parameters(self):
        for command in ("eval ramp --width 4 --backend oracle --start nan",
                        "eval ramp --width 4 --backend oracle --start n-2",
                        "eval ramp --width 4 --backend oracle --kind foo",
                        "eval scalar-division --a 1/0 --b 3 --backend oracle",
                        "eval scalar-division --a 1..1e9 --b 3 --backend oracle",
                        "eval scalar-division --a 1,,2 --b 3 --backend oracle",
                        "eval scalar-division --a 1 --b 1,2 --backend oracle",
                        "eval scalar-division --a 1 --b 3 --width 4 --backend oracle",
                        "sweep scalar-division --b=-3..3",
                        "sweep scalar-division --b nan",
                        "sweep scalar-division --b 3 --widths 3",
                        "sweep scalar-op --op x/s",
                        "sweep scalar-op --op x/s --scalar nan",
                        "sweep scalar-op --op neg --scalar 3",
                        "sweep scalar-op --op sqrt --dtype f64",
                        "sweep scalar-op --op square --values 1,nan",
                        "eval meshgrid --backend oracle",
                        "eval meshgrid --width 4",
                        "eval meshgrid --width 2..5 --backend oracle",
                        "eval meshgrid --width 4 --dtype f16,bf16 --backend oracle",
                        "eval meshgrid --width 4 --form arange,linspace --backend oracle",
                        "sweep", "eval", "fidelity", "ulp", ""):
            self.refuse(command)

    def test_numbers_of_the_calculator(self):
        for value in ("abc", "", "1+", "1e999999999", "2^999999999", "2^2^2^2", "0x", "0xzz",
                      "0x1ffff", "(" * 500, "(" * 5000, "9" * 5000):
            self.refuse(["ulp", "--", value])

    def test_paths_that_cannot_be_written(self):
        (self.folder / "directory").mkdir()
        (self.folder / "file").touch()
        for path in ("missing/report.json", "directory", ".", "report.json/", "file/report.json",
                     "x" * 300):
            self.refuse(f"{SWEEP} --widths 3 --json {path}", "cannot write")
            self.refuse(f"eval meshgrid --width 3 --backend oracle --npy {path}", "cannot write")

    def test_an_empty_path_is_not_the_absence_of_one(self):
        self.refuse([*SWEEP.split(), "--widths", "3", "--json", ""])
        self.refuse("eval meshgrid --width 3 --backend oracle --npy ''")

    def test_nothing_evaluated_is_no_success(self):
        for command in ("sweep meshgrid --dtype f64 --widths 3 --backend triton-div",
                        "sweep scalar-division --a 1 --b=-3 --dtype f32 "
                        "--backend triton-div+reciprocal=below"):
            run = self.halfulp(f"{command} --json report.json")
            self.assertEqual(run.returncode, 5, command)
            self.assertEqual(list(self.folder.iterdir()), [])

    def test_recordings(self):
        record = json.loads(RECORDING.read_text().splitlines()[0])
        path = self.folder / "record.jsonl"
        for name, content in {
            "truncated": json.dumps(record)[:-30],
            "digests of the wrong length": json.dumps({**record, "digests": record["digests"][8:]}),
            "unknown backend": json.dumps({**record, "backend": "eager-cp"}),
            "second record broken": json.dumps(record) + "\n{",
            "nested": "[" * 100000,
            "a key twice": json.dumps(record)[:-1] + ', "dtype": "f16"}',
            "a huge number": json.dumps(record)[:-1] + ', "x": 1e999}',
            "not text": "\0" * 1000,
        }.items():
            with self.subTest(recording=name):
                path.write_text(content)
                self.refuse(f"fidelity {path.name}", path.name)
        self.refuse("fidelity .", "directory")
        self.refuse("fidelity missing.jsonl", "missing.jsonl")
        self.refuse("fidelity /dev/zero", "/dev/zero")

    def test_an_empty_recording(self):
        (self.folder / "empty.jsonl").touch()
        self.assertEqual(self.halfulp("fidelity empty.jsonl").returncode, 5)

    def test_output_that_is_lost_is_an_error(self):
        for command in ("list", "ulp 1", "eval meshgrid --width 3 --backend oracle",
                        f"{SWEEP} --widths 3", f"fidelity {RECORDING}"):
            with self.subTest(command=command), open("/dev/full", "w") as full:
                run = self.halfulp(command, capture_output=False, stdout=full,
                                   stderr=subprocess.PIPE)
                self.assertNotEqual(run.returncode, 0)


class Interruption(CommandTest):
    def interrupt(self, command, number, after=0.6):
        with subprocess.Popen([PROGRAM, *command.split()], cwd=self.folder, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            time.sleep(after)
            process.send_signal(number)
            try:
                output, errors = process.communicate(timeout=5)
            except subprocess.TimeoutExpired:
                process.kill()
                self.fail(f"signal {number} was ignored")
            return process.returncode, output, errors

    def test_says_how_far_it_came_and_leaves_nothing(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(signal=number):
                code, output, errors = self.interrupt(LONG_SWEEP, number)
                self.assertEqual((code, output), (INTERRUPTED, ""))
                self.assertRegex(errors, r"interrupted after [\d,]+ of 1,800,029,999 points")
                self.assertEqual(list(self.folder.iterdir()), [])

    def test_keeps_the_report_of_an_earlier_run(self):
        (self.folder / "report.json").write_text("earlier")
        self.interrupt(LONG_SWEEP, signal.SIGINT)
        self.assertEqual([path.read_text() for path in self.folder.iterdir()], ["earlier"])

    def test_while_it_waits_for_a_pipe(self):
        os.mkfifo(self.folder / "pipe")
        for command in ("fidelity pipe", f"{SWEEP} --widths 3 --json pipe",
                        "eval meshgrid --width 3 --backend oracle --npy pipe"):
            with self.subTest(command=command):
                code, _, _ = self.interrupt(command, signal.SIGINT, after=0.3)
                self.assertNotEqual(code, 0)


class Reproducibility(CommandTest):
    SWEEPS = (
        "sweep meshgrid --form arange,linspace --dtype f16,bf16,f32,tf32,f64 --widths 1..70,257 "
        "--height 3 --backend all",
        "sweep meshgrid3d --dtype bf16 --widths 1..40 --height 7 --depth 4 --backend all",
        "sweep scalar-division --a=-50..50,0.3,7/11 --b=3,-3,0.1,2 --dtype f16,f32 --backend all",
        "sweep scalar-op --op s/x --scalar 257 --dtype bf16,e4m3,e5m2,toy --backend all",
        "sweep ramp --start 3 --step=-7/3 --dtype bf16,f32 --widths 1..100:3 --backend all",
    )

    def outcome(self, command):
        report = self.report(command)
        del report["context"]["run"]
        return report

    def instruction_sets(self):
        error = self.halfulp(f"{SWEEP} --widths 3 --isa none").stderr
        return re.search(r"known: ([^)]*)", error)[1].split(", ")

    def test_threads_and_instruction_sets_change_nothing(self):
        for sweep in self.SWEEPS:
            expected = self.outcome(f"{sweep} --threads 1")
            for option in ("--threads 3", *(f"--isa {isa}" for isa in self.instruction_sets())):
                with self.subTest(sweep=sweep, option=option):
                    self.assertEqual(self.outcome(f"{sweep} {option}"), expected)


if __name__ == "__main__":
    unittest.main()
