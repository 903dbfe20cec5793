#!/bin/sh
# docs/HOOKS.md and docs/OPTIONS.md are what the library itself says, and what docs/ADDING_A_HOOK.md quotes is in the code.
status=0
"$2" hooks --markdown | diff -u "$3/docs/HOOKS.md" - || status=1
"$2" options --markdown | diff -u "$3/docs/OPTIONS.md" - || status=1
[ $status = 0 ] || echo "run: detshim hooks --markdown >docs/HOOKS.md; detshim options --markdown >docs/OPTIONS.md"
python3 - "$3" <<'PYTHON' || status=1
import pathlib, re, sys

root = pathlib.Path(sys.argv[1])
words = lambda text: " ".join(text.split())
code = [words(file.read_text()) for part in ("shim", "tests") for file in (root / part).rglob("*")
        if file.suffix in (".cpp", ".h")]
blocks = re.findall(r"^ *```cpp\n(.*?)^ *```", (root / "docs/ADDING_A_HOOK.md").read_text(), re.S | re.M)
strange = [block for block in blocks if not any(words(block) in text for text in code)]
print(*("docs/ADDING_A_HOOK.md quotes what is not in the code:\n" + block for block in strange), sep="\n", end="")
sys.exit(1 if strange or not blocks else 0)
PYTHON
exit $status
