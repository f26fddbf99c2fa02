"""Finds the layers that gradients belong to, by the names that TensorFlow makes for them from those of forward nodes.

tf.gradients names the gradients of ``a/b`` ``gradients/a/b_grad/...`` (gradients_util.py), a tape names them
``gradient_tape/a/...`` (backprop.py), both from the top of the graph or of the function body that they are in.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Ints, rows_of_words, to_ints
from tfprof_report.model.layers.phases import GRADIENT_SCOPE
from tfprof_report.model.layers.scopes import Scopes, scope_of

_UP_TO_GRADIENTS = rf"(?s)^.*{GRADIENT_SCOPE}"
_GRADIENT_OF = r"_grad$"


def layers_of_gradients(
    gradients: pa.Array, scopes: Scopes, layer_of_scope: Ints, names: pa.Array, layer_of_node: Ints
) -> Ints:
    """Return per gradient the layer of the forward node or scope that its name is made from, -1 where neither is known.

    Parameters
    ----------
    gradients : names of gradients
    names, layer_of_node : all nodes, with -1 for nodes whose layer is not known
    """
    found = np.full(len(gradients), -1)
    # First as if the name below the scope of gradients were a full one, then below what that scope is in.
    for pattern, put in ((_UP_TO_GRADIENTS, ""), (GRADIENT_SCOPE, r"\1")):
        left = np.flatnonzero(found < 0)
        paths = scope_of(pc.replace_substring_regex(gradients.take(pa.array(left)), pattern, put)).dictionary_encode()
        by_path = _layers_of_paths(paths.dictionary, scopes, layer_of_scope, names, layer_of_node)
        found[left] = by_path[to_ints(paths.indices)]
    return found


def _layers_of_paths(
    paths: pa.Array, scopes: Scopes, layer_of_scope: Ints, names: pa.Array, layer_of_node: Ints
) -> Ints:
    """Return the layer of the innermost node or scope on each path that has one."""
    found, left = np.full(len(paths), -1), np.arange(len(paths))
    while len(left):
        node = rows_of_words(pc.replace_substring_regex(paths, _GRADIENT_OF, ""), names)
        scope = scopes.find(paths)
        of_node, of_scope = np.where(node < 0, -1, layer_of_node[node]), np.where(scope < 0, -1, layer_of_scope[scope])
        found[left] = np.where(of_node >= 0, of_node, of_scope)
        going = (found[left] < 0) & np.asarray(pc.not_equal(paths, ""))
        left, paths = left[going], scope_of(paths.filter(pa.array(going)))
    return found
