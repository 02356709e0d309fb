"""Many codes: what comes out is what single analyses say, whoever asks."""

import json
import threading
import time

import cairn
import pytest

pyarrow = pytest.importorskip("pyarrow")


def plain(value):
    """A value of Arrow as it is in `to_dict`."""
    if isinstance(value, bytes):
        return "0x" + value.hex()
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value


def test_batch_is_single(codes):
    table = pyarrow.table(cairn.analyze_batch(pyarrow.table({"code": codes})))
    assert table.num_rows == len(codes)
    for code, row in zip(codes, table.to_pylist()):
        error = row.pop("error")
        if code is None:
            assert error and all(value is None for value in row.values())
        else:
            assert error is None
            assert plain(row) == cairn.analyze(code).to_dict()


def test_forms_of_columns_agree(codes):
    column = pyarrow.array(codes, pyarrow.binary())
    digits = [code if code is None else "0x" + code.hex() for code in codes]
    forms = [
        column,
        column.cast(pyarrow.large_binary()),
        pyarrow.array(codes, pyarrow.binary_view()),
        column.dictionary_encode(),
        pyarrow.array(digits),
        pyarrow.array(digits, pyarrow.large_string()),
        pyarrow.array(digits, pyarrow.string_view()),
        pyarrow.chunked_array([column[:2], column[2:]]),
        pyarrow.record_batch({"x": column}),
        pyarrow.table({"x": column}).to_reader(),
    ]
    names = [None] * 8 + ["x", "x"]
    results = [
        pyarrow.table(cairn.analyze_batch(form, column=name)).to_pylist() for form, name in zip(forms, names)
    ]
    assert all(result == results[0] for result in results)


def test_facts_choose_columns(codes):
    table = cairn.analyze_batch(pyarrow.table({"code": codes}), facts=["functions", "selectors"])
    assert table.column_names == ["error", "selectors", "functions"]
    assert len(table) == len(codes)
    assert pyarrow.table(table).schema.metadata == {b"cairn.schema_version": b"2"}


def test_flat_tables_count_rows(codes):
    table = cairn.analyze_batch(pyarrow.table({"code": codes * 200}), facts="functions,codes")
    flat = pyarrow.table(table.table("functions")).to_pylist()
    expected = [row for row, code in enumerate(codes * 200) if code == codes[0] for _ in range(3)]
    assert [item["row"] for item in flat] == expected
    assert pyarrow.table(table.table("codes")).num_rows == len(table)
    for missing in ["blocks", "functions,codes"]:
        with pytest.raises(cairn.CairnError, match="no table"):
            table.table(missing)


def test_columns_are_kept(codes):
    data = pyarrow.table({"address": list(range(len(codes))), "runtime": codes})
    table = pyarrow.table(cairn.analyze_batch(data, facts="codes", keep=["address"]))
    assert table.column_names[:2] == ["address", "error"]
    assert table["address"].to_pylist() == list(range(len(codes)))


def test_threads_change_nothing(codes):
    data = pyarrow.table({"code": codes * 300})
    one, many = (pyarrow.table(cairn.analyze_batch(data, facts="blocks", threads=count)) for count in (1, 3))
    assert one.equals(many)


def test_empty_tables():
    data = pyarrow.table({"code": pyarrow.array([], pyarrow.binary())})
    table = pyarrow.table(cairn.analyze_batch(data, facts="selectors"))
    assert table.num_rows == 0 and table.column_names == ["error", "selectors"]


def test_polars_in_and_out(codes):
    polars = pytest.importorskip("polars")
    table = polars.DataFrame(cairn.analyze_batch(polars.DataFrame({"code": codes}), facts="functions"))
    assert table["functions"].list.len().to_list() == [3, 0, None, 0, 0, 3]
    digits = polars.DataFrame({"code": [code if code is None else code.hex() for code in codes]})
    assert polars.DataFrame(cairn.analyze_batch(digits, facts="functions")).equals(table)


def test_faulty_digits_are_errors_of_rows():
    rows = pyarrow.table(cairn.analyze_batch(pyarrow.array(["6001", "0x6", "zz"]), facts="codes")).to_pylist()
    assert [row["error"] is None for row in rows] == [True, False, False]
    assert rows[1]["hash"] is None


@pytest.mark.parametrize(
    "data, options, message",
    [
        ({"a": [b""]}, {}, "no column looks like code"),
        ({"a": [b""]}, {"column": "b"}, "no column `b`; the data has a"),
        ({"code": [1]}, {}, "neither bytes nor text"),
        ({"code": [b""]}, {"keep": ["x"]}, "no column `x`"),
        ({"code": [b""], "hash": [1]}, {"keep": ["hash"]}, "cannot be kept"),
        ({"code": [b""]}, {"facts": "blokcs"}, "blocks"),
    ],
)
def test_faulty_arguments(data, options, message):
    with pytest.raises(cairn.CairnError, match=message):
        cairn.analyze_batch(pyarrow.table(data), **options)


