# SPDX-License-Identifier: Apache-2.0
"""What a run of faults found, as data and as a page."""
import json
from collections import Counter

import catalog


def share(part, whole):
    return round(100 * part / whole, 1) if whole else 100.0


def table(results, key):
    """{key: {judged, killed, allowed, unseen, rate}} in order."""
    out = {}
    for fault, entry in results:
        row = out.setdefault(key(fault), Counter())
        row["judged"] += 1
        row["killed"] += entry["outcome"] == "killed"
        row["own"] += bool(entry.get("own"))
        if entry["outcome"] == "survived":
            row[entry.get("argued", "unargued")] += 1
    for row in out.values():
        row["survived"] = row["judged"] - row["killed"]
    return {k: dict(v, rate=share(v["killed"], v["judged"]),
                    rate_of_wrong=share(v["killed"], v["judged"] - v["allowed"]))
            for k, v in out.items()}


def make(args, drawn, told, results, rules):
    killing = Counter()
    for _, entry in results:
        killing.update({r for c in entry.get("cases", []) for r in rules.get(c, [])})
    kinds = table(results, lambda f: f.kind)
    survived = [e for _, e in results if e["outcome"] == "survived"]
    killed, allowed = len(results) - len(survived), sum(e.get("argued") == "allowed" for e in survived)
    return {
        "seed": args.seed, "each": args.each, "drawn": len(drawn), "judged": len(results),
        "same": [f.text for f in drawn if not told[f.text]], "killed": killed,
        "survived": len(survived), "allowed": allowed, "rate": share(killed, len(results)),
        "rate_of_wrong": share(killed, len(results) - allowed),
        "meaning": catalog.KINDS, "kinds": {k: kinds[k] for k in catalog.KINDS if k in kinds},
        "ops": dict(sorted(table(results, lambda f: f.op).items())),
        "killing": dict(sorted(killing.items())),
        "faults": [{"fault": f.text, "kind": f.kind, "told": told[f.text],
                    "outcome": e["outcome"],
                    **({"by": e["by"], "verdict": e["verdict"], "own": e["own"],
                        "cases": len(e["cases"])} if e["outcome"] == "killed" else
                       {k: e[k] for k in ("argued", "argument") if k in e})}
                   for f, e in results],
    }


SUMMED = ("drawn", "judged", "killed", "rate")


def before(path):
    """What the first record said, which a later one keeps; None where there is no record yet."""
    if not path.exists():
        return None
    old = json.loads(path.read_text())
    kinds = {k: {n: row[n] for n in ("judged", "killed", "rate")} for k, row in old["kinds"].items()}
    return old.get("before") or {**{n: old[n] for n in SUMMED}, "kinds": kinds}


def as_json(found):
    """A line for every fault: what changed is what a reader of the difference sees."""
    head = {k: v for k, v in found.items() if k != "faults"}
    lines = ",\n".join("  " + json.dumps(f, sort_keys=True) for f in found["faults"])
    return json.dumps(head, indent=1, sort_keys=True)[:-2] + ',\n "faults": [\n' + lines + "\n ]\n}\n"


def row(name, r, old=None):
    """Of a kind or an op; old: how many the first record found out of how many."""
    more = "" if old is None else f" {old['killed']} of {old['judged']}: {old['rate']} % |" if old else " – |"
    return (f"| {name} | {r['judged']} | {r['killed']} | {r['rate']} % | {r.get('allowed', 0)} | "
            f"{r['survived'] - r.get('allowed', 0)} |{more}")


HEAD = ["found out | rate | allowed | missed |", "--:|--:|--:|--:|"]


def page(found):
    out = ["# Faults", "",
           "Kernels of the reference with one fault each, drawn by seed "
           f"{found['seed']} for every op and kind and",
           "judged by the golden cases. A fault that a differential run over the corpus and programs of",
           "its own cannot tell from the reference is dropped. Allowed: the contract leaves it open;",
           "missed: a case could see it, none does. Made anew by",
           f"`conformance/faults/run.py --seed {found['seed']} --each {found['each']}`.", "",
           f"{found['drawn']} drawn, {len(found['same'])} of them the same as the reference; "
           f"{found['judged']} judged, {found['killed']} found out: {found['rate']} %, or",
           f"{found['rate_of_wrong']} % of what the contract does not allow.", ""]
    old = found.get("before")
    if old:
        out += [f"Before the golden data was mended by what survived: {old['killed']} of {old['judged']}, "
                f"{old['rate']} %.", ""]
    out += ["| kind | faults | " + HEAD[0] + (" before |" if old else ""),
            "|---|--:|" + HEAD[1] + ("---|" if old else "")]
    out += [row(k, r, old and old["kinds"].get(k, {})) for k, r in found["kinds"].items()]
    out += ["", "| kind | what it is |", "|---|---|"]
    out += [f"| {k} | {catalog.KINDS[k]} |" for k in found["kinds"]]
    out += ["", "## By op", "", "| op | faults | " + HEAD[0], "|---|--:|" + HEAD[1]]
    out += [row(f"`{k}`", r) for k, r in found["ops"].items()]
    groups = {}
    for f in found["faults"]:
        if f["outcome"] == "survived":
            groups.setdefault((f.get("argued", "not argued"), f.get("argument", "")), []).append(f)
    out += ["", "## Survivors", ""]
    for (kind, text), some in sorted(groups.items(), key=lambda g: (g[0][0], -len(g[1]))):
        out += [f"**{len(some)} {kind}.** {' '.join(text.split())}".rstrip(), ""]
        out += [f"- `{f['fault']}`" + (", which changes nothing in the corpus"
                                       if f["told"] == "programs" else "") for f in some] + [""]
    return "\n".join(out).rstrip() + "\n"
