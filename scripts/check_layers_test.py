"""check_layers.py finds each kind of violation in a small tree, and none in a clean one."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).parent / "check_layers.py"

CLEAN = {
    "harness/a.h": "#include <CLI/CLI.hpp>\n",
    "oracles/b.cpp": '#include "harness/a.h"\n#include <boost/rational.hpp>\n',
    "backends/c.cu": '#include "backends/d.h"\n#include <cuda_runtime.h>\n',
    "backends/c_test.cpp": '#include "oracles/b.h"\n#include <boost/rational.hpp>\n',
    "reports/e.cpp": "#include <nlohmann/json.hpp>\n",
    "cases/list.cpp": "std::span<const Case> all_cases() {\n  static const Case list[]{wave()};\n}\n",
    "cases/helper.h": "int help();\n",
    "cases/helper.cpp": '#include "cases/helper.h"\n',
    "cases/wave.cpp": "Case wave() {\n  return {};\n}\n",
}

VIOLATIONS = {
    "harness/a.h": ('#include "cases/x.h"\n', "harness/a.h: includes cases/x.h"),
    "oracles/b.cpp": ('#include "backends/d.h"\n', "oracles/b.cpp: includes backends/d.h"),
    "backends/c.cu": ("#include <boost/rational.hpp>\n", "only oracles/ may"),
    "cases/wave.cpp": ("#include <nlohmann/json.hpp>\nCase wave() {\n", "only reports/ may"),
    "cases/helper.cpp": ('#include "helper.h"\n', "includes helper.h: write cases/helper.h"),
    "cases/new.cpp": ("const Case tide{\n", "tide is not registered in cases/list.cpp"),
    "cases/empty.cpp": ("int x;\n", "cases/empty.cpp: defines no Case"),
    "cases/list.cpp": ("", "all_cases() is defined in 0 files"),
}


def check(files):
    with tempfile.TemporaryDirectory() as root:
        for name, text in files.items():
            path = pathlib.Path(root, name)
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return subprocess.run([sys.executable, "-B", SCRIPT, root], capture_output=True, text=True,
                              check=False)


class CheckLayers(unittest.TestCase):
    def test_clean_tree_passes(self):
        result = check(CLEAN)
        self.assertEqual((result.returncode, result.stdout), (0, "layers: ok\n"))

    def test_each_violation_is_named(self):
        for name, (text, message) in VIOLATIONS.items():
            with self.subTest(name):
                result = check({**CLEAN, name: text})
                self.assertEqual(result.returncode, 1)
                self.assertIn(message, result.stdout)


if __name__ == "__main__":
    unittest.main()
