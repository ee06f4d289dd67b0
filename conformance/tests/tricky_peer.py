# SPDX-License-Identifier: Apache-2.0
"""A peer that does what the last part of a case's id says; the first argument is a trick at hello."""
import json
import os
import struct
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../adapters"))
import peer  # noqa: E402
import tree  # noqa: E402

HELLO = {"name": "tricky", "version": "1", "claims": [{"op": "add", "dtypes": ["float32"]}]}
runs = 0


class Tensor:
    """Contiguous float32."""

    def __init__(self, sizes, values):
        self.sizes, self.values = sizes, values


class Program(tree.Program):
    Tensor = Tensor
    OPS = {"add": lambda x, y: Tensor(x.sizes, [a + b for a, b in zip(x.values, y.values)]),
           "data_ptr": id}

    def next_input(self):
        i = self.inputs.pop(0)
        if "error" in i:
            self.lacks(i["error"])
        self.used.append(i)
        flat = struct.unpack(f"<{len(i['raw']) // 4}f", i["raw"])
        return Tensor(i["sizes"], [flat[i["offset"] + k * i["strides"][-1]]
                                   for k in range(i["sizes"][0])])

    def told(self, v):
        return self.answers.tensor("float32", v.sizes, [1], 0, id(v), struct.pack(
            f"<{len(v.values)}f", *v.values)) if isinstance(v, Tensor) else v

    def expect(self, t, name):
        self.answers.add("expect", value=self.told(t))

    def expect_equal(self, value, wanted):
        self.answers.add("expect_equal", value=self.told(value), wanted=self.told(wanted))


def raw_write(data):
    os.write(3, data)


def message(text):
    return struct.pack("<I", len(text)) + text


RAW = {
    "garbage": b"\x10\x00\x00\x00this is no JSON!",
    "announces_much": b"\xff\xff\xff\xff",
    "announces_payload": message(b'{"message":"result","payload":99999999999}'),
    "negative_payload": message(b'{"message":"result","payload":-1}'),
    "no_message": message(b"{}"),
    "other_message": message(b'{"message":"hello"}'),
    "no_answers": message(b'{"message":"result"}'),
    "bad_payload": message(b'{"message":"result","answers":[],"payload":3}') + b"abc",
    "twice": 2 * message(b'{"message":"result","answers":[]}'),
}


def run(header, inputs, answers):
    global runs
    trick = header["case"].split("/")[-1]
    runs += 1
    if trick == "dies":
        os.kill(os.getpid(), 11)
    elif trick == "exits":
        os._exit(3)
    elif trick.startswith("hangs"):
        time.sleep(60)
    elif trick == "floods":
        while True:
            raw_write(b"\x00" * 65536)
    elif trick in RAW:
        raw_write(RAW[trick])
        time.sleep(60)
    elif trick == "paints":
        print("peer \x1b[31m\x07", file=sys.stderr, flush=True)
        return {"error": "IndexError", "text": "red \x1b[31m\x9b2J\r"}
    elif trick == "unsupported":
        raise peer.Unsupported("add", "not today")
    elif trick == "feature":
        raise peer.Unsupported("autograd", "has none")
    elif trick == "raises":
        return {"error": "IndexError", "text": "out of it", "line": header["line"] + 1}
    elif trick == "unknown_class":
        return {"error": "StrangeError"}
    program = Program(inputs, answers)
    program.run(header["tree"])
    told = answers.list[0].get("value") if answers.list else None
    told = told["tensor"] if isinstance(told, dict) else {}
    if trick == "another_class":
        answers.list[0] = {"expect": "expect_error", "error": "StrangeError"}
    elif trick == "fewer":
        answers.list.pop()
    elif trick == "more":
        answers.list.append(answers.list[0])
    elif trick == "other_path":
        answers.list[0]["expect"] = "expect_same"
    elif trick == "no_expectation":
        answers.list[0]["expect"] = "hope"
    elif trick == "wrong":
        answers.tensors[0] = ("float32", bytes(len(answers.tensors[0][1])))
    elif trick == "second_differs" and runs % 2 == 0:
        answers.tensors[0] = ("float32", bytes(3) + b"\x3f" + answers.tensors[0][1][4:])
    elif trick == "dtype":
        told["dtype"] = "float33"
    elif trick == "other_dtype":
        told["dtype"] = "int32"
    elif trick == "sizes":
        told["sizes"] = [2, 2]
    elif trick == "negative":
        told["sizes"] = [-3]
    elif trick == "huge":
        told["sizes"], told["strides"] = [1 << 40, 1 << 40], [1, 1]
    elif trick == "strides":
        told["strides"] = [2]
    elif trick == "no_elements":
        del told["elements"]
    elif trick == "elsewhere":
        told["elements"] = "t99"
    for k, i in enumerate(program.used):
        raw = i["raw"]
        if trick == "damage" and k == 0:
            raw = raw[:-4] + b"\x00\x00\x80\x3f"
        if trick == "gap" and k == 0:
            raw = b"\x00\x00\x80\x3f" + raw[4:]
        answers.input_after(i["dtype"], raw)
    return {}


if __name__ == "__main__":
    os.dup2(1, 3)
    first = sys.argv[1] if len(sys.argv) > 1 else ""
    if first == "protocol":
        HELLO["protocol"] = 2
    elif first == "nameless":
        del HELLO["name"]
    elif first == "claims":
        HELLO["claims"] = [{"op": "add", "dtypes": ["float33"]}]
    elif first.startswith("claims "):
        HELLO["claims"] = json.loads(first[7:])
    elif first == "named":
        HELLO["name"] = 62 * "x" + "\u20ac\x1b[31m"
    elif first.startswith("hangs "):
        if os.fork() == 0:
            sys.stdout.close()
        with open(first[6:], "a", encoding="utf-8") as f:
            print(os.getpid(), file=f)
        time.sleep(60)
    elif first == "silent":
        sys.exit(5)
    elif first == "greets":
        print("Welcome!", flush=True)
    elif first == "claims_nothing":
        HELLO["claims"] = []
    peer.serve(HELLO, run)
