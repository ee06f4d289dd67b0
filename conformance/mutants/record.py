# SPDX-License-Identifier: Apache-2.0
"""What a run of mutants found, as data and as a page."""
import re
from collections import Counter


def argument_for(mutant, arguments):
    for a in arguments:
        if (a["file"], a["before"], a["after"]) == (mutant.file, mutant.before, mutant.after):
            return a
    for a in arguments:  # of a kind
        found = re.fullmatch(a["before"], mutant.before) if a["file"] == "kinds" else None
        if found and found.expand(a["after"]) == mutant.after:
            return a
    return None


def of_room(name, lines, files, arguments, used):
    out = {"room": name, "files": [], "mutants": []}
    counts = Counter()
    for file, drawn, judged in files:
        counts += drawn
        out["files"].append({"file": file, "lines": lines[file],
                             "judged": len(judged), "killed": drawn["killed"],
                             "survived": drawn["survived"]})
        for m, entry in sorted(judged, key=lambda x: (x[0].line, x[0].after)):
            one = {"key": m.key, "file": m.file, "line": m.line, "rule": m.rule,
                   "before": m.before, "after": m.after, "outcome": entry["outcome"]}
            if entry["outcome"] == "killed":
                one |= {"by": entry["by"], "verdict": entry["verdict"],
                        "cases": len(entry["cases"])}
            else:
                one["told"] = entry.get("told", "")
                a = argument_for(m, arguments)
                if a:
                    used.add(id(a))
                    one |= {"kind": a["kind"], "argument": a["argument"]}
            out["mutants"].append(one)
    judged = counts["killed"] + counts["survived"]
    out |= {"drawn": sum(counts.values()), "invalid": counts["invalid"],
            "same": counts["same"], "words": counts["words"], "duplicate": counts["duplicate"], "judged": judged,
            "killed": counts["killed"], "survived": counts["survived"],
            "rate": round(100 * counts["killed"] / max(1, judged), 1),
            "argued": sum("argument" in m for m in out["mutants"])}
    # The same to every program of the differential run, and argued to be so.
    out["equivalent"] = sum(m.get("kind") == "equivalent" and not m["told"]
                            for m in out["mutants"])
    out["same_to_all"] = sum(m.get("told") == "" for m in out["mutants"])
    out["rate_of_different"] = round(
        100 * (counts["killed"] + out["equivalent"]) / max(1, judged), 1)
    out["verdicts"] = dict(Counter(m["verdict"] for m in out["mutants"] if "verdict" in m))
    return out


def make(args, rooms, rules, labels, zoo, arguments):
    used, killing = set(), Counter()
    found = [of_room(name, *room, arguments, used) for name, room in rooms.items()]
    for _, files in rooms.values():
        for _, _, judged in files:
            for _, entry in judged:
                killing.update({r for c in entry.get("cases", []) for r in rules.get(c, [])})
    by_zoo = of_zoo(zoo, rules)
    return {
        "seed": args.seed, "count": args.count, "asked": args.rooms, "rooms": found,
        "dead_arguments": [f"{a['file']}: {a['before']} -> {a['after']}" for a in arguments
                           if id(a) not in used and a["file"].partition("/")[2].split("/")[0] in rooms
                           and not a.get("may_die")],
        "refuted": [f"{m['file']}:{m['line']} ({m['told']})" for room in found
                    for m in room["mutants"] if m.get("kind") == "equivalent" and m["told"]],
        "zoo": by_zoo,
        "labels": {"all": len(labels), "killing": {r: killing[r] for r in labels if killing[r]},
                   "never": [r for r in labels if not killing[r] and r not in by_zoo["killing"]]},
    }


def of_zoo(zoo, rules):
    """What the members killed prove, by the rules of the case that found each out."""
    by_zoo = Counter()
    for member in zoo:
        by_zoo.update(rules.get(member["by"], []))
    return {"members": len(zoo), "killed": sum(m["killed"] for m in zoo),
            "killing": dict(sorted(by_zoo.items()))}


def again(found, labels, zoo, rules):
    """What is recorded, for the rules and the zoo of today."""
    found["zoo"] = of_zoo(zoo, rules)
    known = found["labels"]
    killing = {r: n for r, n in known.get("killing", {}).items() if r in labels}
    found["labels"] = {"all": len(labels), "killing": killing, "never": [
        r for r in labels if r not in killing and r not in found["zoo"].get("killing", {})]}
    return found


def aimed(found, wanted, killing):
    """Add what mutants aimed at rules came to: their kills count as any mutant's."""
    labels, before = found["labels"], found.get("aimed", {"asked": 0, "tries": 0, "mutants": []})
    new = [{"key": m.key, "file": m.file.removeprefix("build/"), "line": m.line, "rule": m.rule,
            "before": m.before, "after": m.after, "by": entry["by"],
            "verdict": entry["verdict"], "judged": entry["judged"],
            "cases": len(entry["cases"]), "labels": dict(sorted(credit.items()))}
           for m, entry, credit in killing.values()]
    mutants = [m for m in before["mutants"] if m["key"] not in killing] + new
    proved = {r for m in mutants for r in m["labels"]}
    left = {r: t.tries for r, t in wanted.items() if not t.kills}
    found["aimed"] = {
        "asked": len(proved | set(left)), "killed": len(proved), "left": left,
        "tries": before["tries"] + sum(t.tries for t in wanted.values()),
        "mutants": sorted(mutants, key=lambda m: (m["file"], m["line"], m["after"]))}
    for m in new:
        for r in m["labels"]:
            labels["killing"][r] = labels["killing"].get(r, 0) + 1
    labels["never"] = [r for r in labels["never"] if r not in labels["killing"]]


