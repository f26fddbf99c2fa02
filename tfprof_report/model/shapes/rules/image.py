"""Shape rules of ops on images: convolutions, pooling, normalisation, resizing, blocks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from tfprof_report.arrays import Bools, Ints
from tfprof_report.ingest.attrs.shape_attrs import MOST_ELEMENTS
from tfprof_report.model.shapes.fold import shape_of_value
from tfprof_report.model.shapes.padded import RANK, Shapes, arithmetic, choose, column, joined
from tfprof_report.model.shapes.rules.array import pad
from tfprof_report.model.shapes.state import OPEN, Nodes, Values

_IMAGE, _VOLUME = 4, 5
_FORMATS = {_IMAGE: ("NHWC", "NCHW"), _VOLUME: ("NDHWC", "NCDHW")}


def conv2d(nodes: Nodes) -> Shapes:
    """Return batch, output window positions and the filter's last size (filter: height, width, in, out)."""
    return _convolution(nodes, _IMAGE)


def conv3d(nodes: Nodes) -> Shapes:
    """Return the same as `conv2d` in three dimensions."""
    return _convolution(nodes, _VOLUME)


def depthwise(nodes: Nodes) -> Shapes:
    """Return as `conv2d`, with channels in x multiplier (filter: height, width, in, multiplier)."""
    weights = nodes.shape(1)
    channels, multiplier = weights.all(2), weights.all(3)
    return _windows(nodes, _IMAGE, arithmetic(channels * multiplier, channels, multiplier), _kernel(nodes, _IMAGE))


def pool2d(nodes: Nodes) -> Shapes:
    """Return batch, window positions and channels; unknown if windows extend over batch or channels."""
    return _pool(nodes, _IMAGE)


def pool3d(nodes: Nodes) -> Shapes:
    """Return the same as `pool2d` in three dimensions."""
    return _pool(nodes, _VOLUME)


def padded_conv2d(nodes: Nodes) -> Shapes:
    """Return as `conv2d`, after padding the first input by the second; the filter is the third."""
    weights = nodes.shape(2)
    kernel = [weights.all(axis) for axis in (0, 1)]
    return _windows(nodes, _IMAGE, weights.all(3), kernel, image=pad(nodes))


def pool2d_of_inputs(nodes: Nodes) -> Shapes:
    """Return as `pool2d`, with sizes and strides that are inputs."""
    return _pool_of(nodes, _IMAGE, nodes.value(1), nodes.value(2))


def dilation2d(nodes: Nodes) -> Shapes:
    """Return batch, positions of the filter (height, width, channels) and channels."""
    weights = nodes.shape(1)
    kernel = [weights.all(axis) for axis in (0, 1)]
    channels = np.maximum(weights.all(2), nodes.shape(0).all(3))
    return _windows(nodes, _IMAGE, channels, kernel, dilations=nodes.list("rates"))


def image_patches(nodes: Nodes) -> Shapes:
    """Return batch, window positions, and the number of values in a window."""
    return _patches(nodes, _IMAGE)


def volume_patches(nodes: Nodes) -> Shapes:
    """Return the same as `image_patches` in three dimensions."""
    return _patches(nodes, _VOLUME)


def fractional_pool(nodes: Nodes) -> Sequence[Shapes]:
    """Return batch and channels, and two vectors with the starts of windows."""
    image, some = nodes.shape(), column(len(nodes), -1)
    return [Shapes.of(image.all(0), some, some, image.all(3)), Shapes.of(some), Shapes.of(some)]


def conv_backprop(place: int, rank: int) -> Callable[[Nodes], Shapes]:
    """Return the rule of a gradient whose shape the input at `place` holds; if that is unknown, only a rank."""

    def rule(nodes: Nodes) -> Shapes:
        found = shape_of_value(nodes, place)
        return joined(found, Shapes.open(column(len(nodes), rank)))

    return rule


def batch_norm(nodes: Nodes) -> Sequence[Shapes]:
    """Return the input's shape, then four vectors of its channels; a sixth output depends on the device."""
    image, channels = nodes.shape(0), _vector(nodes, nodes.shape(0), nodes.shape(1))
    return [image, channels, channels, channels, channels]


def batch_norm_grad(nodes: Nodes) -> Sequence[Shapes]:
    """Return the input's shape, two vectors of its channels and two empty ones."""
    image = joined(nodes.shape(1), nodes.shape(0))
    channels, nothing = _vector(nodes, image, nodes.shape(2)), Shapes.of(column(len(nodes), 0))
    return [image, channels, channels, nothing, nothing]


def bias_grad(nodes: Nodes) -> Shapes:
    """Return a vector of the channels."""
    image = nodes.shape(0)
    return Shapes.of(image.at(np.where(_channels_first(nodes), 1, -1)))


def resize(nodes: Nodes) -> Shapes:
    """Return the images (batch, height, width, channels) with the size in the second input."""
    image, size = nodes.shape(0), nodes.value(1)
    return Shapes.of(image.all(0), np.maximum(size.at(0), -1), np.maximum(size.at(1), -1), image.all(3))


