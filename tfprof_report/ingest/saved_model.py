"""SavedModel and MetaGraphDef: the bytes of the graph inside, and its tags, signatures and trainable variables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError

from tfprof_report.diagnostics import Diagnostic, Severity
from tfprof_report.errors import OptionError
from tfprof_report.ingest.descriptors import message_class
from tfprof_report.ingest.paths import DEFAULT_SIGNATURE, InputPaths
from tfprof_report.ingest.repeated_text import check_text
from tfprof_report.ingest.sniff import Kind
from tfprof_report.record import record

UNCOUNTED_SIGNATURE = "signature_function"
"""Code of the diagnostic that a signature's function is not counted, which holds unless functions are inlined."""

_SERVE = "serve"
_INTERNAL = "__saved_model_"
"""Start of the names of signatures that initialize or train the model and are not for users (constants.py)."""

_TRAINABLE, _VARIABLES = _COLLECTIONS = ("trainable_variables", "variables")


@record
class Signature:
    """A way to call the model.

    inputs, outputs : tensors by argument name; a tensor of several parts, such as a sparse one, as ``name/part``
    nodes : the nodes of the graph that give the outputs
    function : the function that computes the outputs; None if plain nodes do
    """

    inputs: Mapping[str, str]
    outputs: Mapping[str, str]
    nodes: tuple[str, ...]
    function: str | None


@record
class Entry:
    """Which nodes of a model count: those that a signature needs, or all.

    signature : name of the signature; None if all nodes count
    nodes : the nodes that give its outputs
    reason : why all nodes count, as a clause; empty if they do not, or if the file is of a kind without signatures
    """

    signature: str | None = None
    nodes: tuple[str, ...] = ()
    reason: str = ""


@record
class ModelInfo:
    """Metadata of the graph that was chosen.

    kind : SavedModel or MetaGraphDef
    tags : those of the chosen graph
    other_tags : those of each graph that was not chosen
    signatures : by name, in name order
    trainable : whether each variable is trainable, by name; empty if the file does not record it
    """

    kind: Kind
    tags: tuple[str, ...]
    other_tags: tuple[tuple[str, ...], ...]
    signatures: Mapping[str, Signature]
    trainable: Mapping[str, bool]


def unwrap_graph(data: bytes, kind: Kind) -> tuple[bytes, ModelInfo]:
    """Return the GraphDef in a binary SavedModel or MetaGraphDef, and its metadata.

    Of several graphs it is the first one tagged ``serve``, else the first one.

    Raises
    ------
    ValueError
        The message is damaged or contains no graph.
    """
    try:
        if kind is Kind.SAVED_MODEL:
            model: Any = message_class("columns.SavedModel").FromString(data)
            graphs = list(model.meta_graphs)
        else:
            graphs = [message_class("columns.MetaGraph").FromString(data)]
        if not graphs:
            raise ValueError("it holds no graph")
        chosen = next((graph for graph in graphs if _SERVE in graph.meta_info_def.tags), graphs[0])
        signatures, trainable = _signatures(chosen), _trainable(chosen)
    except DecodeError as error:
        raise ValueError(str(error)) from error
    return chosen.graph_def, ModelInfo(
        kind=kind,
        tags=tuple(chosen.meta_info_def.tags),
        other_tags=tuple(tuple(graph.meta_info_def.tags) for graph in graphs if graph is not chosen),
        signatures=signatures,
        trainable=trainable,
    )


def _trainable(graph: Any) -> dict[str, bool]:
    """Return which variables are trainable, from the collections of TensorFlow 1 or the object graph of TensorFlow 2.

    A name that the object graph has for both trainable and other variables is left out.
    """
    names = {key: _variable_names(graph.collection_def[key]) for key in _COLLECTIONS if key in graph.collection_def}
    if _TRAINABLE in names:
        return dict.fromkeys(names.get(_VARIABLES, ()), False) | dict.fromkeys(names[_TRAINABLE], True)
    saved = [node.variable for node in graph.object_graph_def.nodes if node.HasField("variable")]
    recorded = {(variable.name, variable.trainable) for variable in saved}
    return {name: trainable for name, trainable in sorted(recorded) if (name, not trainable) not in recorded}


def _variable_names(collection: Any) -> list[str]:
    variable: Any = message_class("columns.VariableDef")
    return [_node_of(variable.FromString(each).variable_name) for each in collection.bytes_list.value]


