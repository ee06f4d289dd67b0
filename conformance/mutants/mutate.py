# SPDX-License-Identifier: Apache-2.0
"""Draw mutants of the C sources and build them: one object (a header: each that includes it)
compiled anew and its library linked with it, beside an existing build."""
import contextlib
import hashlib
import io
import random
import re
import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path

from universalmutator import mutator

RULES = ["universal.rules", "c_like.rules", "c.rules"]
LEVELS = ("-O1", "-Os", "-O3")  # what one of them shows to be the same is the same
STRING = re.compile(r'"(?:\\.|[^"\\])*"')
STRINGS = re.compile(r'""(?:,\s*"")+')
LABEL = re.compile(r'"[a-z][a-z0-9_]*/[SCG]\d+"')
COMMENT = re.compile(r"""//[^\n]*|/\*.*?\*/|("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')""", re.S)


def without_comments(text):
    """The same lines; universalmutator passes over every line that holds a comment."""
    def blank(m):
        return m.group(1) or re.sub(r"[^\n]", " ", m.group(0))
    return "\n".join(line.rstrip() for line in COMMENT.sub(blank, text).split("\n"))


def is_words(before, after):
    """Whether a change is to the words of a message: nobody promises them. The rule's label beside
    them is another matter, the judge demands it of the reference."""
    def code(text):
        return STRINGS.sub('""', STRING.sub('""', text))

    def names(text):
        return {x for x in STRING.findall(text) if x != '""' and " " not in x and "%" not in x}

    after = without_comments(after)
    if LABEL.findall(before) != LABEL.findall(after):
        return False
    if not code(before).strip(' ",') and not after.strip():  # a line of a message, taken out
        return True
    return before != after and code(before) == code(after) and names(after) <= names(before)


def code_lines(text):
    return sum(bool(line.strip()) for line in without_comments(text).split("\n"))


@dataclass
class Mutant:
    file: str  # below the root of the source
    line: int
    rule: str
    before: str
    after: str
    key: str  # of this change to this text of the file
    span: int = 1  # lines that it replaces

    @property
    def words(self):
        return is_words(self.before, self.after)

    @property
    def name(self):
        return f"{self.file}:{self.line}"


def key_of(text, line, span, after):
    parts = (text, str(line), after) if span == 1 else (text, str(line), str(span), after)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def drawn(root, file, seed):
    """Every mutant of a file, in the order in which the seed draws them."""
    text = without_comments((root / file).read_text())
    with contextlib.redirect_stdout(io.StringIO()):
        made = mutator.mutants_regexp(text.splitlines(keepends=True), ruleFiles=RULES,
                                      ignorePatterns=[])
    random.Random(f"{seed}:{file}").shuffle(made)
    lines = text.split("\n")
    for line, after, (rule, _), _ in made:
        before = lines[line - 1]
        yield Mutant(file, line, rule, before.strip(), after.strip(), key_of(text, line, 1, after))


def shares(lines, count):
    """`count` dealt out in proportion to lines, by largest remainder, one each at least."""
    total = sum(lines.values())
    exact = {f: count * n / total for f, n in lines.items()}
    out = {f: max(1, int(x)) for f, x in exact.items()}
    for f in sorted(exact, key=lambda f: (int(exact[f]) - exact[f], f)):
        if sum(out.values()) >= count:
            break
        out[f] += 1
    return out


