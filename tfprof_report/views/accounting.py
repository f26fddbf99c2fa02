"""Which nodes are counted: account_type_regexes against a node's op, devices and op-log types."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tfprof_report.ingest.arrays import Ints, to_ints
from tfprof_report.model.node_table import NodeTable
from tfprof_report.model.type_lists import type_pairs
from tfprof_report.options import MATCH_ALL
from tfprof_report.semantics import Semantics
from tfprof_report.views import regex


def count_type_matches(table: NodeTable, patterns: Sequence[str], semantics: Semantics) -> Ints:
    """Return per node how many of `patterns` match one of its types; 1 for all if the only pattern is ``.*``."""
    if tuple(patterns) == MATCH_ALL:
        return np.ones(len(table.nodes), dtype=np.int64)
    device = table.canonical_device if semantics.first_device_wins else table.column("run_devices")
    node, types = type_pairs([table.ops, device, table.log_types])
    codes = types.dictionary_encode()
    type_of_pair = to_ints(codes.indices)
    matched = np.zeros(len(table.nodes), dtype=np.int64)
    for pattern in patterns:
        hits = regex.matches(codes.dictionary, pattern)[type_of_pair]
        is_matched = np.zeros(len(matched), dtype=bool)
        is_matched[node[hits]] = True
        matched += is_matched
    return matched
