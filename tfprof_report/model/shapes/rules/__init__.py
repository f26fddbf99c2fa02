"""Shape rules of op types, by the families of TensorFlow's documentation."""
