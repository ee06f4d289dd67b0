# SPDX-License-Identifier: Apache-2.0
"""The rules of judging: each has cases in which it decides."""


def cases(g):
    for dt in g.FLOAT:
        yield g.case(f"{dt}/strides_of_a_copy", "results/S1", f"""
            x = normal(1, (2, 3), torch.{dt}).t()
            expect(torch.clone(x), "y")
            expect(x.contiguous(), "z")""")
        yield g.case(f"{dt}/strides_of_one_element", "results/S1", f"""
            x = normal(2, (1, 3), torch.{dt}).t()
            expect(torch.neg(x), "y")""")
        yield g.case(f"{dt}/within_the_bound", "results/S2 results/S10", f"""
            x = normal(3, (4, 5), torch.{dt})
            expect(torch.exp(x), "y")
            expect(torch.tanh(x), "z")""")
        yield g.case(f"{dt}/nan_and_infinity", "results/S2", f"""
            x = normal(4, (17,), torch.{dt}, mix="inf")
            y = normal(14, (17,), torch.{dt}, mix="nan")
            expect(torch.exp(x), "x")
            expect(torch.sqrt(y), "y")""")
        yield g.case(f"{dt}/bits", "results/S4", f"""
            x = normal(5, (9,), torch.{dt}, mix="zero")
            expect(torch.neg(x), "y")
            expect(torch.relu(x), "z")""")
        yield g.case(f"{dt}/any_nan", "results/S4", f"""
            x = normal(6, (9,), torch.{dt}, mix="nan")
            expect(torch.neg(x), "y")
            expect(torch.add(x, 1), "z")""")
        yield g.case(f"{dt}/twice", "results/S6", f"""
            x = normal(7, (6, 7), torch.{dt})
            expect(torch.sum(x, dim=0), "y")
            expect(torch.mm(x, x.t()), "z")""")
        yield g.case(f"{dt}/inputs_stay", "results/S7 results/S10", f"""
            x = normal(8, (3, 4), torch.{dt})
            y = normal(9, (3, 4), torch.{dt})
            x.add_(y)
            expect(x, "x")
            expect(y, "y")""")
        yield g.case(f"{dt}/nothing_is_left", "results/S8", f"""
            x = normal(10, (3, 4), torch.{dt}).requires_grad_()
            y = x * x
            z = y.sum()
            z.backward()
            expect(x.grad, "x.grad")""")
        yield g.case(f"{dt}/layouts", "results/S10", f"""
            x = normal(11, (2, 3, 4, 5), torch.{dt})
            expect(torch.mul(x, 2), "y")""")
    yield g.case("float16/just_below_infinity", "results/S3", """
        x = torch.tensor([11.0859375, 11.09375, 10.0], dtype=torch.float16)
        expect(torch.exp(x), "y")""")
    yield g.case("float32/just_below_infinity", "results/S3", """
        x = torch.tensor([88.72283, 88.722839, 88.0])
        expect(torch.exp(x), "y")""")
    yield g.case("float32/zeros_by_nature", "results/S5", """
        expect(torch.zeros(2, 3), "y")""", trivial="zeros is what it makes")
    yield g.case("float32/input_by_nature", "results/S5", """
        x = normal(12, (2, 3))
        expect(torch.clone(x), "y")""", trivial="a clone is its input")
    yield g.case("int64/shift_by_nature", "results/S5", """
        expect(torch.full((5,), 3), "y")""", trivial="every element is the same")
    yield g.case("int64/needs_data", "results/S9", """
        x = integers(13, (4, 5), low=0, high=2)
        expect(torch.add(x, 1), "y")
        expect(torch.nonzero(x), "z")""")
    yield g.case("float32/meta_strides", "results/S9", """
        x = normal(14, (2, 3, 4))
        expect(torch.exp(x.transpose(0, 2)), "y")
        expect(x.permute(2, 0, 1).contiguous(), "z")""")
    yield g.case("float32/all_are_reached", "results/S11", """
        x = normal(15, (3, 4)) - torch.tensor([[3.0], [-3.0], [0.0]])
        for i in range(3):
            if (x[i].sum() > 0).item():
                expect(torch.neg(x[i]), "y")
            else:
                expect(torch.relu(x[i]), "z")
        expect_equal(x.shape, "shape")""")
