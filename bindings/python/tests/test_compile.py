"""The compiler."""

import cairn
import pytest

from conftest import TOKEN

LINKED = """
object "A" {
    code {
        mstore(0, linkersymbol("lib.sol:L"))
        return(0, 32)
    }
}
"""
ADDRESS = "0x" + "ab" * 20


def test_compile():
    made = cairn.compile(TOKEN, level=2, emit=["asm", "stats"])
    assert made.runtime and bytes(made.runtime) in bytes(made.code)
    assert made.code.links == () and set(made.artifacts) == {"asm", "stats"}
    assert cairn.compile("{ sstore(0, add(1, 2)) }").code.hex() == "60035f5500"
    assert cairn.compile("{ sstore(0, add(1, 2)) }").runtime is None


def test_options_matter():
    sizes = [len(cairn.compile(TOKEN, level=level).code) for level in (0, "s")]
    assert sizes[0] > sizes[1]
    old = cairn.compile("{ sstore(0, 1) }", evm_version="paris").code
    assert 0x5F not in old


def test_code_goes_around():
    made = cairn.compile(TOKEN)
    listing = cairn.disassemble(made.code)
    assert cairn.compile(listing, language="asm", level=0).code == made.code


def test_links():
    made = cairn.compile(LINKED)
    assert len(made.code.links) == 1
    link = made.code.links[0]
    assert made.code[link.offset : link.offset + 20] == bytes(20)
    assert link.placeholder in made.code.digits()
    assert cairn.Code.of_digits(made.code.digits()).links == made.code.links
    linked = made.code.link({"lib.sol:L": ADDRESS})
    assert linked.links == () and linked[link.offset : link.offset + 20] == b"\xab" * 20
    assert cairn.compile(LINKED, libraries={"lib.sol:L": ADDRESS}).code == linked
    assert "lib" in cairn.disassemble(made.code) or link.placeholder in cairn.disassemble(made.code)
    for wrong in ({"M": ADDRESS}, {"lib.sol:L": "0x12"}, {"lib.sol:L": "zz"}):
        with pytest.raises(cairn.CairnError):
            made.code.link(wrong)
        with pytest.raises(cairn.CairnError):
            cairn.compile(LINKED, libraries=wrong)


def test_faults_have_places():
    with pytest.raises(cairn.CairnError) as caught:
        cairn.compile("{\n  let a := b\n}", name="x.yul")
    place = caught.value.place
    assert place and (place.file, place.line, place.column) == ("x.yul", 2, 12)
    assert "x.yul" in str(caught.value) and caught.value.diagnostics[0].code
    for source, options in [("{}", {"level": 9}), ("{}", {"language": "c"}), ("{}", {"emit": ["pdf"]})]:
        with pytest.raises(cairn.CairnError):
            cairn.compile(source, **options)


def test_deep_nesting_is_an_error():
    with pytest.raises(cairn.CairnError):
        cairn.compile("{" * 100_000)


def test_lift(token):
    text = cairn.lift(token)
    assert text.startswith("module") and "sload" in text
    # What was lifted can be compiled.
    assert len(cairn.compile(text, language="evm-ir").code) > 0
    with pytest.raises(cairn.CairnError, match="it cannot be lifted"):
        cairn.lift("5f3556")


def test_recompile(token):
    large = cairn.compile(TOKEN, level=0).runtime
    made = cairn.recompile(bytes(large))
    assert made.kept is None and len(made.code) < len(large)
    kept = cairn.recompile("5f3556")
    assert kept.kept and kept.code == bytes.fromhex("5f3556")
    with pytest.raises(cairn.CairnError):
        cairn.recompile(token, level="x")


def test_unlinked_code_is_refused():
    unlinked = cairn.compile(LINKED).code.digits()
    for function in (cairn.analyze, cairn.lift, cairn.recompile):
        with pytest.raises(cairn.CairnError, match="not linked"):
            function(unlinked)


def test_disassemble(token):
    assert "PUSH" in cairn.disassemble(token).upper()
    assert cairn.disassemble("0x" + token.hex()) == cairn.disassemble(token)
    with pytest.raises(cairn.CairnError):
        cairn.disassemble("6")


def test_yul_optimize():
    text = cairn.yul_optimize("{ let a := add(1, 2) sstore(0, a) }")
    assert "sstore(0, 3)" in text
    assert "add(1, 2)" in cairn.yul_optimize("{ let a := add(1, 2) sstore(0, a) }", steps="u")
    with pytest.raises(cairn.CairnError, match="sequence"):
        cairn.yul_optimize("{}", steps="]")
    with pytest.raises(cairn.CairnError) as caught:
        cairn.yul_optimize("{ let a := b }")
    assert caught.value.place and caught.value.place.line == 1


@pytest.mark.parametrize("function", [cairn.disassemble, cairn.analyze, cairn.lift, cairn.recompile])
def test_what_is_no_code(function):
    with pytest.raises(TypeError, match="a code is `bytes` or hexadecimal `str`, not `NoneType`"):
        function(None)


def test_faults_name_their_argument(token):
    for call in (
        lambda: cairn.compile("{}", runs=-1),
        lambda: cairn.recompile(token, runs=-1),
        lambda: cairn.yul_optimize("{}", runs=-1),
    ):
        with pytest.raises(cairn.CairnError, match="`runs` is a whole number from 0 to .* not -1"):
            call()
    with pytest.raises(TypeError, match="`runs` is a whole number, not `float`"):
        cairn.compile("{}", runs=1.5)
    with pytest.raises(TypeError, match="`evm_version` is a `str`, not `int`"):
        cairn.compile("{}", evm_version=1)


def test_one_artifact_needs_no_list():
    assert set(cairn.compile("{ stop() }", emit="asm").artifacts) == {"asm"}
