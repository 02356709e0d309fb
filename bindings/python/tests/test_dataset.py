"""Data sets, with worker processes."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import cairn
import pytest

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


@pytest.fixture
def input(tmp_path, codes):
    path = tmp_path / "codes.parquet"
    table = pyarrow.table({"code": pyarrow.array(codes, pyarrow.binary()), "block": list(range(len(codes)))})
    parquet.write_table(table, path)
    return path


def test_analyze(input, codes, tmp_path):
    heard = []
    summary = cairn.analyze_dataset(
        input, tmp_path / "out", facts="functions", keep=["block"], progress=lambda *news: heard.append(news)
    )
    assert summary == cairn.Summary(rows=6, distinct=4, failed=0)
    rows = parquet.read_table(tmp_path / "out" / "rows").to_pylist()
    assert [row["block"] for row in rows] == list(range(6))
    assert [row["error"] is None for row in rows] == [code is not None for code in codes]
    found = {row["hash"]: row for row in parquet.read_table(tmp_path / "out" / "codes").to_pylist()}
    assert len(found[rows[0]["hash"]]["functions"]) == 3
    assert heard and all(phase in ("reading", "working") and done <= total for phase, done, total in heard)


def test_a_worker_that_dies_costs_its_row(input, tmp_path, monkeypatch):
    monkeypatch.setenv("CAIRN_WORKER_FAULTS", "abort:6001600155")
    summary = cairn.analyze_dataset(input, tmp_path / "out", threads=1)
    assert summary == cairn.Summary(rows=6, distinct=4, failed=1)


def test_recompile_and_lift(input, tmp_path, token):
    assert cairn.recompile_dataset(input, tmp_path / "new").distinct == 4
    assert cairn.lift_dataset(input, tmp_path / "ir").distinct == 4
    modules = parquet.read_table(tmp_path / "ir" / "codes")["module"].to_pylist()
    assert cairn.lift(token) in modules


def test_what_progress_raises_ends_the_run(input, tmp_path):
    def stop(*_news):
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        cairn.analyze_dataset(input, tmp_path / "out", progress=stop)


def test_faults(input, tmp_path):
    with pytest.raises(cairn.CairnError, match="no column `x`"):
        cairn.analyze_dataset(input, tmp_path / "out", column="x")
    with pytest.raises(cairn.CairnError):
        cairn.analyze_dataset(os.fspath(tmp_path / "absent.parquet"), tmp_path / "out2")
    with pytest.raises(cairn.CairnError, match="^no column `nosuch`; the input has code, block$"):
        cairn.analyze_dataset(input, tmp_path / "out", keep="nosuch")
    wrong = {"threads": -1, "row_memory": -1, "row_time": -1}
    for name, value in wrong.items():
        with pytest.raises(cairn.CairnError, match=f"`{name}` is a .*number.* not -1"):
            cairn.analyze_dataset(input, tmp_path / "out", **{name: value})


def test_a_compression_that_is_not_read_is_named(tmp_path):
    path, table = tmp_path / "codes.parquet", pyarrow.table({"code": [b""], "block": [{"number": 1}]})
    read = {"code": "snappy", "block.number": "none"}
    for column, part, method in [("code", "code", "zstd"), ("block", "block.number", "gzip")]:
        parquet.write_table(table, path, compression={**read, part: method})
        message = f"codes.parquet: column `{column}` is compressed by {method}, and only snappy"
        with pytest.raises(cairn.CairnError, match=message):
            cairn.analyze_dataset(path, tmp_path / column, keep="block")
    # What is not read may be compressed by anything.
    assert cairn.analyze_dataset(path, tmp_path / "out").rows == 1


def test_a_column_of_nulls(tmp_path):
    parquet.write_table(pyarrow.table({"code": pyarrow.nulls(2)}), tmp_path / "nulls.parquet")
    assert cairn.analyze_dataset(tmp_path / "nulls.parquet", tmp_path / "out") == cairn.Summary(2, 0, 0)
    rows = parquet.read_table(tmp_path / "out/rows").to_pylist()
    assert all("null" in row["error"] for row in rows)


HIJACKED = "raise SystemExit('a module of the user ran')"


def run_in(folder, program, *options):
    """Runs a program in a folder that has modules with names of the standard library's."""
    for name in ("enum", "json", "importlib", "random"):
        (folder / f"{name}.py").write_text(HIJACKED)
    command = [sys.executable, *options, "-c", program]
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    assert ended.returncode == 0, ended.stderr[-3000:]
    return ended.stdout


def test_workers_do_not_run_what_is_in_the_current_folder(input, tmp_path, monkeypatch):
    here = tmp_path / "here"
    here.mkdir()
    # An empty entry of the path is the current folder.
    monkeypatch.setenv("PYTHONPATH", os.pathsep)
    program = f"import cairn; print(cairn.analyze_dataset({str(input)!r}, 'out', facts='codes'))"
    assert "distinct=4" in run_in(here, program, "-I")


def test_workers_of_a_package_in_a_plain_folder(input, tmp_path):
    plain = tmp_path / "plain"
    shutil.copytree(Path(cairn.__file__).parent, plain / "cairn", ignore=shutil.ignore_patterns("__pycache__"))
    program = f"""
import enum, json, random, sys
sys.path.insert(0, {str(plain)!r})
import cairn, os
assert cairn.__file__.startswith({str(plain)!r})
os.chdir("/")
print(cairn.analyze_dataset({str(input)!r}, {str(tmp_path / "out")!r}, facts="codes"))
"""
    assert "distinct=4" in run_in(plain, program, "-I")


@pytest.mark.skipif(os.name != "posix", reason="the worker is a script")
def test_a_worker_that_does_not_start_says_why(input, tmp_path, monkeypatch):
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\necho no module named wanted >&2\nexit 7\n")
    broken.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(broken))
    with pytest.raises(cairn.CairnError, match="do not start: .*exit code 7; it wrote:\n  no module named wanted"):
        cairn.analyze_dataset(input, tmp_path / "out")
