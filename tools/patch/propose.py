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
A_READING = "this seed is another one in each run: it comes from a clock, an id or the kernel"


def takes_seed(name):
    """A name that says that it takes, or is, a seed; and not when something was seeded."""
    last = name.split(".")[-1]
    return last in NAMES["seeded"] or bool(re.search("seed|random_state", last, re.I) and not re.search("time|start|stamp|seeded|seeding", last, re.I))


class Source:
    """A file of the user's, and how it is to be changed."""

    def __init__(self, path, encoding, seeds):
        with open(path, "rb") as file:
            self.text = file.read().decode(encoding)
        self.shown, self.encoding, self.all_seeds, self.edits, self.touched, self.seeds, self.refused = os.path.relpath(path), encoding, seeds, {}, set(), set(), set()
        self.starts = [0] + [end.end() for end in re.finditer(r"\r\n|\n|\r", self.text)]

    def edit(self, begin, end, text, reason, if_often=None):
        """`text`: None for a seed, which also stands for a "\0" in it. `if_often`: what it is where the log has several calls; "" where nothing serves."""
        self.touched.add((begin, end))
        return bool(self.edits.setdefault((begin, end), [text, reason, collections.Counter(), if_often]))

    def seed(self, begin, end, reason=A_READING, if_often=""):
        return self.edit(begin, end, None, reason, if_often)

    def mend(self, line, cause, called, function, count):
        """True if an edit in that line mends it, or none is needed. `called`: the function that the line led into;
        `cause`: "folder"; "reading", of a clock, an id or entropy; "value", one that was read elsewhere."""
        self.touched = set()
        is_mended = self.mend_line(line, cause, called)
        for place in self.touched: # of several draws in a line nobody says which is which
            self.edits[place][2][function] += count / len(self.touched)
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
    VARIABLE = r"(?<![\w:.<])(?!unsigned|int|long)[A-Za-z_]\w*\b(?!\s*[(<>:{])"

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
            if not any(map(takes_seed, re.findall(r"\w+", re.split("[({=]", found[0])[0]))):
                continue
            for part in re.finditer(rf"(?:[^(){{}},]|\({self.NESTED}\)|\{{{self.NESTED}\}})+", found[1] or found[2] or ""):
                at, text = found.start(1 if found[1] else 2) + part.start() + len(part[0]) - len(part[0].lstrip()), part[0].strip()
                parts = [one.span() for one in reading.finditer(text) if "now" not in one[0] or "count" in one[0]]
                is_alone = not re.search(self.VARIABLE + "|str", reading.sub("", text))
                if (parts and is_alone) or (cause == "value" and (re.fullmatch(r"[A-Za-z_]\w*(?:(?:\.|->)\w+)*", text) or (is_alone and "(" in text))):
                    parts = [(0, len(text))]
                mended |= any([self.seed(at + first, at + last) for first, last in parts])
        return mended