@pytest.mark.parametrize("data, class_name", [([b""], "list"), (b"", "bytes"), (None, "NoneType")])
def test_what_is_no_arrow(data, class_name):
    with pytest.raises(TypeError, match=f"exports Arrow.*not `{class_name}`"):
        cairn.analyze_batch(data)


@pytest.mark.parametrize(
    "options, error, message",
    [
        ({"threads": -1}, cairn.CairnError, "`threads` is a whole number from 0 to 2[*][*]64 - 1, not -1"),
        ({"threads": "2"}, TypeError, "`threads` is a whole number, not `str`"),
        ({"keep": [1]}, TypeError, "`keep` holds names, not `int`"),
        ({"keep": 1}, TypeError, "`keep` is a name or a list of names, not `int`"),
        ({"column": 1}, TypeError, "`column` is a `str`, not `int`"),
    ],
)
def test_faults_name_their_argument(options, error, message):
    with pytest.raises(error, match=message):
        cairn.analyze_batch(pyarrow.table({"code": [b""]}), **options)


def test_one_name_needs_no_list():
    data = pyarrow.table({"code": [b""], "address": ["a"]})
    assert cairn.analyze_batch(data, facts="selectors", keep="address").column_names[0] == "address"


def errors_of(data, **options):
    """The errors of a batch."""
    return pyarrow.table(cairn.analyze_batch(data, facts="codes", **options))["error"].to_pylist()


@pytest.mark.parametrize("digits", ["0X60", "60 01", " 0x60\n01 ; a push", "", "6", "é01", "0x0x60", "__$" + "0" * 34 + "$__"])
def test_text_is_read_as_that_of_one_code(digits):
    (error,) = errors_of(pyarrow.array([digits]))
    if error is None:
        (found,) = pyarrow.table(cairn.analyze_batch(pyarrow.array([digits]), facts="codes")).to_pylist()
        assert "0x" + found["hash"].hex() == cairn.analyze(digits).hash
    else:
        with pytest.raises(cairn.CairnError) as caught:
            cairn.analyze(digits)
        assert error.split(" at position")[0] in str(caught.value)
    assert "é" not in digits or error == "`é` is not a hexadecimal digit at position 0"


def test_columns_of_nulls():
    assert errors_of(pyarrow.table({"code": pyarrow.nulls(2)})) == ["null"] * 2
    assert errors_of(pyarrow.nulls(3)) == ["null"] * 3
    polars = pytest.importorskip("polars")
    assert errors_of(polars.DataFrame({"code": [None, None]})) == ["null"] * 2
    assert errors_of(polars.Series([None])) == ["null"]
    assert errors_of(polars.DataFrame({"code": [b""], "x": [None]}), keep=["x"]) == [None]


def test_rows_that_are_null_as_a_whole():
    fields = [pyarrow.field("code", pyarrow.binary()), pyarrow.field("number", pyarrow.int64(), nullable=False)]
    columns = [pyarrow.array([b"\x00"] * 3), pyarrow.array([1, 2, 3])]
    rows = pyarrow.StructArray.from_arrays(columns, fields=fields, mask=pyarrow.array([False, True, False]))
    for data in (rows, rows.slice(1)):
        found = pyarrow.table(cairn.analyze_batch(data, facts="codes", keep=["number"])).to_pylist()
        expected = [None if row is None else row["number"] for row in data.to_pylist()]
        assert [row["number"] for row in found] == expected
        assert [row["error"] for row in found] == ["null" if number is None else None for number in expected]


def test_long_codes_of_dictionaries():
    # Side by side they would be more than what an array can hold.
    values = pyarrow.array(["z" * 10_000, None, "6001"])
    places = pyarrow.array([0] * 300_000 + [1, 2, None], pyarrow.int32())
    errors = errors_of(pyarrow.DictionaryArray.from_arrays(places, values))
    assert errors == ["`z` is not a hexadecimal digit at position 0"] * 300_000 + ["null", None, "null"]
    nothing = pyarrow.DictionaryArray.from_arrays(places.slice(300_002), values.slice(0, 0))
    assert errors_of(nothing) == ["null"]


def test_other_threads_run_meanwhile(token):
    data = pyarrow.array([token] * 5000)
    stop = threading.Event()
    ticks = []

    def tick():
        while not stop.wait(0.001):
            ticks.append(time.perf_counter())

    thread = threading.Thread(target=tick)
    thread.start()
    start = time.perf_counter()
    cairn.analyze_batch(data)
    end = time.perf_counter()
    stop.set()
    thread.join()
    assert sum(start < one < end for one in ticks) > 10, json.dumps(end - start)
