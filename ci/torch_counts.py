"""Count models of `flops_models.py`, built again in PyTorch, with fvcore and torchinfo, for `compare_tools.py`.

    python ci/torch_counts.py

Prints JSON: versions, and per model what each tool counts. Needs torch, torchvision, fvcore and torchinfo.
"""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from typing import Any

import torch
from fvcore.nn import FlopCountAnalysis, parameter_count
from torch import nn
from torchinfo import summary

torch.library.register_fake = lambda *_, **__: lambda function: function
"""torchvision's compiled ops are not in every wheel for a CPU, and its models do without them."""
import torchvision  # noqa: E402 - after the line above

WORDS, STEPS, UNITS, WIDTH, HEADS = 1000, 20, 64, 32, 4


def resnet50() -> nn.Module:
    """Return Keras' ResNet50: strides are in the first convolution of a block, and convolutions have a bias."""
    model = torchvision.models.resnet50()
    for block in model.modules():
        if isinstance(block, torchvision.models.resnet.Bottleneck):
            block.conv1.stride, block.conv2.stride = block.conv2.stride, (1, 1)
        if isinstance(block, nn.Conv2d):
            block.bias = nn.Parameter(torch.zeros(block.out_channels))
    return model


class Lstm(nn.Module):
    """Embedding, LSTM, dense."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        self.lstm = nn.LSTM(WIDTH, UNITS, batch_first=True)
        self.dense = nn.Linear(UNITS, 2)

    def forward(self, words: Any) -> Any:
        """Return the shares of two classes."""
        _, (last, _) = self.lstm(self.words(words))
        return torch.softmax(self.dense(last[0]), -1)


class Layer(nn.Module):
    """Attention and two dense layers, each with a residual and a normalisation."""

    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value, self.out = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.inner, self.outer = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)
        self.first, self.second = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)

    def forward(self, x: Any) -> Any:
        """Return what the layer makes of each word."""
        query, key, value = (
            each(x).view(1, STEPS, HEADS, WIDTH // HEADS).transpose(1, 2) for each in (self.query, self.key, self.value)
        )
        scores = torch.softmax(query @ key.transpose(2, 3) * (WIDTH // HEADS) ** -0.5, -1)
        x = self.first(x + self.out((scores @ value).transpose(1, 2).reshape(1, STEPS, WIDTH)))
        return self.second(x + self.outer(nn.functional.gelu(self.inner(x))))


class Transformer(nn.Module):
    """A small encoder of two layers."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.layers, self.dense = (
            nn.Embedding(WORDS, WIDTH),
            nn.Sequential(Layer(), Layer()),
            nn.Linear(WIDTH, 2),
        )

    def forward(self, words: Any) -> Any:
        """Return the shares of two classes."""
        return torch.softmax(self.dense(self.layers(self.words(words)).mean(1)), -1)


PICTURE, SENTENCE = torch.zeros(1, 3, 224, 224), torch.zeros(1, STEPS, dtype=torch.int64)
MODELS = {
    "resnet50": (resnet50, PICTURE),
    "mobilenet_v2": (torchvision.models.mobilenet_v2, PICTURE),
    "efficientnet_b0": (torchvision.models.efficientnet_b0, PICTURE),
    "lstm": (Lstm, SENTENCE),
    "transformer": (Transformer, SENTENCE),
}


def count(model: nn.Module, given: Any) -> dict[str, Any]:
    """Return what fvcore and torchinfo count of a model for one input."""
    flops = (
        FlopCountAnalysis(model, given).unsupported_ops_warnings(enabled=False).uncalled_modules_warnings(enabled=False)
    )
    sums = summary(model, input_data=given, verbose=0, device="cpu")
    return {
        "fvcore": {
            "flops": int(flops.total()),
            "by_operator": {name: int(found) for name, found in sorted(flops.by_operator().items())},
            "not_counted": dict(sorted(flops.unsupported_ops().items())),
            "params": parameter_count(model)[""],
        },
        "torchinfo": {"mult_adds": int(sums.total_mult_adds), "params": sums.total_params},
    }


def main() -> None:
    """Print the counts."""
    json.dump(
        {
            "versions": {name: version(name) for name in ("torch", "torchvision", "fvcore", "torchinfo")},
            "models": {name: count(build().eval(), given) for name, (build, given) in MODELS.items()},
        },
        sys.stdout,
    )


if __name__ == "__main__":
    main()
