#!/usr/bin/env python3
"""What `detshim patch` runs: docs/PATCH.md. Its arguments: a file with what a log says, and names.json.

Writes what no edit mends, a line each; a zero byte; a unified diff.
"""
import ast
import collections
import difflib
import itertools
import json
import os
import re
import sys
import tokenize

NAMES = json.loads(sys.argv[2])
READERS = set(NAMES["readers"] + NAMES["blobs"])
WORD, KERNEL, FOLDER = r"[^\W_]\w*", "without a seed it takes one from the kernel", "reads a folder, whose entries come in no fixed order: sort them"
SCOPES, LOOPS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda), (ast.For, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda)
A_READING = "this seed is another one in each run: it comes from a clock, an id or the kernel"


def takes_seed(name):
    """A name that says that it takes, or is, a seed; and not when something was seeded."""
    last = name.split(".")[-1]
    return last in NAMES["seeded"] or bool(re.search("seed|random_state", last, re.I) and not re.search("time|start|stamp|seeded|seeding", last, re.I))


class Source:
    """A file of the user's, and how it is to be changed."""
    named = set() # of all files: how variables, options and fields are called whose seed is mended where it is made; `holders`: by variable, those edits

    def __init__(self, path, encoding, seeds):
        with open(path, "rb") as file:
            self.text = file.read().decode(encoding)
        self.shown, self.encoding, self.all_seeds, self.edits, self.touched, self.refused = os.path.relpath(path), encoding, seeds, {}, set(), {}
        self.holders, self.starts = collections.defaultdict(set), [int(self.text.startswith("\ufeff"))] + [end.end() for end in re.finditer(r"\r\n|\n|\r", self.text)]

    def edit(self, begin, end, text=None, reason=A_READING, if_often=""):
        """`text`: None for a seed, which also stands for a "\0" in it. `if_often`: what it is for several calls; "": nothing serves; None: the same."""
        self.touched.add((begin, end))
        return bool(self.edits.setdefault((begin, end), [text, reason, collections.defaultdict(dict), if_often]))

    def mend(self, line, cause, called, call):
        """True if an edit in that line mends it, or none is needed. `called`: what it led into; `cause`: "folder", "reading", "clock" (uncounted) or "value" (read elsewhere)."""
        self.touched, self.passed, self.is_lazy = set(), call["seeds"] or (), any(re.search("-packages/.* __getattr__$", frame) for frame in call["frames"]) # as an import
        is_mended = self.mend_line(line, cause, called)
        for place in self.touched: # of several draws in a line nobody says which is which
            share, shares = 1 / (len(self.touched) + sum(one.lineno == line and not text for one, text in self.refused.items())), self.edits[place][2][call["function"]]
            shares.update(dict.fromkeys(self.passed, share) or {"": shares.get("", 0) + (call["count"], 1)[self.is_lazy] * share})
        return is_mended

    def places(self):
        """The edits by their lines."""
        return [(sum(start <= place[0] for start in self.starts), place, edit) for place, edit in sorted(self.edits.items())]

    def changed(self):
        """The text with the edits; of those that overlap, the first. A variable has one seed, all else one each."""
        result, done = "", 0
        for _, (begin, end), (text, *_) in self.places():
            if begin >= done:
                old = self.text[begin:end]
                result += self.text[done:begin] + re.sub("\0", lambda _: str(self.all_seeds[old if re.fullmatch(r"[\w.]+", old) and not text else (self, begin)]), text or "\0")
                done = end
        return result + self.text[done:]


