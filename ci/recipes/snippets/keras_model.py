"""Writes the profile of a Keras model in training.

    python profile_model.py FOLDER
    tfprof-report report FOLDER --out report

The folder gets graph.pb, tfprof_log, which has the lines of code, and the trace of five batches.
"""

import sys

import keras
import numpy as np

import tfprof_report

# --- your model, and what it is trained with ---
model = keras.Sequential(
    [
        keras.Input([28, 28, 1]),
        keras.layers.Conv2D(16, 3, activation="relu", name="conv"),
        keras.layers.Flatten(name="flatten"),
        keras.layers.Dense(10, name="dense"),
    ],
    name="model",
)
model.compile(optimizer="sgd", loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True))
images, labels = np.ones([320, 28, 28, 1], np.float32), np.zeros([320], np.int64)

# --- its profile: batches 2 to 6, as the first ones also build the graph, allocate and tune ---
callback = tfprof_report.keras_callback(sys.argv[1])
model.fit(images, labels, batch_size=32, verbose=0, callbacks=[callback])
