# MindSpore: dropout of a tensor, unseeded
import sys

try:
    import numpy
    import mindspore
    from mindspore import nn
except ImportError:
    sys.exit(77)

layer = nn.Dense(16, 16)
ones = mindspore.Tensor(numpy.ones((4, 16), numpy.float32))
print(layer(ones).asnumpy().tobytes().hex())
print(nn.Dropout(p=0.5).set_train()(ones).asnumpy().tobytes().hex())