class CppSource(Source):
    """Statements are read by patterns: a seed is an argument of what takes one, or is assigned to what is called so."""
    QUOTED = re.compile(r"""//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)'(?:\\.|[^'\\\n])*'""", re.S)
    NESTED = r"[^(){};]*"
    for _ in range(4):
        NESTED = rf"(?:[^(){{}};]|\({NESTED}\)|\{{{NESTED}\}})*"
    TAKER = re.compile(rf"\b(?:m_)?(?:{'|'.join(NAMES['seeded'])}|\w*[Ss]eed\w*)(?:\s+\w+)?\s*[({{]({NESTED})[)}}]|\b\w*[Ss]eed\w*\s*=(?!=)({NESTED})(?=;)")
    OTHERS = re.compile(r"(?<![\w:.<])(?!unsigned|int|long)[A-Za-z_]\w*\b(?!\s*[(<>:{])|str|\?") # variables, texts, conditions

    def __init__(self, path, seeds):
        super().__init__(path, "latin-1", seeds)
        self.code = self.QUOTED.sub(lambda found: "\1" * len(found[0]), self.text)
        self.readers = set(NAMES["readers"]) | set(re.findall(r"\brandom_device\s+(\w+)", self.code))

    def mend_line(self, line, cause, called):
        names = "|".join(map(re.escape, self.readers | ({called} if called else set())))
        reading = re.compile(rf"(?:\w+(?:::|\.|->))*\b(?:{names})(?:\{{\}})?\({self.NESTED}\)(?:(?:\.|->)\w+(?:\({self.NESTED}\))?)*")
        if line > len(self.starts):
            return False
        begin = max(self.code.rfind(end, 0, self.starts[line - 1]) for end in ";}") + 1
        last = len(self.code[:(self.starts + [len(self.text)])[line]].rstrip(" \t\r\n\1")) - 1
        end = min([at + 1 for at in map(self.code.find, ";{}", [last] * 3) if at >= 0], default=len(self.code))
        mended = False
        for found in self.TAKER.finditer(self.code, begin, end) if cause != "folder" else ():
            words = re.findall(r"\w+", re.split("[({=]", found[0])[0])
            if not any(map(takes_seed, words)):
                continue
            for part in re.finditer(rf"(?:[^(){{}},]|\({self.NESTED}\)|\{{{self.NESTED}\}})+", found[1] or found[2] or ""):
                at, text = found.start(1 if found[1] else 2) + part.start() + len(part[0]) - len(part[0].lstrip()), part[0].strip()
                parts = [one.span() for one in reading.finditer(text) if "now" not in one[0] or "count" in one[0]]
                is_alone = not self.OTHERS.search(reading.sub("", text))
                if cause == "value" and self.named & set(re.findall(r"\w+", text)):
                    self.touched, mended, parts = self.touched | self.holders[text], True, []
                elif (parts and is_alone) or (cause == "value" and ((is_alone and "(" in text) or self.holds(reading, text))):
                    parts = [(0, len(text))]
                if parts and not (cause == "clock" and self.is_repeated(at)):
                    self.named.add(words[-1])
                    self.holders[words[-1]].update((at + first, at + last) for first, last in parts)
                    mended |= all([self.edit(at + first, at + last) for first, last in parts])
        return mended

    def holds(self, reading, text):
        """True of a variable to which only readings give a value."""
        name = re.match(r"\w*", text)[0]
        given = [one[1] for one in re.finditer(rf"\b{name}\s*(?:=(?!=)|[({{])({self.NESTED})(?=[;)}}])", self.code) if one[1].strip()]
        given += [one[0] for one in reading.finditer(self.code) if re.search(rf"&\s*{name}\b", one[0])]
        return bool(given and re.fullmatch(r"[A-Za-z_]\w*(?:(?:\.|->)\w+)*", text)) and all(reading.search(one) and not self.OTHERS.search(reading.sub("", one)) for one in given)

    def is_repeated(self, at):
        """True in a loop."""
        text = self.code[:at]
        while text != (text := re.sub(r"\{[^{}]*\}", ";", text)):
            continue
        return any(re.search(r"\b(?:do|(?:for|while)\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))[^;{}]*$", part) for part in text.split("{"))


