# SPDX-License-Identifier: Apache-2.0
"""Drives the page of “roost browse”: drive.py CHROMIUM ADDRESS PROFILE STORE OTHER [FOLDER]. Scripts/browse-test calls it.

STORE is the file that is browsed, and OTHER one that is put in its place at the end.
"""
import base64
import json
import os
import subprocess
import sys
import time

chromium, address, profile, store_path, other_path = sys.argv[1:6]
folder = sys.argv[6] if len(sys.argv) > 6 else ""
SCRIPT = "<script>window.hurt = 1</script><img src=x onerror='window.hurt = 2'>"


class Browser:
    """Chromium, spoken to by its debugging protocol over two pipes."""

    def __init__(self):
        to_read, self.output = os.pipe()
        self.input, to_write = os.pipe()

        def pipes():
            os.dup2(to_read, 3)
            os.dup2(to_write, 4)

        arguments = [
            chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
            "--no-first-run", "--hide-scrollbars", "--user-data-dir=" + profile, "about:blank",
        ]
        self.process = subprocess.Popen(
            arguments, preexec_fn=pipes, pass_fds=(3, 4), stderr=subprocess.DEVNULL)
        self.buffer = b""
        self.number = 0
        self.complaints = []
        target = self.call("Target.createTarget", {"url": "about:blank"})["targetId"]
        answer = self.call("Target.attachToTarget", {"targetId": target, "flatten": True})
        self.session = answer["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(domain + ".enable")

    session = None

    def call(self, method, parameters=None):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters or {}}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.output, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self.buffer:
                part = os.read(self.input, 1 << 16)
                if not part:
                    raise SystemExit("Chromium has ended.")
                self.buffer += part
            text, self.buffer = self.buffer.split(b"\0", 1)
            answer = json.loads(text)
            self.note(answer)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise SystemExit(f"{method}: {answer['error']}")
                return answer["result"]

    def note(self, answer):
        """Keeps what the page complains of: errors, and what its policy has refused."""
        if answer.get("method") == "Runtime.exceptionThrown":
            self.complaints.append(str(answer["params"]["exceptionDetails"]))
        if answer.get("method") == "Log.entryAdded":
            entry = answer["params"]["entry"]
            # What the page asks and is refused on purpose below is logged too.
            if entry["level"] == "error" and entry["source"] != "network":
                self.complaints.append(entry["text"])

    def run(self, code):
        parameters = {"expression": code, "awaitPromise": True, "returnByValue": True}
        answer = self.call("Runtime.evaluate", parameters)
        if "exceptionDetails" in answer:
            raise SystemExit(f"{code}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def until(self, code):
        """Waits until something holds: what the page does, it does after an answer."""
        for _ in range(200):
            if self.run(f"Boolean({code})"):
                return
            time.sleep(0.05)
        raise SystemExit(f"never: {code}\n{self.run('document.body.innerText')}")

    def go(self, place):
        self.run(f"location.hash = {json.dumps(place)}")

    def click(self, text, kind="button"):
        found = f"[...document.querySelectorAll('main {kind}')].find((e) => e.textContent.startsWith({json.dumps(text)}))"
        self.until(found)
        self.run(f"{found}.click()")

    def type(self, name, text):
        found = f"document.querySelector('[name={json.dumps(name)}]')"
        self.until(found)
        self.run(f"(() => {{ const e = {found}; e.value = {json.dumps(text)};"
                 " e.dispatchEvent(new Event('input', {bubbles: true})); })()")

    def shot(self, name):
        if not folder:
            return
        os.makedirs(folder, exist_ok=True)
        for width, height, size in ((1200, 760, "wide"), (390, 780, "phone")):
            metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
            self.call("Emulation.setDeviceMetricsOverride", metrics)
            for scheme in ("light", "dark"):
                feature = {"name": "prefers-color-scheme", "value": scheme}
                self.call("Emulation.setEmulatedMedia", {"features": [feature]})
                time.sleep(0.2)
                data = self.call("Page.captureScreenshot", {"format": "png"})["data"]
                with open(f"{folder}/{name}-{size}-{scheme}.png", "wb") as file:
                    file.write(base64.b64decode(data))
        self.call("Emulation.clearDeviceMetricsOverride")


def expect(what, condition):
    if not condition:
        raise SystemExit(f"wrong: {what}\n{browser.run('document.body.innerText')}")


def names():
    """The texts of the column “name”."""
    return browser.run(
        "(() => { const heads = [...document.querySelectorAll('main th')].map((e) => e.innerText);"
        " const at = heads.findIndex((text) => text.startsWith('name'));"
        " return [...document.querySelectorAll('main tbody tr')].map((row) => row.children[at].innerText); })()")


browser = Browser()
try:
    browser.call("Page.navigate", {"url": address})
    browser.until("document.querySelectorAll('nav a').length === 5")
    browser.until("document.querySelector('main table')")

    # Rows: a condition, an order, columns, the plan.
    browser.go("#/rows?entity=Person")
    browser.until("document.querySelector('main h2')?.innerText === 'Person' && document.querySelector('main tbody')")
    expect("six persons", len(names()) == 6)
    browser.shot("rows")
    browser.type("condition", "age >= 2")
    browser.click("Show")
    browser.until("location.hash.includes('age') && document.querySelectorAll('main tbody tr').length === 3")
    browser.click("name")
    browser.until("location.hash.includes('sort=name') && document.querySelector('[aria-sort=ascending]')")
    upward = names()
    expect("ascending", upward == sorted(upward))
    browser.click("name")
    browser.until("document.querySelector('[aria-sort=descending]')")
    expect("descending", names() == sorted(upward, reverse=True))
    browser.click("Plan", "summary")
    browser.until("document.querySelector('pre.plan').innerText.startsWith('store: SELECT')")
    browser.shot("plan")
    browser.go("#/rows?entity=Person&columns=name,team.name,skills.@count&sort=-name")
    browser.until("[...document.querySelectorAll('main th')].some((e) => e.innerText === 'skills.@count')")
    browser.go("#/rows?entity=Person&condition=name ==")
    browser.until("document.querySelector('.wrong pre')?.innerText.includes('^')")
    browser.shot("wrong-condition")

    # Pages: two clicks at once turn one page, and a reload and “back” come to the page that was shown.
    def at_page(number):
        browser.until(f"[...document.querySelectorAll('main .bar .soft')].some((e) => e.innerText === 'page {number}')"
                      " && document.querySelectorAll('main tbody tr').length === 2")

    browser.go("#/rows?entity=Person&size=2&sort=name")
    at_page(1)
    first = names()
    browser.run("[...document.querySelectorAll('main button')].filter((e) => e.textContent === 'Next')"
                ".forEach((e) => { e.click(); e.click(); })")
    at_page(2)
    second = names()
    expect("the next page", second and not set(first) & set(second))
    browser.call("Page.reload")
    browser.until("document.readyState === 'complete' && document.querySelector('main tbody')")
    at_page(2)
    expect("the page after a reload", names() == second)
    browser.run("document.querySelector('main tbody a').click()")
    browser.until("document.querySelector('main dl')")
    browser.run("history.back()")
    at_page(2)
    expect("the page after “back”", names() == second)
    browser.click("Previous")
    at_page(1)
    # An answer that comes late does not replace what is shown by then.
    browser.run("(() => { const ask = window.fetch; window.late = 0; window.fetch = async (...given) => {"
                " const isLate = String(given[0]).includes('api/record');"
                " if (isLate) { window.late += 1; await new Promise((done) => setTimeout(done, 700)); }"
                " return ask(...given); }; })()")
    browser.run("document.querySelector('main tbody a').click()")
    browser.until("window.late === 1")
    browser.go("#/diagram")
    browser.until("document.getElementById('diagram')")
    time.sleep(1.5)
    expect("the diagram stays", browser.run("Boolean(document.getElementById('diagram'))"))
    browser.run("location.reload()")
    browser.until("window.late === undefined && document.getElementById('diagram')")

    # A value that is a script.
    browser.go("#/new?entity=Person")
    browser.type("name", SCRIPT)
    browser.type("age", "300")
    browser.type("home", "javascript:window.hurt=3")
    browser.click("Add")
    browser.until("document.querySelector('.wrong')")
    expect("the age is told at its place", browser.run(
        "[...document.querySelectorAll('.problem')].filter((e) => e.innerText).length") == 1)
    browser.shot("invalid")
    browser.type("age", "30")
    browser.click("Add")
    browser.until("location.hash.startsWith('#/record')")
    browser.until("document.querySelector('main dl')")
    expect("the script is a text", SCRIPT == browser.run("document.querySelector('main h2').innerText"))
    expect("no address of a value is followed", not browser.run("document.querySelector('main a[href^=javascript]')"))
    expect("nil is shown", browser.run("document.querySelectorAll('.nil').length") > 3)
    browser.shot("script")

    # An edit, a conflict, and a deletion in two steps.
    browser.click("Edit")
    browser.type("name", "Grace")
    browser.type("team", browser.run(
        "fetch('api/rows?entity=Team&size=1').then((a) => a.json()).then((a) => a.rows[0].id)"))
    browser.shot("form")
    browser.click("Save")
    browser.until("document.querySelector('main h2')?.innerText === 'Grace'")
    identifier = browser.run("new URLSearchParams(location.hash.split('?')[1]).get('id')")
    browser.click("Edit")
    browser.type("age", "31")
    store = browser.run("fetch('api/store').then((a) => a.json()).then((a) => a.identifier)")
    change = {"store": store, "operation": "update", "id": identifier, "version": 2, "values": {"age": "40"}}
    browser.run(
        "fetch('api/save', {method: 'POST', headers: {'Content-Type': 'application/json'},"
        f" body: JSON.stringify({json.dumps(change)})}}).then((a) => a.json())")
    browser.click("Save")
    browser.until("document.querySelector('.wrong')?.innerText.includes('another writer')")
    browser.shot("conflict")
    browser.click("Show the record")
    browser.until("document.querySelector('main dl') && document.querySelector('main').innerText.includes('version 3')")
    # Lines keep their ends.
    lines = "one\r\ntwo\r\nthree"
    change = {"store": store, "operation": "update", "id": identifier, "version": 3, "values": {"name": lines}}
    browser.run(
        "fetch('api/save', {method: 'POST', headers: {'Content-Type': 'application/json'},"
        f" body: JSON.stringify({json.dumps(change)})}}).then((a) => a.json())")
    browser.run("location.reload()")
    browser.until("document.querySelector('main dl') && document.querySelector('main').innerText.includes('version 4')")
    browser.click("Edit")
    browser.type("name", "one\ntwo more\nthree")
    # Twice: the second one is not sent.
    browser.run("(() => { const ask = window.fetch; window.saves = 0; window.fetch = (...given) => {"
                " if (String(given[0]).includes('api/save')) window.saves += 1; return ask(...given); }; })()")
    browser.run("(() => { const form = [...document.querySelectorAll('main form')].at(-1);"
                " form.requestSubmit(); form.requestSubmit(); })()")
    browser.until("document.querySelector('main dl') && document.querySelector('main').innerText.includes('version 5')")
    expect("one save", browser.run("window.saves") == 1)
    stored = browser.run(f"fetch('api/record?id={identifier}').then((a) => a.json())"
                         ".then((a) => a.attributes.find((one) => one.name === 'name').value.text)")
    expect("the line ends", stored == lines.replace("two", "two more"))
    # A store with another identifier is another store.
    change = {"store": "other", "operation": "delete", "id": identifier, "version": 5}
    status = browser.run(
        "fetch('api/save', {method: 'POST', headers: {'Content-Type': 'application/json'},"
        f" body: JSON.stringify({json.dumps(change)})}}).then((a) => a.status)")
    expect("another store", status == 409)

    # A double click deletes nothing, and the question goes when something else is looked at.
    def press(text, clicks):
        found = f"[...document.querySelectorAll('main button')].find((e) => e.textContent.startsWith({json.dumps(text)}))"
        x, y = browser.run(f"(() => {{ const r = {found}.getBoundingClientRect();"
                           " return [r.x + r.width / 2, r.y + r.height / 2]; })()")
        for count in range(1, clicks + 1):
            for kind in ("mousePressed", "mouseReleased"):
                browser.call("Input.dispatchMouseEvent", {
                    "type": kind, "x": x, "y": y, "button": "left", "clickCount": count})

    sure = "[...document.querySelectorAll('main button')].find((e) => e.textContent.startsWith('Really delete'))"
    press("Delete", 2)
    browser.until(f"!{sure}.hidden")
    expect("nothing is deleted by a double click", browser.run("location.hash.startsWith('#/record')"))
    browser.run("document.activeElement.blur()")
    browser.until(f"{sure}.hidden")
    # Two slow clicks: the second one takes the question back.
    press("Delete", 1)
    browser.until(f"!{sure}.hidden")
    where = "(() => { const r = [...document.querySelectorAll('main button')].find((e) => e.textContent === 'Delete')"
    where += ".getBoundingClientRect(); return [r.x, r.y]; })()"
    before = browser.run(where)
    press("Delete", 1)
    browser.until(f"{sure}.hidden")
    expect("the button stays in its place", browser.run(where) == before)
    press("Delete", 1)
    press("Really delete", 1)
    browser.until("location.hash.startsWith('#/rows?entity=Person') && document.querySelectorAll('main tbody tr').length === 6")

    # Relationships in both directions, and the diagram.
    browser.run("document.querySelector('main tbody a').click()")
    browser.until("document.querySelector('main dl')")
    browser.shot("record")
    browser.run(
        "[...document.querySelectorAll('main dd a')].find((e) => e.href.includes('Team')).click()")
    browser.until("document.querySelector('main h2')?.innerText.startsWith('name') && location.hash.includes('Team')")
    members = "[...document.querySelectorAll('main dd a')].find((e) => e.href.includes('via=members'))"
    browser.until(members)
    browser.run(f"{members}.click()")
    browser.until("location.hash.includes('via=members') && document.querySelector('main tbody')")
    browser.shot("members")
    browser.go("#/diagram")
    browser.until("document.getElementById('diagram')?.naturalWidth > 100")
    browser.shot("diagram")
    if folder:
        browser.call("Emulation.setDeviceMetricsOverride", {
            "width": 390, "height": 780, "deviceScaleFactor": 1, "mobile": False})
        browser.run("document.getElementById('menu').click()")
        browser.shot("menu")

    # Another store in the place of this one: what was typed is not saved in it, and what reads loads the page anew.
    browser.go("#/rows?entity=Team")
    browser.until("document.querySelector('main h2')?.innerText === 'Team' && document.querySelector('main tbody a')")
    browser.run("document.querySelector('main tbody a').click()")
    browser.until("document.querySelector('main dl')")
    browser.click("Edit")
    browser.type("name", "typed")
    browser.run("window.isOld = true")
    for suffix in ("-wal", "-shm"):
        if os.path.exists(store_path + suffix):
            os.remove(store_path + suffix)
    os.replace(other_path, store_path)
    browser.click("Save")
    browser.until("document.querySelector('.wrong')?.innerText.includes('Another store')")
    expect("what was typed", browser.run("document.querySelector('[name=name]').value") == "typed")
    browser.go("#/rows?entity=Skill")
    browser.until("window.isOld === undefined && document.querySelector('main h2')?.innerText === 'Skill'"
                  " && document.querySelector('main tbody')")

    expect("no script of a value has run", browser.run("window.hurt === undefined"))
    expect(f"no complaints: {browser.complaints}", not browser.complaints)
finally:
    browser.process.terminate()
    browser.process.wait()
