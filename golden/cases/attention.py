# SPDX-License-Identifier: Apache-2.0
"""scaled_dot_product_attention, by the fused implementation and by the program (O-16)."""

from calls import Arg, Call

SDPA = "F.scaled_dot_product_attention"
HEADS = {"q": Arg("2 2 M K"), "k": Arg("2 2 N K"), "v": Arg("2 2 N K")}
NOT = ("special", "pairs", "incoming", "zeros", "huge", "hugelast", "subnormal", "faint")
CALLS = [
    Call("scaled_dot_product_attention", f"{SDPA}({{q}}, {{k}}, {{v}})", HEADS, "fused", along=("N", "M", "K"), without=NOT,
         reaches=("_scaled_dot_product_flash_attention_for_cpu",)),
    Call("scaled_dot_product_attention", f"{SDPA}({{q}}, {{k}}, {{v}}, is_causal=True)", HEADS, "causal", along=("N", "M"), without=NOT),
    Call("scaled_dot_product_attention", f"{SDPA}({{q}}, {{k}}, {{v}}, {{w}})", {**HEADS, "w": Arg("M N")}, "program",
         along=("N", "M"), without=NOT),
]
INF, NAN = 'float("inf")', 'float("nan")'


def qkv(dt, seed, q, k=None, v=None):
    k = k or q
    return f"""
            q = normal({seed}, {q}, torch.{dt})
            k = normal({seed + 1}, {k}, torch.{dt})
            v = normal({seed + 2}, {v or k}, torch.{dt})"""


def cases(g):
    for dt in g.FLOAT:
        yield from forwards(g, dt)
        yield from masks(g, dt)
        yield from backwards(g, dt)
    yield from selection(g)
    yield from refusals(g)
    yield from bugs(g)


