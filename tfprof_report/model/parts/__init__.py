"""Parts of a training graph that are not the model, and how they are left out."""