class PythonSource(Source):
    def __init__(self, path, seeds):
        with open(path, "rb") as file:
            super().__init__(path, tokenize.detect_encoding(file.readline)[0].replace("-sig", ""), seeds) # a byte-order mark is kept
        self.tree = ast.parse(self.text[self.starts[0]:])
        self.parents = {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}
        self.calls = {node.func: node for node in self.parents if isinstance(node, ast.Call)}
        self.in_texts = {one for node in self.parents if isinstance(node, ast.JoinedStr) for one in ast.walk(node) if one is not node} # no places before 3.12
        self.imports, self.bound = {}, collections.defaultdict(list)
        for node in self.parents:
            if isinstance(node, (ast.arg, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) or isinstance(getattr(node, "ctx", None), ast.Store):
                self.bound[next(self.around(node, SCOPES + (ast.ClassDef,)), self.tree), getattr(node, "id", getattr(node, "arg", getattr(node, "name", "")))].append(node)
            for name in node.names if isinstance(node, (ast.Import, ast.ImportFrom)) else ():
                module = (node.module or "") + "." if isinstance(node, ast.ImportFrom) else ""
                whole = name.name if module or name.asname else name.name.split(".")[0]
                self.imports[name.asname or whole] = module + whole
        self.names = {name for _, name in self.bound} | self.imports.keys()

    def span(self, node):
        """Columns count bytes of UTF-8."""
        places = (self.starts[node.lineno - 1], node.col_offset), (self.starts[node.end_lineno - 1], node.end_col_offset)
        return tuple(start + len(self.text[start:start + column].encode()[:column].decode(errors="ignore")) for start, column in places)

    def segment(self, node):
        return self.text[slice(*self.span(node))]

    def around(self, node, kinds):
        while node := self.parents.get(node):
            if isinstance(node, kinds):
                yield node

    def scope(self, node):
        """The function whose own that name is, else the module."""
        return next((one for one in self.around(node, SCOPES) if (one, getattr(node, "id", None)) in self.bound), self.tree)

    def full(self, node):
        """As imports tell it: "numpy.random.seed"; of a method of an expression, or of a variable with an import's name, ".iterdir"."""
        if isinstance(node, ast.Name):
            values = [getattr(self.parents[one], "value", None) or one for one in self.bound.get((self.tree, node.id), ()) if node.id in self.imports]
            is_own = any(not isinstance(one, ast.Constant) and one.end_lineno < node.lineno for one in values)
            return "." + node.id if is_own else self.imports.get(node.id, node.id)
        return self.full(node.value) + "." + node.attr if isinstance(node, ast.Attribute) else ""

    def calls_at(self, line):
        return [(call, self.full(call.func)) for call in self.calls.values() if call.lineno <= line <= call.func.end_lineno]

    def seed_around(self, node):
        """The smallest expression around it that is a seed by where it stands, a text with the names of what holds it, and the variables among that."""
        while not isinstance(node, ast.stmt):
            inner, node = node, self.parents[node]
            if isinstance(node, ast.keyword):
                options = (node.arg or "") if node.arg != "default" else " ".join(map(self.segment, self.parents[node].args)).replace("-", "_")
                if any(map(takes_seed, options.split())):
                    return inner, options, []
                if takes_seed(self.full(self.parents[node].func)):
                    break
            elif (isinstance(node, ast.Call) and inner in node.args and takes_seed(self.full(node.func))) or (
                    isinstance(node, ast.Return) and takes_seed(next(self.around(node, SCOPES)).name)):
                return inner, "", []
            elif isinstance(node, ast.Dict) and inner in node.values and takes_seed(key := self.segment(node.keys[node.values.index(inner)] or node)):
                return inner, key, []
            elif isinstance(node, (ast.Assign, ast.AnnAssign, ast.NamedExpr)):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                if all(not isinstance(target, (ast.Tuple, ast.List)) and takes_seed(self.segment(target)) for target in targets):
                    return inner, " ".join(map(self.segment, targets)), targets
        return None, "", []

    def mend_line(self, line, cause, called):
        mended = False
        for call, full in self.calls_at(line):
            last = full.split(".")[-1]
            if cause == "folder" and call not in self.in_texts:
                mended |= self.sort(call, NAMES["sorted"].get(full) or NAMES["sorted"].get("." + last))
            elif cause == "value":
                mended |= takes_seed(full) and call not in self.in_texts and bool(call.args + call.keywords) and self.replace_value(call)
            elif cause != "folder":
                kinds = [kind for (_, name), nodes in self.bound.items() if name == last for kind in nodes]
                is_open = any(isinstance(one, (ast.If, ast.IfExp, ast.BoolOp)) for kind in kinds for one in ast.walk(kind)) # what else may it give?
                mended |= (last in READERS or (last == called and not is_open)) and self.replace_reading(call, last, cause)
                bases = {self.full(base) for kind in kinds for base in getattr(kind, "bases", ())}
                if cause == "reading" and not self.passed and call not in self.in_texts and full in NAMES["makers"]:
                    mended |= self.give_seed(call, full)
                elif cause == "reading" and not self.passed and not call.args + call.keywords and (last == "seed" or {full, *bases} & NAMES["makers"].keys()):
                    self.refused[call] = ""
        return mended

    def sort(self, call, around):
        above, (begin, end), full = self.parents[call], self.span(call), self.full(call.func)
        taker = self.full(above.func) if isinstance(above, ast.Call) and above.args == [call] else ""
        is_taken = isinstance(above, (ast.For, ast.comprehension)) or taker in ("list", "tuple", "enumerate", "sorted")
        is_tie = taker == "sorted" and not re.search("name|path|str", " ".join(self.segment(one.value) for one in above.keywords if one.arg == "key") or "str")
        is_done = bool(around) and not is_tie and taker in {"sorted", "len", "set"} - self.names
        if not around or is_done or {"sorted", "iter"} & self.names or full == "os.walk" and (call.keywords or call.args[1:]) or not (is_taken or around[0] == "sorted(") and (
                isinstance(above, (ast.withitem, ast.Attribute)) or full == "os.scandir" or isinstance(above, ast.Assign) and self.segment(above.targets[0]) + ".close" in self.text):
            return is_done or bool(around and not self.refused.setdefault(call, FOLDER))
        before, behind = (around[0][5:], around[1][:-1]) if is_taken and around[0].startswith("iter(") else around
        return all([self.edit(at, at, text, "the entries of a folder come in no fixed order", None) for at, text in ((begin, before), (end, behind))])

    def give_seed(self, call, full):
        if full == "torch.seed" and not isinstance(self.parents[call], ast.Expr) or self.is_lazy and any(self.around(call, LOOPS)):
            return bool(self.refused.setdefault(call, ""))
        given = call.args + [keyword.value for keyword in call.keywords]
        called = [self.full(one.func).split(".")[-1] for value in given for one in ast.walk(value) if isinstance(one, ast.Call)]
        often = self.segment(call.func.value) + "." + NAMES["makers"][full] if isinstance(call.func, ast.Attribute) and NAMES["makers"][full] else ""
        nones = [one for one in given if isinstance(one, ast.Constant) and one.value is None]
        begin, end = self.span((nones + given)[0]) if given else (self.span(call)[1] - 1,) * 2
        if len(given) == 1 and not called and not isinstance(given[0], ast.Constant) and not (full.endswith(".seed") and self.is_lazy):
            otherwise = f" if {self.segment(given[0])} is None else {self.segment(given[0])}"
            return self.edit(begin, end, "\0" + otherwise, KERNEL, often and often + otherwise)
        if given and not nones:
            return bool(called and not READERS & set(called) and self.refused.setdefault(call, ""))
        if full == "torch.seed":
            return self.edit(self.span(call.func)[1] - 4, end + 1, "manual_seed(\0)", KERNEL)
        return self.edit(begin, end, None, KERNEL, often)

    def readings(self, value, also):
        """The readings in an expression; and whether nothing else can give the value."""
        inside, parts = list(ast.walk(value)), []
        for one in inside:
            if isinstance(one, ast.Call) and self.full(one.func).split(".")[-1] in READERS | {also}:
                while one is not value and (isinstance(above := self.parents[one], ast.Attribute) or one in self.calls or self.full(getattr(above, "func", above)).endswith("from_bytes")):
                    one = above
                parts.append(one)
        plain = [one.func for one in inside if isinstance(one, ast.Call) and self.full(one.func).split(".")[-1] in NAMES["numbers"] + NAMES["texts"]]
        known = {node for one in parts + plain for node in ast.walk(one)}
        return parts, parts and not any(isinstance(one, (ast.Name, ast.BoolOp, ast.IfExp)) and one not in known for one in inside)

    def replace_reading(self, call, last, cause):
        slot, text, variables = self.seed_around(call)
        if slot is None or slot in self.in_texts or any(call in ast.walk(one) for one in ast.walk(slot) if isinstance(one, LOOPS)) or (
                cause == "clock" and any(self.around(slot, LOOPS))):
            return False
        parts, is_alone = self.readings(slot, last)
        above = self.parents[slot]
        takes_all = isinstance(above, ast.Call) and (self.full(above.func) in NAMES["makers"] or self.full(above.func).split(".")[-1] in NAMES["seeded"])
        if is_alone and (takes_all or self.is_number(slot)):
            parts = [slot]
        if not all(self.is_number(one) and one not in self.in_texts or one is slot and takes_all for one in parts):
            return False
        self.named.update(filter(takes_seed, re.findall(WORD, text)))
        for one in variables:
            self.holders[self.segment(one), self.scope(one)].update(map(self.span, parts))
        return all([self.edit(*self.span(one)) for one in parts])

    def is_number(self, node):
        """True where a number can stand in for it: what takes it may ask more of a text, or of a moment."""
        if isinstance(node, ast.BinOp):
            return self.is_number(node.left) or self.is_number(node.right) and not isinstance(node.left, (ast.Constant, ast.JoinedStr))
        return getattr(node, "attr", "") in ("int", "microsecond") or isinstance(node, ast.Call) and self.full(node.func).split(".")[-1] in NAMES["numbers"]

    def replace_value(self, call):
        """The edit belongs where the seed is made; it comes here if that is a variable which holds nothing but a reading."""
        given = ([keyword.value for keyword in call.keywords if takes_seed(keyword.arg or "")] + call.args + [keyword.value for keyword in call.keywords])[0]
        names = [one for one in ast.walk(given) if isinstance(one, ast.Name) and one not in self.calls]
        makers = [self.parents[one] for name in names for one in self.bound.get((self.scope(name), name.id), ())]
        if self.named & set(re.findall(WORD, " ".join(map(self.segment, [given] + [one.iter for one in makers if hasattr(one, "iter")])))):
            self.touched |= self.holders[self.segment(given), self.scope(given)]
            return True
        return len(names) == len(makers) == 1 and isinstance(makers[0], (ast.Assign, ast.AnnAssign, ast.NamedExpr)) and bool(
            makers[0].value and self.readings(makers[0].value, None)[1]) and self.edit(*self.span(given))

    def surely_calls(self, name):
        """True if it calls that on no condition, and in no function that may be a worker's."""
        return any(self.full(call.func) == name and all(isinstance(one, ast.FunctionDef) and (one.name == "main" or takes_seed(one.name))
                                                        for one in self.around(call, (ast.If, ast.IfExp, ast.Lambda, ast.FunctionDef))) for call in self.calls.values())

    def uses(self, module, node=None):
        """True if code draws from that module's own generator, and not only from one that it makes."""
        names = {self.full(one) for one in ast.walk(node or self.tree) if isinstance(one, (ast.Name, ast.Attribute))}.union(() if node else self.imports.values())
        return any(name.startswith(tuple(NAMES["generators"][module][1:])) for name in names - {*NAMES["others"], *NAMES["makers"]})

    def draws_first(self, module):
        """True if this file draws, or if it seeds with nothing may draw, before it seeds that module's generator."""
        first = min(((self.full(call.func) != NAMES["generators"][module][0], call.lineno, call.col_offset, "".join(self.segment(call).split()).endswith(("()", "(None)")))
                     for call in self.calls.values() if "seed" in self.full(call.func).split(".")[-1].lower()), default=(0,)) # its own call, or a helper's
        return any((one.lineno, one.col_offset) < first[1:3] and self.full(one).startswith(NAMES["draws"][module]) and self.full(one) not in {*NAMES["others"], *NAMES["makers"]}
                   and (first[3] > first[0] or not any(self.around(one, SCOPES))) for one in self.parents if isinstance(one, (ast.Name, ast.Attribute)))

    def seed_generators(self, modules, seed, settings, own):
        """Lines behind the imports and before the first draw. `own`: names of the user's modules."""
        at, known, first = 0, {}, None
        for statement in self.tree.body:
            names = [getattr(statement, "module", "") or one.name for one in statement.names] if isinstance(statement, (ast.Import, ast.ImportFrom)) else []
            if statement.lineno == at and not names: # behind a semicolon
                at, known = at - 1, {}
                break
            if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.For, ast.While)) or (
                    not names and any(self.uses(module, statement) for module in modules)) or (
                    known.keys() >= modules and any(name.split(".")[0] in own for name in names)):
                break
            if names or (at == 0 and isinstance(getattr(statement, "value", None), ast.Constant)):
                at = statement.end_lineno
                first = first or (0 if "__future__" in names else statement.lineno)
            if isinstance(statement, ast.Import):
                known.update((one.name, one.asname) if one.asname else (one.name.split(".")[0],) * 2 for one in statement.names)
        known = {module: name for module, name in known.items() if self.imports[name] == module and (self.tree, name) not in self.bound and "*" not in self.imports}
        under = next("_" * n for n in itertools.count(1) if not {"_" * n + module for module in modules} & self.names)
        lines = [f"import {module} as {under}{module}" for module in sorted(modules) if module not in known]
        for module in sorted(modules):
            name = known.get(module, under + module)
            lines += [NAMES["generators"][module][0].replace(module, name, 1) + f"({seed})"]
            if module == "torch" and settings:
                lines += [f"{name}.use_deterministic_algorithms({settings})"]
                variable = 'os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")'
                self.add_lines((first or at + 1) - 1, ["import os", variable], "cuBLAS may add in another order without it")
        self.add_lines(at, lines, "nobody seeds the generator of " + " and ".join(sorted(modules)))

    def add_lines(self, line, lines, reason):
        """Behind that line."""
        end = "\r\n" if "\r\n" in self.text else "\n"
        at = self.starts[line] if line < len(self.starts) else len(self.text)
        is_cut = at > self.starts[0] and self.text[at - 1] not in "\r\n"
        text, known = "".join(end + one if is_cut else one + end for one in lines), self.edits.pop((at, at), [""])[0]
        self.edit(at, at, known + text if known.endswith(end) else text + known, reason, None)