def forwards(g, dt):
    for what, shapes in {
            "four": ((2, 3, 4, 8), (2, 3, 5, 8)), "three": ((3, 4, 6), (3, 5, 6)), "two": ((4, 8), (5, 8)),
            "five": ((2, 1, 2, 3, 4), (2, 1, 2, 5, 4)), "wider_values": ((2, 2, 3, 4), (2, 2, 5, 4), (2, 2, 5, 6)),
            "narrower_values": ((2, 3, 4), (2, 5, 4), (2, 5, 3)), "one_key": ((1, 2, 3, 4), (1, 2, 1, 4)),
            "one_query": ((1, 2, 1, 4), (1, 2, 5, 4)), "batch_broadcasts": ((1, 2, 3, 4), (3, 2, 5, 4)),
            "ranks_differ": ((2, 3, 4), (3, 2, 5, 4)), "one_head_for_all": ((2, 3, 4, 8), (2, 1, 5, 8))}.items():
        if dt == "float64" and what not in ("four", "two"):
            continue
        yield g.case(f"{dt}/{what}", "attention/S1 attention/S2 attention/S11", f"""{qkv(dt, 10, *shapes)}
            expect({SDPA}(q, k, v), "y")""")
    yield g.case(f"{dt}/scale", "attention/S2", f"""{qkv(dt, 20, (1, 2, 3, 4), (1, 2, 5, 4))}
            expect({SDPA}(q, k, v, scale=1.0), "one")
            expect({SDPA}(q, k, v, scale=-0.5), "negative")
            expect({SDPA}(q, k, v, scale=0.0), "zero")
            expect({SDPA}(q[0, 0], k[0, 0], v[0, 0], scale=2.0), "program")
            expect({SDPA}(q[0, 0], k[0, 0], v[0, 0], scale=-0.5), "program_negative")""", variants=False)
    yield g.case(f"{dt}/causal", "attention/S4", f"""{qkv(dt, 30, (1, 2, 5, 4))}
            expect({SDPA}(q, k, v, is_causal=True), "square")
            expect({SDPA}(q[:, :, :2], k, v, is_causal=True), "fewer_queries")
            expect({SDPA}(q, k[:, :, :2], v[:, :, :2], is_causal=True), "fewer_keys")
            expect({SDPA}(q[:, :, :1], k, v, is_causal=True), "one_query")
            expect({SDPA}(q[0, 0], k[0, 0], v[0, 0], is_causal=True), "program")
            expect({SDPA}(q[0, 0, :2], k[0, 0], v[0, 0], is_causal=True), "program_fewer")
            expect({SDPA}(q[0, 0], k[0, 0, :2], v[0, 0, :2], is_causal=True), "program_fewer_keys")""", variants=False)
    yield g.case(f"{dt}/groups", "attention/S7", f"""{qkv(dt, 40, (1, 4, 3, 4), (1, 2, 5, 4))}
            expect({SDPA}(q, k, v, enable_gqa=True), "two")
            expect({SDPA}(q, k[:, :1], v[:, :1], enable_gqa=True), "one")
            expect({SDPA}(q[0], k[0], v[0], enable_gqa=True), "three_dims")
            expect({SDPA}(q, k, v[..., :3], enable_gqa=True), "program")
            expect({SDPA}(q, k, v[:, :1], enable_gqa=True), "differing")
            expect({SDPA}(q, k, v, is_causal=True, enable_gqa=True), "causal")
            expect({SDPA}(q[:, :2], k, v, enable_gqa=True), "alike")""", variants=False)
    yield g.case(f"{dt}/strides", "attention/S9 attention/S10 attention/S1", f"""
            x = normal(50, (2, 4, 3, 8), torch.{dt})
            q = x.transpose(1, 2)
            y = {SDPA}(q, q, q)
            expect(y, "heads_second")
            expect_strides(y, (96, 8, 24, 1))
            z = {SDPA}(x[0].transpose(0, 1), q[0], q[0])
            expect(z, "three_dims")
            w = {SDPA}(q[..., ::2], q[..., ::2], q)
            expect(w, "program")
            expect_equal(w.is_contiguous(), True)
            u = {SDPA}(q.transpose(-2, -1)[:, :, :4], q[:, :, :, :4], q[:, :, :, :4])
            expect(u, "last_dim_strided")
            t = {SDPA}(q[:, :, ::2], q[:, :1], q[:, :1])
            expect(t, "steps")
            e = {SDPA}(q[:, :, :1].expand(2, 3, 5, 8), q, q)
            expect(e, "expanded")""", variants=False)
    if dt != "float64":
        yield g.case(f"{dt}/dropout", "attention/S12 attention/S9", f"""{qkv(dt, 60, (1, 2, 3, 4), (1, 2, 5, 4))}
            torch.manual_seed(5)
            s = torch.get_rng_state()
            y = {SDPA}(q, k, v, dropout_p=0.0)
            expect_equal(torch.get_rng_state(), s)
            a = {SDPA}(q, k, v, dropout_p=0.5)
            after = torch.rand(2)
            torch.manual_seed(5)
            m = torch.empty(1, 2, 3, 5, dtype=torch.float32).bernoulli_(0.5)
            expect_equal(torch.rand(2), after)
            p = torch.softmax(q.to(torch.float32) @ k.to(torch.float32).transpose(-2, -1) * 0.5, -1)
            w = (p * (m * 2)) @ v.to(torch.float32)
            expect((a.to(torch.float32) - w) * 0 + y.to(torch.float32), "y")
            expect_equal((a.to(torch.float32) - w).abs().amax() < 0.05, torch.tensor(True))
            expect({SDPA}(q, k, v, dropout_p=1.0), "none_left")""", variants=False)


