"""Write `src/memoro/page/static/htmx.js`: htmx without the parts that run text as code.

    npm pack htmx.org@4.0.0                          # or fetch the archive in another way
    python tools/vendor_htmx.py htmx.org-4.0.0.tgz   # or the folder that it was unpacked to

Cut out: `hx-on`, filters of triggers (`click[…]`), values that begin with `js:` or `javascript:`, and scripts in
answers. Each cut names text that must be there exactly once, so a new version of htmx fails here, not in a browser.
Comments and indentation go too. Run by hand for a new version of htmx; the page needs no build.
"""

from __future__ import annotations

import hashlib
import re
import sys
import tarfile
from pathlib import Path

VERSION = "4.0.0"
SOURCE_SHA256 = "5d0833e3b435d357221955566f46fa378cb653c4f119c0a8533b4bb4098cf9ad"  # of dist/htmx.js in the package
WRITTEN_SHA256 = "f9071441777f835c7a2f422d87362efeaf8fb5a9eb753dd8b249e0cf73621d6a"  # of what this writes
WRITTEN = Path(__file__).parent.parent / "src/memoro/page/static/htmx.js"
HEAD = f"/* htmx {VERSION}, https://htmx.org, Zero-Clause BSD; changed by tools/vendor_htmx.py of Memoro. */\n"

# Methods that only the parts that were cut out call.
METHODS = ("#apiMethods", "#executeJavaScript", "#handleHxOnAttributes", "#extractJavascriptContent")

# (text, what it becomes). Lines of the text are compared without their indentation.
CUTS = (
    ("#Function = Function;\n#AsyncFunction = Object.getPrototypeOf(async function(){}).constructor;\n", ""),
    ("#hxOnQuery\n", ""),
    ("(ttPolicy, syncFn, asyncFn) => {", "(ttPolicy) => {"),
    ("if (syncFn) this.#Function = syncFn;\nif (asyncFn) this.#AsyncFunction = asyncFn;\n", ""),
    ("executeJavaScript: this.#executeJavaScript.bind(this)\n", ""),
    (
        "let javascriptContent = this.#extractJavascriptContent(ctx.request.action);\n"
        "if (javascriptContent != null) {\n"
        "let data = Object.fromEntries(ctx.request.body);\n"
        "await this.#executeJavaScript(ctx.sourceElement, data, javascriptContent, false);\n"
        "return\n"
        "} else if (usesQueryParams) {\n",
        "if (usesQueryParams) {\n",
    ),
    (
        "let js = this.#extractJavascriptContent(ctx.confirm);\n"
        "resolve(js ? this.#executeJavaScript(elt, {ctx}, js, true) : window.confirm(ctx.confirm));\n",
        "resolve(window.confirm(ctx.confirm));\n",
    ),
    (
        "if (filter) {\n"
        "if (this.#shouldCancel(evt)) evt.preventDefault();\n"
        "let evtArgs = {}; for (let k in evt) evtArgs[k] = evt[k];\n"
        "if (!this.#executeJavaScript(elt, evtArgs, filter, true, false)) return;\n"
        "}\n",
        "if (filter != null) return;\n",
    ),
    (
        "let hxOnNodes = [root];\n"
        "let iter = this.#hxOnQuery.evaluate(root)\n"
        "let node = null\n"
        "while (node = iter.iterateNext()) hxOnNodes.push(node)\n"
        "for (let hxOnNode of hxOnNodes) {\n"
        'if (!this.#ignore(hxOnNode) && this.#trigger(hxOnNode, "htmx:before:on:init", {}, true)) {\n'
        "this.#handleHxOnAttributes(hxOnNode);\n"
        "}\n"
        "}\n",
        "",
    ),
    (
        "let javascriptContent = this.#extractJavascriptContent(hxAttr);\n"
        "if (javascriptContent) {\n"
        "if (javascriptContent.indexOf('{') !== 0) {\n"
        "javascriptContent = '{' + javascriptContent + '}';\n"
        "}\n"
        "return this.#executeJavaScript(elt, scope, javascriptContent, true).then(obj => {\n"
        "callback(obj);\n"
        "});\n"
        "} else {\n"
        "callback(HCON.parse(hxAttr));\n"
        "}\n",
        "callback(HCON.parse(hxAttr));\n",
    ),
    (
        "let newScript = document.createElement('script');\n"
        "for (let attr of oldScript.attributes) {\n"
        "newScript.setAttribute(attr.name, attr.value);\n"
        "}\n"
        "if (this.config.inlineScriptNonce) {\n"
        "newScript.nonce = this.config.inlineScriptNonce;\n"
        "}\n"
        "newScript.textContent = this.#ttPolicy.createScript(oldScript.textContent);\n"
        "oldScript.replaceWith(newScript);\n",
        "oldScript.remove();\n",
    ),
)
LINES = ("this.#hxOnQuery = new XPathEvaluator()",)  # lines that begin so are left out
RUNS_TEXT = re.compile(r"\b(?:eval|Function|AsyncFunction|executeJavaScript|javascript:)|\bwith\s*\(|createScript\(")


def main(package: Path) -> None:
    source = _source(package)
    if (found := hashlib.sha256(source).hexdigest()) != SOURCE_SHA256:
        sys.exit(f"This is not htmx {VERSION}: dist/htmx.js has the hash {found}, not {SOURCE_SHA256}.")
    made = (HEAD + without_eval(source.decode())).encode()
    WRITTEN.write_bytes(made)
    print(f"{WRITTEN.name}: {len(made):,} bytes, WRITTEN_SHA256 is {hashlib.sha256(made).hexdigest()}")


def without_eval(source: str) -> str:
    """The source without what runs text as code, comments and indentation."""
    for name in METHODS:
        source = _without_method(source, name)
    code = _bare(source)
    for text, becomes in CUTS:
        if code.count(text) != 1:
            sys.exit(f"htmx has changed: this is there {code.count(text)} times, not once:\n{text}")
        code = code.replace(text, becomes)
    code = "".join(line for line in code.splitlines(keepends=True) if not line.startswith(LINES))
    if left := RUNS_TEXT.search(code):
        sys.exit(f"This still runs text as code: {code[left.start() - 80 : left.end() + 80]}")
    return code


def _source(package: Path) -> bytes:
    if package.is_dir():
        return (package / "dist/htmx.js").read_bytes()
    with tarfile.open(package) as archive:
        found = archive.extractfile("package/dist/htmx.js")
        assert found is not None
        return found.read()


def _without_method(source: str, name: str) -> str:
    """Methods of the class are indented by eight spaces, and end with a brace that is."""
    made, count = re.subn(rf"\n {{8}}{name}\(.*?\n {{8}}}}\n", "\n", source, flags=re.DOTALL)
    if count != 1:
        sys.exit(f"htmx has changed: the method {name} is there {count} times, not once.")
    return made


def _bare(source: str) -> str:
    """Without lines that are comments, and without indentation. No text of htmx spans lines; a test compares."""
    code = re.sub(r"^\s*/\*.*?\*/\s*?\n", "", source, flags=re.DOTALL | re.MULTILINE)
    lines = (line.strip() for line in code.splitlines())
    return "".join(f"{line}\n" for line in lines if line and not line.startswith("//"))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
