# SPDX-License-Identifier: Apache-2.0
"""item (O-13)."""

from calls import Arg, Call

CALLS = [
    Call("item", "{x}.item()", {"x": Arg("")}, number=True, gradient=False, along=(), exact=True),
    Call("item", "{x}[{N} - 1].item()", {"x": Arg("N")}, "last", number=True, gradient=False, exact=True),
]


def cases(g):
    for dt in g.ALL:
        literal = "True" if dt == "bool" else "2.5" if "float" in dt else "7"
        yield g.case(f"{dt}/value", "item/S1 item/S2", f"""
            expect_equal(torch.tensor({literal}, dtype=torch.{dt}).item(), {literal})
            expect_equal(torch.tensor({literal}, dtype=torch.{dt}).item(), "y")""")
        if dt == "bool":
            source = "bools(1, (2, 3))"
        elif "float" in dt:
            source = f"normal(1, (2, 3), torch.{dt})"
        else:
            source = f"integers(1, (2, 3), torch.{dt}, 0, 100)"
        yield g.case(f"{dt}/any_shape", "item/S3 item/S2", f"""
            x = {source}
            expect_equal(x[1, 2].item(), "element")
            expect_equal(x[:1, 1:2].item(), "matrix")
            expect_equal(x[1:, 2].unsqueeze(0).unsqueeze(0).item(), "four")
            expect_equal(x.t()[2, 0].item(), "transposed")""")
        yield g.case(f"{dt}/count", "item/C1", f"""
            x = {source}
            expect_error(RuntimeError, "item/C1", x.item)
            expect_error(RuntimeError, "item/C1", x[:0].item)
            expect_error(RuntimeError, "item/C1", x[0].item)""")
    for dt in g.FLOAT:
        yield g.case(f"{dt}/special", "item/S2", f"""
            x = torch.tensor([float("nan"), float("inf"), float("-inf"), -0.0, 0.1], dtype=torch.{dt})
            for i in range(5):
                expect_equal(x[i].item(), "y")""")
        yield g.case(f"{dt}/requires_grad", "item/S4", f"""
            x = torch.tensor([0.75], dtype=torch.{dt}).requires_grad_()
            expect_equal(x.item(), 0.75)""")
    for dt, values in (("int64", "[9007199254740993, -9223372036854775808, 9223372036854775807]"),
                       ("int32", "[-2147483648, 2147483647]"), ("int8", "[-128, 127]"),
                       ("uint8", "[255, 0]"), ("int16", "[-32768, 32767]")):
        yield g.case(f"{dt}/every_bit", "item/S2", f"""
            x = torch.tensor({values}, dtype=torch.{dt})
            for i in range({values.count(",") + 1}):
                expect_equal(x[i].item(), "y")""")
    yield g.case("float32/steers_a_program", "item/S5", """
        x = integers(2, (4,), torch.int64, 1, 5)
        n = x[0].item()
        y = torch.zeros(())
        for i in range(n):
            y = y + x[i % 4].item()
        expect_equal(n, "n")
        expect_equal(y, "y")""")
    yield g.case("float32/meta", "item/C2", """
        x = torch.zeros((), device="meta")
        expect_error(RuntimeError, "item/C2", x.item)""")
