# SPDX-License-Identifier: Apache-2.0
"""embedding (O-17)."""

from functools import partial

from calls import Arg, Call
from inputs import small

CALLS = [
    Call("embedding", "F.embedding({index}, {w})",
         {"index": Arg("… N", "index", "V", "int64"), "w": Arg("V D")}, along=("N", "V", "D"), exact=True,
         reaches=("embedding_dense_backward",)),
    Call("embedding", "F.embedding({index}, {w}, padding_idx=1, scale_grad_by_freq=True)",
         {"index": Arg("… N", "index", "V", "int64"), "w": Arg("V D")}, "options", along=("N", "D"),
         reaches=("embedding_dense_backward",)),
]
source = partial(small, low=-5, high=6)


def cases(g):
    for dt in g.ALL:
        yield from values(g, dt)
    yield from refusals(g)
    for dt in g.FLOAT:
        yield from gradients(g, dt)


def values(g, dt):
    for what, shape in (("vector", (7,)), ("matrix", (2, 3)), ("three", (2, 2, 2)), ("number", ())):
        yield g.case(f"{dt}/{what}", "embedding/S1 embedding/S2", f"""
            w = {source(dt, 11, (5, 4))}
            index = integers(12, {shape}, torch.int64, 0, 5)
            y = F.embedding(index, w)
            expect_equal(y, "y")
            expect_copy_of(y, w)""")
    yield g.case(f"{dt}/int32", "embedding/S2", f"""
        w = {source(dt, 13, (5, 3))}
        index = integers(14, (2, 6), torch.int32, 0, 5)
        expect_equal(F.embedding(index[:, ::2], w), "y")
        expect_equal(F.embedding(index[0, 0], w), "number")""")
    yield g.case(f"{dt}/padding_row_is_read", "embedding/S3", f"""
        w = {source(dt, 15, (5, 3))}
        index = torch.tensor([1, 4, 0, 4])
        expect_equal(F.embedding(index, w, padding_idx=4), "y")
        expect_equal(F.embedding(index, w, padding_idx=-5), "negative")""")
    yield g.case(f"{dt}/empty", "embedding/S4", f"""
        w = {source(dt, 16, (5, 3))}
        expect_equal(F.embedding(torch.zeros(0, dtype=torch.int64), w), "vector")
        expect_equal(F.embedding(torch.zeros(2, 0, dtype=torch.int64), w), "matrix")
        expect_equal(F.embedding(torch.tensor([0, 4]), w[:, :0]), "no_columns")""")
    yield g.case(f"{dt}/layouts", "embedding/S5", f"""
        w = {source(dt, 17, (4, 6))}
        y = F.embedding(integers(18, (3, 2), torch.int64, 0, 6).t(), w.t())
        expect_equal(y, "y")
        expect_strides(y, (12, 4, 1))
        expect_equal(F.embedding(torch.tensor([1, 0]), w[::2, 1::2]), "sliced")
        expect_equal(F.embedding(torch.tensor(2).expand(3), w), "expanded")""")
    yield g.case(f"{dt}/equals_index_select", "embedding/S1", f"""
        w = {source(dt, 19, (6, 3))}
        index = integers(20, (4,), torch.int64, 0, 6)
        expect_equal(F.embedding(index, w), "embedding")
        expect_equal(w.index_select(0, index), "index_select")""")


def refusals(g):
    yield g.case("float32/weight_dims", "embedding/C1", """
        w = normal(1, (3, 2))
        expect_error(RuntimeError, "embedding/C1", F.embedding, torch.tensor([0]), w[0])
        expect_error(RuntimeError, "embedding/C1", F.embedding, torch.tensor([0]), w.unsqueeze(0))""")
    for dt in ("float32", "int16", "int8", "uint8", "bool", "float16"):
        yield g.case(f"{dt}/index_dtype", "embedding/C2", f"""
            expect_error(RuntimeError, "embedding/C2", F.embedding, torch.zeros(2, dtype=torch.{dt}), normal(1, (3, 2)))""")
    yield g.case("float32/out_of_range", "embedding/C3", """
        w = normal(1, (3, 2))
        expect_error(IndexError, "embedding/C3", F.embedding, torch.tensor([0, 3]), w)
        expect_error(IndexError, "embedding/C3", F.embedding, torch.tensor([[0], [-1]]), w)
        expect_error(IndexError, "embedding/C3", F.embedding, torch.tensor(7), w)
        expect_error(IndexError, "embedding/C3", F.embedding, torch.tensor([2, 5], dtype=torch.int32), w, padding_idx=2)""")
    yield g.case("float32/padding_out_of_range", "embedding/C4", """
        w = normal(1, (3, 2))
        expect_error(AssertionError, "embedding/C4", F.embedding, torch.tensor([0]), w, padding_idx=3)
        expect_error(AssertionError, "embedding/C4", F.embedding, torch.tensor([0]), w, padding_idx=-4)""")


