"""What one code tells the study: the same functions serve the notebook and Spark."""

import hashlib
import heapq
import re

FUNC = re.compile(r"^\s*func @(\w+)\(.*\{$")
VALUE = re.compile(r"%\d+")
CALLED = re.compile(r"@\w+")
CONSTANT = re.compile(r"^(%\d+) = evm\.constant ")
# Gas of a byte of deployed code.
DEPOSIT = 200


def kind(compiler, version):
    """A compiler with the first two numbers of its version."""
    return " ".join([compiler or "unknown", *([".".join(version.split(".")[:2])] if version else [])])


def bodies(module):
    """Lines of the functions of a lifted module, by name."""
    found, name = {}, None
    for line in module.splitlines():
        start = FUNC.match(line)
        if start:
            name, found[start[1]] = start[1], [line.split("(", 1)[1]]
        elif line.strip() == "}":
            name = None
        elif name:
            found[name].append(line.strip())
    return found


def without_unused(lines):
    """A body without constants that nothing uses, as addresses that calls returned to are."""
    used = [value for line in lines for value in set(VALUE.findall(line))]
    return [line for line in lines if not (CONSTANT.match(line) and used.count(CONSTANT.match(line)[1]) == 1)]


def digest(name, found, above=()):
    """A hash of a body, whatever its values and the functions that it calls are called."""
    if name not in found or name in above:
        return name if name not in found else "itself"
    names = {}
    text = "\n".join(without_unused(found[name]))
    text = VALUE.sub(lambda value: f"%{names.setdefault(value[0], len(names))}", text)
    called = {one: digest(one[1:], found, (*above, name)) for one in set(CALLED.findall(text))}
    text = CALLED.sub(lambda one: "@" + called[one[0]], text)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def shared(module):
    """The hashes of the internal functions of a code, each once."""
    found = bodies(module)
    return sorted({digest(name, found) for name in found if not name.startswith("__")})


def dispatch(blocks, edges, selectors):
    """The least gas from the beginning to each external function, summed."""
    gas = {block["start"]: block["gas"] for block in blocks}
    after = {}
    for edge in edges:
        after.setdefault(edge["from"], []).append(edge["to"])
    least, work = {}, [(0, 0)]
    while work:
        cost, block = heapq.heappop(work)
        if block in least:
            continue
        least[block] = cost
        for to in after.get(block, ()):
            heapq.heappush(work, (cost + gas[block], to))
    return sum(least.get(selector["entry"], 0) for selector in selectors)
