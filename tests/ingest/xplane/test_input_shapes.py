"""Shapes of inputs, as the executor writes them at the highest level."""

from __future__ import annotations

from traces import Trace


def shapes_of(*texts: str) -> list[tuple[int, int, int, list[int] | None]]:
    trace = Trace()
    line = trace.line()
    for place, text in enumerate(texts):
        line.event(f"x{place}:Op", 10 * place, 5, **({"shape": text} if text else {}))
    ((_, columns),) = trace.traced().run.run_metas
    return [tuple(row.values()) for row in columns.inputs.to_pylist()]


def test_each_input_has_its_place_and_its_shape() -> None:
    assert shapes_of("(float[32,64];int32[])", "", "(resource[];float[7])") == [
        (0, 0, 2, [32, 64]),
        (0, 1, 2, []),
        (2, 0, 2, []),
        (2, 1, 2, [7]),
    ]


def test_an_input_without_a_shape_keeps_its_place() -> None:
    assert shapes_of("(float[2];;float[?,3])") == [(0, 0, 3, [2]), (0, 1, 3, None), (0, 2, 3, None)]


def test_other_texts_are_no_shapes() -> None:
    assert shapes_of("float[2]", "(float[99999999999999999999])") == [(1, 0, 1, None)]
    assert shapes_of("") == []


def test_the_first_execution_with_its_shapes_stands_for_all_but_not_one_that_compiled() -> None:
    trace = Trace()
    line = trace.line()
    for step in range(3):
        line.event("train", 100 * step, 50, step_num=step).event("XlaCompile" if not step else "other", 100 * step, 1)
        for place, size in enumerate((2, 2, 3)):
            line.event("x:Op", 100 * step + 10 + place, 1, shape=f"(float[{size}])")
    found = [(number, columns.inputs["shape"].to_pylist()) for number, columns in trace.traced().run.run_metas]
    assert found == [(1, [[2], [3]]), (2, [])]
