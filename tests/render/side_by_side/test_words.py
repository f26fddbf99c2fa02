from __future__ import annotations

from columned import column, side_by_side

from tfprof_report.render.side_by_side.words import otherwise_words, reason


def test_columns_that_are_counted_in_the_same_other_way_share_a_sentence() -> None:
    older = [column(name, params=1, counting_version=2) for name in ("b", "c")]
    assert list(otherwise_words(side_by_side(column("a", params=1), *older, column("d", rules="tfprof 1")))) == [
        "b and c are counted by the counting version 2, not 3: no figure is subtracted.",
        "d is counted by the rules tfprof 1, not extended 3: FLOPs, MACs and FLOPs run are not subtracted.",
    ]


def test_another_signature_is_said_and_subtracted() -> None:
    found = side_by_side(column("a", params=1), column("b", params=2, options='{"signature": "predict"}'))
    assert list(otherwise_words(found)) == [
        "b is counted with another --signature: another part of the model is compared."
    ]
    assert found.rows[0].figures[1].delta == 1


def test_columns_of_the_same_files_share_a_sentence() -> None:
    columns = [column(name, params=1, inputs=digest) for name, digest in zip("abcd", "xyxx", strict=True)]
    assert list(otherwise_words(side_by_side(*columns))) == ["c and d have the same input files as a."]


def test_the_first_few_of_many_models_are_named() -> None:
    found = side_by_side(*(column(f"m{number}", params=1) for number in range(9)))
    assert reason(found) == (
        "2 figures of each compared. No other model beats m0, m1, m2, m3, m4, m5 and 3 more in parameters."
    )


def test_a_front_that_no_model_is_on_is_said() -> None:
    found = side_by_side(column("a", params=1), column("b", float_ops=1))
    assert reason(found).endswith("No model has all of FLOPs and parameters, so there is no front of all of them.")