def masks(g, dt):
    for what, shape in {"scores": (3, 5), "row": (1, 5), "column": (3, 1), "one": (1, 1), "heads": (1, 2, 3, 5),
                        "batch": (2, 1, 3, 5), "three_dims": (2, 3, 5), "all": (2, 2, 3, 5)}.items():
        if dt in ("float64", "float16") and what not in ("scores", "batch"):
            continue
        yield g.case(f"{dt}/mask_{what}", "attention/S3 attention/S9", f"""{qkv(dt, 70, (2, 2, 3, 4), (2, 2, 5, 4))}
            w = normal(73, {shape}, torch.{dt})
            b = bools(74, {shape})
            expect({SDPA}(q, k, v, w), "numbers")
            expect({SDPA}(q, k, v, b), "bools")
            expect({SDPA}(q, k, v, w, scale=2.0), "scaled")""", variants=("strided",))
    yield g.case(f"{dt}/mask_of_the_program", "attention/S3", f"""{qkv(dt, 80, (3, 4), (5, 4))}
            w = normal(83, (3, 5), torch.{dt})
            expect({SDPA}(q, k, v, w), "numbers")
            expect({SDPA}(q, k, v, w > 0), "bools")
            expect({SDPA}(q, k, v, w[:1] > 0), "row")""")
    yield g.case(f"{dt}/mask_in_three_dims", "attention/S3 attention/S9", f"""{qkv(dt, 85, (2, 3, 4), (2, 5, 4))}
            w = normal(88, (2, 3, 5), torch.{dt})
            expect({SDPA}(q, k, v, w), "three")
            expect({SDPA}(q, k, v, w[:1]), "one")
            expect({SDPA}(q, k, v, w[0] > 0), "two")
            expect({SDPA}(q, k, v, w.unsqueeze(0)), "four")""", variants=False)
    if dt in ("float16", "bfloat16"):
        yield g.case(f"{dt}/mask_float32", "attention/S3", f"""{qkv(dt, 90, (2, 2, 3, 4), (2, 2, 5, 4))}
            w = normal(93, (3, 5), torch.float32)
            expect({SDPA}(q, k, v, w), "fused")
            expect({SDPA}(q[0, 0], k[0, 0], v[0, 0], w), "program")""")
    yield g.case(f"{dt}/fully_masked_rows", "attention/S5", f"""{qkv(dt, 94, (1, 2, 4, 4), (1, 2, 5, 4))}
            b = torch.tensor([[True, False, True, True, False], [False, False, False, False, False],
                              [False, False, False, False, True], [False, False, False, False, False]])
            w = torch.where(b, torch.full((4, 5), 0.5, dtype=torch.{dt}), torch.full((4, 5), -{INF}, dtype=torch.{dt}))
            expect({SDPA}(q, k, v, b), "bools")
            expect({SDPA}(q, k, v, w), "numbers")
            expect({SDPA}(q[0, 0], k[0, 0], v[0, 0], b), "program")
            expect({SDPA}(q, k, v, b[1:2]), "nothing")
            q.requires_grad_()
            k.requires_grad_()
            v.requires_grad_()
            y = {SDPA}(q, k, v, b)
            gq, gk, gv = autograd.grad(y, (q, k, v), normal(97, (1, 2, 4, 4), torch.{dt}))
            expect(gq, "gq")
            expect(gk, "gk")
            expect(gv, "gv")
            z = {SDPA}(q[0, 0], k[0, 0], v[0, 0], b)
            hq, hk, hv = autograd.grad(z, (q, k, v), normal(98, (4, 4), torch.{dt}))
            expect(hq, "hq")
            expect(hk, "hk")
            expect(hv, "hv")""", variants=False)
    yield g.case(f"{dt}/nan_at_a_masked_key", "attention/S6", f"""{qkv(dt, 100, (1, 1, 2, 4), (1, 1, 3, 4))}
            b = torch.tensor([[True, True, False], [True, False, False]])
            k = k.clone()
            k[0, 0, 2] = {NAN}
            expect({SDPA}(q, k, v, b), "fused")
            expect({SDPA}(q[0, 0], k[0, 0], v[0, 0], b), "program")
            expect({SDPA}(q, k[:, :, :2], v[:, :, :2], b[:, :2]), "without")
            u = v.clone()
            u[0, 0, 2, 1] = {NAN}
            expect({SDPA}(q, q.expand(1, 1, 2, 4), u[:, :, 1:], b[:, 1:]), "value")""", variants=False)


