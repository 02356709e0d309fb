"""Spark: what comes out is what batches say, whatever codes and executors do."""

import os
import signal
import sys
import threading
import time
from pathlib import Path

import cairn
import pytest

pyarrow = pytest.importorskip("pyarrow")
pyspark = pytest.importorskip("pyspark")

from cairn import spark as cairn_spark  # noqa: E402
from pyspark.sql import SparkSession  # noqa: E402

FAULTS = {
    "abort": (bytes.fromhex("fe00"), "the worker died: signal 6"),
    "hang": (bytes.fromhex("fe01"), "it took longer than"),
    "overflow": (bytes.fromhex("fe02"), "the worker died: signal"),
    "memory": (bytes.fromhex("fe03"), "it took more than 512 MiB of memory"),
}


@pytest.fixture(scope="module", params=["local[2]", "local-cluster[2,1,1024]"])
def session(request, tmp_path_factory):
    """A session; its workers fail at some codes."""
    # What starts executors looks for Spark there.
    os.environ["SPARK_HOME"] = os.path.dirname(pyspark.__file__)
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["CAIRN_WORKER_FAULTS"] = ",".join(f"{kind}:{code.hex()}" for kind, (code, _) in FAULTS.items())
    builder = SparkSession.builder.master(request.param).appName("cairn")
    settings = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "4",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.local.dir": str(tmp_path_factory.mktemp("spark")),
        "spark.executor.memory": "512m",
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


def frame(session, codes):
    rows = [(number, None if code is None else bytearray(code)) for number, code in enumerate(codes)]
    return session.createDataFrame(rows, "number long, code binary")


def plain(value):
    """A value of Spark as pyarrow has it."""
    if isinstance(value, bytearray):
        return bytes(value)
    if isinstance(value, (list, tuple)) and hasattr(value, "asDict"):
        return {name: plain(item) for name, item in value.asDict().items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value


def many(token):
    return [token + bytes([number % 7]) for number in range(300)] + [None, b"", bytes.fromhex("6001600155")]


# What finds equal codes.
PLANS = pytest.mark.parametrize("dedup", ["local", "shuffle"])


@pytest.mark.parametrize("dedup", [True, "local", "shuffle", False])
def test_facts_are_those_of_batches(session, token, dedup):
    codes = many(token)
    found = cairn_spark.analyze(frame(session, codes), key="number", dedup=dedup, facts="codes,functions,blocks")
    rows = sorted((plain(row) for row in found.collect()), key=lambda row: row["number"])
    table = pyarrow.table({"code": codes, "number": list(range(len(codes)))})
    expected = cairn.analyze_batch(table, facts="codes,functions,blocks", keep=["number"])
    assert rows == pyarrow.table(expected).to_pylist()


def test_distinct_codes_alone(session, token):
    assert cairn_spark.analyze(frame(session, many(token)), facts="codes").count() == 9


@PLANS
def test_text_and_batches_of_any_size(session, dedup):
    texts = [f"0x60{number % 9:02x}5f55" if number % 4 else f"0x{number}zz" for number in range(400)] + [None]
    data = session.createDataFrame(list(enumerate(texts)), "number long, code string")
    session.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "37")
    try:
        found = cairn_spark.analyze(data, key="number", dedup=dedup, facts="all").collect()
    finally:
        session.conf.unset("spark.sql.execution.arrow.maxRecordsPerBatch")
    rows = sorted((plain(row) for row in found), key=lambda row: row["number"])
    table = pyarrow.table({"code": texts, "number": list(range(len(texts)))})
    assert rows == pyarrow.table(cairn.analyze_batch(table, keep=["number"])).to_pylist()


def test_what_is_cheap_is_not_shuffled(session, token):
    def is_shuffled(**options):
        found = cairn_spark.analyze(frame(session, [token]), **options)
        return "Exchange" in found._jdf.queryExecution().executedPlan().toString()

    assert not is_shuffled(key="number", facts="codes, functions")
    assert not is_shuffled(key="number", facts=["selectors", "arguments"])
    assert not is_shuffled(key="number", dedup="local")
    assert is_shuffled(key="number", facts="codes,blocks")
    assert is_shuffled(key="number", facts="codes", dedup="shuffle")
    assert is_shuffled(facts="codes")


@PLANS
def test_recompile_and_lift(session, token, dedup):
    data = frame(session, [token, token, None])
    made = cairn_spark.recompile(data, key="number", dedup=dedup).orderBy("number").collect()
    made = [plain(row) for row in made]
    assert [row["code"] for row in made] == [cairn.recompile(token).code] * 2 + [None]
    assert made[2]["error"] == "null"
    assert cairn_spark.lift(data).first()["module"] == cairn.lift(token)


@PLANS
def test_one_bad_code_is_one_row(session, token, dedup):
    codes = many(token)
    for place, (code, _) in enumerate(FAULTS.values()):
        codes.insert(40 * place + 3, code)
    found = cairn_spark.analyze(
        frame(session, codes), facts="codes", key="number", dedup=dedup, row_time=20, row_memory=512
    )
    errors = {codes[row["number"]]: row["error"] for row in found.collect()}
    assert len(errors) == len(set(codes))
    for kind, (code, message) in FAULTS.items():
        assert errors.pop(code).startswith(message), kind
    assert errors.pop(None) == "null"
    assert not any(errors.values())


def executors(below):
    """Processes of executors below a process."""
    parents, names = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            status = (folder / "stat").read_text().rsplit(")", 1)[1].split()
            parents[int(folder.name)] = int(status[1])
            names[int(folder.name)] = (folder / "cmdline").read_bytes()
        except (OSError, IndexError):
            continue

    def is_below(process):
        while process in parents:
            process = parents[process]
            if process == below:
                return True
        return False

    wanted = b"CoarseGrainedExecutorBackend"
    return [process for process, name in names.items() if wanted in name and name.startswith(b"/") and is_below(process)]


@PLANS
def test_a_killed_executor_is_done_again(session, token, dedup):
    if not session.sparkContext.master.startswith("local-cluster"):
        pytest.skip("there is no executor but the driver")
    codes = [*many(token), FAULTS["hang"][0]]
    data = frame(session, codes)
    killed = []

    def kill():
        time.sleep(3)
        killed.extend(executors(os.getpid())[:1])
        for process in killed:
            os.kill(process, signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    rows = cairn_spark.analyze(data, facts="codes", key="number", dedup=dedup, row_time=6).collect()
    thread.join()
    assert killed, "no executor was found"
    assert sorted(row["number"] for row in rows) == list(range(len(codes)))
    assert [row["number"] for row in rows if row["error"]] != []
    assert sum(row["error"] is not None for row in rows) == 2


@pytest.mark.parametrize(
    "options, message",
    [
        ({"code": "x"}, "no column `x`"),
        ({"key": "number", "code": "number"}, "neither bytes nor text"),
        ({"key": "y"}, "no column `y`"),
        ({"facts": "blokcs"}, "blocks"),
        ({"dedup": "all", "key": "number"}, "'local' or 'shuffle'"),
        ({"dedup": "local"}, "name `key` columns"),
    ],
)
def test_faulty_arguments(session, options, message):
    with pytest.raises(cairn.CairnError, match=message):
        cairn_spark.analyze(frame(session, [b""]), **options)
