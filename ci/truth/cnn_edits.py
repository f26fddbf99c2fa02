"""Edits of networks for images."""

from __future__ import annotations

import keras

from truth.cnn_nets import (
    CNN,
    CNN_LAYERS,
    CNN_NAMES,
    auto,
    branches,
    cnn,
    convs,
    frozen,
    in_type,
    mlp,
    separable,
    sgd,
    stages,
    units_of,
    with_bias,
    without_weights,
)
from truth.edit import Cause, Edit


def resnet_stages() -> Edit:
    """Make one stage wider and deeper, and another shorter."""
    return Edit(
        lambda: stages([(16, 3), (32, 2), (64, 5)]).train(sgd()),
        lambda: stages([(16, 2), (32, 2), (80, 6)]).train(sgd()),
        "Stage 3 got wider (64 to 80 channels in 5 units) and gained a unit; stage 1 lost one.",
        [
            Cause("wider", convs(3, range(1, 6)), convs(3, range(1, 6)), ("channels", 64, 80), ("units", 5, 5)),
            Cause("deeper", [], units_of(3, 6), None, ("units of stage 3", 5, 6)),
            Cause("deeper", units_of(1, 3), [], None, ("units of stage 1", 3, 2)),
        ],
        [*without_weights(3, range(1, 6)), "mean", "scores"],
    )


def resnet_names_and_width() -> Edit:
    """Rename a prefix and make a stage wider at once."""
    base, head = [(8, 1), (12, 2)], [(8, 1), (16, 2)]
    names = ["stem", *units_of(1, 1), *units_of(2, 1, 2), "stage2_unit1_shortcut", "mean", "scores"]
    return Edit(
        lambda: stages(base).train(sgd()),
        lambda: stages(head, prefix="body_").train(sgd()),
        'Stage 2 got wider (12 to 16 channels in 2 units); all layers have the prefix "body_" now.',
        [
            Cause("wider", convs(2, [1, 2]), [f"body_{name}" for name in convs(2, [1, 2])], ("channels", 12, 16)),
            Cause("names_only", names, [f"body_{name}" for name in names]),
        ],
        [*without_weights(2, [1, 2]), "mean", "scores"],
        [(name, f"body_{name}") for name in names],
    )


