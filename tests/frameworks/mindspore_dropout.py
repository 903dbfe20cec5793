"""MindSpore on a CPU, unseeded: a small network with dropout, for some steps."""
import numpy
import mindspore
from mindspore import nn, Tensor

network = nn.SequentialCell(nn.Dense(64, 512), nn.ReLU(), nn.Dropout(p=0.5), nn.Dense(512, 1))
optimizer = nn.Adam(network.trainable_params(), 0.01)
loss = nn.MSELoss()
step = mindspore.value_and_grad(lambda x, y: loss(network(x), y), None, optimizer.parameters)
x = Tensor(numpy.linspace(0, 1, 256 * 64, dtype=numpy.float32).reshape(256, 64))
y = Tensor(numpy.ones((256, 1), numpy.float32))
network.set_train()
for _ in range(20):
    value, gradients = step(x, y)
    optimizer(gradients)
print(float(value).hex())
