"""Networks for images, in the variants that edits make of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import keras
from keras import layers

from truth.net import Net, Side


def cnn(
    widths: Sequence[int] = (8, 12, 16),
    *,
    head: int = 24,
    batch: int = 8,
    side: int = 16,
    prefix: str = "",
    **changes: Any,
) -> Net:
    """Return blocks of convolution, norm and relu, then two dense layers; `changes` are options by layer."""
    net = Net(side, side, 3, batch=batch, name=changes.get("model", "cnn"))
    for number, width in enumerate(widths, 1):
        name = f"{prefix}block{number}"
        net.conv(width, name=f"{name}_conv", **changes.get(f"block{number}", {}))
        net.norm(name=f"{name}_bn").act(changes.get("act", "relu"), name=f"{name}_act")
        if number % 2:
            net.pool(name=f"{name}_pool")
    net.mean(name=f"{prefix}mean").dense(head, name=f"{prefix}hidden", activation="relu")
    return net.dense(10, name=f"{prefix}scores")


CNN = ["block1", "block2", "block3"]
CNN_LAYERS = [f"{block}_{layer}" for block in CNN for layer in ("conv", "bn", "act")] + ["block1_pool", "block3_pool"]
CNN_NAMES = [*CNN_LAYERS, "mean", "hidden", "scores"]


def auto(*blocks: int, is_normed: bool = True) -> Side:
    """Return the training step of layers without names: convolutions of so many channels, each with a norm."""
    net = Net(16, 16, 3, name="auto")
    for width in blocks:
        net.conv(width)
        if is_normed:
            net.norm()
    return net.mean().dense(12, activation="relu").dense(10).train()


def mlp(*units: int, name: str = "mlp", batch: int = 8, optimizer: Any = None) -> Side:
    """Return the training step of dense layers without names, on the mean of an image's places."""
    net = Net(8, 8, 5, batch=batch, name=name).mean()
    for each in units:
        net.dense(each, activation="relu")
    return net.dense(4).train(optimizer)


def stages(plan: Sequence[tuple[int, int]], *, batch: int = 4, is_normed: bool = False, prefix: str = "") -> Net:
    """Return a residual network of units of two convolutions: width and number of units of each stage."""
    net = Net(16, 16, 3, batch=batch, name="resnet").conv(plan[0][0], name=f"{prefix}stem")
    for stage, (width, units) in enumerate(plan, 1):
        for unit in range(1, units + 1):
            stride = 2 if unit == 1 and stage > 1 else 1
            net.unit(width, stride, name=f"{prefix}stage{stage}_unit{unit}", is_normed=is_normed)
    return net.mean(name=f"{prefix}mean").dense(10, name=f"{prefix}scores")


def convs(stage: int, units: Sequence[int], *, shortcut: bool = True) -> list[str]:
    """Return the names of the convolutions of some units of a stage."""
    names = []
    for unit in units:
        names += [f"stage{stage}_unit{unit}_conv1", f"stage{stage}_unit{unit}_conv2"]
        names += [f"stage{stage}_unit{unit}_shortcut"] if shortcut and unit == 1 and stage > 1 else []
    return names


def units_of(stage: int, *units: int) -> list[str]:
    """Return the names of the layers of some later units of a stage."""
    return [f"stage{stage}_unit{unit}_{part}" for unit in units for part in ("conv1", "relu1", "conv2", "add", "out")]


def without_weights(stage: int, units: Sequence[int]) -> list[str]:
    """Return the names of the layers without weights of some units of a stage."""
    return [f"stage{stage}_unit{unit}_{part}" for unit in units for part in ("relu1", "add", "out")]


def sgd() -> Any:
    """Return plain gradient descent."""
    return keras.optimizers.SGD(0.1)


def separable(*, is_separable: bool) -> Side:
    """Return a network whose second convolution may be a depthwise and a pointwise one."""
    net = Net(16, 16, 3, name="mobile").conv(8, name="conv1").act(name="relu1")
    if is_separable:
        net.depthwise(name="conv2_depthwise").conv(16, 1, name="conv2_pointwise")
    else:
        net.conv(16, name="conv2")
    return net.mean(name="mean").dense(5, name="scores").train()


def branches(first: str, second: str) -> Side:
    """Return two branches without names, made in either order."""
    net = Net(16, 16, 3, name="two_branches")
    sizes = {"narrow": 4, "wide": 9}
    made = {}
    for which in (first, second):
        made[which] = layers.Conv2D(sizes[which], 3, padding="same")(net.given)
        products = net.batch * 16 * 16 * 27 * sizes[which]
        net.figures.add(products=products, times=net.times, trainable=28 * sizes[which])
    net.x, net.shape, net.is_input = layers.Concatenate()([made["narrow"], made["wide"]]), (16, 16, 13), False
    return net.mean().dense(5).train()


def with_bias(*, bias: bool) -> Side:
    """Return a network whose convolutions may have a bias."""
    changes: dict[str, Any] = {block: {"bias": bias} for block in CNN}
    return cnn(**changes).train(sgd())


def in_type(name: str, build: Any) -> Side:
    """Return a side in another type of numbers."""
    keras.config.set_dtype_policy(name)
    side: Side = build()
    return side


def frozen(*, is_frozen: bool) -> Side:
    """Return a network whose first two convolutions may be frozen."""
    net = cnn()
    made = net.made(keras.optimizers.Adam())
    for number in (1, 2):
        made.model.get_layer(f"block{number}_conv").trainable = not is_frozen
    net.figures.forget_flops()
    if is_frozen:
        net.figures.add(trainable=-(27 * 8 + 72 * 12), non_trainable=27 * 8 + 72 * 12)
    return net.train_made(made)
