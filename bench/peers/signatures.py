"""Cairn against evmole, in one run: selectors, arguments, mutability, storage.

``python bench/peers/signatures.py [CORPUS] [STEP] [LAYOUTS]`` with ``cairn`` (a release wheel) and ``evmole``
installed; ``cargo xtask python --peers`` does that. Truth are the interfaces that the corpus states; it has none
for storage, where it is counted which slots one finds and the other not: a word of an array that the other has
under the array's own slot is found by both. LAYOUTS is a file of
``bench/peers/layouts.cjs``, which has the truth. Time is that of the processor, on one core.
"""

import bisect
import gzip
import json
import os
import re
import sys
import time
from pathlib import Path

import cairn
import evmole
import pyarrow

FACTS = "selectors,arguments,mutability,variables"
# Slots that arrays are looked for in, and words behind the beginning of their items.
BASES, BEHIND = 1 << 12, 1 << 12


def rows(path):
    with gzip.open(path, "rt") as lines:
        return [json.loads(line) for line in lines]


def selectors(signatures):
    """Selectors by signatures: the hash of a code is that of any bytes."""
    texts = pyarrow.array([signature.encode() for signature in signatures], pyarrow.binary())
    hashes = pyarrow.table(cairn.analyze_batch(texts, facts="codes"))["hash"].to_pylist()
    return {signature: "0x" + digest[:4].hex() for signature, digest in zip(signatures, hashes)}


def begins():
    """Where the items of arrays begin, each with the array's slot, sorted."""
    slots = pyarrow.array([slot.to_bytes(32, "big") for slot in range(BASES)], pyarrow.binary())
    hashes = pyarrow.table(cairn.analyze_batch(slots, facts="codes"))["hash"].to_pylist()
    return sorted((int.from_bytes(digest, "big"), slot) for slot, digest in enumerate(hashes))


def is_item(slot, known, arrays):
    """True for a word of an array that is known under its own slot; ``known`` are types by slots."""
    begin, base = arrays[bisect.bisect(arrays, (slot, BASES)) - 1]
    if 0 <= slot - begin < BEHIND:
        return base in known
    below = [one for one in known if one < slot]
    return bool(below) and known[max(below)].endswith("[?]")


def split(types):
    """The types of a list, at its own level."""
    found, depth, start = [], 0, 0
    for place, char in enumerate(types):
        depth += {"(": 1, ")": -1}.get(char, 0)
        if char == "," and depth == 0:
            found.append(types[start:place])
            start = place + 1
    return found + ([types[start:]] if types else [])


def is_static(one):
    if one == "bytes" or one.endswith("[]"):
        return False
    array = re.fullmatch(r"(.*)\[\d+\]", one)
    if array:
        return is_static(array[1])
    return all(map(is_static, split(one[1:-1]))) if one.startswith("(") else True


def flat(types):
    """Types as calldata has them: static structs and arrays are their members."""
    found = []
    for one in split(types):
        array = re.fullmatch(r"(.*)\[(\d+)\]", one)
        if array and is_static(one):
            found += flat(array[1]) * int(array[2])
        elif one.startswith("(") and one.endswith(")") and is_static(one):
            found += flat(one[1:-1])
        else:
            found.append(one)
    return found


def plain(types):
    """``string`` and ``bytes`` are one for both."""
    return types.replace("string", "bytes").replace("function", "bytes24")


class Score:
    def __init__(self, name):
        self.name, self.found, self.claimed, self.truth = name, 0, 0, 0
        self.exact, self.flat, self.mutability, self.loose, self.seconds = 0, 0, 0, 0, 0.0
        self.faults = []

    def add(self, truth, found):
        self.truth += len(truth)
        self.claimed += len(found)
        for key in truth.keys() & found.keys():
            (types, mutability, signature), (guess, kind) = truth[key], found[key]
            guess = plain(guess or "")
            self.found += 1
            self.exact += types == guess
            self.flat += flat(types) == flat(guess)
            self.mutability += mutability == kind
            loose = {"pure": "view"}
            self.loose += loose.get(mutability, mutability) == loose.get(kind, kind)
            if flat(types) != flat(guess):
                self.faults.append(("args", signature, guess))
            if mutability != kind:
                self.faults.append(("mut", mutability, kind, signature))

    def line(self, count):
        def part(number, whole):
            return f"{100 * number / whole:.2f}%"

        return (
            f"{self.name}: selectors {part(self.found, self.truth)} of {self.truth} found, "
            f"{part(self.found, self.claimed)} of {self.claimed} right; of those found, arguments "
            f"{part(self.exact, self.found)} exact, {part(self.flat, self.found)} flat; mutability "
            f"{part(self.mutability, self.found)}, {part(self.loose, self.found)} with pure as view; "
            f"{count / self.seconds:.0f} codes/s"
        )


def declared(types, slot, offset, name, found):
    """The places of a variable and its type; structs are their members, as places are those of each."""
    kind = types[name]
    if "members" in kind:
        for member in kind["members"]:
            declared(types, slot + int(member["slot"]), member["offset"], member["type"], found)
    elif kind["encoding"] == "inplace" and "base" in kind:
        count = (int(kind["numberOfBytes"]) + 31) // 32
        found.append(({(slot + place, None) for place in range(min(count, 64))}, None))
    else:
        found.append(({(slot, offset)}, label(types, name)))


