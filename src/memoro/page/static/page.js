// What the page does beyond links and forms: keys, colours, and what is new.
"use strict";
(() => {
  const one = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];

  // Colours

  const theme = one("#theme");
  theme.value = document.documentElement.dataset.theme ?? "";
  theme.addEventListener("change", () => {
    if (theme.value) document.documentElement.dataset.theme = theme.value;
    else delete document.documentElement.dataset.theme;
    try { localStorage.setItem("theme", theme.value); } catch { /* for this page alone, then */ }
  });

  // Forms: sent by htmx, and the page is morphed in place

  let place = -1; // which item the focus was in, so that it can go to the next one when that item is gone
  document.addEventListener("htmx:before:init", (event) => {
    const element = event.target;
    if (element.tagName === "A" && !element.hasAttribute("hx-get")) event.preventDefault(); // links load their page
  });
  document.addEventListener("htmx:before:history:update", (event) => {
    if (event.detail.history.path === location.pathname + location.search) event.preventDefault();
  });
  document.addEventListener("htmx:before:request", () => {
    place = all("[data-item]").indexOf(document.activeElement?.closest("[data-item]"));
  });
  const offered = () => one("[data-undo]")?.form.elements.key.value; // another one for each change
  let lastOffered = offered();
  document.addEventListener("htmx:after:swap", () => {
    const field = document.activeElement?.closest("input, textarea, select");
    if (offered() !== lastOffered && offered()) field?.blur(); // so that `u` presses the button
    lastOffered = offered();
    const list = all("[data-item]");
    if (document.activeElement === document.body && place >= 0 && list.length)
      list[Math.min(place, list.length - 1)].focus({ preventScroll: true });
  });
  document.addEventListener("change", (event) => event.target.closest("form[data-auto]")?.requestSubmit());
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-dismiss]")) one("#notice").replaceChildren();
    if (event.target.closest("[data-help]")) one("#help").showModal();
  });

  // What is new: asked every two seconds while the page is in view

  const EVERY = 2000;
  let { marker, marks } = JSON.parse(document.body.dataset.state);
  let asks = false;
  let isOver = false; // Memoro no longer knows this browser; only a new link lets it in
  const show = (activity) => {
    const line = one("#activity");
    line.classList.remove("away");
    if (!activity) return void line.replaceChildren();
    const words = one("span", line) ?? document.createElement("span");
    words.textContent = activity.sentence;
    const bar = one("progress", line) ?? document.createElement("progress");
    if (activity.total) { bar.max = activity.total; bar.value = activity.done; } else bar.removeAttribute("value");
    bar.setAttribute("aria-label", activity.sentence);
    if (!words.isConnected) line.replaceChildren(words, bar);
  };
  const withCode = (text) => text.split("`").map((words, at) => { // `commands` as code, as the server writes them
    const code = document.createElement("code");
    code.textContent = words;
    return at % 2 ? code : words;
  });
  const tell = (trouble) => {
    const line = one("#trouble");
    if (!line) return;
    line.hidden = !trouble;
    line.replaceChildren(...withCode(trouble));
  };
  const away = (sentence) => {
    const line = one("#activity");
    line.classList.add("away");
    if (line.textContent !== sentence.replaceAll("`", "")) line.replaceChildren(...withCode(sentence));
  };
  const refresh = (names) => {
    const stale = all("[data-live][id]").filter((part) => part.dataset.live.split(" ").some((name) => names.includes(name)));
    if (!stale.length) return;
    const swaps = stale.map((part) => `#${CSS.escape(part.id)}:outerMorph`).join(",");
    const headers = { "Memoro-Live": "true" };
    htmx.ajax("GET", location.pathname + location.search, { target: "body", swap: "none", selectOOB: swaps, headers });
  };
  const ask = async () => {
    if (asks || isOver || document.hidden) return;
    asks = true;
    try {
      const answer = await fetch(`/live?since=${encodeURIComponent(marker)}`, { redirect: "error", mode: "same-origin" });
      if (answer.status === 204) { if (one("#activity.away")) show(null); return; }
      if (answer.status === 401) {
        isOver = true;
        clearInterval(asking);
        return void away(one("#activity").dataset.linkOver);
      }
      if (!answer.ok) return;
      const found = await answer.json();
      const known = marks;
      marker = found.marker;
      show(found.activity);
      tell(found.trouble);
      if (found.trouble) return; // the marks are not known: what is shown stays
      marks = found.marks;
      for (const count of all("[data-count]")) count.textContent = marks[count.dataset.count] || "";
      refresh(Object.keys(marks).filter((name) => known[name] !== marks[name]));
    } catch {
      away(one("#activity").dataset.notRunning);
    } finally {
      asks = false;
    }
  };
  const asking = setInterval(ask, EVERY);
  document.addEventListener("visibilitychange", ask);
  window.addEventListener("pageshow", (event) => { if (event.persisted) ask(); });

  // Keys

  const step = (by) => {
    const list = all("[data-item]").filter((item) => item.offsetParent !== null);
    if (!list.length) return;
    const at = list.indexOf(document.activeElement?.closest("[data-item]"));
    const next = list[at < 0 ? (by > 0 ? 0 : list.length - 1) : Math.min(Math.max(at + by, 0), list.length - 1)];
    next.focus({ preventScroll: true });
    next.scrollIntoView({ block: "nearest" });
  };
  const open = (event) => {
    const item = event.target;
    if (!item.matches("[data-item]")) return; // a link or a button in it does what it says
    const link = one("a[data-open]", item) ?? one("a[href]", item);
    if (link) link.click();
  };
  const go = (letter) => {
    const link = all("#menu a[data-go]").find((a) => a.dataset.go === letter);
    if (link) location.assign(link.href);
  };
  const keys = {
    "/": () => { const field = one("#find") ?? one("#q"); field.focus(); field.select(); },
    "j": () => step(1),
    "k": () => step(-1),
    "u": () => one("[data-undo]")?.click(),
    "?": () => one("#help").showModal(),
    "Enter": open,
  };
  // A button or a summary with `data-key` in the item that has the focus; a summary opens its field.
  const press = (key) => {
    const item = document.activeElement?.closest("[data-item]");
    const button = item && all("[data-key]", item).find((found) => found.dataset.key === key);
    if (!button) return false;
    button.click();
    if (button.tagName === "SUMMARY" && button.parentElement.open) one("textarea, input", button.parentElement.lastElementChild)?.focus();
    return true;
  };
  let awaitsView = false;
  document.addEventListener("keydown", (event) => {
    const field = event.target.closest("input, textarea, select, [contenteditable]");
    if (event.key === "Escape" && field && !field.closest("dialog")) field.blur();
    if (field || event.ctrlKey || event.metaKey || event.altKey || event.isComposing || one("dialog[open]")) return;
    if (awaitsView) {
      awaitsView = false;
      go(event.key);
    } else if (event.key === "g") {
      awaitsView = true;
      setTimeout(() => { awaitsView = false; }, 1500);
    } else if (Object.hasOwn(keys, event.key)) {
      if (event.key !== "Enter") event.preventDefault();
      keys[event.key](event);
    } else if (press(event.key)) {
      event.preventDefault();
    }
  });
})();