def resize_gradient(nodes: Nodes) -> Shapes:
    """Return batch and channels of the gradient, and the size of the second input, which is the original image."""
    gradient, image = nodes.shape(0), nodes.shape(1)
    return Shapes.of(gradient.all(0), image.all(1), image.all(2), gradient.all(3))


def crop_and_resize(nodes: Nodes) -> Shapes:
    """Return one image per box in the second input, with the size in the fourth."""
    size = nodes.value(3)
    return Shapes.of(
        nodes.shape(1).all(0), np.maximum(size.at(0), -1), np.maximum(size.at(1), -1), nodes.shape(0).all(3)
    )


def transformed(nodes: Nodes) -> Shapes:
    """Return the images with the size in the third input."""
    image, size = nodes.shape(0), nodes.value(2)
    return Shapes.of(image.all(0), np.maximum(size.at(0), -1), np.maximum(size.at(1), -1), image.all(3))


def random_crop(nodes: Nodes) -> Shapes:
    """Return an image (height, width, channels) with the size in the second input."""
    size = nodes.value(1)
    return Shapes.of(np.maximum(size.at(0), -1), np.maximum(size.at(1), -1), nodes.shape(0).all(2))


def space_to_batch(nodes: Nodes) -> Shapes:
    """Return the padded sizes divided by the block sizes, which multiply the batch; part of dilated convolutions."""

    def spread(size: Ints, block: Ints, padding: Ints) -> Ints:
        return (size + padding) // block

    return _in_blocks(nodes, *_blocks_of(nodes), spread, lambda batch, blocks: batch * blocks)


