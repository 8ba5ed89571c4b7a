// What the page does beyond links and forms: keys, colours, and what is new.
"use strict";
(() => {
  const one = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];

  // ---- Colours -------------------------------------------------------------------------------------------------

  const theme = one("#theme");
  theme.value = document.documentElement.dataset.theme ?? "";
  theme.addEventListener("change", () => {
    if (theme.value) document.documentElement.dataset.theme = theme.value;
    else delete document.documentElement.dataset.theme;
    try { localStorage.setItem("theme", theme.value); } catch { /* for this page alone, then */ }
  });

  // ---- Forms: sent by htmx, and the page is morphed in place ----------------------------------------------------

  let place = 0; // which item the focus was in, so that it can go to the next one when that item is gone
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
  document.addEventListener("htmx:after:swap", () => {
    const list = all("[data-item]");
    if (document.activeElement === document.body && place >= 0 && list.length)
      list[Math.min(place, list.length - 1)].focus({ preventScroll: true });
  });
  document.addEventListener("change", (event) => event.target.closest("form[data-auto]")?.requestSubmit());
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-dismiss]")) one("#notice").replaceChildren();
    if (event.target.closest("[data-help]")) one("#help").showModal();
  });

  // ---- Keys ----------------------------------------------------------------------------------------------------

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
    const link = all("#menu a[data-go]").find((a) => a.dataset.go.startsWith(letter));
    if (link) location.assign(link.href);
  };
  const keys = {
    "/": () => { const field = one("#q") ?? one("#find"); field.focus(); field.select(); },
    "j": () => step(1),
    "k": () => step(-1),
    "u": () => one("[data-undo]")?.click(),
    "?": () => one("#help").showModal(),
    "Enter": open,
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
    }
  });
})();