def wrapped(words, width=96):
    line, out = "", []
    for w in words:
        if line and len(line) + 1 + len(w) > width:
            out.append(line)
            line = ""
        line = f"{line} {w}" if line else w
    return out + [line] if line else out


def of_survivor(m):
    told = f" (told apart by the {m['told']})" if m.get("told") else ""
    out = [f"**{m['file']}:{m['line']}**" + (f" — {m['kind']}" if "kind" in m else "") + told, "",
           "```diff"]
    out += [f"-{line}" for line in m["before"].split("\n")]
    out += [f"+{line}" for line in m["after"].split("\n")]
    return out + ["```", ""] + wrapped(m.get("argument", "Not argued.").split()) + [""]


def page(found):
    out = ["# Mutants of the reference", "",
           "One line of the C source changed at a time, by the rules of universalmutator 1.14.1",
           "(`conformance/mutants/requirements.txt`); drawn by seed "
           f"{found['seed']}, in proportion to each file's lines.",
           "A mutant that does not compile, or whose object code is that of the original or of",
           "another mutant, is dropped and the next is drawn; so is one that changes a message's words",
           "alone, which nobody promises. The rest is judged by the golden cases on the C reference, which",
           "has to name the rule by which it refuses; one that fails, dies or hangs is a kill. Made anew by",
           f"`conformance/mutants/run.py {' '.join(found['asked'])} "
           f"{'--rules ' * ('aimed' in found)}--count {found['count']} --seed {found['seed']}`.", ""]
    out += ["A survivor is equivalent where it is argued to be and the differential run over the",
            "programs of `conformance/faults` cannot tell it from the original.", "",
            "| room | drawn | do not compile | same code | words | duplicate | judged | killed | rate |"
            " survived | equivalent | killed or equivalent |",
            "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"]
    for r in found["rooms"]:
        out.append(f"| ref/{r['room']} | {r['drawn']} | {r['invalid']} | {r['same']} | "
                   f"{r['words']} | {r['duplicate']} | {r['judged']} | {r['killed']} | {r['rate']} % | "
                   f"{r['survived']} | {r['equivalent']} | {r['rate_of_different']} % |")
    for r in found["rooms"]:
        verdicts = ", ".join(f"{n} by {v}" for v, n in sorted(r["verdicts"].items()))
        kinds = Counter(m.get("kind", "not argued") for m in r["mutants"]
                        if m["outcome"] == "survived")
        out += ["", f"## ref/{r['room']}", "", f"Killed: {verdicts}. Survivors: "
                + (", ".join(f"{n} {k}" for k, n in sorted(kinds.items())) or "none") + ".", "",
                "| file | lines | judged | killed | survived |", "|---|--:|--:|--:|--:|"]
        out += [f"| {f['file']} | {f['lines']} | {f['judged']} | {f['killed']} | "
                f"{f['survived']} |" for f in r["files"]]
        out += ["", f"### Survivors of ref/{r['room']}", ""]
        for m in r["mutants"]:
            if m["outcome"] == "survived":
                out += of_survivor(m)
    never = found["labels"]["never"]
    if "aimed" in found:
        aimed_at = found["aimed"]
        out += ["", "## Mutants aimed at rules", "",
                f"{aimed_at['asked']} rules had no kill by the faults, the zoo and the mutants above. "
                f"{aimed_at['tries']} further mutants were",
                "aimed at them: of the lines that give the rule's label, then of those that few other cases",
                f"reach. A case of the rule's own, or a unit test that names it, found one out for "
                f"{aimed_at['killed']} of them.", "",
                "| rule | where | change | found out by |", "|---|---|---|---|"]
        best = {}
        for m in aimed_at["mutants"]:
            for r, n in m["labels"].items():
                best[r] = min(best.get(r, (99, 0, "", None)),
                              (len(m["labels"]), -n / m["cases"], m["key"], m), key=lambda x: x[:3])
        out += [f"| {r} | {m['file'].removeprefix('ref/')}:{m['line']} | {m['rule'].replace('|', chr(92) + '|')} | "
                f"{m['by']} |" for r, (*_, m) in sorted(best.items())]
    out += ["", "## Rules whose cases found nothing out", "",
            f"Of {found['labels']['all']} rules, {len(never)} have no case that killed one of the "
            "mutants above or one",
            f"of the {found['zoo']['members']} members of the zoo (`reports/record/zoo.md`). That is no "
            "proof against a rule's",
            "cases, only that nothing here has tried them; the seeded faults (`faults.md`) do not count here.", ""]
    out += wrapped(never)
    return "\n".join(out).rstrip() + "\n"
