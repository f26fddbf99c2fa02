"""Small models, and what is true of them, recorded with TensorFlow."""
