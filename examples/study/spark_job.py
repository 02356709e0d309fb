"""The study as a Spark job: ``spark-submit spark_job.py CODES.parquet``.

The same answers as ``study.answers``. ``facts.py`` and ``cairn`` must be where executors find them:
``--py-files facts.py``, and ``pip install`` on each machine.
"""

import json
import sys
from pathlib import Path

import facts
from cairn import spark as cairn_spark
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

MOST = 15


def most(counted, name):
    """The most frequent, in one order."""
    return [tuple(row) for row in counted.orderBy(F.desc("count"), name).limit(MOST).collect()]


def compilers(codes):
    """How many rows each compiler made."""
    kind = F.udf(facts.kind, "string")
    found = cairn_spark.analyze(codes, key="name", facts="codes").where("error is null")
    return most(found.groupBy(kind("compiler", "compiler_version").alias("kind")).count(), "kind")


def shared_functions(codes):
    """The bodies of internal functions that most distinct codes have."""
    shared = F.udf(facts.shared, "array<string>")
    found = cairn_spark.lift(codes).where("error is null")
    return most(found.select(F.explode(shared("module")).alias("digest")).groupBy("digest").count(), "digest")


def saved_gas(codes):
    """Gas that recompiling saves: of deploying all distinct codes, and of reaching their functions."""
    dispatch = F.udf(facts.dispatch, "long")
    graph = dispatch("blocks", "edges", "selectors")
    old = cairn_spark.analyze(codes, facts="blocks,edges,selectors").where("error is null")
    old = old.select("hash", F.col("length").alias("before"), graph.alias("old"))
    new = cairn_spark.recompile(codes).where("error is null and kept is null").select("hash", "length", "code")
    new = new.withColumnRenamed("hash", "original").withColumnRenamed("length", "bytes")
    graphs = cairn_spark.analyze(new, key=["original", "bytes"], facts="blocks,edges,selectors")
    graphs = graphs.select("original", "bytes", graph.alias("new"))
    both = old.join(graphs, F.col("hash") == F.col("original"))
    deposit = F.sum(facts.DEPOSIT * (F.col("before") - F.col("bytes")))
    row = both.agg(F.count("*").alias("codes"), deposit.alias("deposit"), F.sum(F.col("old") - F.col("new")).alias("dispatch"))
    return sorted(row.first().asDict().items())


def answers(session, path):
    """All three."""
    session.sparkContext.addPyFile(str(Path(__file__).with_name("facts.py")))
    codes = session.read.parquet(str(path))
    return {
        "compilers": compilers(codes),
        "shared functions": shared_functions(codes),
        "saved gas": saved_gas(codes),
    }


if __name__ == "__main__":
    print(json.dumps(answers(SparkSession.builder.getOrCreate(), sys.argv[1]), indent=1))
