"""What a test gives to be compared between processes: a digest of all its bits, and a text to show."""

from __future__ import annotations

import hashlib
import struct
import sys
from typing import Any

# What belongs to a value that has __array__, and is not in that array: of pandas, polars, xarray, astropy and the like.
_LOST = ("index", "columns", "coords", "names", "unit", "mask", "null_count")


def _bytes_of(array: Any, numpy: Any) -> Any:
    """The bytes of an array's values, without those between and behind them."""
    if array.dtype.names is not None:
        return b"".join(_bytes_of(array[name], numpy) for name in array.dtype.names)
    if array.dtype.char in "gG" and numpy.finfo(array.dtype).nmant == 63:
        # x87's: of each 12 or 16 bytes the first 10 are the number.
        size = numpy.dtype("longdouble").itemsize
        return numpy.frombuffer(array.tobytes(), "u1").reshape(-1, size)[:, :10].tobytes()
    return array.tobytes()


def _array_parts(value: Any) -> tuple[str, tuple[int, ...], bytes] | None:
    """The type, shape and bytes of an array or a tensor; None if it is neither."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        if value.layout is not torch.strided or value.is_quantized:
            raise TypeError(
                "repeatable_value takes dense tensors; give the parts of this one ({})".format(
                    value.layout
                )
            )
        plain = value.detach().cpu().resolve_conj().resolve_neg().contiguous()
        # As bytes: NumPy has no bfloat16.
        return (
            str(value.dtype),
            tuple(value.shape),
            plain.reshape(-1).view(torch.uint8).numpy().tobytes(),
        )
    if not hasattr(value, "__array__"):
        return None
    import numpy  # type: ignore[import-not-found, unused-ignore]

    if isinstance(value, numpy.ma.MaskedArray):
        # What a mask hides is no value; __array__() would leave out the mask.
        shown: Any = _array_parts(value.filled(numpy.zeros((), value.dtype)))
        return "masked " + shown[0], shown[1], numpy.ma.getmaskarray(value).tobytes() + shown[2]
    if type(value).__module__.partition(".")[0] != "numpy":
        for name in _LOST:
            if hasattr(type(value), name):
                raise TypeError(
                    "repeatable_value takes arrays without labels, units or masks of their own; give its parts "
                    "({} has '{}', which its array would not show)".format(
                        type(value).__name__, name
                    )
                )
    array = numpy.asarray(value)
    if array.dtype.hasobject:
        raise TypeError("repeatable_value takes no arrays of objects; give what is in this one")
    return repr(array.dtype), array.shape, _bytes_of(array, numpy)


def _digest(value: object) -> bytes:
    def of(kind: bytes, *parts: bytes) -> bytes:
        digest = hashlib.sha256(kind)
        for part in parts:  # each with its length: no two values run into each other
            digest.update(struct.pack("<Q", len(part)))
            digest.update(part)
        return digest.digest()

    if value is None:
        return of(b"none")
    array = _array_parts(value)
    if array is not None:  # before numbers: numpy.float64 is a float
        return of(b"array", array[0].encode(), repr(array[1]).encode(), array[2])
    if isinstance(value, bool):
        return of(b"bool", b"1" if value else b"0")
    if isinstance(value, int):
        return of(b"int", b"%d" % value)
    if isinstance(value, float):
        return of(b"float", struct.pack("<d", value))
    if isinstance(value, complex):
        return of(b"complex", struct.pack("<dd", value.real, value.imag))
    if isinstance(value, str):
        return of(b"str", value.encode("utf-8", "surrogatepass"))
    if isinstance(value, (bytes, bytearray, memoryview)):
        return of(b"bytes", bytes(value))
    if isinstance(value, (list, tuple)):
        return of(b"list", *map(_digest, value))
    if isinstance(value, (set, frozenset)):
        return of(b"set", *sorted(map(_digest, value)))
    if isinstance(value, dict):  # as == takes them: in any order
        return of(b"dict", *sorted(_digest(key) + _digest(entry) for key, entry in value.items()))
    raise TypeError(
        "repeatable_value takes numbers, texts, bytes, lists, dicts and sets of them, arrays and tensors; not "
        + type(value).__name__
    )


def digest_and_text(value: object, most: int = 60) -> tuple[str, str]:
    """A text that is the same for equal bits alone, and one for people. Raises TypeError for what it does not know."""
    digest = _digest(value).hex()
    text = " ".join(repr(value).split())
    return digest, text if len(text) <= most else text[: most - 1] + "…"