class PythonSource(Source):
    def __init__(self, path, seeds):
        with open(path, "rb") as file:
            super().__init__(path, tokenize.detect_encoding(file.readline)[0], seeds)
        self.tree = ast.parse(self.text)
        self.parents = {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}
        self.calls = [node for node in self.parents if isinstance(node, ast.Call)]
        self.in_texts = {one for node in self.parents if isinstance(node, ast.JoinedStr) for one in ast.walk(node) if one is not node} # no places before 3.12
        self.imports = {}
        for node in self.parents:
            for name in node.names if isinstance(node, (ast.Import, ast.ImportFrom)) else ():
                module = (node.module or "") + "." if isinstance(node, ast.ImportFrom) else ""
                whole = name.name if module or name.asname else name.name.split(".")[0]
                self.imports[name.asname or whole] = module + whole

    def span(self, node):
        """Columns count bytes of UTF-8."""
        def place(line, column):
            start = self.starts[line - 1]
            return start + len(self.text[start:start + column].encode()[:column].decode(errors="ignore"))
        return place(node.lineno, node.col_offset), place(node.end_lineno, node.end_col_offset)

    def segment(self, node):
        return self.text[slice(*self.span(node))]

    def full(self, node):
        """As imports tell it: "numpy.random.seed"; of a method of an expression ".iterdir"."""
        if isinstance(node, ast.Name):
            return self.imports.get(node.id, node.id)
        return self.full(node.value) + "." + node.attr if isinstance(node, ast.Attribute) else ""

    def calls_at(self, line):
        return [(call, self.full(call.func)) for call in self.calls if call.lineno <= line <= call.func.end_lineno]

    def is_function(self, node):
        return getattr(self.parents[node], "func", None) is node

    def seed_around(self, node):
        """The smallest expression around it that is a seed by where it stands."""
        while not isinstance(node, ast.stmt):
            inner, node = node, self.parents[node]
            if isinstance(node, ast.keyword):
                if takes_seed(node.arg or "") or (node.arg == "default" and any(takes_seed(self.segment(one)) for one in self.parents[node].args)):
                    return inner
                if takes_seed(self.full(self.parents[node].func)):
                    return None
            elif isinstance(node, ast.Call) and inner in node.args and takes_seed(self.full(node.func)):
                return inner
            elif isinstance(node, ast.Dict) and inner in node.values and takes_seed(self.segment(node.keys[node.values.index(inner)] or node)):
                return inner
            elif isinstance(node, (ast.Assign, ast.AnnAssign, ast.NamedExpr)):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                if all(not isinstance(target, (ast.Tuple, ast.List)) and takes_seed(self.segment(target)) for target in targets):
                    self.seeds.update(map(self.segment, targets))
                    return inner
        return None

    def mend_line(self, line, cause, called):
        mended = False
        for call, full in self.calls_at(line):
            last = full.split(".")[-1]
            if cause == "folder" and call not in self.in_texts:
                mended |= self.sort(call, NAMES["sorted"].get(full) or NAMES["sorted"].get("." + last))
            elif cause == "value":
                mended |= takes_seed(full) and call not in self.in_texts and self.replace_value(call)
            elif cause == "reading":
                mended |= (last in READERS or last == called) and self.replace_reading(call, last)
                mended |= full in NAMES["makers"] and call not in self.in_texts and self.give_seed(call, full)
        return mended

    def sort(self, call, around):
        above, (begin, end) = self.parents[call], self.span(call)
        taker = self.full(above.func) if isinstance(above, ast.Call) and above.args == [call] else ""
        if around is None or isinstance(above, ast.withitem) or taker in ("sorted", "len", "set"):
            return around is not None and taker != ""
        before, behind = around
        if before.startswith("iter(") and (isinstance(above, (ast.For, ast.comprehension)) or taker in ("list", "tuple", "enumerate")):
            before, behind = before[5:], behind[:-1]
        reason = "the entries of a folder come in no fixed order"
        return self.edit(begin, begin, before, reason) and self.edit(end, end, behind, reason)

    def give_seed(self, call, full):
        given = call.args + [keyword.value for keyword in call.keywords]
        called = [self.full(one.func).split(".")[-1] for value in given for one in ast.walk(value) if isinstance(one, ast.Call)]
        if len(given) == 1 and not called and not isinstance(given[0], ast.Constant) and not full.endswith(".seed"):
            (begin, end), old = self.span(given[0]), self.segment(given[0])
            maker = self.segment(call.func.value) + "." + NAMES["makers"][full] if isinstance(call.func, ast.Attribute) and NAMES["makers"][full] else ""
            return self.edit(begin, end, f"\0 if {old} is None else {old}", "without a seed it takes one from the kernel",
                             maker and f"{maker} if {old} is None else {old}")
        if len(given) > 1 or not all(isinstance(one, ast.Constant) and one.value is None for one in given):
            self.refused.update([call.lineno] if called and not READERS & set(called) else [])
            return False
        begin, end = self.span(given[0]) if given else (self.span(call)[1] - 1,) * 2
        often, reason = "", "without a seed it takes one from the kernel"
        if full == "torch.seed":
            self.edit(self.span(call.func)[1] - 4, self.span(call.func)[1], "manual_seed", reason)
        elif full.endswith(".seed"):
            self.seeds.add(full)
        elif isinstance(call.func, ast.Attribute):
            often = self.segment(call.func.value) + "." + NAMES["makers"][full]
        return self.seed(begin, end, reason, often)

    def replace_reading(self, call, last):
        slot = self.seed_around(call)
        if slot is None or slot in self.in_texts:
            return False
        inside, parts = list(ast.walk(slot)), []
        for one in inside:
            if isinstance(one, ast.Call) and self.full(one.func).split(".")[-1] in READERS | {last}:
                while one is not slot and (isinstance(self.parents[one], ast.Attribute) or self.is_function(one)):
                    one = self.parents[one]
                parts.append(one)
        known = {node for one in parts + [call.func for call in inside if isinstance(call, ast.Call)] for node in ast.walk(one)}
        above = self.parents[slot]
        takes_all = isinstance(above, ast.Call) and (self.full(above.func) in NAMES["makers"] or self.full(above.func).split(".")[-1] in NAMES["seeded"])
        if not any(isinstance(one, ast.Name) and one not in known for one in inside) and (takes_all or self.is_number(slot)):
            parts = [slot]
        return all(self.is_number(one) and one not in self.in_texts or one is slot and takes_all for one in parts) and all(
            [self.seed(*self.span(one)) for one in parts])

    def is_number(self, node):
        """True where a number can stand in for it: what takes it may ask more of a text, or of a moment."""
        if isinstance(node, ast.BinOp):
            return self.is_number(node.left) or self.is_number(node.right) and not isinstance(node.left, (ast.Constant, ast.JoinedStr))
        return getattr(node, "attr", "") in ("int", "microsecond") or isinstance(node, ast.Call) and self.full(node.func).split(".")[-1] in NAMES["numbers"]

    def replace_value(self, call):
        given = [keyword.value for keyword in call.keywords if takes_seed(keyword.arg or "")] + call.args
        values = [one for one in ast.walk(given[0]) if isinstance(one, (ast.Name, ast.Attribute)) and not self.is_function(one)] if given else []
        return any(self.segment(one) in self.seeds for one in values) or (
            sum(isinstance(one, ast.Name) for one in values) == 1 and self.seed(*self.span(given[0])))

    def surely_calls(self, name):
        """True if it calls that on no condition, and in no function that may be a worker's."""
        def is_sure(node):
            is_other = isinstance(node, (ast.If, ast.IfExp, ast.Lambda)) or (isinstance(node, ast.FunctionDef) and node.name != "main" and not takes_seed(node.name))
            return isinstance(node, ast.Module) or (not is_other and is_sure(self.parents[node]))
        return any(self.full(call.func) == name and is_sure(call) for call in self.calls)

    def uses(self, module, node=None):
        """True if code draws from that module's own generator, and not only from one that it makes."""
        names = {self.full(one) for one in ast.walk(node or self.tree) if isinstance(one, (ast.Name, ast.Attribute))}
        names |= set() if node else set(self.imports.values())
        return any(name.startswith(tuple(NAMES["generators"][module][1:])) for name in names - {*NAMES["others"], *NAMES["makers"]})

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
        lines = [f"import {module} as _{module}" for module in sorted(modules) if module not in known]
        for module in sorted(modules):
            name = known.get(module, "_" + module)
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
        is_cut = at > 0 and self.text[at - 1] not in "\r\n"
        text, known = "".join(end + one if is_cut else one + end for one in lines), self.edits.pop((at, at), [""])[0]
        self.edit(at, at, known + text if known.endswith(end) else text + known, reason)


