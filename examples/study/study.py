"""Three questions about a Parquet file of codes, answered by Cairn's own driver for data sets.

Each answer is a list of rows, the largest first. The notebook draws them; ``spark_job.py`` has the same
answers from Spark.
"""

from collections import Counter
from pathlib import Path

import cairn
import facts
import pyarrow.dataset as dataset

MOST = 15


def tables(folder):
    """Rows and codes of a finished job."""
    rows = dataset.dataset(Path(folder) / "rows").to_table(columns=["hash"])["hash"].to_pylist()
    codes = dataset.dataset(Path(folder) / "codes").to_table().to_pylist()
    return rows, {row["hash"]: row for row in codes if row["error"] is None}


def most(counts):
    """The most frequent, in one order."""
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MOST]


def compilers(codes, folder):
    """How many rows each compiler made."""
    cairn.analyze_dataset(codes, folder, facts="codes")
    rows, found = tables(folder)
    return most(Counter(facts.kind(found[row]["compiler"], found[row]["compiler_version"]) for row in rows if row in found))


def shared_functions(codes, folder):
    """The bodies of internal functions that most distinct codes have."""
    cairn.lift_dataset(codes, folder)
    _, found = tables(folder)
    return most(Counter(digest for row in found.values() for digest in facts.shared(row["module"])))


def saved_gas(codes, before, after):
    """Gas that recompiling saves: of deploying all distinct codes, and of reaching their functions."""
    cairn.analyze_dataset(codes, before, facts="blocks,edges,selectors")
    cairn.recompile_dataset(codes, after)
    _, old = tables(before)
    _, new = tables(after)
    saved = Counter(codes=0, deposit=0, dispatch=0)
    for digest, made in new.items():
        if digest not in old or made["kept"] is not None:
            continue
        again = cairn.analyze(made["code"]).to_dict()
        saved["codes"] += 1
        saved["deposit"] += facts.DEPOSIT * (old[digest]["length"] - made["length"])
        saved["dispatch"] += facts.dispatch(*(old[digest][name] for name in ("blocks", "edges", "selectors")))
        saved["dispatch"] -= facts.dispatch(again["blocks"], again["edges"], again["selectors"])
    return sorted(saved.items())


def answers(codes, folder):
    """All three."""
    folder = Path(folder)
    return {
        "compilers": compilers(codes, folder / "facts"),
        "shared functions": shared_functions(codes, folder / "modules"),
        "saved gas": saved_gas(codes, folder / "graphs", folder / "better"),
    }
