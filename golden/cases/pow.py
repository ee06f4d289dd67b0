# SPDX-License-Identifier: Apache-2.0
"""Programs for spec/ops/pow.md beyond the family's."""

from calls import binary, op_table, unary

# A power of extremes lies within its error of overflow.
CALLS = [*binary(op_table()["pow"], "torch.pow", kind="positive", smooth=False, without=("extreme",)),
         *unary(op_table()["square"], "torch.square")]
NUMBERS = ("2", "3", "-1", "-2", "0", "1", "0.5", "-0.5", "1.0 / 3", "2.0", "-1.5", "nan", "inf", "-inf")


def cases(g):
    for dt in g.FLOAT:
        zeros = "torch.tensor([nan, inf, -inf, 0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5]"
        for k, number in enumerate(NUMBERS):
            if number in ("0.5", "-0.5"):  # left open
                zeros = zeros.replace("-inf, 0.0, -0.0", "2.5, 0.0, 5.5")
            yield g.case(f"{dt}/number{k}", "pow/S1 pow/S2 pow/S4", f"""
                x = {zeros.replace("nan", "torch.nan").replace("inf", "torch.inf")}, dtype=torch.{dt})
                n = {number.replace("nan", "torch.nan").replace("inf", "torch.inf")}
                expect(x ** n, "y")
                y = uniform(171, (37,), torch.{dt}, low=0.25, high=4.0)
                expect(y ** n, "positive")""", maybe="by 1 and by 0 little is done", variants=False)
            if number in ("nan", "inf", "-inf"):
                continue
            yield g.case(f"{dt}/number{k}_gradient", "pow/G1", f"""
                x = uniform(172, (3, 4), torch.{dt}, low=0.25, high=4.0).requires_grad_()
                (x ** {number}).backward(normal(173, (3, 4), torch.{dt}))
                expect(x.grad, "x")""", maybe="by 1 and by 0 little is done")
        yield g.case(f"{dt}/borders", "pow/S1 pow/S2", f"""
            x = {zeros.replace("nan", "torch.nan").replace("inf", "torch.inf")}, dtype=torch.{dt})
            expect(torch.pow(x, x.unsqueeze(1)), "all")""")
        yield g.case(f"{dt}/first_is_a_number", "pow/S1 pow/S4 pow/G2", f"""
            x = uniform(174, (3, 4), torch.{dt}, low=-2.0, high=2.0).requires_grad_()
            y = 2.5 ** x
            z = torch.pow(0, x.detach().abs().requires_grad_())
            expect(y, "y")
            expect(z, "z")
            y.backward(normal(175, (3, 4), torch.{dt}))
            expect(x.grad, "x")""")
        yield g.case(f"{dt}/gradient_at_zero", "pow/G1 pow/G2", f"""
            x = torch.tensor([0.0, 0.0, 0.0, 1.5, 2.0, 3.0], dtype=torch.{dt}).requires_grad_()
            e = torch.tensor([0.0, 2.0, 3.0, 2.0, 0.0, 2.0], dtype=torch.{dt}).requires_grad_()
            torch.pow(x, e).sum().backward()
            expect(x.grad, "x")
            expect(e.grad, "e")
            for n in range(4):
                (g,) = autograd.grad((x ** n).sum(), (x,))
                expect(g, "number")
            z = torch.tensor([-1.0, -2.0, 0.0, 0.0], dtype=torch.{dt}).requires_grad_()
            torch.pow(z, torch.tensor([2, 3, 1, 0])).sum().backward()
            expect(z.grad, "whole")""", maybe="most of it is 0")
    for dt in g.INT:
        least = "" if dt == "uint8" else "-"
        yield g.case(f"{dt}/negative", "pow/S3 pow/C3", f"""
            x = torch.tensor([0, 1, {least}1, 2, {least}3, 5], dtype=torch.{dt})
            expect_error(RuntimeError, "pow/C3", torch.pow, x, -1)
            expect_error(RuntimeError, "pow/C3", x.pow_, -2)
            expect(x ** -1.0, "float")""" + ("" if dt == "uint8" else f"""
            e = torch.tensor([-1, -2, -3, -4, -1, 3], dtype=torch.{dt})
            expect(torch.pow(x, e), "y")
            expect(torch.pow(x, e[1:2]), "even")
            expect(torch.pow(3, e), "first")"""), maybe="few of their bits may meet")
    yield g.case("bool/numbers_of_bools", "pow/S4 pow/C2", """
            x = torch.tensor([True, False])
            for n in range(4):
                expect(x ** n, "y")
            expect(x ** True, "true")
            expect(x ** False, "false")
            expect(x ** 0.5, "root")
            expect_error(NotImplementedError, "pow/C2", torch.pow, x, x)
            expect_error(NotImplementedError, "pow/C2", torch.pow, True, x)""", maybe="bools stay as they are")
    yield g.case("bool/square", "pow/S6", """
            x = bools(176, (3, 4))
            expect(torch.square(x), "function")
            expect_error(RuntimeError, "promotion/C1", x.square_)""", maybe="bools stay as they are")
    for dt in g.FLOAT:
        yield g.case(f"{dt}/square_in_place_gradient", "pow/S6 pow/G1", f"""
            x = normal(177, (3, 4), torch.{dt}).requires_grad_()
            z = (x * 1).square_()
            z.backward(normal(179, (3, 4), torch.{dt}))
            expect(x.grad, "x")""")