class Patch:
    """`said`: the `calls` of a run and when it `begun`; the first `seed`; how `torch` is to be set; what is `left` anyway."""

    def __init__(self, said):
        self.left, self.found, self.begun = said["left"], {}, said["begun"]
        self.seeds = collections.defaultdict(map(lambda seed: seed % 2**32, itertools.count(said["seed"])).__next__)
        self.own_seeds, self.mended, self.kept = set(), set(), set()
        self.main = said["script"] if isinstance(self.source(said["script"]), PythonSource) else ""
        for call in said["calls"]:
            found = [re.fullmatch(r"(.*):(\d{1,9}) (.*)", frame, re.S) for frame in call["frames"]] # "/home/me/train.py:12 main"
            frames = [one.groups() for one in found if one]
            problem = self.take(call["function"], set(call["why"]), call["count"], [(self.source(path), int(line), name, path) for path, line, name in frames])
            self.left += [f"{source.shown}:{line}: {problem}" for path, line, _ in frames if problem and (source := self.source(path))][:1]
        self.seed_generators(said["seed"], said["torch"])

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

    def take(self, function, why, count, frames):
        """Makes the edits that mend a call; else says what to do, where something is to be done."""
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
        if seeding and why & {"own_value", "repeatable_value"} and users[0] not in self.mended:
            return self.kept.add(users[0])
        cause, called = "folder" if re.match("readdir|scandir", function) else "reading", ""
        is_packages = any("-packages/" in file for file in files)
        for one, at, name, _ in frames:
            if one and not (is_packages and cause == "folder") and one.mend(at, cause, called, function, count):
                return self.mended.add((one, at))
            called = re.split(r"\.|::", name.partition("(")[0])[-1]
        if function == "clock":
            return "reads a clock or an id: where a result depends on it, give it a fixed value"
        if seeding:
            is_done = self.mended & set(users) or (users[0] not in self.kept and source.mend(line, "value", "", function, count))
            return None if is_done else "what a clock says becomes a seed here, and no edit for it is known: pass a fixed one"
        if cause != "folder" and not re.match("clock|getrandom|getentropy|arc4random|open|fopen|syscall|uuid|.*random_device|.*NonDeterministic", function):
            return None
        if "<module>" in names or is_packages or not why & {"own_stream", "observed", "sorted_by_name"}:
            return None # a library's own
        if cause == "folder":
            return "reads a folder, whose entries come in no fixed order: sort them"
        if names[:1] == ["seed"] and "__init__" not in names:
            return "processes made here may seed `random` anew: call random.seed() with a number in what they run"
        is_plain = not isinstance(source, PythonSource) or not files or os.path.basename(files[0]) in ("random.py", "uuid.py", "secrets.py")
        return "draws from the kernel: where the result depends on it, draw from a generator with a seed" if is_plain else None

    def seed_generators(self, seed, settings):
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
                times = max(edit[2].values(), default=0)
                if times > 1.9 and edit[3]:
                    edit[0] = edit[3]
                    modules.add("numpy" if "randint" in edit[3] else "random")
                elif times > 1.9 and edit[3] is not None:
                    del source.edits[place]
                    self.left.append(f"{source.shown}:{line}: takes {times:.0f} seeds: give each a fixed one of its own")
            self.left += [f"{source.shown}:{line}: takes a seed from the kernel where its argument is None: pass a fixed one" for line in sorted(source.refused)]
            self.own_seeds |= {module for module in modules if any(name.startswith(module + ".") for name in source.seeds)}
        if modules - self.own_seeds and self.main:
            self.source(self.main).seed_generators(modules - self.own_seeds, seed, settings, own)
        if any(isinstance(node, (ast.Set, ast.SetComp)) or getattr(node, "id", "") in ("set", "frozenset", "hash")
               for source in python for node in source.parents):
            self.left.append("texts have another hash in each run, and sets of them another order: set PYTHONHASHSEED=0 before Python starts")

    def diff(self):
        for source in filter(None, self.found.values()):
            new = source.changed()
            try:
                if isinstance(source, PythonSource):
                    compile(new, "?", "exec", dont_inherit=True)
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