def backwards(g, dt):
    for what, shapes, more in (("fused", ((2, 2, 3, 4), (2, 2, 5, 4)), ""), ("three", ((2, 3, 4), (2, 5, 4)), ", is_causal=True"),
                               ("groups", ((1, 4, 3, 4), (1, 2, 5, 4)), ", enable_gqa=True"),
                               ("one_head", ((1, 3, 2, 4), (1, 1, 5, 4)), ", scale=-0.5"),
                               ("program", ((3, 4), (5, 4)), ", is_causal=True"),
                               ("program_groups", ((1, 4, 3, 4), (1, 2, 5, 4), (1, 2, 5, 3)), ", enable_gqa=True")):
        yield g.case(f"{dt}/backward_{what}", "attention/G1" if "program" in what else "attention/G2", f"""{qkv(dt, 110, *shapes)}
            q.requires_grad_()
            k.requires_grad_()
            v.requires_grad_()
            y = {SDPA}(q, k, v{more})
            y.backward(normal(113, y.shape, torch.{dt}))
            expect(q.grad, "q")
            expect(k.grad, "k")
            expect(v.grad, "v")""", variants=("transposed",) if dt != "float64" else False)
    yield g.case(f"{dt}/backward_mask", "attention/G1", f"""{qkv(dt, 120, (2, 2, 3, 4), (2, 2, 5, 4))}
            w = normal(123, (1, 2, 1, 5), torch.{dt}).requires_grad_()
            q.requires_grad_()
            y = {SDPA}(q, k, v, w)
            y.backward(normal(124, y.shape, torch.{dt}))
            expect(q.grad, "q")
            expect(w.grad, "w")""")
    if dt == "float32":
        yield g.case(f"{dt}/gradient_layouts", "attention/G2", f"""{qkv(dt, 130, (2, 3, 4, 8), (2, 3, 5, 8))}
            q.requires_grad_()
            k.requires_grad_()
            v.requires_grad_()
            gq, gk, gv = autograd.grad({SDPA}(q, k, v), (q, k, v), normal(133, (2, 3, 4, 8)))
            expect_strides(gq, (96, 8, 24, 1))
            expect_strides(gk, (120, 8, 24, 1))
            expect_strides(gv, (120, 8, 24, 1))
            hq, hk, hv = autograd.grad({SDPA}(q[0, 0], k[0, 0], v[0, 0]), (q, k, v), normal(134, (4, 8)))
            expect(hq, "hq")
            expect(hk, "hk")""", variants=False)
    if dt in ("float64", "float32"):
        yield g.case(f"{dt}/double_backward", "attention/G1 attention/C11", f"""{qkv(dt, 140, (3, 4), (5, 4))}
            q.requires_grad_()
            k.requires_grad_()
            v.requires_grad_()
            gq, gk, gv = autograd.grad({SDPA}(q, k, v).sum(), (q, k, v), create_graph=True)
            ((gq * gq).sum() + (gk * gk).sum()).backward()
            expect(q.grad, "q")
            expect(k.grad, "k")
            y = {SDPA}(q.view(1, 1, 3, 4), k.view(1, 1, 5, 4), v.view(1, 1, 5, 4))
            (z,) = autograd.grad(y.sum(), (q,), create_graph=True)
            expect_equal(z.requires_grad, True)
            expect_error(RuntimeError, "attention/C11", z.sum().backward)""", variants=False)


def selection(g):
    for dt in ("float32", "float16"):
        yield g.case(f"{dt}/nothing", "attention/S8", f"""{qkv(dt, 150, (1, 2, 3, 4), (1, 2, 0, 4))}
            q.requires_grad_()
            y = {SDPA}(q, k, v)
            expect(y, "keys")
            y.sum().backward()
            expect(q.grad, "q")
            expect({SDPA}(q[0, 0], k[0, 0], v[0, 0]), "two_dims")
            expect({SDPA}(q[0], k[0], v[0], is_causal=True), "three_dims")
            expect({SDPA}(q[:, :, :0], q, q), "queries")
            expect({SDPA}(q[:0], q[:0], q[:0]), "batches")
            expect({SDPA}(q[..., :0], q[..., :0], q[..., :0]), "features")
            expect({SDPA}(q, k, v, torch.zeros(3, 0, dtype=torch.bool)), "masked")""", variants=False, trivial="zeros")
        yield g.case(f"{dt}/both_agree", "attention/S9", f"""{qkv(dt, 160, (1, 2, 4, 8), (1, 2, 6, 8))}
            expect({SDPA}(q, k, v), "fused")
            expect({SDPA}(q[0, 0], k[0, 0], v[0, 0]), "program")
            expect({SDPA}(q[0, :1], k[0, :1], v[0, :1]), "fused_in_three")
            w = torch.zeros(4, 6, dtype=torch.{dt}, requires_grad=True)
            expect({SDPA}(q, k, v, w), "program_of_a_mask_that_learns")
            expect({SDPA}(q, k, v, w.detach()), "masked")""")