def edits() -> dict[str, Edit]:
    """Return the edits by name."""
    convolutions = [f"{block}_conv" for block in CNN]
    return {
        "no_change": Edit(lambda: cnn().train(), lambda: cnn().train(), "Nothing changed."),
        "wider_one": Edit(
            lambda: cnn().train(),
            lambda: cnn((8, 18, 16)).train(),
            "block2_conv got wider (12 to 18 channels).",
            [Cause("wider", ["block2_conv"], ["block2_conv"], ("channels", 12, 18))],
            ["block2_bn", "block2_act", "block3_conv"],
        ),
        "wider_all": Edit(
            lambda: cnn((8, 16, 24), head=32).train(sgd()),
            lambda: cnn((10, 20, 30), head=40).train(sgd()),
            "All convolutions and the hidden dense layer got wider by a quarter (8, 16, 24, 32 to 10, 20, 30, 40).",
            [
                Cause("wider", [f"{block}_conv"], [f"{block}_conv"], ("channels", base, base * 5 // 4))
                for block, base in zip(CNN, (8, 16, 24), strict=True)
            ]
            + [Cause("wider", ["hidden"], ["hidden"], ("units", 32, 40))],
            [*(name for name in CNN_LAYERS if not name.endswith("_conv")), "mean", "scores"],
        ),
        "narrower_dense": Edit(
            lambda: cnn(head=48).train(),
            lambda: cnn(head=32).train(),
            "hidden got narrower (48 to 32 units).",
            [Cause("wider", ["hidden"], ["hidden"], ("units", 48, 32))],
            ["scores"],
        ),
        "wider_infer": Edit(
            lambda: cnn((8, 16, 24)).infer(),
            lambda: cnn((8, 16, 32)).infer(),
            "block3_conv got wider (24 to 32 channels).",
            [Cause("wider", ["block3_conv"], ["block3_conv"], ("channels", 24, 32))],
            ["block3_bn", "block3_act", "block3_pool", "mean", "hidden"],
        ),
        "bigger_batch": Edit(
            lambda: cnn(batch=8).train(sgd()),
            lambda: cnn(batch=32).train(sgd()),
            "The batch grew from 8 to 32.",
            [Cause("batch", [], [], ("batch", 8, 32))],
        ),
        "smaller_batch_infer": Edit(
            lambda: cnn(batch=16).infer(),
            lambda: cnn(batch=1).infer(),
            "The batch shrank from 16 to 1.",
            [Cause("batch", [], [], ("batch", 16, 1))],
        ),
        "kernel_3_to_5": Edit(
            lambda: cnn().train(sgd()),
            lambda: cnn(block2={"kernel": 5}).train(sgd()),
            "block2_conv has a kernel of 5 x 5 instead of 3 x 3.",
            [Cause("kernel", ["block2_conv"], ["block2_conv"], ("kernel", [3, 3], [5, 5]))],
        ),
        "kernels_5_to_3_infer": Edit(
            lambda: cnn(block1={"kernel": 5}, block2={"kernel": 5}, block3={"kernel": 5}).infer(),
            lambda: cnn().infer(),
            "All 3 convolutions have kernels of 3 x 3 instead of 5 x 5.",
            [Cause("kernel", convolutions, convolutions, ("kernel", [5, 5], [3, 3]))],
        ),
        "stride_1_to_2": Edit(
            lambda: cnn().train(sgd()),
            lambda: cnn(block1={"stride": 2}).train(sgd()),
            "block1_conv has a stride of 2 instead of 1, so what follows works on a quarter of the places.",
            [Cause("stride", ["block1_conv"], ["block1_conv"], ("stride", [1, 1], [2, 2]))],
            [*(name for name in CNN_LAYERS if name != "block1_conv"), "mean"],
        ),
        "dilated": Edit(
            lambda: cnn().train(sgd()),
            lambda: cnn(block3={"dilation_rate": 2}).train(sgd()),
            "block3_conv is dilated by 2, at the same cost.",
            [Cause("unknown", ["block3_conv"], ["block3_conv"], ("dilation", [1, 1], [2, 2]))],
        ),
        "padding_valid": Edit(
            lambda: cnn().train(sgd()),
            lambda: cnn(block2={"padding": "valid"}).train(sgd()),
            "block2_conv no longer pads, so its output is 6 x 6 instead of 8 x 8.",
            [Cause("unknown", ["block2_conv"], ["block2_conv"], ("output", [8, 8], [6, 6]))],
            ["block2_bn", "block2_act", "block3_conv", "block3_bn", "block3_act", "block3_pool", "mean"],
        ),
        "larger_image": Edit(
            lambda: cnn(side=16).train(sgd()),
            lambda: cnn(side=24).train(sgd()),
            "Images are 24 x 24 instead of 16 x 16.",
            [Cause("unknown", [], [], ("image", [16, 16], [24, 24]))],
            [*CNN_LAYERS, "mean"],
        ),
        "relu_to_gelu": Edit(
            lambda: cnn().train(sgd()),
            lambda: cnn(act="gelu").train(sgd()),
            "The 3 activations of the blocks are gelu instead of relu.",
            [Cause("layer_replaced", [f"{block}_act" for block in CNN], [f"{block}_act" for block in CNN])],
        ),
        "bias_removed": Edit(
            lambda: with_bias(bias=True),
            lambda: with_bias(bias=False),
            "The 3 convolutions have no bias any more.",
            [Cause("unknown", convolutions, convolutions)],
        ),
        "renamed_prefix": Edit(
            lambda: cnn(prefix="encoder_").train(sgd()),
            lambda: cnn(prefix="backbone_").train(sgd()),
            'Only names changed: the prefix "encoder_" is "backbone_".',
            [
                Cause(
                    "names_only", [f"encoder_{each}" for each in CNN_NAMES], [f"backbone_{each}" for each in CNN_NAMES]
                )
            ],
            [],
            [(f"encoder_{each}", f"backbone_{each}") for each in CNN_NAMES],
        ),
        "renamed_model_infer": Edit(
            lambda: cnn(model="model_a").infer(),
            lambda: cnn(model="model_b").infer(),
            'Only the name of the model changed: "model_a" is "model_b".',
            [Cause("names_only")],
        ),
        "swapped_branches": Edit(
            lambda: branches("narrow", "wide"),
            lambda: branches("wide", "narrow"),
            "Only names changed: the two branches are made in the other order, so that conv2d and conv2d_1 swapped.",
            [Cause("names_only", ["conv2d", "conv2d_1"], ["conv2d_1", "conv2d"])],
            [],
            [("conv2d", "conv2d_1"), ("conv2d_1", "conv2d")],
        ),
        "first_auto_removed": Edit(
            lambda: auto(6, 8, 8, 8),
            lambda: auto(8, 8, 8),
            "The first convolution (6 channels) and its norm are gone; the later ones have a number less.",
            [Cause("layer_removed", ["conv2d", "batch_normalization"], [])],
            ["conv2d_1"],
            [("conv2d_1", "conv2d"), ("conv2d_2", "conv2d_1"), ("conv2d_3", "conv2d_2")]
            + [("batch_normalization_1", "batch_normalization")]
            + [(f"batch_normalization_{number}", f"batch_normalization_{number - 1}") for number in (2, 3)],
        ),
        "middle_auto_removed": Edit(
            lambda: auto(6, 8, 8, 8),
            lambda: auto(6, 8, 8),
            "One of two equal convolutions and its norm are gone; the last one has a number less.",
            [
                Cause(
                    "layer_removed",
                    ["conv2d_2", "batch_normalization_2"],
                    [],
                    None,
                    ("convolutions", 4, 3),
                    accepted=["deeper"],
                )
            ],
            [],
            [("conv2d_3", "conv2d_2"), ("batch_normalization_3", "batch_normalization_2")],
        ),
        "norms_removed": Edit(
            lambda: auto(6, 8, 8, 8),
            lambda: auto(6, 8, 8, 8, is_normed=False),
            "All 4 batch normalizations are gone.",
            [
                Cause(
                    "layer_removed",
                    ["batch_normalization", *(f"batch_normalization_{number}" for number in (1, 2, 3))],
                    [],
                    None,
                    ("batch normalizations", 4, 0),
                )
            ],
        ),
        "auto_inserted": Edit(
            lambda: mlp(16, 12),
            lambda: mlp(16, 20, 12),
            "A dense layer of 20 units is new after dense; dense_1 and dense_2 have a number more.",
            [Cause("layer_added", [], ["dense_1"], ("units", None, 20), ("dense layers", 3, 4))],
            ["dense_1"],
            [("dense_1", "dense_2"), ("dense_2", "dense_3")],
        ),
        "deeper_mlp": Edit(
            lambda: mlp(16, 16, 16),
            lambda: mlp(16, 16, 16, 16, 16),
            "There are 5 equal dense layers instead of 3.",
            [Cause("deeper", [], ["dense_3", "dense_4"], None, ("dense layers of 16 units", 3, 5), ["layer_added"])],
            [],
            [("dense_3", "dense_5")],
        ),
        "conv_to_separable": Edit(
            lambda: separable(is_separable=False),
            lambda: separable(is_separable=True),
            "conv2 is a depthwise and a pointwise convolution now.",
            [Cause("layer_replaced", ["conv2"], ["conv2_depthwise", "conv2_pointwise"])],
        ),
        "resnet_stages": resnet_stages(),
        "resnet_names_and_width": resnet_names_and_width(),
        "resnet_deeper_infer": Edit(
            lambda: stages([(8, 1), (12, 2)], is_normed=True).infer(),
            lambda: stages([(8, 1), (12, 4)], is_normed=True).infer(),
            "Stage 2 gained 2 units.",
            [
                Cause(
                    "deeper",
                    [],
                    [
                        f"stage2_unit{unit}_{part}"
                        for unit in (3, 4)
                        for part in ("conv1", "bn1", "relu1", "conv2", "bn2", "add", "out")
                    ],
                    None,
                    ("units of stage 2", 2, 4),
                )
            ],
        ),
        "mixed_precision": Edit(
            lambda: cnn().train(),
            lambda: in_type("mixed_float16", lambda: cnn().train()),
            "The model computes in float16 and keeps its weights in float32.",
            [Cause("dtype", [], [], ("type", "float32", "float16"))],
        ),
        "bfloat16_infer": Edit(
            lambda: cnn().infer(),
            lambda: in_type("bfloat16", lambda: cnn().infer()),
            "Weights and numbers are bfloat16 instead of float32.",
            [Cause("dtype", CNN_NAMES, CNN_NAMES, ("type", "float32", "bfloat16"))],
        ),
        "sgd_to_adam": Edit(
            lambda: cnn().train(sgd()),
            lambda: cnn().train(),
            "The optimizer is Adam instead of SGD.",
            [Cause("optimizer", [], [], ("optimizer", "SGD", "Adam"))],
        ),
        "adam_to_sgd": Edit(
            lambda: mlp(32, 16),
            lambda: mlp(32, 16, optimizer=keras.optimizers.SGD(0.1, momentum=0.9)),
            "The optimizer is SGD with momentum instead of Adam.",
            [Cause("optimizer", [], [], ("optimizer", "Adam", "SGD"))],
        ),
        "frozen_layers": Edit(
            lambda: frozen(is_frozen=False),
            lambda: frozen(is_frozen=True),
            "block1_conv and block2_conv are frozen.",
            [Cause("unknown", ["block1_conv", "block2_conv"], ["block1_conv", "block2_conv"])],
        ),
        "batch_and_kernel": Edit(
            lambda: cnn().train(sgd()),
            lambda: cnn(batch=16, block3={"kernel": 1}).train(sgd()),
            "The batch grew from 8 to 16, and block3_conv has a kernel of 1 x 1 instead of 3 x 3.",
            [
                Cause("batch", [], [], ("batch", 8, 16)),
                Cause("kernel", ["block3_conv"], ["block3_conv"], ("kernel", [3, 3], [1, 1])),
            ],
        ),
    }
