"""The study in examples/study: the notebook runs, and Spark has the same answers."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pyarrow = pytest.importorskip("pyarrow")

STUDY = Path(__file__).resolve().parents[3] / "examples/study"
ROWS = 40


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the codes."""
    folder = tmp_path_factory.mktemp("study")
    program = f"import codes; print(codes.write({str(folder / 'codes.parquet')!r}, {ROWS}))"
    subprocess.run([sys.executable, "-c", program], cwd=STUDY, check=True)
    return folder


def run(program, folder):
    ended = subprocess.run(
        [sys.executable, "-c", program], cwd=STUDY, capture_output=True, text=True, timeout=1200
    )
    assert ended.returncode == 0, ended.stderr[-3000:]
    return json.loads(ended.stdout.strip().splitlines()[-1])


@pytest.fixture(scope="module")
def answers(folder):
    """The answers of the data set driver."""
    program = f"import json, study; print(json.dumps(study.answers({str(folder / 'codes.parquet')!r}, {str(folder)!r})))"
    return run(program, folder)


def test_there_are_answers(answers):
    assert sum(count for _, count in answers["compilers"]) >= ROWS // 2
    assert answers["shared functions"]
    saved = dict(answers["saved gas"])
    assert saved["codes"] > 0 and saved["deposit"] > 0


def test_notebook(folder, answers):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("matplotlib")
    pytest.importorskip("ipykernel")
    notebook = nbformat.read(STUDY / "study.ipynb", as_version=4)
    os.environ["CAIRN_STUDY"] = str(folder)
    nbclient.NotebookClient(notebook, timeout=1200, resources={"metadata": {"path": str(STUDY)}}).execute()
    images = [
        output
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if "image/png" in output.get("data", {})
    ]
    assert len(images) == 3
    assert json.loads((folder / "answers.json").read_text()) == answers


def test_spark_has_the_same(folder, answers):
    pyspark = pytest.importorskip("pyspark")
    if shutil.which("java") is None:
        pytest.skip("there is no Java")
    os.environ["SPARK_HOME"] = os.path.dirname(pyspark.__file__)
    os.environ["PYSPARK_PYTHON"] = sys.executable
    program = (
        "import json, spark_job; from pyspark.sql import SparkSession; "
        "session = SparkSession.builder.master('local[2]').config('spark.ui.enabled', 'false')"
        ".config('spark.sql.shuffle.partitions', '4').getOrCreate(); "
        f"print(json.dumps(spark_job.answers(session, {str(folder / 'codes.parquet')!r})))"
    )
    assert run(program, folder) == answers
