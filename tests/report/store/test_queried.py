"""Which models of a store a query means: names and globs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tfprof_report.clock import moment
from tfprof_report.errors import BaselineError, OptionError
from tfprof_report.report.store.place import open_place
from tfprof_report.report.store.queried import query_store
from tfprof_report.report.store.store_query import parse_query


def models(folder: Path, text: str) -> list[str]:
    """Return the models whose index a query reads, in a store of four."""
    for name in ("dec", "enc-large", "enc-small", "other"):
        (folder / "index" / name).mkdir(parents=True, exist_ok=True)
    query = parse_query(text, option="--query", now=moment(), last=1)
    return list(query_store(open_place(str(folder)), query, moment()).left_out)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("", ["dec", "enc-large", "enc-small", "other"]),
        ("model=other, model=dec", ["other", "dec"]),
        ("model=enc-*", ["enc-large", "enc-small"]),
        ("model=enc-small, model=enc-*", ["enc-small", "enc-large"]),
        ("model=[do]*", ["dec", "other"]),
        ("model=???", ["dec"]),
    ],
)
def test_models_are_meant_by_names_and_globs(tmp_path: Path, text: str, meant: list[str]) -> None:
    assert models(tmp_path, text) == meant


def test_a_name_or_glob_of_no_model_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(BaselineError, match="holds no baseline of the model enc; did you mean"):
        models(tmp_path, "model=enc")
    with pytest.raises(BaselineError, match=r"holds no model whose name matches z\*; choose from dec, "):
        models(tmp_path, "model=z*")
    with pytest.raises(OptionError, match='model "-x": a name has letters'):
        models(tmp_path, "model=-x")