def gradients(g, dt):
    yield g.case(f"{dt}/backward", "embedding/G1", f"""
        w = normal(31, (5, 3), torch.{dt}).requires_grad_()
        index = torch.tensor([[1, 4], [1, 0]])
        F.embedding(index, w).backward(normal(32, (2, 2, 3), torch.{dt}))
        expect(w.grad, "w_grad")""")
    yield g.case(f"{dt}/backward_int32", "embedding/G1", f"""
        w = normal(33, (5, 3), torch.{dt}).requires_grad_()
        index = integers(34, (6,), torch.int32, 0, 5)
        F.embedding(index, w).backward(normal(35, (6, 3), torch.{dt}))
        expect(w.grad, "w_grad")""")
    for padding in (1, -1, 0):
        yield g.case(f"{dt}/backward_padding_{padding}", "embedding/G2", f"""
            w = normal(36, (4, 3), torch.{dt}).requires_grad_()
            index = torch.tensor([1, 3, 1, 0, 3])
            F.embedding(index, w, padding_idx={padding}).backward(normal(37, (5, 3), torch.{dt}))
            expect(w.grad, "w_grad")""")
    yield g.case(f"{dt}/backward_by_frequency", "embedding/G3", f"""
        w = normal(38, (4, 3), torch.{dt}).requires_grad_()
        index = torch.tensor([1, 3, 1, 0, 1])
        y = F.embedding(index, w, scale_grad_by_freq=True)
        y.backward(normal(39, (5, 3), torch.{dt}))
        expect(w.grad, "w_grad")""")
    yield g.case(f"{dt}/backward_by_frequency_padding", "embedding/G3 embedding/G2", f"""
        w = normal(40, (4, 3), torch.{dt}).requires_grad_()
        index = torch.tensor([[1, 3], [1, 0]])
        y = F.embedding(index, w, padding_idx=0, scale_grad_by_freq=True)
        y.backward(normal(41, (2, 2, 3), torch.{dt}))
        expect(w.grad, "w_grad")""")
    yield g.case(f"{dt}/backward_number", "embedding/G1", f"""
        w = normal(42, (4, 3), torch.{dt}).requires_grad_()
        F.embedding(torch.tensor(2), w).backward(normal(43, (3,), torch.{dt}))
        expect(w.grad, "w_grad")""")
    yield g.case(f"{dt}/backward_strided_gradient", "embedding/G1", f"""
        w = normal(44, (4, 3), torch.{dt}).requires_grad_()
        y = F.embedding(torch.tensor([1, 2, 1]), w)
        y.backward(normal(45, (3, 3), torch.{dt}).t())
        expect(w.grad, "w_grad")""")
    if dt in ("float32", "float64"):
        yield g.case(f"{dt}/long_padding", "embedding/G2", f"""
            w = normal(46, (10, 8), torch.{dt}).requires_grad_()
            index = torch.zeros(1, 769, dtype=torch.int64)
            index[0, 700] = 3
            F.embedding(index, w, padding_idx=0).sum().backward()
            expect(w.grad, "w_grad")""")
        for what, more in (("plain", ""), ("padding", ", padding_idx=2"),
                           ("by_frequency", ", scale_grad_by_freq=True")):
            yield g.case(f"{dt}/double_backward_{what}", "embedding/G4", f"""
                w = normal(47, (4, 3), torch.{dt}).requires_grad_()
                v = normal(48, (3, 3), torch.{dt}).requires_grad_()
                y = F.embedding(torch.tensor([1, 1, 2]), w{more})
                gw = autograd.grad(y, w, v, create_graph=True)[0]
                (gw * normal(49, (4, 3), torch.{dt})).sum().backward()
                expect(v.grad, "v_grad")""")
    yield g.case(f"{dt}/double_backward_pad_first", "embedding/G4", f"""
        w = normal(47, (4, 3), torch.{dt}).requires_grad_()
        v = normal(48, (3, 3), torch.{dt}).requires_grad_()
        y = F.embedding(torch.tensor([1, 0, 2]), w, padding_idx=0)
        gw = autograd.grad(y, w, v, create_graph=True)[0]
        (gw * normal(49, (4, 3), torch.{dt})).sum().backward()
        expect(v.grad, "v_grad")""")
    yield g.case(f"{dt}/backward_many", "embedding/G5", f"""
        w = normal(50, (3, 4), torch.{dt}).requires_grad_()
        index = integers(51, (40,), torch.int64, 0, 3)
        F.embedding(index, w).backward(normal(52, (40, 4), torch.{dt}))
        expect(w.grad, "w_grad")""")