class Patch:
    """`said`: the `calls` of a run and when it `begun`; the first `seed`; how `torch` is to be set; what is `left` anyway."""

    def __init__(self, said):
        self.left, self.found, self.begun = said["left"], {}, said["begun"]
        self.seeds = collections.defaultdict(map(lambda seed: seed % 2**32, itertools.count(said["seed"])).__next__)
        self.own_seeds, self.mended, self.kept, self.clocks = set(), set(), set(), []
        self.main = said["script"] if isinstance(self.source(said["script"]), PythonSource) else ""
        for call in said["calls"]:
            frames = [one.groups() for frame in call["frames"] if (one := re.fullmatch(r"(.*):(\d{1,9}) (.*)", frame, re.S))] # "/home/me/train.py:12 main"
            problem = self.take(call, [(self.source(path), int(line), name, path) for path, line, name in frames])
            self.left += [f"{source.shown}:{line}: {problem}" for path, line, _ in frames if problem and (source := self.source(path))][:1]
        self.left += [f"{one[0].shown}:{one[1]}: reads a clock or an id: where a result depends on it, give it a fixed value" for one in self.clocks if one not in self.mended]
        self.seed_generators(said["torch"])

    def source(self, path):
        """The user's file, if it can be edited."""
        if path not in self.found:
            self.found[path] = None
            try:
                if os.path.isfile(path) and not re.search(r"^/usr/|/(site|dist)-packages/|/lib(64)?/python3", path):
                    if 0 < self.begun < os.stat(path).st_mtime_ns // 1000:
                        raise ValueError("it has changed since that run: run it again")
                    if re.search(r'^\.\.|["\\\x00-\x1f\x7f]', os.path.relpath(path)):
                        raise ValueError("it is not below this folder, or no diff can name it")
                    self.found[path] = (PythonSource if path.endswith(".py") else CppSource)(path, self.seeds)
            except (OSError, SyntaxError, ValueError, RecursionError, LookupError) as error:
                self.left.append(f"{path} is left as it is: {error}")
        return self.found[path]

    def take(self, call, frames):
        """Makes the edits that mend a call; else says what to do, where something is to be done."""
        function, why = call["function"], set(call["why"])
        users = [frame[:2] for frame in frames if frame[0]]
        if not users:
            return None
        inner = list(itertools.takewhile(lambda frame: not frame[0], frames))
        files, names, (source, line) = [frame[3] for frame in inner], [frame[2] for frame in inner], users[0]
        self.main = self.main or next((path for one, _, name, path in frames[::-1] if name == "<module>" and isinstance(one, PythonSource)), "")
        seeding = re.match("(python_random)_seed|(numpy)_|srand|initstate|.*set_(c)urrent_seed", function)
        if seeding and isinstance(source, PythonSource) and not any("/torch/utils/" in frame[3] for frame in frames): # the module's own generator?
            calls = names + [full for _, full in source.calls_at(line) if full == "numpy.random.seed"]
            if "__init__" not in names if seeding[1] else any("seed" in name for name in calls):
                self.own_seeds.add("random" if seeding[1] else "numpy" if seeding[2] else "torch")
        if seeding and not call["seeds"] and why & {"own_value", "repeatable_value"} and users[0] not in self.mended:
            return self.kept.add(users[0])
        cause, called = "folder" if re.match("readdir|scandir", function) else "clock" if function == "clock" else "reading", ""
        is_packages = any("-packages/" in file for file in files)
        for one, at, name, _ in frames:
            if one and not (is_packages and cause == "folder") and one.mend(at, cause, called, call):
                return self.mended.add((one, at))
            called = re.split(r"\.|::", name.partition("(")[0])[-1]
        if function == "clock":
            return self.clocks.append(users[0])
        if seeding:
            is_done = "unexplained_seed" in why or self.mended & set(users) or (users[0] not in self.kept and source.mend(line, "value", "", call))
            return None if is_done else "what a clock says becomes a seed here, and no edit for it is known: pass a fixed one"
        if cause != "folder" and not re.match("clock|getrandom|getentropy|arc4random|open|fopen|syscall|uuid|.*random_device|.*NonDeterministic", function):
            return None
        if is_packages and os.path.basename(files[0]) == "random.py" and not ("-packages/" in files[0] or {"<module>", "__getattr__"} & set(names)): # at no import
            return "an installed package draws from the kernel: pass it a seed, if it takes one: " + next(f"{path}:{at}" for _, at, _, path in frames if "-packages/" in path)
        if "<module>" in names or is_packages or not why & {"own_stream", "observed", "sorted_by_name"} or line in [call.lineno for call in source.refused]:
            return None # a library's own, or it is named
        if cause == "folder":
            return FOLDER
        if names[:1] == ["seed"] and "__init__" not in names:
            return "processes made here may seed `random` anew: call random.seed() with a number in what they run"
        is_plain = not isinstance(source, PythonSource) or not files or os.path.basename(files[0]) in ("random.py", "uuid.py", "secrets.py")
        return "draws from the kernel: where the result depends on it, draw from a generator with a seed" if is_plain else None

    def seed_generators(self, settings):
        own, paths = set(), [self.main] if self.main else []
        for path in paths: # and what they import from beside them
            for parts in [whole.split(".") for whole in self.source(path).imports.values()] if self.source(path) else ():
                for folder, n, end in itertools.product({os.path.dirname(path), os.path.dirname(self.main)}, range(len(parts)), (".py", "/__init__.py")):
                    file = os.path.join(folder, *parts[:n + 1]) + end
                    if os.path.isfile(file):
                        own.add(parts[0])
                        paths += [] if file in paths else [file]
        python = [source for source in self.found.values() if isinstance(source, PythonSource)]
        modules = {module for module in NAMES["generators"] if any(source.uses(module) for source in python)}
        self.own_seeds |= {module for module in modules if any(source.surely_calls(NAMES["generators"][module][0]) for source in python)}
        for source in filter(None, self.found.values()):
            for line, place, edit in source.places():
                times = max(map(sum, map(dict.values, edit[2].values())), default=0)
                if times > 1.9 and edit[3]:
                    edit[0] = edit[3]
                    modules.add("numpy" if "randint" in edit[3] else "random")
                elif times > 1.9 and edit[3] is not None:
                    del source.edits[place]
                    self.left.append(f"{source.shown}:{line}: takes {times:.0f} seeds: give each a fixed one of its own")
            self.left += [f"{source.shown}:{call.lineno}: " + (text or KERNEL + ": pass a fixed one") for call, text in sorted(source.refused.items(), key=lambda one: one[0].lineno)
                          if not any(source.span(call)[0] <= begin < source.span(call)[1] for begin, _ in source.edits)]
        self.own_seeds -= {module for module in modules if self.main and self.source(self.main).draws_first(module)}
        self.left += [f"{source.shown}:{call.lineno}: this seed is an address, another one in each run: pass a fixed one"
                      for source in python for call in source.calls.values() if source.full(call.func) == "id" and source.seed_around(call)[0]]
        if modules - self.own_seeds and self.main:
            self.source(self.main).seed_generators(modules - self.own_seeds, self.seeds[""], settings, own)
        if any(isinstance(node, (ast.Set, ast.SetComp)) or getattr(node, "id", "") in ("set", "frozenset", "hash")
               for source in python for node in source.parents):
            self.left.append("texts have another hash in each run, and sets of them another order: set PYTHONHASHSEED=0 before Python starts")

    def diff(self):
        for source in filter(None, self.found.values()):
            new = source.changed()
            try:
                if isinstance(source, PythonSource):
                    compile(new[source.starts[0]:], "?", "exec", dont_inherit=True)
            except SyntaxError as error:
                self.left.append(f"{source.shown} is left as it is: the edits would break it ({error})")
                continue
            name = source.shown + ("\t" if " " in source.shown else "")
            hunks = list(difflib.unified_diff(*[re.findall(r"[^\n]*\n|[^\n]+", text) for text in (source.text, new)], "a/" + name, "b/" + name))
            if hunks:
                reasons = collections.defaultdict(dict)
                for line, _, edit in source.places():
                    reasons[edit[1]][str(line)] = True
                yield os.fsencode("".join(f"# {source.shown}:{', '.join(lines)}: {reason}\n" for reason, lines in reasons.items()) + "".join(hunks[:2]))
                yield "".join(one if one[-1] == "\n" else one + "\n\\ No newline at end of file\n" for one in hunks[2:]).encode(source.encoding)


with open(sys.argv[1], encoding="utf-8") as document:
    patch = Patch(json.load(document))
diff = b"".join(patch.diff())
sys.stdout.buffer.write(os.fsencode("".join(one + "\n" for one in dict.fromkeys(patch.left))) + b"\0" + diff)
