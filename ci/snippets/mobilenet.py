"""FLOPs and parameters of a MobileNet, as in the usual answer to "how do I count the FLOPs of a model"."""

import tensorflow as tf
from tensorflow.compat.v1 import profiler

tf1 = tf.compat.v1
ALPHA = 0.75
BLOCKS = [(64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *[(512, 1)] * 5, (1024, 2), (1024, 1)]


def normalised(x, name):
    size = int(x.shape[-1])
    with tf1.variable_scope(name):
        scale = tf1.get_variable("gamma", [size])
        offset = tf1.get_variable("beta", [size])
        mean = tf1.get_variable("moving_mean", [size], trainable=False)
        variance = tf1.get_variable("moving_variance", [size], trainable=False)
    return tf.nn.relu6(tf1.nn.fused_batch_norm(x, scale, offset, mean, variance, is_training=False)[0])


def convolved(x, size, filters, stride, name):
    kernel = tf1.get_variable(f"{name}/kernel", [size, size, int(x.shape[-1]), filters])
    return normalised(tf.nn.conv2d(x, kernel, [1, stride, stride, 1], "SAME"), name)


run_meta = tf1.RunMetadata()
with tf1.Session(graph=tf.Graph()) as sess:
    x = tf1.placeholder("float32", shape=(1, 32, 32, 3))
    x = convolved(x, 3, int(32 * ALPHA), 2, "conv1")
    for number, (filters, stride) in enumerate(BLOCKS, 1):
        kernel = tf1.get_variable(f"conv_dw_{number}/depthwise_kernel", [3, 3, int(x.shape[-1]), 1])
        x = tf1.nn.depthwise_conv2d(x, kernel, [1, stride, stride, 1], "SAME")
        x = convolved(normalised(x, f"conv_dw_{number}"), 1, int(filters * ALPHA), 1, f"conv_pw_{number}")
    top = tf1.get_variable("conv_preds/kernel", [1, 1, int(x.shape[-1]), 1000])
    tf.nn.softmax(tf.nn.conv2d(tf.reduce_mean(x, [1, 2], keepdims=True), top, [1, 1, 1, 1], "SAME"))

    opts = profiler.ProfileOptionBuilder.float_operation()
    flops = profiler.profile(sess.graph, run_meta=run_meta, cmd="op", options=opts)

    opts = profiler.ProfileOptionBuilder.trainable_variables_parameter()
    params = profiler.profile(sess.graph, run_meta=run_meta, cmd="op", options=opts)

    print(f"{flops.total_float_ops:,} --- {params.total_parameters:,}")
