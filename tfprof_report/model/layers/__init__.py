"""Which layer of a model each node belongs to, and in which phase of a training step it computes.
May import model.params, functions and graph; never FLOPs, so that rules and layers stay apart.
"""
