#!/usr/bin/env python3
"""Opens a page of `detshim report` in headless Chromium and prints as JSON how it lies and behaves there. Chromium is
driven through pipes (its DevTools protocol), since the page itself lets no script run.

    look_at_page.py PAGE.html
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

# Of each text the ratio of its colour to what is behind it, as WCAG 2 has it, the smallest of all; and what is wider
# than the window.
LOOK = """(() => {
  const part = c => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  const numbers = colour => colour.match(/[0-9.]+/g).map(Number);
  const behind = element => {
    for (; element; element = element.parentElement) {
      const colour = numbers(getComputedStyle(element).backgroundColor);
      if (colour.length < 4 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  let worst = [99, ''];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || !element.getClientRects().length) continue;
    const [a, b] = [light(numbers(getComputedStyle(element).color)), light(behind(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < worst[0]) worst = [ratio, texts.currentNode.data.trim().slice(0, 40)];
  }
  return {width: document.documentElement.scrollWidth, height: document.documentElement.scrollHeight,
          contrast: worst};
})()"""


class Browser:
    def __init__(self, program, profile):
        to_it, self.out = os.pipe()
        self.inp, from_it = os.pipe()

        def wire():  # it reads from 3 and writes to 4
            os.dup2(to_it, 103), os.dup2(from_it, 104)
            os.dup2(103, 3), os.dup2(104, 4)

        self.process = subprocess.Popen(
            [
                program,
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--hide-scrollbars",
                "--remote-debugging-pipe",
                f"--user-data-dir={profile}",
                "about:blank",
            ],
            preexec_fn=wire,
            close_fds=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "TMPDIR": profile},
        )  # killed, it removes nothing itself
        os.close(to_it), os.close(from_it)
        self.number, self.rest, self.session = 0, b"", None
        pages = self.call("Target.getTargets")["targetInfos"]
        page = next(one["targetId"] for one in pages if one["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.take()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def take(self):
        while b"\0" not in self.rest:
            piece = os.read(self.inp, 1 << 16)
            if not piece:
                raise RuntimeError("the browser ended")
            self.rest += piece
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def wait_for(self, event):
        while self.take().get("method") != event:
            pass

    def value(self, expression):
        return self.call("Runtime.evaluate", expression=expression, returnByValue=True)[
            "result"
        ].get("value")

    def show(self, width, scheme):
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=900,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        self.call(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": scheme}],
        )


def look(browser):
    found = {"looks": []}
    for width in (360, 1280):
        for scheme in ("light", "dark"):
            browser.show(width, scheme)
            found["looks"].append({"window": width, "scheme": scheme, **browser.value(LOOK)})
    return found


def main():
    page = sys.argv[1]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        # By a short name: a socket's has at most 107 characters.
        profile = f"/proc/{os.getpid()}/fd/{os.open(folder, os.O_PATH)}"
        browser = Browser(os.environ.get("CHROMIUM", "chromium"), profile)
        try:
            browser.call("Page.enable")
            browser.call("Page.navigate", url=pathlib.Path(page).resolve().as_uri())
            browser.wait_for("Page.loadEventFired")
            found = look(browser)
        finally:
            browser.process.kill()
            browser.process.wait()
    print(json.dumps(found))


if __name__ == "__main__":
    main()