def label(types, name):
    """The type of a variable as both write it."""
    kind = types[name]
    if kind["encoding"] == "mapping":
        return f"mapping({label(types, kind['key'])} => {label(types, kind['value'])})"
    if kind["encoding"] == "dynamic_array":
        return label(types, kind["base"]) + "[]"
    if kind["encoding"] == "bytes":
        return "bytes"
    if "members" in kind:
        return "struct"
    if kind["label"].startswith(("contract", "address")):
        return "address"
    return "uint8" if kind["label"].startswith("enum") else kind["label"]


class Layouts:
    """What is found of declared variables."""

    def __init__(self, name):
        self.name, self.truth, self.found, self.types, self.claimed, self.right = name, 0, 0, 0, 0, 0

    def add(self, truth, found):
        # Slots that no layout has are those of a contract's own arithmetic: hashes of names, and the like.
        found = {place: kind for place, kind in found.items() if place[0] < 1 << 128}
        right = set()
        for places, kind in truth:
            hits = [(slot, offset) for slot, offset in found if places & {(slot, offset), (slot, None)}]
            right.update(hits)
            self.truth += 1
            self.found += bool(hits)
            self.types += kind in {plain(found[hit]) for hit in hits} or (kind is None and bool(hits))
        self.claimed += len(found)
        self.right += len(right)

    def line(self):
        return (
            f"{self.name}: {100 * self.found / self.truth:.2f}% of {self.truth} declared variables found, "
            f"{100 * self.right / self.claimed:.2f}% of {self.claimed} right, "
            f"{100 * self.types / self.found:.2f}% of those found with their type"
        )


def compare_layouts(path):
    """Variables of contracts whose layout is known."""
    ours, theirs = Layouts("cairn"), Layouts("evmole")
    for line in Path(path).read_text().splitlines():
        row = json.loads(line)
        code, truth = bytes.fromhex(row["runtime"]), []
        for one in row["layout"]["storage"]:
            if "gap" not in one["label"]:
                declared(row["layout"]["types"], int(one["slot"]), one["offset"], one["type"], truth)
        ours.add(truth, {(one.slot, one.offset): one.type for one in cairn.analyze(code).variables})
        records = evmole.contract_info(code, storage=True).storage or []
        theirs.add(truth, {(int(one.slot, 16), one.offset): one.type for one in records})
    print(ours.line())
    print(theirs.line())


def main():
    corpus = Path(sys.argv[1] if len(sys.argv) > 1 else os.environ["CAIRN_CORPUS"]) / "bytecode"
    step = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    codes = {row["name"]: bytes.fromhex(row["runtime"]) for row in rows(corpus / "bytecodes.jsonl.gz")}
    known = [row for row in rows(corpus / "functions-truth.jsonl.gz") if row["abi"] and row["split"] == "dev"]
    names = [row["name"] for row in known][::step]
    selector = selectors(sorted({signature for row in known for signature, _ in row["abi"]}))
    truths = []
    for row in known[::step]:
        entry = {}
        for signature, mutability in row["abi"]:
            types = plain(signature[signature.index("(") + 1 : -1])
            entry[selector[signature]] = (types, mutability, signature)
        truths.append(entry)
    ours, theirs = Score("cairn"), Score("evmole")
    start = time.process_time()
    table = cairn.analyze_batch(pyarrow.array([codes[name] for name in names], pyarrow.binary()), facts=FACTS)
    ours.seconds = time.process_time() - start
    slots, items, arrays = [0, 0, 0], 0, begins()
    for name, truth, row in zip(names, truths, pyarrow.table(table).to_pylist()):
        types = {one["selector"]: one["types"] for one in row["arguments"]}
        found = {one["selector"]: (types.get(one["selector"]), one["mutability"]) for one in row["mutability"]}
        ours.add(truth, found)
        start = time.process_time()
        info = evmole.contract_info(
            codes[name], selectors=True, arguments=True, state_mutability=True, storage=True
        )
        theirs.seconds += time.process_time() - start
        found = {"0x" + one.selector: (one.arguments, one.state_mutability) for one in info.functions}
        theirs.add(truth, found)
        mine = {one["slot"].hex() for one in row["variables"]}
        other = {one.slot for one in info.storage or []}
        known = {int(one["slot"].hex(), 16): one["type"] for one in row["variables"]}
        inside = {slot for slot in other - mine if is_item(int(slot, 16), known, arrays)}
        items += len(inside)
        missed = other - mine - inside
        slots = [slots[0] + len(mine & other), slots[1] + len(mine - other), slots[2] + len(missed)]
    print(ours.line(len(names)))
    print(theirs.line(len(names)))
    print(
        f"slots: {slots[0]} by both, {slots[1]} by cairn alone, {slots[2]} by evmole alone, besides {items} words "
        "of arrays that cairn has under the arrays' slots"
    )
    print(f"{theirs.seconds / ours.seconds:.1f} times as fast")
    if len(sys.argv) > 3:
        compare_layouts(sys.argv[3])
    else:
        print("skipped: declared variables, for no file of layouts was named (bench/peers/layouts.cjs)")
    if os.environ.get("FAULTS"):
        Path(os.environ["FAULTS"]).write_text("\n".join(map(repr, ours.faults)))
        Path(os.environ["FAULTS"] + ".evmole").write_text("\n".join(map(repr, theirs.faults)))


if __name__ == "__main__":
    main()
