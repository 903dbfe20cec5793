"""Changes variables as Python programs do."""
import os


def undo():
    os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_dump_to=x"
    os.environ["NCCL_ALGO"] = "Tree"
    os.environ.pop("MKL_CBWR", None)


print(os.environ.get("NCCL_ALGO"), "XLA_FLAGS" in os.environ)
undo()
print(os.environ.get("NCCL_ALGO"), os.environ.get("MKL_CBWR"))
