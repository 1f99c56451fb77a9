#!/usr/bin/env python3
"""Checks who includes whom, and that every case is registered.

harness/ includes no other folder; the others include themselves and harness/. Each third-party
library stays in one folder. Tests and benchmarks may include anything. Every .cpp file in cases/
without a header of its own defines a Case, and the file that lists the cases names each.

Usage: check_layers.py [SOURCE_DIR]
"""

import pathlib
import re
import sys

FOLDERS = ("harness", "oracles", "backends", "cases", "reports")
ONLY_IN = {"boost/": "oracles", "nlohmann/": "reports", "CLI/": "harness", "cuda": "backends"}
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.MULTILINE)
CASE = re.compile(r"^(?:const |constexpr |extern )*Case (\w+)\s*[({=]", re.MULTILINE)


def product_files(root, folder):
    for path in sorted((root / folder).iterdir()):
        if path.suffix in (".h", ".cpp", ".cu") and not re.search(r"_(test|bench)$", path.stem):
            yield path


def include_problems(root):
    for folder in FOLDERS:
        for path in product_files(root, folder):
            for included in INCLUDE.findall(path.read_text(encoding="utf-8")):
                where = f"{folder}/{path.name}: includes {included}"
                target = included.split("/")[0]
                if (root / folder / included).exists():
                    yield f"{where}: write {folder}/{included}"
                if target in FOLDERS and target not in (folder, "harness"):
                    yield f"{where}: {folder}/ may include only itself and harness/"
                for prefix, owner in ONLY_IN.items():
                    if included.startswith(prefix) and folder != owner:
                        yield f"{where}: only {owner}/ may"


def registration_problems(root):
    sources = {path.name: path.read_text(encoding="utf-8")
               for path in product_files(root, "cases") if path.suffix == ".cpp"}
    lists = [name for name, text in sources.items() if re.search(r"> all_cases\(\) *{", text)]
    if len(lists) != 1:
        yield f"cases/: all_cases() is defined in {len(lists)} files instead of one"
        return
    registry = sources.pop(lists[0])
    for name, text in sources.items():
        cases = CASE.findall(text)
        if not cases and not (root / "cases" / name).with_suffix(".h").exists():
            yield f"cases/{name}: defines no Case"
        for case in cases:
            if not re.search(rf"\b{case}\b", registry):
                yield f"cases/{name}: {case} is not registered in cases/{lists[0]}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)
    problems = [*include_problems(root), *registration_problems(root)]
    print("\n".join(problems) or "layers: ok")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
