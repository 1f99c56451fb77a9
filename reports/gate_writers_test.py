#!/usr/bin/env python3
"""What `halfulp gate` writes for CI, read back by real parsers and checked against the standards."""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

import jsonschema

PROGRAM = os.environ["HALFULP_PROGRAM"]
HOSTILE = "<b>&\"' ]]> | `x` [y](z) %0A::error:: a,b:c \u0001\u001b[31m \uffff \u00e9 \U0001f600\nline\ttab"

# What junit-10.xsd (Jenkins) allows.
ATTRIBUTES = {
    "testsuites": {"name", "time", "tests", "failures", "disabled", "errors"},
    "testsuite": {"name", "tests", "failures", "errors", "time", "disabled", "skipped",
                  "timestamp", "hostname", "id", "package"},
    "testcase": {"name", "assertions", "time", "classname", "status"},
    "properties": set(),
    "property": {"name", "value"},
    "skipped": {"type", "message"},
    "failure": {"type", "message"},
    "error": {"type", "message"},
}
CHILDREN = {"testsuites": {"testsuite"}, "testsuite": {"properties", "testcase"},
            "properties": {"property"}, "testcase": {"skipped", "failure", "error"}}

# The parts of the SARIF 2.1.0 schema that apply, with its required properties and enumerations.
MESSAGE = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}},
           "additionalProperties": False}
SARIF = {
    "type": "object",
    "required": ["version", "runs"],
    "additionalProperties": False,
    "properties": {
        "$schema": {"type": "string", "format": "uri"},
        "version": {"enum": ["2.1.0"]},
        "runs": {"type": "array", "minItems": 1, "items": {
            "type": "object", "required": ["tool"], "additionalProperties": False,
            "properties": {
                "tool": {"type": "object", "required": ["driver"], "additionalProperties": False,
                         "properties": {"driver": {
                    "type": "object", "required": ["name"], "additionalProperties": False,
                    "properties": {
                        "name": {"type": "string"}, "version": {"type": "string"},
                        "rules": {"type": "array", "uniqueItems": True, "items": {
                            "type": "object", "required": ["id"], "additionalProperties": False,
                            "properties": {"id": {"type": "string"}, "name": {"type": "string"},
                                           "shortDescription": MESSAGE}}}}}}},
                "invocations": {"type": "array", "items": {
                    "type": "object", "required": ["executionSuccessful"],
                    "additionalProperties": False,
                    "properties": {
                        "executionSuccessful": {"type": "boolean"}, "exitCode": {"type": "integer"},
                        "toolExecutionNotifications": {"type": "array", "items": {
                            "type": "object", "required": ["message"],
                            "additionalProperties": False,
                            "properties": {"message": MESSAGE,
                                           "level": {"enum": ["none", "note", "warning",
                                                              "error"]}}}}}}},
                "results": {"type": "array", "items": {
                    "type": "object", "required": ["message"], "additionalProperties": False,
                    "properties": {
                        "ruleId": {"type": "string"},
                        "ruleIndex": {"type": "integer", "minimum": -1},
                        "level": {"enum": ["none", "note", "warning", "error"]},
                        "message": MESSAGE,
                        "baselineState": {"enum": ["new", "unchanged", "updated", "absent"]},
                        "partialFingerprints": {"type": "object",
                                                "additionalProperties": {"type": "string"}},
                        "suppressions": {"type": "array", "uniqueItems": True, "items": {
                            "type": "object", "required": ["kind"], "additionalProperties": False,
                            "properties": {"kind": {"enum": ["inSource", "external"]},
                                           "status": {"enum": ["accepted", "underReview",
                                                               "rejected"]},
                                           "justification": {"type": "string"}}}},
                        "locations": {"type": "array", "items": {
                            "type": "object", "additionalProperties": False,
                            "properties": {
                                "physicalLocation": {
                                    "type": "object", "required": ["artifactLocation"],
                                    "additionalProperties": False,
                                    "properties": {
                                        "artifactLocation": {
                                            "type": "object", "additionalProperties": False,
                                            "properties": {"uri": {"type": "string",
                                                                   "format": "uri-reference"}}},
                                        "region": {"type": "object", "additionalProperties": False,
                                                   "properties": {"startLine": {
                                                       "type": "integer", "minimum": 1}}}}},
                                "logicalLocations": {"type": "array", "items": {
                                    "type": "object", "additionalProperties": False,
                                    "properties": {"fullyQualifiedName": {
                                        "type": "string"}}}}}}},
                        "properties": {"type": "object"}}}}}}},
    },
}


class GateWritersTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.folder = pathlib.Path(directory.name)
        run = cls.halfulp("baseline", "record", "meshgrid", "--form", "arange,float32-once",
                          "--dtype", "f16,bf16", "--widths", "2..300", "--backend",
                          "eager-cpu,fused-fp32", "--reason", "typed ramp", "--out", "base.json")
        assert run.returncode == 0, run.stderr
        cls.baseline = json.loads((cls.folder / "base.json").read_text())

    @classmethod
    def halfulp(cls, *arguments):
        return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True,
                              encoding="utf-8", timeout=300, cwd=cls.folder)

    def gate(self, change=lambda entries: None):
        """Writes a changed baseline, one entry a line, and every report of the gate on it."""
        baseline = json.loads(json.dumps(self.baseline))
        change(baseline["entries"])
        (self.folder / "changed.json").write_text(json.dumps(baseline, indent=1))
        self.run = self.halfulp("gate", "--baseline", "changed.json", "--junit", "junit.xml",
                                "--sarif", "gate.sarif", "--markdown", "gate.md", "--annotations",
                                "--quiet")
        self.assertNotIn("Traceback", self.run.stderr)
        self.junit = ElementTree.parse(self.folder / "junit.xml").getroot()
        self.sarif = json.loads((self.folder / "gate.sarif").read_text(encoding="utf-8"))
        self.markdown = (self.folder / "gate.md").read_text(encoding="utf-8")
        self.check_junit()
        jsonschema.Draft7Validator(SARIF).validate(self.sarif)
        return self.run.returncode

    def check_junit(self):
        for element in self.junit.iter():
            self.assertLessEqual(set(element.attrib), ATTRIBUTES[element.tag], element.tag)
            self.assertLessEqual({child.tag for child in element}, CHILDREN.get(element.tag, set()))
        for suite in [self.junit, *self.junit.iter("testsuite")]:
            cases = list(suite.iter("testcase"))
            self.assertEqual(int(suite.get("tests")), len(cases))
            for counter, tag in (("failures", "failure"), ("errors", "error"),
                                 ("skipped", "skipped")):
                if counter in suite.attrib:
                    found = [case for case in cases if case.find(tag) is not None]
                    self.assertEqual(int(suite.get(counter)), len(found))
        names = [(case.get("classname"), case.get("name")) for case in self.junit.iter("testcase")]
        self.assertEqual(len(names), len(set(names)))

    def results(self, **wanted):
        return [result for result in self.sarif["runs"][0]["results"]
                if all(result.get(key) == value for key, value in wanted.items())]

    def test_green(self):
        self.assertEqual(self.gate(), 0)
        self.assertEqual((self.junit.get("failures"), self.junit.get("errors")), ("0", "0"))
        skipped = [case.find("skipped").get("message") for case in self.junit.iter("testcase")
                   if case.find("skipped") is not None]
        self.assertTrue(skipped)
        self.assertEqual(set(skipped), {"xfail: typed ramp"})
        self.assertEqual(self.results(baselineState="unchanged"), self.results())
        self.assertNotIn("::", self.run.stdout)
        self.assertIn("as expected", self.markdown)

    def test_regression(self):
        def change(entries):
            entries[0]["metrics"]["differing"] -= 1

        self.assertEqual(self.gate(change), 1)
        failure, = self.junit.iter("failure")
        self.assertIn("witness (", failure.text)
        self.assertIn("reproduce: halfulp sweep meshgrid", failure.text)
        result, = self.results(level="error")
        self.assertEqual(result["baselineState"], "updated")
        place = result["locations"][0]["physicalLocation"]
        self.assertEqual(place["artifactLocation"]["uri"], "changed.json")
        lines = (self.folder / "changed.json").read_text().splitlines()
        self.assertIn("{", lines[place["region"]["startLine"] - 1])
        self.assertRegex(self.run.stdout, r"(?m)^::error file=changed.json,line=\d+,title=")
        self.assertIn("| differing |", self.markdown)

    def test_improvement(self):
        def change(entries):
            entries[0]["metrics"]["differing"] += 1

        self.assertEqual(self.gate(change), 3)
        self.assertEqual(self.junit.get("failures"), "1")
        result, = self.results(level="warning")
        self.assertEqual(result["baselineState"], "updated")
        self.assertRegex(self.run.stdout, r"(?m)^::warning file=")

    def test_fingerprints_are_stable_and_distinct(self):
        self.gate()
        first = [result["partialFingerprints"] for result in self.results()]
        self.gate(lambda entries: entries[0]["metrics"].update(steps_max=0))
        second = [result["partialFingerprints"] for result in self.results()]
        self.assertEqual(first, second)
        texts = [json.dumps(fingerprint) for fingerprint in first]
        self.assertEqual(len(texts), len(set(texts)))

    def test_rules_are_declared(self):
        self.gate(lambda entries: entries[0]["metrics"].update(steps_max=0))
        rules = self.sarif["runs"][0]["tool"]["driver"]["rules"]
        for result in self.results():
            self.assertEqual(rules[result["ruleIndex"]]["id"], result["ruleId"])

    def test_hostile_text(self):
        def change(entries):
            for entry in entries:
                entry["reason"] = HOSTILE
            entries[0]["metrics"]["differing"] -= 1

        self.assertEqual(self.gate(change), 1)
        visible = HOSTILE.replace("\u0001", "\\x01").replace("\u001b", "\\x1b")
        visible = visible.replace("\uffff", "\ufffd")
        skipped = next(self.junit.iter("skipped"))
        self.assertEqual(skipped.get("message"), "xfail: " + visible)
        self.assertIn("reason: " + visible, next(self.junit.iter("failure")).text)
        one_line = visible.replace("\n", " ").replace("\t", " ")
        self.assertEqual(self.results(level="note")[0]["suppressions"][0]["justification"], one_line)
        commands = re.findall(r"(?m)^::(\w+) ([^:]*)::(.*)$", self.run.stdout)
        self.assertEqual([command for command, _, _ in commands], ["error"])
        message = commands[0][2].replace("%0A", "\n").replace("%0D", "\r").replace("%25", "%")
        self.assertIn(visible, message)
        for line in self.markdown.splitlines():
            if line.startswith("|"):
                cells = len(re.findall(r"(?<!\\)\|", line)) - 1
                self.assertIn(cells, (2, 3, 4), line)
        self.assertNotIn("<b>", self.markdown)


if __name__ == "__main__":
    unittest.main()