def batch_to_space(nodes: Nodes) -> Shapes:
    """Return the inverse of `space_to_batch`: sizes times block sizes, minus crops, and a smaller batch."""

    def gather(size: Ints, block: Ints, cropped: Ints) -> Ints:
        return size * block - cropped

    return _in_blocks(nodes, *_blocks_of(nodes), gather, lambda batch, blocks: batch // blocks)


def _blocks_of(nodes: Nodes) -> tuple[Values, Values]:
    """Return block sizes, and paddings or crops: from two inputs, or from an attribute and an input."""
    size = nodes.number("block_size", -1)
    items = np.where(np.arange(MOST_ELEMENTS) < _IMAGE - 2, size[:, None], OPEN)
    of_attribute = Values(np.where(size > 0, 2, -1), items)
    is_attribute = size > 0
    blocks, edges = nodes.value(1), nodes.value(np.where(is_attribute, 1, 2))
    return Values(
        np.where(is_attribute, of_attribute.count, blocks.count),
        np.where(is_attribute[:, None], of_attribute.items, blocks.items),
    ), edges


def _in_blocks(
    nodes: Nodes,
    blocks: Values,
    edges: Values,
    size_of: Callable[[Ints, Ints, Ints], Ints],
    batch_of: Callable[[Ints, Ints], Ints],
) -> Shapes:
    """Return the input's shape with a new batch size, and new sizes of as many axes after it as there are blocks."""
    base = nodes.shape(0)
    known = (base.rank >= 0) & blocks.is_full & (blocks.count < base.rank) & (edges.count == 2 * blocks.count)
    known &= edges.is_full & ((blocks.items > 0) | (np.arange(blocks.items.shape[1]) >= blocks.count[:, None])).all(
        axis=1
    )
    dims, product = np.where(known[:, None], base.dims, -1), np.ones(len(nodes), dtype=np.int64)
    for place in range(RANK - 1):
        here = known & (place < blocks.count)
        block = np.where(here, blocks.at(place), 1)
        edge = np.where(here, edges.at(2 * place) + edges.at(2 * place + 1), 0)
        size = np.maximum(base.all(place + 1), 0)
        dims[:, place + 1] = np.where(here & (base.all(place + 1) >= 0), size_of(size, block, edge), dims[:, place + 1])
        product *= block
    dims[:, 0] = np.where(known & (base.all(0) >= 0), batch_of(np.maximum(base.all(0), 0), product), -1)
    return Shapes(base.rank, np.maximum(dims, -1))


def space_to_depth(nodes: Nodes) -> Shapes:
    """Return the images with blocks of pixels moved into the channels."""
    batch, height, width, depth, block, known = _blocks(nodes)
    sizes = (batch, _divide(height, block), _divide(width, block), arithmetic(depth * block * block, depth))
    return _in_format(nodes, *sizes).where(known)


def depth_to_space(nodes: Nodes) -> Shapes:
    """Return the images with channels moved into blocks of pixels."""
    batch, height, width, depth, block, known = _blocks(nodes)
    sizes = (batch, arithmetic(height * block, height), arithmetic(width * block, width), _divide(depth, block * block))
    return _in_format(nodes, *sizes).where(known)


def _convolution(nodes: Nodes, rank: int) -> Shapes:
    return _windows(nodes, rank, nodes.shape(1).all(rank - 1), _kernel(nodes, rank))


def _kernel(nodes: Nodes, rank: int) -> list[Ints]:
    weights = nodes.shape(1)
    return [weights.all(axis) for axis in range(rank - 2)]


def _pool(nodes: Nodes, rank: int) -> Shapes:
    return _pool_of(nodes, rank, nodes.list("ksize"), nodes.list("strides"))


def _pool_of(nodes: Nodes, rank: int, sizes: Values, strides: Values) -> Shapes:
    image = nodes.shape(0)
    first = _channels_first(nodes)
    channel = np.where(first, 1, rank - 1)
    plain = (sizes.at(0) == 1) & (strides.at(0) == 1) & (sizes.at(channel) == 1) & (strides.at(channel) == 1)
    kernel = [sizes.at(np.where(first, axis + 2, axis + 1)) for axis in range(rank - 2)]
    image = image.where(image.rank == rank)
    return _windows(nodes, rank, image.at(channel), kernel, strides=strides).where(plain)


def _patches(nodes: Nodes, rank: int) -> Shapes:
    sizes, held = nodes.list("ksizes"), nodes.shape(0).all(rank - 1)
    kernel = [sizes.at(axis + 1) for axis in range(rank - 2)]
    for size in kernel:
        held = arithmetic(held * size, held, size)
    return _windows(nodes, rank, held, kernel, dilations=nodes.list("rates")).where(nodes.shape().rank >= 0)


def _windows(
    nodes: Nodes,
    rank: int,
    channels: Ints,
    kernel: list[Ints],
    *,
    image: Shapes | None = None,
    strides: Values | None = None,
    dilations: Values | None = None,
) -> Shapes:
    """Return batch, window positions along each axis, and `channels`, in the order of the data format.

    By default, `image` is the first input, and `strides` and `dilations` are the attributes of these names.
    """
    image = nodes.shape(0) if image is None else image
    strides = nodes.list("strides") if strides is None else strides
    dilations = nodes.list("dilations") if dilations is None else dilations
    image = image.where(image.rank == rank)
    first = _channels_first(nodes)
    padding = nodes.list("explicit_paddings")
    explicit, same = nodes.is_word("padding", "EXPLICIT"), nodes.is_word("padding", "SAME")
    spatial = []
    for axis, size in enumerate(kernel):
        place = np.where(first, axis + 2, axis + 1)
        dilation = np.where(dilations.count > 0, dilations.at(place), 1)
        stride, length = strides.at(place), image.at(place)
        reach = (size - 1) * dilation + 1
        before, after = padding.at(2 * place), padding.at(2 * place + 1)
        added = np.where(explicit, before + after, 0)
        usable = (stride > 0) & (dilation > 0) & (~explicit | ((before >= 0) & (after >= 0)))
        step = np.where(usable, stride, 1)
        # VALID and EXPLICIT need whole windows; SAME pads until there is a window per stride.
        tight = arithmetic((length + added - reach + step) // step, length, size)
        loose = arithmetic((length + step - 1) // step, length)
        positions = np.where(same, loose, tight)
        spatial.append(np.where(usable, positions, -1))
    known = _is_known_format(nodes, rank)
    return _in_order(first, image.all(0), spatial, channels).where(known)


def _in_order(first: Bools, batch: Ints, spatial: list[Ints], channels: Ints) -> Shapes:
    return choose(first, Shapes.of(batch, channels, *spatial), Shapes.of(batch, *spatial, channels))


def _channels_first(nodes: Nodes) -> Bools:
    return nodes.is_word("data_format", "NCHW") | nodes.is_word("data_format", "NCDHW")


def _is_known_format(nodes: Nodes, rank: int) -> Bools:
    """Return which nodes have one of the `_FORMATS`; without the attribute it is the first of them."""
    known = ~nodes.has("data_format")
    for word in _FORMATS[rank]:
        known = known | nodes.is_word("data_format", word)
    return known


def _vector(nodes: Nodes, image: Shapes, scale: Shapes) -> Shapes:
    channels = image.at(np.where(_channels_first(nodes), 1, -1))
    return Shapes.of(np.where(channels >= 0, channels, scale.where(scale.rank == 1).all(0)))


def _blocks(nodes: Nodes) -> tuple[Ints, Ints, Ints, Ints, Ints, Bools]:
    image, block, first = nodes.shape(0), nodes.number("block_size"), _channels_first(nodes)
    known = _is_known_format(nodes, _IMAGE) & (block > 0)
    height, width, depth = (image.at(np.where(first, there, here)) for here, there in ((1, 2), (2, 3), (3, 1)))
    return image.all(0), height, width, depth, np.where(known, block, 1), known


def _divide(size: Ints, block: Ints) -> Ints:
    """Return quotients; -1 where the size is not known or not divisible."""
    return np.where((size >= 0) & (size % block == 0), size // block, -1)


def _in_format(nodes: Nodes, batch: Ints, height: Ints, width: Ints, depth: Ints) -> Shapes:
    return _in_order(_channels_first(nodes), batch, [height, width], depth)
