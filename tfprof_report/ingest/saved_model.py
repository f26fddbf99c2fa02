"""SavedModel and MetaGraphDef: the bytes of the graph inside, and its tags, signatures and trainable variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from google.protobuf.message import DecodeError

from tfprof_report.diagnostics import Diagnostic, Severity
from tfprof_report.errors import InputError
from tfprof_report.ingest.descriptors import message_class
from tfprof_report.ingest.sniff import Kind

DEFAULT_SIGNATURE = "serving_default"
UNCOUNTED_SIGNATURE = "signature_function"
"""Code of the diagnostic that a signature's function is not counted, which holds unless functions are inlined."""

_SERVE = "serve"
_TRAINABLE, _VARIABLES = _COLLECTIONS = ("trainable_variables", "variables")


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """A way to call the model: input and output tensors by argument name, and the function that computes the outputs.

    `function` is None if the outputs are computed by plain nodes.
    """

    inputs: Mapping[str, str]
    outputs: Mapping[str, str]
    function: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
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
    outputs = {
        name: {key: info.name for key, info in sorted(signature.outputs.items())}
        for name, signature in sorted(graph.signature_def.items())
    }
    producers = {_node_of(tensor) for tensors in outputs.values() for tensor in tensors.values()}
    called: dict[str, str] = {}
    if producers:
        calls: Any = message_class("columns.CallGraph").FromString(graph.graph_def)
        made_by = [node for node in calls.node if node.name in producers and "f" in node.attr]
        called = {node.name: node.attr["f"].func.name for node in made_by}
    return {
        name: Signature(
            inputs={key: info.name for key, info in sorted(graph.signature_def[name].inputs.items())},
            outputs=tensors,
            function=next(filter(None, (called.get(_node_of(tensor)) for tensor in tensors.values())), None),
        )
        for name, tensors in outputs.items()
    }


def _node_of(tensor: str) -> str:
    return tensor.partition(":")[0]


def describe_model(info: ModelInfo | None, signature: str | None, *, file: str, side: str = "") -> list[Diagnostic]:
    """Return diagnostics that say which graph and signature were chosen; `signature` None means the default one.

    Raises
    ------
    InputError
        The requested signature does not exist; the message lists those that do.
    """
    known = sorted(info.signatures) if info else []
    if signature is not None and signature not in known:
        raise InputError(
            f'there is no signature "{signature}"',
            file=file,
            option=f"--{side}signature",
            advice=f"choose from {', '.join(known)}" if known else "leave the option out: the graph has no signatures",
        )
    if info is None:
        return []
    notes = [_note("model_graph", f"the graph is that of a {info.kind} with the tags {', '.join(info.tags) or 'none'}")]
    if info.other_tags:
        others = "; ".join(", ".join(tags) or "none" for tags in info.other_tags)
        notes.append(_note("other_graphs", f"other graphs of the {info.kind} are left out, with the tags {others}"))
    name = signature or DEFAULT_SIGNATURE
    chosen = info.signatures.get(name)
    if chosen:
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
    others = ", ".join(each for each in known if each != name)
    if others:
        notes.append(_note("other_signatures", f"other signatures: {others}"))
    return notes


def _note(code: str, text: str) -> Diagnostic:
    return Diagnostic(severity=Severity.NOTE, code=code, text=text)
