"""Values at which programs break: numbers, names, op types, and words of rules files."""

from __future__ import annotations

from typing import Any

INTS = (
    *(0, 1, -1, 2, 3, 7, 127, 128, 255, 2**15, 2**16, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**40, 2**53, 2**53 + 1),
    *(2**62, 2**63 - 1, -(2**31), -(2**62), -(2**63), -(2**63) + 1, 10**18),
)
FLOATS = (0.0, -0.0, 1.0, float("nan"), float("inf"), float("-inf"), 1e308, 5e-324, 1e38, 1e-45)

MARKUP = (b"<script>alert(1)", b"<img src=x onerror")
"""Beginnings of names that a page would run, were they not escaped."""

NAMES = (
    *("", "/", "//", "a//b", "/a", "a/", "..", "../../etc/passwd", ".", "a/../b", "^", "^^a", ":", "a:", ":0", "a:0"),
    *("a:-1", "a:99999999999999999999", "^a:0", "a\x00b", "a\nb", "a\rb", "a\tb", "a\\b", "a\x1b[31mred", "\u202eabc"),
    *("\ufeffbom", "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "</script><script>alert(1)</script>"),
    *("]]>", "<!--", "-->", "`", "```", "a|b", "[x](http://evil)", "@everyone", "=cmd|' /C calc'!A0", "+1", "-1"),
    *("$(id)", "`id`", "${{ github.token }}", "##vso[task.setvariable]x", "::error::x", '"quoted"', "'", "a,b", "a;b"),
    *(
        "%s%n",
        "a" * 300,
        "a/" * 60 + "z",
        "_TFProfRoot",
        "_SOURCE",
        "_SINK",
        "é",
        "名",
        "a b",
        "\u2028",
        "{{7*7}}",
        "*",
    ),
    *(
        "**",
        "[",
        "Ω" * 40,
        "gradients/x",
        "save/x",
        "x/Adam",
        "NaN",
        "null",
        "__proto__",
        "constructor",
        "\x7f",
        "\x85",
    ),
)
OPS = (
    *("Const", "Placeholder", "VariableV2", "VarHandleOp", "MatMul", "Conv2D", "While", "StatelessWhile", "If", "Case"),
    *("PartitionedCall", "StatefulPartitionedCall", "SymbolicGradient", "Enter", "Exit", "NextIteration", "LoopCond"),
    *("Merge", "Switch", "Einsum", "Reshape", "ConcatV2", "StridedSlice", "Split", "Pack", "Tile", "Range", "Fill"),
    *("BroadcastTo", "Conv2DBackpropInput", "FusedBatchNormV3", "_FusedConv2D", "CudnnRNNV3", "ReadVariableOp"),
    *("AssignVariableOp", "TensorListReserve", "TensorListStack", "RemoteCall", "ParseExampleV2", "XlaWhile", "NoOp"),
    *("Identity", "LSTMBlockCell", "_Retval", "_Arg", "DepthwiseConv2dNative", "TransposeV2", "Transpose", "GatherNd"),
    *("SpaceToBatchND", "ResizeBilinear"),
)
ATTRIBUTES = (
    *("shape", "value", "dtype", "T", "f", "body", "cond", "then_branch", "else_branch", "branches", "_output_shapes"),
    *("N", "axis", "strides", "padding", "data_format", "equation", "output_shapes", "parallel_iterations", "Tout"),
    *("Tin", "frame_name", "num_split", "begin_mask", "dilations", "ksize", "transpose_a", "_class", "_XlaCompile"),
)
BYTES = (
    *(b"", b"\xff\xfe", b"\x00" * 8, b"\xff" * 8, b"SAME", b"VALID", b"NHWC", b"NCHW", b"ij,jk->ik", b"...a,a->"),
    *(b"a,b,c,d,e,f,g->", b"loc:@a", b"->" * 50, b"\x01\x00\x00\x00\x00\x00\x00\x80"),
)
ENUMS = (0, 1, 3, 7, 9, 14, 20, 21, 23, 101, 109, 120, 999, 2**31 - 1, -1)
DEVICES = (
    *("/job:localhost/replica:0/task:0/device:CPU:0", "/device:GPU:0", "/device:GPU:0/stream:all", "/gpu:0", ""),
    *("/device:GPU:0/stream:13", "/device:TPU:0", "\x00", "<b>", "a\nb", "/device:GPU:99999999999"),
)
REGEXES = (
    *(".*", "", "a|b", "(", "[", "(?i)x", "a{1000}", "a{1001}", "(((a{100}){100}){100})", "\\C", "^$", "(a*)*b", "\\"),
    *("\xff", "é", "a,b", "(?P<x>a)", "\\pZ", "x*" * 500, "(?:a?){30}a{30}", "conv.*", "a)|(b", "\\Qa"),
)
TEXT_WORDS = (
    *(b"{", b"}", b'"', b"node", b"attr", b"nan", b"-inf", b"1e999", b"9" * 30, b"\\x00", b'"\\ud800"', b'"\\777"'),
    *(b"<", b">", b"[", b"]", b"[a.b/c]", b"#", b"\xff", b"{" * 2000, b"node {" * 300, b"0x", b"\x00", b"::"),
)
"""Words of protobuf's text format."""

TOML_WORDS = (
    *(b"[", b"]", b"{", b"}", b"=", b'"', b"'''", b"\n", b"#", b",", b".", b"true", b"nan", b"inf", b"-1", b"9" * 400),
    *(b"1e999", b"0x" + b"f" * 300, b"1979-05-27T07:32:00Z", b"9999-12-31", b"0001-01-01", b'"params <= 1e99999"'),
    *(b'"**/**/**/**/**x"', b'"[!"', b'"+1e400%"', b"[[acknowledged]]", b"gates", b"node", b'"[a-"', b'"\\u0000"'),
    *(b'"\\ud800"', b"\xff", b'"' + b"*" * 300 + b'"', b'"9**9**9"', b'"size(out)**200"', b'"(((((in0[99999999999]"'),
    *(b'"1//0"', b'"out[-1]**-3"', b'"min()"', b'"in0[0]**in0[1]"', b'"../../etc/passwd"', b'"/dev/stdin"', b'"..."'),
    *(b'""', b"[models]", b"[options]", b"[output]", b"[baseline]", b'"params <= +5% and +64KiB"'),
)
LIMITS = ("0", "1", "1%", "0.5%", "1000", "1.5M", "100T", "250%", "5% and at least +64")
BUDGETS = ("0", "1", "1000", "1.5M", "100T")
ODD_LIMITS = (
    *(
        "5ms",
        "2GiB",
        "1e3",
        ".5",
        "9" * 30,
        "1e400",
        "1e-400",
        "00",
        "1_000",
        "inf",
        "nan",
        "-0",
        "٣",
        "1%%",
        "1 %",
        "0x10",
        "5.",
        "1k%",
    ),
    *("1e5000%", "9" * 5000, "1% or 5"),
)
"""Limits of gates: relative to base, absolute, and mostly wrong."""

JSON_VALUES: tuple[Any, ...] = (
    *(None, 0, -1, 2**70, 1.5, float("nan"), "", "x", [], {}, True, "9" * 5000, [[]], {"a": {}}, "\ud800", "1e5"),
    "<script>alert(1)</script>",
)