def _signatures(graph: Any) -> dict[str, Signature]:
    """Return the signatures; the function of a signature is the one called by the node that produces its outputs."""
    found = sorted(graph.signature_def.items())
    outputs = {name: _tensors(signature.outputs) for name, signature in found}
    producers = {_node_of(tensor) for tensors in outputs.values() for tensor in tensors.values()}
    called: dict[str, str | None] = {}
    if producers:
        calls: Any = message_class("columns.CallGraph").FromString(graph.graph_def)
        made_by = [node for node in calls.node if node.name in producers]
        called = {node.name: node.attr["f"].func.name if "f" in node.attr else None for node in made_by}
    signatures = {}
    for name, signature in found:
        nodes = dict.fromkeys(node for node in map(_node_of, outputs[name].values()) if node in called)
        signatures[name] = Signature(
            inputs=_tensors(signature.inputs),
            outputs=outputs[name],
            nodes=tuple(nodes),
            function=next(filter(None, map(called.get, nodes)), None),
        )
    return signatures


def _tensors(infos: Mapping[str, Any]) -> dict[str, str]:
    """Return the tensors of arguments by name, in name order."""
    keys = np.array([len(key) for key in infos], dtype=np.int64)
    parts = np.array([len(info.composite_tensor.components) for info in infos.values()], dtype=np.int64)
    check_text(keys, parts, "names of tensors of several parts")
    return {name: tensor for key, info in sorted(infos.items()) for name, tensor in _parts(key, info)}


def _parts(key: str, info: Any) -> Iterator[tuple[str, str]]:
    """Yield name and tensor of an argument, or of its parts."""
    if info.HasField("coo_sparse"):
        for part in ("indices", "values", "dense_shape"):
            yield f"{key}/{part}", getattr(info.coo_sparse, f"{part}_tensor_name")
    elif info.HasField("composite_tensor"):
        for number, component in enumerate(info.composite_tensor.components):
            yield f"{key}/{number}", component.name
    else:
        yield key, info.name


def _node_of(tensor: str) -> str:
    return tensor.partition(":")[0]


def choose_entry(info: ModelInfo | None, paths: InputPaths, *, file: str, side: str = "") -> Entry:
    """Return which nodes count: those of the signature requested, else of the usual one, else of the only one.

    Raises
    ------
    OptionError
        The requested signature does not exist; the message lists those that do.
    """
    held = info.signatures if info else {}
    known = [name for name in held if not name.startswith(_INTERNAL)]
    if paths.signature is not None and paths.signature not in held:
        raise OptionError(
            f'there is no signature "{paths.signature}"',
            file=file,
            option=f"--{side}signature",
            advice=f"choose from {', '.join(known)}" if known else "leave the option out: the graph has no signatures",
        )
    usual = [name for name in (paths.usual_signature, DEFAULT_SIGNATURE) if name in known]
    name = paths.signature or next(iter(usual), known[0] if len(known) == 1 else None)
    if info is None:
        return Entry()
    if name is not None and held[name].nodes:
        return Entry(signature=name, nodes=held[name].nodes)
    if name is not None:
        return Entry(reason=f"signature {name} names no output that the graph has")
    if known:
        choice = f"the {info.kind} has the signatures {', '.join(known)} and no {DEFAULT_SIGNATURE}"
        return Entry(reason=f"{choice}; --{side}signature chooses one")
    if info.kind is not Kind.SAVED_MODEL:
        return Entry()
    return Entry(reason=f"the {info.kind} has no signature; functions that no node calls are not counted")


def describe_model(info: ModelInfo | None, entry: Entry) -> list[Diagnostic]:
    """Return diagnostics that say which graph and signature were chosen."""
    if info is None:
        return []
    notes = [_note("model_graph", f"the graph is that of a {info.kind} with the tags {', '.join(info.tags) or 'none'}")]
    if info.other_tags:
        others = "; ".join(", ".join(tags) or "none" for tags in info.other_tags)
        notes.append(_note("other_graphs", f"other graphs of the {info.kind} are left out, with the tags {others}"))
    name = entry.signature
    if name is not None:
        chosen = info.signatures[name]
        tensors = " and ".join(
            f"{word} {', '.join(f'{key} ({tensor})' for key, tensor in part.items()) or 'nothing'}"
            for word, part in (("takes", chosen.inputs), ("gives", chosen.outputs))
        )
        notes.append(_note("signature", f"signature {name} {tensors}"))
        if chosen.function:
            notes.append(
                Diagnostic(
                    severity=Severity.WARNING,
                    code=UNCOUNTED_SIGNATURE,
                    text=f"signature {name} is computed by the function {chosen.function}, whose body is not counted",
                )
            )
    others = ", ".join(each for each in sorted(info.signatures) if each != name)
    if others:
        notes.append(_note("other_signatures", f"other signatures: {others}"))
    return notes


def _note(code: str, text: str) -> Diagnostic:
    return Diagnostic(severity=Severity.NOTE, code=code, text=text)
