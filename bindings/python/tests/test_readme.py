"""The examples of the package's README, run as they stand, one after the other, as somebody new to it would."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).resolve().parents[1] / "README.md"
EXAMPLES = re.findall(r"^```python\n(.*?)^```", README.read_text(), re.MULTILINE | re.DOTALL)


def run(examples, folder):
    ended = subprocess.run(
        [sys.executable, "-c", "\n".join(examples)],
        cwd=folder,
        env={**os.environ, "PYSPARK_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert ended.returncode == 0, ended.stderr[-3000:]
    return ended.stdout


def of_spark(example):
    return "spark" in example


def test_examples_run(tmp_path):
    for package in ("networkx", "polars", "pyarrow"):
        pytest.importorskip(package)
    printed = run([example for example in EXAMPLES if not of_spark(example)], tmp_path)
    assert "0xaabbccdd" in printed and "evm.sstore" in printed and "1 12 Y8198" in printed
    assert (tmp_path / "out/done.json").exists()


def test_the_example_for_spark_runs(tmp_path):
    if importlib.util.find_spec("pyspark") is None:
        pytest.skip("pyspark is not installed")
    # Its data frame reads what the examples before it have written.
    before = [example for example in EXAMPLES if "write_parquet" in example or "code = " in example]
    shown = "print(sorted(found.columns))"
    assert "functions" in run([*before, *filter(of_spark, EXAMPLES), shown], tmp_path)
