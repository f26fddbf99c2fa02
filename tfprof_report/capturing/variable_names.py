"""Where in a model its variables are, as names of them: ``encoder/dense/kernel``."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Mapping
from typing import Any


def is_of_tensorflow(tensorflow: Any, model: Any) -> bool:
    """Return whether TensorFlow keeps track of what a model holds, which `paths_in` asks it for."""
    try:
        tensorflow.train.TrackableView(model).children(model)
    except (TypeError, AttributeError):
        return False
    return True


def paths_in(tensorflow: Any, model: Any) -> Mapping[int, str]:
    """Return the path of each variable of a model, by the identity of the variable's handle.

    Keras names its variables by their layers (``path``); those of a ``tf.Module`` are named by attributes, the way
    checkpoints name them. A variable that is in several places has the first, shortest one.
    """
    variables = [*_listed(model, "variables"), *_listed(getattr(model, "optimizer", None), "variables")]
    paths = {id(handle_of(each)): str(each.path) for each in variables if hasattr(each, "path")}
    return paths or _by_attributes(tensorflow, model)


def paths_found(tensorflow: Any, variables: Iterable[Any]) -> Mapping[int, str]:
    """Return the path in a ``tf.Module`` of each variable whose own name names no layer, such as ``kernel:0``.

    Modules are looked for among all objects. Of the modules that hold a variable the outermost one names it, the one
    with the longest path.
    """
    lacking = {id(handle_of(each)) for each in variables if "/" not in each.name} - {id(None)}
    paths: dict[int, str] = {}
    if not lacking:
        return paths
    modules = [each for each in gc.get_objects() if issubclass(type(each), tensorflow.Module)]
    for module in modules:
        for handle, path in _by_attributes(tensorflow, module).items():
            if handle in lacking and (len(path), path) > (len(paths.get(handle, "")), paths.get(handle, "")):
                paths[handle] = path
    return paths


def handle_of(variable: Any) -> Any:
    """Return the handle of a TensorFlow variable, or of the one within a variable of Keras; None if it has none."""
    try:
        return (variable.value if hasattr(variable, "path") else variable).handle
    except (AttributeError, ValueError):  # a variable of several replicas has a handle per replica
        return None


def _listed(owner: Any, name: str) -> list[Any]:
    found = getattr(owner, name, None) or ()
    return list(found() if callable(found) else found)


def _by_attributes(tensorflow: Any, model: Any) -> Mapping[int, str]:
    view = tensorflow.train.TrackableView(model)
    paths: dict[int, str] = {}
    seen, level = {id(model)}, [("", model)]
    while level:
        below = []
        for path, owner in level:
            for name, child in view.children(owner).items():
                inner = f"{path}/{name}" if path else name
                if (handle := handle_of(child)) is not None:
                    paths.setdefault(id(handle), inner)
                elif id(child) not in seen:
                    seen.add(id(child))
                    below.append((inner, child))
        level = below
    return paths
