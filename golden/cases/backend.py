# SPDX-License-Identifier: Apache-2.0
"""What a kernel owes and what it may rely on."""


def cases(g):
    for dt in ("float32", "float16", "int64"):
        make = "normal" if dt.startswith("float") else "integers"
        yield g.case(f"{dt}/every_element", "backend/S1", f"""
            x = {make}(1, (5, 7), torch.{dt})
            expect(torch.mul(x, x), "mul")
            expect(torch.cat([x, x], dim=1), "cat")
            expect(torch.where(x > 0, x, torch.neg(x)), "where")""")
        yield g.case(f"{dt}/in_place", "backend/S2", f"""
            x = {make}(2, (5, 7), torch.{dt})
            x[:, 1:4].mul_(3)
            expect(x, "x")
            x.t().add_(x.t())
            expect(x, "y")""")
        yield g.case(f"{dt}/out_strided", "backend/S3", f"""
            x = {make}(3, (4, 5), torch.{dt})
            room = torch.zeros(4, 10, dtype=torch.{dt})
            torch.add(x, x, out=room[:, ::2])
            expect(room, "room")""")
        yield g.case(f"{dt}/out_is_an_input", "backend/S3", f"""
            x = {make}(4, (4, 4), torch.{dt})
            y = {make}(14, (4, 4), torch.{dt})
            torch.mul(x, y, out=y)
            expect(y, "y")""")
        yield g.case(f"{dt}/any_layout", "backend/S4", f"""
            x = {make}(5, (3, 1), torch.{dt}).expand(3, 4)
            expect(torch.add(x, x.t().contiguous().t()), "stride 0")
            y = {make}(6, (4, 6), torch.{dt})[1:, ::3]
            expect(torch.mul(y, y), "offset and step")
            z = {make}(7, (), torch.{dt})
            expect(torch.add(z, z), "no dims")
            e = {make}(8, (0, 3), torch.{dt})
            expect(torch.add(e, e), "no elements")""")
        yield g.case(f"{dt}/checks_before_it_writes", "backend/S5", f"""
            x = {make}(9, (3, 4), torch.{dt})
            i = torch.tensor([[9, 0, 2]])
            y = torch.tensor([[1, 2, 3]], dtype=torch.{dt})
            expect_error(RuntimeError, "gather/C5", torch.gather, x, 1, i, out=y)
            expect(y, "y")""", variants=False)
    for dt in ("float32", "float16"):
        yield g.case(f"{dt}/programs", "backend/S6", f"""
            x = normal(10, (3, 8), torch.{dt})
            expect(F.gelu(x), "gelu")
            expect(F.layer_norm(x, (8,)), "layer_norm")
            expect(torch.matmul(x, x.t()), "matmul")""")
