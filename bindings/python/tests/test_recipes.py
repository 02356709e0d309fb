"""The recipes of docs/recipes.md, each run as it stands where its engine is installed."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

DOCS = Path(__file__).resolve().parents[3] / "docs/recipes.md"
RECIPE = re.compile(r"^## ([^\n]+)\n+```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
ENGINES = {
    "Spark": "pyspark",
    "DuckDB": "duckdb",
    "Polars": "polars",
    "DataFusion": "datafusion",
    "Daft": "daft",
    "Ray Data": "ray",
}
PROGRAMS = dict(RECIPE.findall(DOCS.read_text()))


def test_all_recipes_are_run():
    assert set(PROGRAMS) == set(ENGINES)
    assert all(len(program.strip().splitlines()) <= 10 for program in PROGRAMS.values())


@pytest.mark.parametrize("engine", ENGINES)
def test_recipe(engine, token, tmp_path):
    if importlib.util.find_spec(ENGINES[engine]) is None:
        pytest.skip(f"{ENGINES[engine]} is not installed")
    codes = [token + bytes([number % 5]) for number in range(50)]
    table = {"name": [f"c{number}" for number in range(50)], "code": pyarrow.array(codes, pyarrow.binary())}
    parquet.write_table(pyarrow.table(table), tmp_path / "codes.parquet")
    # Spark's own Python must be one that has the package; Ray's workers starve on a busy machine as they are.
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "RAY_worker_niceness": "0"}
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAMS[engine]],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert ended.returncode == 0, ended.stderr[-3000:]
    assert ended.stdout.strip()
