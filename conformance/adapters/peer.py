# SPDX-License-Identifier: Apache-2.0
"""The peer's side of the pipe door (spec/areas/pipe.md), for adapters written in Python.

    serve({"name": "mine", "version": "1.0", "claims": [{"op": "add"}]}, run)

`run(message, inputs, answers)` runs one program: `inputs` are the tensors that its generators and
data() calls give, in the order of the calls; `answers` takes what came. Standard library only.
"""
import json
import math
import os
import struct
import sys

PROTOCOL = 1
# Names of dtypes: the protocol's and safetensors'.
CODES = {"float64": "F64", "float32": "F32", "float16": "F16", "bfloat16": "BF16",
         "float8_e4m3fn": "F8_E4M3", "float8_e5m2": "F8_E5M2", "int64": "I64", "int32": "I32",
         "int16": "I16", "int8": "I8", "uint8": "U8", "bool": "BOOL"}
SIZES = {"float64": 8, "float32": 4, "float16": 2, "bfloat16": 2, "float8_e4m3fn": 1,
         "float8_e5m2": 1, "int64": 8, "int32": 4, "int16": 2, "int8": 1, "uint8": 1, "bool": 1}


ERRORS = ("RuntimeError", "ValueError", "TypeError", "IndexError", "AttributeError",
          "AssertionError", "OverflowError", "ZeroDivisionError", "NotImplementedError",
          "OutOfMemoryError", "DistError")


class Unsupported(Exception):
    """What the implementation has not: an op's name, or a word for a feature; and why."""

    def __init__(self, what, why=""):
        super().__init__(why)
        self.what = what


def plain(v):
    """None, a bool, a number or a string, as the protocol has it."""
    if isinstance(v, float) and not math.isfinite(v):
        return {"float": "nan" if math.isnan(v) else "inf" if v > 0 else "-inf"}
    return v


def refusal(error):
    """An exception's nearest class that the language has, and the start of its text."""
    name = next((c.__name__ for c in type(error).__mro__ if c.__name__ in ERRORS),
                "RuntimeError")
    return {"error": name, "text": (str(error).splitlines() or [""])[0][:300]}


class Answers:
    """What one run answers: expectations in the order of their calls, then how it ended."""

    def __init__(self):
        self.list, self.tensors, self.inputs = [], [], []

    def store(self, dtype, raw):
        """Keep a flat tensor's bytes for the payload; its name."""
        self.tensors.append((dtype, raw))
        return f"t{len(self.tensors) - 1}"

    def tensor(self, dtype, sizes, strides, offset, storage, raw=None, whole=None):
        """{"tensor": …} with its elements, row-major, and its whole storage where asked for."""
        told = {"dtype": dtype, "sizes": list(sizes), "strides": list(strides),
                "offset": offset, "storage": storage}
        if raw is not None:
            told["elements"] = self.store(dtype, raw)
        if whole is not None:
            told["whole"] = self.store(dtype, whole)
        return {"tensor": told}

    def add(self, kind, **more):
        self.list.append({"expect": kind, **more})

    def input_after(self, dtype, raw):
        """The storage of the next input, as it is at the end of the run."""
        self.inputs.append(self.store(dtype, raw))


def safetensors(tensors):
    header, at = {}, 0
    for k, (dtype, raw) in enumerate(tensors):
        header[f"t{k}"] = {"dtype": CODES[dtype], "shape": [len(raw) // SIZES[dtype]],
                           "data_offsets": [at, at + len(raw)]}
        at += len(raw)
    text = json.dumps(header, separators=(",", ":")).encode()
    return b"".join([struct.pack("<Q", len(text)), text] + [raw for _, raw in tensors])


def read_safetensors(payload):
    n = struct.unpack_from("<Q", payload)[0] if payload else 0
    header = json.loads(payload[8:8 + n]) if payload else {}
    return {name: payload[8 + n + t["data_offsets"][0]:8 + n + t["data_offsets"][1]]
            for name, t in header.items()}


def read(stream):
    """(header, payload) of the next message, or None at the end."""
    length = stream.read(4)
    if len(length) < 4:
        return None
    header = json.loads(stream.read(struct.unpack("<I", length)[0]))
    return header, stream.read(header.get("payload", 0))


def write(stream, header, tensors=()):
    payload = safetensors(tensors) if tensors else b""
    text = json.dumps({**header, "payload": len(payload)}, separators=(",", ":")).encode()
    stream.write(struct.pack("<I", len(text)) + text + payload)
    stream.flush()


def serve(hello, run):
    """Answer messages until the judge is done."""
    # What the implementation prints is no part of the protocol.
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    while (message := read(sys.stdin.buffer)) is not None:
        header, payload = message
        if header["message"] == "hello":
            write(out, {"message": "hello", "protocol": PROTOCOL, **hello})
            continue
        stored, answers, end = read_safetensors(payload), Answers(), {}
        inputs = [{**i, "raw": stored.get(i.get("storage"))} for i in header["inputs"]]
        try:
            end = run(header, inputs, answers) or {}
        except Unsupported as e:
            end = {"unsupported": e.what, "text": str(e)}
        write(out, {"message": "result", "answers": answers.list, "end": end,
                    "inputs": answers.inputs}, answers.tensors)
