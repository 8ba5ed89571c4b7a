"use strict";
// A view inside a host. It speaks JSON-RPC with the window around it, and shows what Memoro's tools answer.
// Texts of the owner become text nodes and nothing else: there is no innerHTML here.
(() => {
  const known = JSON.parse(document.getElementById("known").textContent);
  const words = known.words;
  const host = window.parent;
  const root = document.documentElement;
  const status = document.getElementById("status");
  const content = document.getElementById("content");
  const refresh = document.getElementById("refresh");
  const waiting = new Map(); // requests to the host, by number
  let lastId = 0;
  let canCall = false;
  let textOfResult = ""; // what the host's model read; shown where the view can ask for nothing itself
  let isShown = false;

  // The host

  const post = (message) => host.postMessage({ jsonrpc: "2.0", ...message }, "*");
  const notify = (method, params = {}) => post({ method, params });
  const request = (method, params) => new Promise((resolve, reject) => {
    const id = ++lastId;
    waiting.set(id, { resolve, reject });
    post({ id, method, params });
  });

  const answered = (message) => {
    const asked = waiting.get(message.id);
    if (!asked) return;
    waiting.delete(message.id);
    if (message.error) asked.reject(new Error(String(message.error.message ?? "")));
    else asked.resolve(message.result ?? {});
  };

  const received = (message) => {
    if (message.method === "ui/notifications/tool-result") showResult(message.params ?? {});
    else if (message.method === "ui/notifications/host-context-changed") adapt(message.params ?? {});
    else if (message.id !== undefined) {
      // The host ends the view, or asks whether it is alive. Anything else it may not ask.
      const isKnown = message.method === "ui/resource-teardown" || message.method === "ping";
      post(isKnown ? { id: message.id, result: {} } : { id: message.id, error: { code: -32601, message: "Unknown" } });
    }
  };

  window.addEventListener("message", (event) => {
    const message = event.data;
    if (event.source !== host || !message || message.jsonrpc !== "2.0") return;
    if (typeof message.method === "string") received(message);
    else answered(message);
  });

  const adapt = (context) => {
    if (context.theme === "light" || context.theme === "dark") root.dataset.theme = context.theme;
    for (const [name, value] of Object.entries(context.styles?.variables ?? {})) {
      if (/^--(color|font)-[a-z-]+$/.test(name) && typeof value === "string") root.style.setProperty(name, value);
    }
  };

  const tellSize = () => {
    const box = document.querySelector("main").getBoundingClientRect();
    notify("ui/notifications/size-changed", { width: Math.ceil(root.clientWidth), height: Math.ceil(box.height) });
  };

  const call = async (name, args) => {
    const answer = await request("tools/call", { name, arguments: args });
    if (answer.isError) throw new Error(answer.content?.[0]?.text ?? words.failed);
    return answer;
  };

  // Elements

  const make = (tag, options = {}, ...children) => {
    const made = document.createElement(tag);
    if (options.class) made.className = options.class;
    if (options.label) made.setAttribute("aria-label", options.label);
    made.append(...children.filter((one) => one !== null && one !== ""));
    return made;
  };
  // A sentence of ours, with `commands` as code.
  const sentence = (text) => text.split("`").map((part, at) => (at % 2 ? make("code", {}, part) : part));
  const say = (text) => status.replaceChildren(...sentence(text));
  const unseen = (text) => make("span", { class: "unseen" }, text);
  const heading = (level, text) => make(`h${level}`, {}, text);
  const focus = (element) => {
    element.tabIndex = -1;
    element.focus();
  };

  const longText = (text, preview) => {
    if (!preview) return make("p", { class: "text" }, text);
    const more = make("span", { class: "more" }, words.show_all);
    const summary = make("summary", {}, make("span", { class: "preview" }, preview), " ", more);
    return make("details", {}, summary, make("p", { class: "text" }, text));
  };

  const button = (label, about, kind, act) => {
    const made = make("button", { class: kind }, label, about ? unseen(` ${about}`) : null);
    made.type = "button";
    made.addEventListener("click", (event) => {
      if (event.isTrusted) act(made); // a person's click or key, and no script's
    });
    return made;
  };

  const facts = (list) => make("dl", { class: "facts" }, ...list.flatMap((one) => [
    make("dt", {}, one.label),
    make("dd", {}, one.text, ...one.quotes.map((quote) => make("blockquote", {}, quote))),
  ]));

  const nothing = (one) => make("div", { class: "box" }, heading(2, one.title), make("p", { class: "muted" }, one.sentence));
  const note = (text) => (text ? make("p", { class: "muted small" }, ...sentence(text)) : null);

  // Review

  const SIGNS = { added: ["ins", "+"], removed: ["del", "−"], gap: ["p", "…"], same: ["p", " "] };
  const difference = (lines) => make("div", { class: "diff" }, ...lines.map((line) => {
    const [tag, sign] = SIGNS[line.kind];
    const mark = make("span", { class: "sign" }, sign);
    mark.ariaHidden = "true";
    const pieces = line.pieces.map((one) => (one.is_changed ? make("mark", {}, one.text) : one.text));
    const label = words[line.kind] ? unseen(`${words[line.kind]} `) : null;
    return make(tag, {}, mark, label, make("span", {}, ...pieces));
  }));

  const told = (card) => {
    if (card.says) return [make("p", { class: "muted small" }, words.same_text), make("blockquote", {}, card.says)];
    if (card.difference.length) return [difference(card.difference)];
    return card.can_accept ? [] : [make("p", { class: "muted" }, words.no_text)];
  };

  const proposal = (card, key, later) => {
    const title = heading(2, card.title);
    const box = make("article", {}, title, card.outdated ? make("p", { class: "warning" }, card.outdated) : null,
      ...told(card), facts(card.facts));
    const buttons = () => [...box.querySelectorAll("button")];

    const decide = async (decision, used) => {
      buttons().forEach((one) => { one.disabled = true; });
      say(words.working);
      try {
        const answer = await call("app_decide", { proposal: card.number, decision, key: used });
        const said = answer.structuredContent;
        const undo = answer._meta?.["memoro/undo"];
        say(said.sentence);
        box.replaceChildren(title, make("p", {}, ...sentence(said.sentence)),
          undo ? button(words.undo, card.about, "plain", () => decide("undo", undo)) : null);
        focus(title);
      } catch (error) { // what was shown may not wait any more: show what does
        await load(error.message || words.failed);
      }
    };

    if (key) {
      const actions = make("div", { class: "row actions" });
      if (card.can_accept) {
        const kind = card.outdated ? "plain" : "primary";
        actions.append(button(words.accept, card.about, kind, () => decide("accept", key)));
      }
      actions.append(button(words.reject, card.about, "danger", () => decide("reject", key)));
      actions.append(button(words.later, card.about, "plain", (pressed) => {
        const following = box.nextElementSibling?.querySelector("h2") ?? later.firstElementChild;
        pressed.remove();
        later.hidden = false;
        later.append(box);
        say(words.skipped);
        focus(following);
      }));
      box.append(actions);
    }
    return box;
  };

  const showReview = (view, keys) => {
    const later = make("section", {}, heading(2, words.later_title), make("p", { class: "muted" }, words.later_sentence));
    later.hidden = true;
    const cards = view.cards.map((card) => proposal(card, keys[card.number], later));
    const queue = make("section", { label: known.title }, ...cards);
    content.replaceChildren(...[
      make("p", { class: "muted" }, view.intro),
      view.nothing ? nothing(view.nothing) : queue,
      later, note(view.more), note(view.withheld), view.cards.length ? note(view.elsewhere) : null,
    ].filter(Boolean));
  };

  // Today

  const badge = (kind, text) => make("span", { class: `badge ${kind}` }, text);

  const item = (one) => make("li", {},
    make("p", { class: "row" }, badge("", one.kind), make("span", {}, one.place)),
    longText(one.text, one.preview), make("p", { class: "muted small" }, one.facts));

  const prompt = (one) => make("article", {},
    make("p", { class: "row muted small" }, one.at, make("span", {}, one.summary)),
    longText(one.message, one.preview),
    one.reason ? make("p", { class: "muted small" }, one.reason) : null,
    ...one.notices.map((text) => make("p", { class: "warning small" }, text)),
    one.items.length ? make("ul", { class: "items" }, ...one.items.map(item)) : null,
    one.left_out ? make("p", { class: "muted small" }, one.left_out) : null);

  const session = (one) => make("section", {},
    make("h3", { class: "row" }, badge("", one.agent), badge("", one.project), one.about),
    make("p", { class: "muted small" }, one.tokens), ...one.prompts.map(prompt));

  const showToday = (view) => {
    const figures = make("dl", { class: "figures", label: words.figures }, ...view.figures.map((one) =>
      make("div", {}, make("dt", {}, one.label), make("dd", {}, one.value.toLocaleString("en")))));
    const proposals = view.proposals.map((one) => make("li", {}, badge("", one.kind), " ", one.text));
    content.replaceChildren(
      make("section", {}, heading(2, words.health),
        make("p", { class: "row" }, ...view.health.map((one) => badge(one.kind, one.text)))),
      make("section", {}, heading(2, words.proposals), make("p", {}, view.waiting),
        proposals.length ? make("ul", {}, ...proposals) : ""),
      make("section", {}, heading(2, words.given),
        ...(view.nothing ? [nothing(view.nothing)] : [figures, ...view.sessions.map(session)]), note(view.more)),
    );
  };

  // Beginning

  const showResult = (result) => {
    textOfResult = (result.content ?? []).map((one) => one.text ?? "").join("\n");
    if (!canCall && !isShown && textOfResult) showText();
  };

  const showText = () => {
    say(words.no_tools);
    content.replaceChildren(make("p", { class: "text box" }, textOfResult));
  };

  const load = async (said = "") => {
    refresh.disabled = true;
    say(said || words.loading);
    try {
      const answer = await call("app_view", { view: known.view });
      if (known.view === "review") showReview(answer.structuredContent, answer._meta?.["memoro/keys"] ?? {});
      else showToday(answer.structuredContent);
      isShown = true;
      say(said);
    } catch (error) {
      say(error.message || words.failed);
      if (!isShown && textOfResult) content.replaceChildren(make("p", { class: "text box" }, textOfResult));
    }
    refresh.disabled = false;
  };

  const begin = async () => {
    say(words.loading);
    const found = await request("ui/initialize", {
      protocolVersion: "2026-01-26",
      appInfo: { name: `memoro-${known.view}`, version: known.version },
      appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
    });
    adapt(found.hostContext ?? {});
    canCall = Boolean(found.hostCapabilities?.serverTools);
    notify("ui/notifications/initialized");
    new ResizeObserver(tellSize).observe(document.querySelector("main"));
    if (!canCall) {
      if (textOfResult) showText();
      return;
    }
    refresh.textContent = words.refresh;
    refresh.hidden = false;
    refresh.addEventListener("click", () => load());
    await load();
  };

  begin();
})();
