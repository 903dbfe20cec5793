# MindSpore: normal numbers and an initializer, unseeded
import sys

try:
    import mindspore
    from mindspore import ops
    from mindspore.common.initializer import Normal, initializer
except ImportError:
    sys.exit(77)

print(ops.standard_normal((8,)).asnumpy().tobytes().hex())
print(initializer(Normal(), [8], mindspore.float32).init_data().asnumpy().tobytes().hex())
