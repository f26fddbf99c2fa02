"""Graphs that no framework writes: small, and each hard in a way of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import tfprof_report.model.flops
from fuzz.mutate import break_message
from fuzz.values import INTS, NAMES, OPS
from tfprof_report.ingest.descriptors import message_class

_REGISTRY = Path(tfprof_report.model.flops.__file__).with_name("op_names.txt")
_INT32, _INT64, _BOOL = 3, 9, 10


class Function(str):
    """The name of a function, as an attribute of a node."""

    __slots__ = ()


def odd_graph(random: Random) -> Any:
    """Return a GraphDef of one of `_KINDS`, at times with a few random changes."""
    graph: Any = message_class("tensorflow.GraphDef")()
    random.choice(_KINDS)(random, graph)
    if random.random() < 0.3:
        break_message(random, graph, random.choice([1, 3, 10]))
    return graph


# Nodes ----------------------------------------------------------------------------------------------------------------


def _node(name: str, op: str, *inputs: str, **attrs: Any) -> Any:
    """Return a NodeDef. A tuple is a shape, a list one of shapes, of functions or of integers."""
    made: Any = message_class("tensorflow.NodeDef")(name=name, op=op, input=inputs)
    for key, value in attrs.items():
        _set(made.attr[key], value)
    return made


def _set(attr: Any, value: Any) -> None:
    match value:
        case bool():
            attr.b = value
        case int():
            attr.i = value
        case bytes():
            attr.s = value
        case Function():
            attr.func.name = value
        case tuple():
            _set_shape(attr.shape, value)
        case _:
            attr.list.SetInParent()
            for item in value:
                if isinstance(item, tuple):
                    _set_shape(attr.list.shape.add(), item)
                elif isinstance(item, Function):
                    attr.list.func.add(name=item)
                else:
                    attr.list.i.append(item)


def _set_shape(shape: Any, sizes: Sequence[int]) -> None:
    shape.SetInParent()
    for size in sizes:
        shape.dim.add(size=size)


def _const(name: str, values: int | Sequence[int], dtype: int = _INT32) -> Any:
    made = _node(name, "Const")
    made.attr["dtype"].type = dtype
    tensor = made.attr["value"].tensor
    tensor.dtype = dtype
    _set_shape(tensor.tensor_shape, () if isinstance(values, int) else (len(values),))
    field = {_INT32: tensor.int_val, _INT64: tensor.int64_val, _BOOL: tensor.bool_val}[dtype]
    field.extend([values] if isinstance(values, int) else values)
    return made


def _function(name: str, args: Sequence[str], rets: Mapping[str, str], *nodes: Any) -> Any:
    made: Any = message_class("tensorflow.FunctionDef")(node_def=nodes, ret=rets)
    made.signature.name = name
    for arg in args:
        made.signature.input_arg.add(name=arg, type=1)
    for ret in rets:
        made.signature.output_arg.add(name=ret, type=1)
    return made


# Kinds ----------------------------------------------------------------------------------------------------------------


def _cycles(random: Random, graph: Any) -> None:
    count = random.choice([1, 2, 5, 50])
    for i in range(count):
        other = random.choice([f"^n{i}", f"n{i}:1", "n0"])
        graph.node.append(_node(f"n{i}", random.choice(OPS), f"n{(i + 1) % count}", other))


def _names(random: Random, graph: Any) -> None:
    for _ in range(random.choice([2, 10, 60])):
        inputs = [random.choice(NAMES) for _ in range(random.randrange(4))]
        graph.node.append(_node(random.choice(NAMES), random.choice(OPS), *inputs))


def _calls_in_circles(random: Random, graph: Any) -> None:
    count = random.choice([1, 2, 3, 10])
    for i in range(count):
        op = random.choice(["PartitionedCall", "StatefulPartitionedCall", "If", "While"])
        following, own, first = Function(f"f{(i + 1) % count}"), Function(f"f{i}"), Function("f0")
        called = {"f": following, "then_branch": own, "else_branch": first, "body": following, "cond": first}
        graph.library.function.append(
            _function(f"f{i}", ["x"], {"y": f"c{i}:output:0"}, _node(f"c{i}", op, "x", **called))
        )
    graph.node.append(_node("p", "Placeholder", shape=(2, 3)))
    graph.node.append(_node("call", "PartitionedCall", "p", f=Function("f0")))


def _exponentially_many_calls(random: Random, graph: Any) -> None:
    depth = random.choice([3, 10, 20, 40, 60])
    for i in range(depth):
        once = _node("a", "PartitionedCall", "x", f=Function(f"f{i + 1}"))
        twice = _node("b", "PartitionedCall", "a:output:0", f=Function(f"f{i + 1}"))
        graph.library.function.append(_function(f"f{i}", ["x"], {"y": "b:output:0"}, once, twice))
    product = _node("m", "MatMul", "x", "x")
    graph.library.function.append(_function(f"f{depth}", ["x"], {"y": "m:product:0"}, product))
    graph.node.append(_node("p", "Placeholder", shape=(4, 4)))
    graph.node.append(_node("call", "PartitionedCall", "p", f=Function("f0")))


def _nested_loops(random: Random, graph: Any) -> None:
    """Add loops within loops, whose trip counts follow from constants."""
    depth = random.choice([1, 2, 6, 30])
    limit = random.choice([0, 1, 10, -1, 2**31 - 1, 2**62, 2**63 - 1])
    step = random.choice([1, 1, 2, 0, -1, 2**62])
    add = graph.library.function.append
    for i in range(depth):
        less = _node("lt", random.choice(["Less", "LessEqual", "Greater", "NotEqual"]), "i", "lim:output:0")
        add(_function(f"cond{i}", ["i", "x"], {"r": "lt:z:0"}, _const("lim", limit, _INT64), less))
        parts = {"cond": Function(f"cond{i + 1}"), "body": Function(f"body{i + 1}")}
        loop = _node("w", random.choice(["While", "StatelessWhile"]), "z:output:0", "x", **parts)
        inner = loop if i + 1 < depth else _node("mm", "MatMul", "x", "x")
        counted = _node("add", random.choice(["AddV2", "Sub", "Mul"]), "i", "one:output:0")
        constants = _const("one", step, _INT64), _const("z", 0, _INT64)
        add(_function(f"body{i}", ["i", "x"], {"i1": "add:z:0", "x1": "x"}, *constants, counted, inner))
    graph.node.append(_node("p", "Placeholder", shape=(4, 4)))
    graph.node.append(_const("zero", random.choice([0, 5, -(2**63)]), _INT64))
    graph.node.append(_node("w", "While", "zero", "p", cond=Function("cond0"), body=Function("body0")))


def _shapes(random: Random, graph: Any) -> None:
    ops = ["MatMul", "Conv2D", "BatchMatMulV2", "Einsum", "Softmax", "Mul", "MaxPool", "Sum", "Conv3D"]

    def sizes(counts: Sequence[int] = (0, 1, 2, 4, 8, 300)) -> tuple[int, ...]:
        return tuple(random.choice(INTS) for _ in range(random.choice(counts)))

    for i in range(random.choice([1, 5, 20])):
        one, two = sizes(), sizes()
        graph.node.append(_node(f"a{i}", "Placeholder", shape=one, _output_shapes=[one]))
        variable = random.choice(["VariableV2", "VarHandleOp"])
        graph.node.append(_node(f"v{i}", variable, shape=two, _output_shapes=[two]))
        window = {"strides": list(sizes([4])), "ksize": list(sizes([4])), "padding": b"SAME"}
        graph.node.append(
            _node(
                f"m{i}",
                random.choice([*ops, "DepthwiseConv2dNative"]),
                f"a{i}",
                f"v{i}",
                _output_shapes=[sizes()],
                equation=b"ij,jk->ik",
                **window,
            )
        )


def _constants(random: Random, graph: Any) -> None:
    """Add constants, and what is folded from them."""
    large = random.choice([10, 10**6, 10**9, 2**40, 2**62])
    sizes = [random.choice([large, -1, 3, 0]) for _ in range(random.choice([1, 2, 5]))]
    graph.node.append(_const("s", sizes, random.choice([_INT32, _INT64]) if large < 2**31 else _INT64))
    graph.node.extend(_const(name, value, _INT64) for name, value in (("one", 1), ("zero", 0), ("lim", large)))
    graph.node.extend(
        (
            _node("range", "Range", "zero", "lim", "one"),
            _node("fill", "Fill", "s", "one"),
            _node("tile", "Tile", "range", "s"),
            _node("bc", "BroadcastTo", "one", "s"),
            _node("resh", "Reshape", "range", "fill"),
            _node("cat", "ConcatV2", "fill", "range", "zero"),
            _node("pack", "Pack", *["fill"] * random.choice([1, 5, 300]), axis=random.choice(INTS)),
            _node("sl", "StridedSlice", "range", "s", "s", "s", begin_mask=random.choice(INTS)),
            _node("split", "Split", "zero", "range", num_split=random.choice(INTS)),
            _node("out", "Reshape", "bc", "cat"),
            _node("z", random.choice(["Fill", "Reshape", "BroadcastTo"]), "range", "tile"),
        )
    )


def _frames(random: Random, graph: Any) -> None:
    """Add loops of V1: open, crossed and within each other."""
    for i in range(random.choice([1, 3, 10])):
        frame = {"frame_name": random.choice([b"f", b"f%d" % i, b""]), "is_constant": random.random() < 0.5}
        graph.node.extend(
            (
                _node(f"e{i}", "Enter", random.choice(["p", f"x{i}", f"e{i - 1}"]), **frame),
                _node(f"m{i}", "Merge", f"e{i}", f"ni{i}"),
                _node(f"lc{i}", "LoopCond", f"less{i}"),
                _node(f"less{i}", "Less", f"m{i}", random.choice([f"e{i}", "lim"])),
                _node(f"sw{i}", "Switch", f"m{i}", f"lc{i}"),
                _node(f"x{i}", "Exit", f"sw{i}"),
                _node(f"ni{i}", "NextIteration", random.choice([f"add{i}", f"x{i}", f"m{i}"])),
                _node(f"add{i}", "AddV2", f"sw{i}:1", "one"),
            )
        )
    limit = _const("lim", random.choice([10, 2**31 - 1]))
    graph.node.extend((_const("p", 0), _const("one", 1), limit))


def _many_inputs(random: Random, graph: Any) -> None:
    """Add one node with many inputs, and many nodes of one name."""
    graph.node.append(_node("p", "Placeholder", shape=(1,)))
    graph.node.append(_node("big", "AddN", *["p"] * random.choice([10, 1000, 20000])))
    graph.node.extend(_node("p", random.choice(OPS), "big", "p") for _ in range(random.choice([1, 50])))


def _deep(random: Random, graph: Any) -> None:
    """Add a long chain, or a deep scope."""
    if random.random() < 0.5:
        for i in range(random.choice([100, 3000, 20000])):
            graph.node.append(_node(f"n{i}", "Identity", f"n{i - 1}" if i else "p"))
    else:
        graph.node.append(_node("/".join(["s"] * random.choice([50, 500, 1500])), "MatMul"))
        graph.node.append(_node("/".join(["s"] * 49), "MatMul"))


def _meaningless_attributes(random: Random, graph: Any) -> None:
    for i in range(random.choice([5, 30])):
        inputs = [f"n{random.randrange(40)}" for _ in range(random.randrange(5))]
        numbers = {name: random.choice(INTS) for name in ("axis", "N", "T")}
        made = _node(f"n{i}", random.choice(OPS), *inputs, **numbers, shape=(random.choice(INTS), random.choice(INTS)))
        made.attr["dtype"].type = random.choice([0, 1, 999, 3])
        graph.node.append(made)


def _all_ops(random: Random, graph: Any) -> None:
    """Add op types of the whole registry, with inputs and attributes of no meaning."""
    names = _REGISTRY.read_text("utf-8").split()
    for i in range(random.choice([3, 20, 100])):
        sizes = tuple(random.choice([1, 2, 3, -1, 0, 2**40]) for _ in range(random.randrange(5)))
        attrs = {"axis": random.choice(INTS), "N": random.choice([0, 1, 2, 2**31]), "shape": sizes}
        attrs["_output_shapes"] = [sizes] * random.choice([1, 1, 2])
        inputs = [f"n{random.randrange(i + 3)}" for _ in range(random.randrange(6))]
        graph.node.append(_node(f"n{i}", random.choice(names), *inputs, **attrs, num_split=random.choice([0, 2, -1])))


def _branches(random: Random, graph: Any) -> None:
    """Add calls with branches, lists of functions, and functions that are not there."""
    graph.library.function.append(_function("f", ["x"], {"y": "m:product:0"}, _node("m", "MatMul", "x", "x")))
    graph.library.function.append(_function("f", ["x", "x"], {"y": "nowhere:0:0"}, _node("m", "MatMul", "y")))
    listed = [Function(name) for name in ("f", "nope", "f", "")] * random.choice([0, 1, 50])
    caller = random.choice(["MapDefun", "SymbolicGradient", "f", "ReduceDataset", "XlaLaunch"])
    other = Function(random.choice(["f", "nope", ""]))
    graph.node.extend(
        (
            _node("c", "Case", "c", "p", branches=listed),
            _node("i", "If", "p", "p", then_branch=Function("f"), else_branch=other),
            _node("d", caller, "p", f=Function("f"), function=Function("f")),
            _node("p", "Placeholder", shape=(random.choice(INTS), 2)),
        )
    )


def _equations(random: Random, graph: Any) -> None:
    right = ["ij,jk->ik", "...ij,...jk->...ik", "i,i,i->", ",->", "->", "ii->i", "a" * 60 + "->", "ab" * 400]
    for i in range(8):
        drawn = "".join(random.choice("abcAZ.,->  ") for _ in range(random.choice([0, 3, 9, 60])))
        equation = (drawn if random.random() < 0.7 else random.choice(right)).encode()
        sizes = tuple(random.choice([2, 3, -1, 2**40]) for _ in range(random.randrange(5)))
        graph.node.append(_node(f"p{i}", "Placeholder", shape=sizes))
        inputs = [f"p{random.randrange(i + 1)}" for _ in range(random.randrange(4))]
        graph.node.append(_node(f"e{i}", "Einsum", *inputs, equation=equation))


def _overflow(random: Random, graph: Any) -> None:
    """Add nodes whose FLOPs fit 64 bits one by one, but not in sum."""
    for i in range(random.choice([2, 5])):
        graph.node.append(_node(f"p{i}", "Placeholder", shape=(2**31, 2**31)))
        graph.node.append(_node(f"m{i}", "MatMul", f"p{i}", f"p{i}", _output_shapes=[(2**31, 2**31)]))


def _nameless(random: Random, graph: Any) -> None:
    for _ in range(random.randrange(3)):
        graph.node.add()


_KINDS: tuple[Callable[[Random, Any], None], ...] = (
    *(_cycles, _names, _calls_in_circles, _exponentially_many_calls, _nested_loops, _shapes, _constants, _frames),
    *(_many_inputs, _deep, _meaningless_attributes, _all_ops, _branches, _equations, _overflow, _nameless),
)
