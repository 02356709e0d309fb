"""A Parquet file of codes to study: ``python codes.py FILE [ROWS]``.

With a corpus of contracts (``CAIRN_CORPUS``) it holds contracts of a chain; without one, what Cairn makes
of the programs beside this folder, at each level and for several forks.
"""

import gzip
import itertools
import json
import os
import sys
from pathlib import Path

import cairn
import pyarrow
from pyarrow import parquet

ROOT = Path(__file__).resolve().parents[2]
LEVELS = ("0", "1", "2", "3", "s")
FORKS = ("paris", "shanghai", "osaka")


def of_corpus(folder, rows):
    """Names and codes of contracts; every second comes twice, as on a chain."""
    with gzip.open(Path(folder) / "bytecode" / "bytecodes.jsonl.gz", "rt") as lines:
        found = [json.loads(line) for line in itertools.islice(lines, 0, None, 7)]
    found = [(row["name"], bytes.fromhex(row["runtime"])) for row in found[:rows]]
    return found + found[::2]


def of_examples(rows):
    """Names and codes of the programs in ``examples`` and of those that tests compile."""
    found = []
    sources = sorted((ROOT / "examples").glob("*.yul")) + sorted((ROOT / "tests/filetests").rglob("*.yul"))
    for source, level, fork in itertools.product(sources, LEVELS, FORKS):
        if len(found) == rows:
            break
        try:
            made = cairn.compile(source.read_text(), level=level, evm_version=fork)
        except cairn.CairnError:
            continue
        found.append((f"{source.stem}/{level}/{fork}", bytes(made.runtime or made.code)))
    return found


def write(path, rows=600):
    """Writes the file."""
    folder = os.environ.get("CAIRN_CORPUS")
    found = of_corpus(folder, rows) if folder and Path(folder).is_dir() else of_examples(rows)
    names, codes = zip(*found)
    parquet.write_table(pyarrow.table({"name": names, "code": pyarrow.array(codes, pyarrow.binary())}), path)
    return len(found)


if __name__ == "__main__":
    print(write(sys.argv[1], *map(int, sys.argv[2:])), "rows")