class Build:
    """The commands of a build folder, and the objects of the unchanged sources to compare with."""

    def __init__(self, root, build, work,
                 targets=("ref/libtouchstone_reference.so", "ref/libtouchstone.so", "touchstone")):
        self.root, self.build, self.work = root, build, work
        self.compile, self.link, self.users, self.plain = {}, {}, {}, {}
        members = {}  # of the archives that a library is linked of
        for library in targets:
            for command in self.ninja("-t", "commands", library).splitlines():
                words = shlex.split(command)
                words = words[words[0].endswith("ccache"):]  # no mutant comes twice
                if "-c" in words:
                    self.compile[words[words.index("-o") + 1]] = words
                elif "-o" in words and words[words.index("-o") + 1] == library:
                    self.link[library] = [o for w in words for o in members.get(w, [w])]
                else:
                    archive = next((i for i, w in enumerate(words) if w.endswith(".a")
                                    and words[i - 1].startswith("csr")), None)
                    if archive:
                        members[words[archive]] = words[archive + 1:]
        object_ = None
        for line in self.ninja("-t", "deps").splitlines():
            if not line.startswith(" "):
                object_ = line.split(":")[0]
            elif line.strip() and object_ in self.compile:
                source = (build / line.strip()).resolve()
                if source.is_relative_to(root):
                    file = source.relative_to(root).as_posix()
                    self.users.setdefault(file, []).append(object_)

    def ninja(self, *args):
        return subprocess.run(["ninja", "-C", self.build, "--quiet", *args], check=True,
                              capture_output=True, text=True).stdout

    def object(self, name, work, file, level=None):
        """Compile one object; with `file` the one changed in `work`. None: it does not compile."""
        words = list(self.compile[name])
        source = words[-1]
        if file and file.endswith(".c"):
            source = work / file
        out = work / name.replace("/", "_")
        words[words.index("-o") + 1] = str(out)
        words[words.index("-MF") + 1] = str(out) + ".d"
        words[-1] = str(source)
        # First in line for "room/file.h"; the same name in the object for every source.
        words[-2:-2] = [f"-ffile-prefix-map={work}/=../", "-g0",
                        "-Werror=implicit-function-declaration", "-Werror=int-conversion",
                        "-Werror=incompatible-pointer-types", "-Werror=return-type"] + ([level] if level else [])
        first = next(i for i, w in enumerate(words) if w.startswith("-I"))
        words.insert(first, f"-I{work}/ref")
        # A file beside the unchanged one is found from here too.
        words.insert(-1, f"-I{(self.build / self.compile[name][-1]).resolve().parent}")
        done = subprocess.run(words, cwd=self.build, capture_output=True)
        return out if done.returncode == 0 else None

    def original(self, name, level=None):
        if (name, level) not in self.plain:
            work = self.work / f"plain{level or ''}"
            work.mkdir(parents=True, exist_ok=True)
            out = self.object(name, work, None, level)
            if not out:
                raise SystemExit(f"{name} does not compile unchanged; build first")
            self.plain[name, level] = out.read_bytes()
        return self.plain[name, level]

    def same_elsewhere(self, mutant, work):
        """Whether another level of optimisation makes the original's code of a made mutant."""
        return any(all(self.object(name, work, mutant.file, level).read_bytes()
                       == self.original(name, level) for name in self.users[mutant.file])
                   for level in LEVELS)

    def check(self, file, work):
        """A copy of the unchanged file has to come to the same code: else no mutant would compile."""
        copy = work / file
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(without_comments((self.root / file).read_text()))
        for name in self.users[file][:3]:
            out = self.object(name, work, file)
            if not out or out.read_bytes() != self.original(name):
                raise SystemExit(f"{file}: a copy does not come to the same code in {name}")

    def make(self, mutant, work):
        """What became of it: None (no such program), or (its code's hash, {library: path}); no
        library: the same code as the original's."""
        lines = without_comments((self.root / mutant.file).read_text()).split("\n")
        lines[mutant.line - 1:mutant.line - 1 + mutant.span] = [mutant.after]
        source = work / mutant.file
        source.parent.mkdir(parents=True, exist_ok=True)
        source.write_text("\n".join(lines))
        changed, code = {}, hashlib.sha256()
        for name in self.users.get(mutant.file, []):
            out = self.object(name, work, mutant.file)
            if not out:
                return None
            if out.read_bytes() != self.original(name):
                changed[name] = out
                code.update(name.encode() + out.read_bytes())
        libraries = {}
        for library, words in self.link.items():
            mine = {n: str(o) for n, o in changed.items() if n in words}
            if not mine:
                continue
            path = work / Path(library).name
            words = [mine.get(w, w) for w in words]
            words[words.index("-o") + 1] = str(path)
            words.append("-Wl,--strip-debug")
            if subprocess.run(words, cwd=self.build, capture_output=True).returncode:
                return None
            libraries[library] = path
        if changed and not libraries:
            raise SystemExit(f"{mutant.file}: no library is linked of {sorted(changed)}")
        return code.hexdigest(), libraries
