"""Print one view with the native profiler, and say how much CPU its call took, in an interpreter that has TensorFlow.

    python native_view.py scope FOLDER_OR_GRAPH OUT_FILE

Not counted: the import of TensorFlow. Counted as for ours: reading the files and writing the text.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

os.environ |= {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}

from tensorflow.core.profiler import tfprof_options_pb2
from tensorflow.python.util import _pywrap_tfprof as native

NAMES = ("graph.pb", "run_meta_1", "tfprof_log")


def main(view: str, given: str, out: str) -> None:
    """Run the view once; the options are those of `sides.view_options`."""
    options = tfprof_options_pb2.OptionsProto(
        max_depth=100,
        step=-1,
        order_by="name",
        account_type_regexes=[".*"],
        start_name_regexes=[".*"],
        show_name_regexes=[".*"],
        select=["bytes", "micros", "params", "float_ops", "occurrence"],
        output=f"file:outfile={out}",
    ).SerializeToString()
    started = time.process_time()
    path = Path(given)
    files = [path / name for name in NAMES] if path.is_dir() else [path]
    data = [file.read_bytes() if file.exists() else b"" for file in files]
    native.PrintModelAnalysis(*data, *[b""] * (len(NAMES) - len(data)), view.encode(), options)
    print("\n" + json.dumps({"bench-call-cpu": time.process_time() - started}))


if __name__ == "__main__":
    main(*sys.argv[1:])
