"""zsh_completion.py FOLDER WORDS...: what zsh makes of each text at the tab key, with FOLDER in its $fpath."""
import os
import pty
import select
import sys
import time


def read_until(terminal, mark):
    text, end = b"", time.monotonic() + 60  # a shell that answers nothing fails the test
    while mark not in text and time.monotonic() < end:
        if select.select([terminal], [], [], 1)[0]:
            text += os.read(terminal, 65536)
    return text.decode(errors="replace")


process, terminal = pty.fork()
if process == 0:
    os.environ["TERM"] = "dumb"
    os.execvp("zsh", ["zsh", "-f", "-i"])
# What is typed does not hold the prompt that is waited for: zsh edits a line once it has printed that.
begin = f"PS1='prom''pt> '; fpath=({sys.argv[1]} $fpath); autoload -Uz compinit; compinit -u -D\n"
os.write(terminal, begin.encode())
read_until(terminal, b"prompt> ")
for typed in sys.argv[2:]:
    os.write(terminal, typed.encode() + b"\t\x15echo\n")
    print(read_until(terminal, b"prompt> "))
