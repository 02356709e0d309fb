"""One code."""

import json

import cairn
import pytest

# A function that doubles, called with 5.
DOUBLE = "6007600560 0b565b5f55005b80019056"


def test_facts_are_found(token):
    found = cairn.analyze(token)
    assert [one.selector for one in found.selectors] == ["0x18160ddd", "0x70a08231", "0xa9059cbb"]
    assert [one.selector for one in found.functions] == [one.selector for one in found.selectors]
    assert found.closed and found.role == "runtime" and found.length == len(token)
    assert len(found.hash) == 66
    assert found.blocks[0].start == 0 and found.blocks[0].reached
    assert {edge.target for edge in found.edges} <= {block.start for block in found.blocks}
    assert {access.slot for access in found.storage if access.access == "store"} >= {2}
    written = [variable for variable in found.variables if variable.slot == 2]
    assert written[0].writers and isinstance(written[0].readers, tuple)
    assert [event.topics for event in found.events] == [1]
    assert int(found.events[0].topic, 16) == 0x1234
    assert "3 selectors" in repr(found)


def test_internal_functions_and_jumps():
    found = cairn.analyze(DOUBLE)
    assert found.internals == (cairn.Internal(entry=11, params=1, rets=1),)
    assert [(edge.source, edge.target, edge.kind) for edge in found.edges] == [(0, 11, "call"), (11, 7, "return")]
    assert [(jump.pc, jump.status, jump.targets) for jump in found.jumps][0] == (6, "resolved", (11,))
    assert found.compiler is None and found.compiler_version is None


def test_all_forms_of_code_are_the_same(token):
    forms = [token, bytearray(token), token.hex(), "0x" + token.hex(), token.hex().upper()]
    assert len({cairn.analyze(form).to_json() for form in forms}) == 1


def test_dict_and_json_agree(token):
    found = cairn.analyze(token)
    facts = found.to_dict()
    assert json.loads(found.to_json(indent=2)) == facts
    assert facts["length"] == len(token) and facts["selectors"][0]["selector"] == "0x18160ddd"
    facts["selectors"].clear()
    assert found.to_dict()["selectors"]


def test_report_knows_more(token):
    report = cairn.analyze(token).report()
    assert report["code_len"] == len(token)
    assert {"loops", "dead_pushes", "block_facts"} <= report.keys()


def test_graph(token):
    pytest.importorskip("networkx")
    found = cairn.analyze(token)
    graph = found.cfg()
    assert set(graph.nodes) == {block.start for block in found.blocks}
    assert graph.number_of_edges() == len(found.edges)
    assert graph.nodes[0]["gas"] == found.blocks[0].gas


def test_pictures(token):
    found = cairn.analyze(token)
    assert found._repr_svg_().startswith("<svg")
    assert found.draw("dot").startswith("digraph")
    with pytest.raises(cairn.CairnError, match="unknown form `png`"):
        found.draw("png")


def test_role_and_fork_are_used():
    # PUSH0 is no instruction before Shanghai.
    code = "5f5ff3"
    assert cairn.analyze(code, role="creation").role == "creation"
    after = cairn.analyze(code, evm_version="shanghai").blocks
    assert cairn.analyze(code, evm_version="paris").blocks != after


@pytest.mark.parametrize("code", ["6", "zz", "0x6g"])
def test_faulty_digits_have_a_place(code):
    with pytest.raises(cairn.CairnError) as caught:
        cairn.analyze(code)
    assert caught.value.place is not None
    assert caught.value.diagnostics[0].severity == "error"


def test_faulty_arguments():
    with pytest.raises(TypeError, match="bytes"):
        cairn.analyze(5)
    with pytest.raises(cairn.CairnError, match="atlantis"):
        cairn.analyze(b"", evm_version="atlantis")
    with pytest.raises(cairn.CairnError, match="known are runtime"):
        cairn.analyze(b"", role="library")


def test_a_buffer_may_change_later(token):
    code = bytearray(token)
    found = cairn.analyze(code)
    code[:] = bytes(len(code))
    assert found.to_json() == cairn.analyze(token).to_json()


@pytest.mark.parametrize("digits", ["0X6001", " 60 01\n", "0x60\t01 ; a push"])
def test_text_is_read_as_files_are(digits):
    assert cairn.analyze(digits).to_json() == cairn.analyze(b"\x60\x01").to_json()


def test_version():
    from importlib.metadata import version

    assert cairn.__version__ == version("cairn-evm")