def refusals(g):
    yield g.case("float32/refused", " ".join(f"attention/C{n}" for n in (1, 2, 3, 4, 5)), f"""{qkv("float32", 170, (2, 3, 4, 8), (2, 3, 5, 8))}
            b = torch.ones(4, 5, dtype=torch.bool)
            expect_error(RuntimeError, "attention/C1", {SDPA}, q, k.to(torch.float16), v)
            expect_error(RuntimeError, "attention/C1", {SDPA}, q, k, v.to(torch.float64))
            expect_error(RuntimeError, "attention/C2", {SDPA}, q[0, 0, 0], k, v)
            expect_error(RuntimeError, "attention/C2", {SDPA}, q, k[0, 0, 0], v)
            expect_error(RuntimeError, "attention/C3", {SDPA}, q, k, v, b.to(torch.float64))
            expect_error(RuntimeError, "attention/C3", {SDPA}, q, k, v, b.to(torch.int64))
            expect_error(RuntimeError, "attention/C3", {SDPA}, q, k, v, b.to(torch.float16))
            expect_error(RuntimeError, "attention/C4", {SDPA}, q, k, v, b, 0.0, True)
            expect_error(IndexError, "attention/C5", {SDPA}, q, k, v, b[0])
            expect_error(IndexError, "attention/C5", {SDPA}, q, k, v, b[0, 0])""")
    yield g.case("float32/groups_refused", "attention/C6 attention/C7", f"""{qkv("float32", 175, (2, 4, 3, 4), (2, 3, 5, 4))}
            expect_error(RuntimeError, "attention/C7", {SDPA}, q, k, v, enable_gqa=True)
            expect_error(RuntimeError, "attention/C7", {SDPA}, k, q, q, enable_gqa=True)
            expect_error(RuntimeError, "attention/C7", {SDPA}, q, k[:, :2], v, enable_gqa=True)
            expect_error(IndexError, "attention/C6", {SDPA}, q[0, 0], k[0, 0], v[0, 0], enable_gqa=True)
            expect_error(RuntimeError, "matmul/C3", {SDPA}, q, k[:, :2], v[:, :2])""")
    yield g.case("float32/sizes_refused", "matmul/C2 add/C1 matmul/C3", f"""{qkv("float32", 180, (2, 3, 4, 8), (2, 3, 5, 8))}
            expect_error(RuntimeError, "matmul/C2", {SDPA}, q, k[..., :7], v)
            expect_error(RuntimeError, "matmul/C2", {SDPA}, q[0, 0], k[0, 0], v[0, 0, :4])
            expect_error(RuntimeError, "matmul/C3", {SDPA}, q, k[:, :2], v)
            expect_error(RuntimeError, "add/C1", {SDPA}, q, k, v, torch.zeros(4, 6))
            expect_error(RuntimeError, "add/C1", {SDPA}, q, k, v, torch.zeros(2, 5))
            expect_error(RuntimeError, "add/C1", {SDPA}, q, k, v, torch.zeros(2, 4, 5))""")
    yield g.case("float32/dropout_refused", "attention/C8 dropout/C2", f"""{qkv("float32", 185, (2, 3, 4, 8), (2, 3, 5, 8))}
            expect_error(RuntimeError, "attention/C8", {SDPA}, q, k, v, None, -0.1)
            expect_error(RuntimeError, "attention/C8", {SDPA}, q, k, v, dropout_p={NAN})
            expect_error(RuntimeError, "dropout/C2", {SDPA}, q, k, v, dropout_p=1.5)""")
    for dt in (*g.INT, "bool"):
        made = "bools(1, (2, 3, 4))" if dt == "bool" else f"integers(1, (2, 3, 4), torch.{dt}, 0, 5)"
        yield g.case(f"{dt}/refused", "attention/C9", f"""
            x = {made}
            expect_error(RuntimeError, "attention/C9", {SDPA}, x, x, x)
            expect_error(RuntimeError, "attention/C9", {SDPA}, x[0], x[0], x[0])""")
    for dt in g.FLOAT8:
        yield g.case(f"{dt}/refused", "attention/C10", f"""
            x = normal(1, (2, 3, 4), torch.{dt})
            expect_error(NotImplementedError, "attention/C10", {SDPA}, x, x, x)""")


def bugs(g):
    """What public faults were about."""
    yield g.case("float32/permuted_heads", "attention/S9 attention/S10", f"""
        x = normal(1, (84, 3, 3, 64))
        q = x.permute(0, 2, 1, 3)
        y = {SDPA}(q, q, q)
        expect(y.flatten()[::499], "y")
        expect_equal(y.stride(), "stride")
        z = {SDPA}(q.contiguous(), q.contiguous(), q.contiguous())
        expect(z.flatten()[::499], "z")""", variants=False)
    yield g.case("float32/eight_half_masked", "attention/S5", f"""
        q = normal(2, (1, 1, 8, 8))
        b = (torch.arange(8) < 4).view(8, 1).expand(8, 8)
        expect({SDPA}(q, q, q, b), "fused")
        c = b & (torch.arange(8).view(8, 1) >= torch.arange(8) + 1)
        expect({SDPA}(q, q, q, c), "joint")""", variants=False)
    yield g.case("float32/causal_alignment", "attention/S4", f"""
        q = normal(3, (1, 1, 4, 4))
        k = normal(4, (1, 1, 8, 4))
        y = {SDPA}(q[:, :, :1], k, k, is_causal=True)
        expect(y, "one")
        expect(k[:, :, :1], "first")
        expect({SDPA}(q, k, k, is_causal=True), "four")""")
