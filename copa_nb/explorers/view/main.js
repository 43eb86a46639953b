// The whole view: controls, charts, cards, tables and code, for a widget (the model is the kernel's) and for an
// exported page (the model is a plain object). Rooms that the page computes make scenes from the state; for the
// others the kernel sends scenes, or the page holds one for every position of the controls.
import { Chart } from "./chart.js";
import { ChoiceRoom } from "./choice.js";
import { Controls } from "./controls.js";
import { GapRoom } from "./gap.js";
import { KernelRoom } from "./kernel.js";
import { Parallel } from "./parallel.js";
import { Store } from "./state.js";
import { TableBox, plainTable } from "./table.js";
import { button, make, setAttribute, write } from "./text.js";

const ROOMS = { choice: ChoiceRoom, gap: GapRoom };
const NARROW = 760;

class View {
  constructor(model, el) {
    this.model = model;
    this.ending = new AbortController();
    this.signal = this.ending.signal;
    this.frame = el.appendChild(make("div", "copa-frame"));
    this.root = this.frame.appendChild(make("div", "copa-view", undefined, { role: "group", "data-kind": model.get("kind") }));
    this.root.addEventListener("keydown", (event) => this.key(event));
    this.narrow = false;
    this.hideTwin(el);
    this.message = this.root.appendChild(make("div", "copa-message", undefined, { role: "alert" }));
    for (const name of ["panel", "picture", "side", "wide"]) this[name] = this.root.appendChild(make("div", `copa-${name}`));
    this.root.append((this.foot = this.makeFoot()), (this.live = make("div", "copa-spoken", undefined, { "aria-live": "polite", role: "status" })));
    this.charts = [];
    this.tables = [];
    this.cards = [];
    this.room = new (ROOMS[model.get("kind")] || KernelRoom)(this, model.get("data"));
    this.store = new Store(model, (state) => this.room.repair(state), () => this.redraw(true), () => this.settle(), this.signal);
    this.controls = new Controls(this, this.panel, this.room.controls());
    this.panel.hidden = !this.panel.children.length;
    this.listen("change:scene", () => this.redraw(true));
    this.watchTheme();
    // Sizes are told, not asked for: asking in the middle of a change makes the browser lay out the page twice.
    this.resizing = new ResizeObserver(([entry]) => {
      this.width = entry.contentRect.width;
      this.redraw();
    });
    this.resizing.observe(this.frame);
    this.redraw(true);
  }

  listen(name, handler) {
    this.model.on(name, handler);
    this.signal.addEventListener("abort", () => this.model.off(name, handler));
  }

  // As long as this view is alive it stands for the static picture of the same explorer.
  hideTwin(el) {
    const twin = this.model.get("twin");
    if (!twin) return;
    const style = el.appendChild(make("style"));
    style.textContent = `.copa-nb-static-${twin}, .jp-OutputArea-child:has(.copa-nb-static-${twin}) { display: none !important; }`;
    // In a shadow root the rule would not reach the twin.
    if (el.getRootNode() !== document) document.head.appendChild(style);
    this.signal.addEventListener("abort", () => style.remove());
  }

  watchTheme() {
    const update = () => {
      this.root.dataset.theme = isDark() ? "dark" : "light";
      this.colors = null;
      this.charts.forEach((chart) => Object.assign(chart, { stale: true, legendKey: null }));
      this.redraw();
    };
    this.theme = new MutationObserver(update);
    for (const element of [document.body, document.documentElement]) this.theme.observe(element, { attributes: true, attributeFilter: ["class", "data-jp-theme-light", "data-jp-theme-name", "data-theme", "theme"] });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", update, { signal: this.signal });
    update();
  }

  end() {
    this.ending.abort();
    this.theme.disconnect();
    this.resizing.disconnect();
    [...this.charts, ...this.tables].forEach((part) => part.end());
    cancelAnimationFrame(this.waiting);
    this.frame.remove();
  }

  palette() {
    if (!this.colors) {
      const style = getComputedStyle(this.root);
      const names = ["ink", "soft", "faint", "paper", "grey", "front", "accent", "second", "third", "validation"];
      const known = Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--copa-${name}`).trim()]));
      this.colors = { ...known, font: style.fontFamily, named: (color) => known[color] || color || known.ink };
    }
    return this.colors;
  }

  // However many changes arrive between two frames of the screen, the page is drawn once.
  redraw(changed = false) {
    this.changed = this.changed || changed;
    if (this.waiting) return;
    this.waiting = requestAnimationFrame(() => {
      this.waiting = 0;
      this.measure();
      if (this.changed) this.fill(this.room.scene(this.store.state));
      this.changed = false;
      this.charts.forEach((chart) => chart.draw());
      this.root.dataset.revision = Number(this.root.dataset.revision || 0) + 1;
      this.settle();
    });
    this.settle();
  }

  // Whether all that was asked for is done: drawn, answered by the kernel, in the address and spoken. Programs that
  // read the page wait for that.
  settle() {
    const busy = this.waiting || this.store?.waiting || this.speaking || this.root.hasAttribute("aria-busy");
    this.root.toggleAttribute("data-settled", !busy);
  }

  measure() {
    const width = this.width ?? this.frame.clientWidth;
    if (!width || width < NARROW === this.narrow) return;
    this.narrow = width < NARROW;
    this.controls.fold(this.narrow);
    this.changed = true;
  }

  fill(scene) {
    this.controls.sync(this.store.state);
    setAttribute(this.root, "aria-label", scene.title || "explorer");
    this.root.toggleAttribute("aria-busy", Boolean(scene.busy));
    const { charts = [], cards = [], tables = [] } = scene;
    write(this.message, scene.message || "");
    this.message.hidden = !scene.message;
    this.match(this.charts, charts, (spec) => new (spec.kind === "parallel" ? Parallel : Chart)(this, this.picture));
    this.match(this.cards, cards, () => new Card(this.side));
    this.match(this.tables, tables, () => new TableBox(this, this.wide));
    this.picture.hidden = !charts.length;
    this.side.hidden = !cards.length;
    this.code.hidden = !scene.code;
    write(this.code.querySelector("pre"), scene.code || "");
    this.undo.disabled = !this.store.past.length;
    this.again.disabled = !this.store.future.length;
    if (scene.announce) this.announce(scene.announce);
  }

  match(parts, specs, create) {
    while (parts.length > specs.length) parts.pop().end();
    specs.forEach((spec, i) => {
      parts[i] ||= create(spec);
      parts[i].set(spec.list || spec.layers || spec.strands || !spec.rows ? spec : plainTable(spec));
    });
  }

  makeFoot() {
    const foot = make("div", "copa-foot");
    const tools = foot.appendChild(make("div", "copa-tools"));
    tools.append(
      (this.undo = button("copa-tool", "↶ Undo", "Undo the last change", () => this.store.undo())),
      (this.again = button("copa-tool", "↷ Redo", "Redo", () => this.store.redo())),
    );
    if (this.model.address) tools.appendChild(button("copa-tool", "Copy link", "Copy a link to this state", () => this.copy(location.href)));
    this.code = foot.appendChild(make("details", "copa-code"));
    this.code.appendChild(make("summary", "", "Code for this result"));
    const pre = this.code.appendChild(make("pre"));
    this.code.appendChild(button("copa-tool", "Copy", "Copy the code", () => this.copy(pre.textContent)));
    return foot;
  }

  copy(text) {
    navigator.clipboard?.writeText(text).then(() => this.say("Copied"), () => this.say("The browser does not allow copying"));
  }

  key(event) {
    event.stopPropagation();
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z" || ["text", "search", "number"].includes(event.target.type)) return;
    if (!this.undo.offsetParent) return; // in a panel, whose form says where the controls stand
    event.preventDefault();
    this.store[event.shiftKey ? "redo" : "undo"]();
  }

  say(text) {
    this.live.textContent = text;
  }

  // A change is spoken where a move ends, not at every step of a drag.
  announce(text) {
    this.announced ??= text;
    clearTimeout(this.speaking);
    this.speaking = null;
    if (text === this.announced) return;
    this.speaking = setTimeout(() => {
      this.speaking = null;
      this.say((this.announced = text));
      this.settle();
    }, 350);
  }

  // ------------------------------------------------------------------------------- what parts ask for

  pick(id) {
    this.room.pick?.(id);
  }

  select(patch) {
    this.room.select?.(patch);
  }

  details(target) {
    return target.id === undefined ? null : this.room.details?.(target.id);
  }

  // A row under the pointer in one part is marked in the others.
  point(row) {
    if (this.over === row) return;
    this.over = row;
    this.redraw();
  }

  pointed(chart) {
    const row = this.charts.find((other) => other !== chart && other.hovered?.id !== undefined)?.hovered.id ?? this.over;
    const { cloud } = chart.spec;
    return row === undefined || !cloud ? null : { id: row, x: cloud.x[row], y: cloud.y[row] };
  }
}

class Card {
  constructor(host) {
    this.box = host.appendChild(make("section", "copa-card"));
    // What stands below must not jump while a slider moves: a card grows, but does not shrink.
    this.resizing = new ResizeObserver(([entry]) => {
      const { inlineSize: width, blockSize: height } = entry.borderBoxSize[0];
      this.tall = width === this.width ? Math.max(this.tall, height) : 0;
      this.width = width;
      this.box.style.minHeight = this.tall ? `${this.tall}px` : "";
    });
    this.resizing.observe(this.box);
    for (const [name, tag] of [["heading", "div"], ["title", "h2"], ["bars", "div"], ["lines", "div"], ["foot", "p"]]) {
      this[name] = this.box.appendChild(make(tag, `copa-card-${name}`));
    }
  }

  set(spec) {
    const { lines = [], bars = [], tone } = spec;
    const looks = `copa-card${tone ? ` copa-${tone}` : ""}`;
    if (this.box.className !== looks) this.box.className = looks;
    for (const name of ["heading", "title", "foot"]) write(this[name], spec[name] || "");
    lines.forEach((text, i) => write(this.lines.children[i] || this.lines.appendChild(make("p")), text));
    while (this.lines.children.length > lines.length) this.lines.lastChild.remove();
    const key = JSON.stringify(bars);
    if (key !== this.key) this.bars.replaceChildren(...makeBars(bars));
    this.key = key;
  }

  end() {
    this.resizing.disconnect();
    this.box.remove();
  }
}

function makeBars(bars) {
  return bars.flatMap(({ label, share, text, low, high }) => {
    const track = make("span", "copa-bar-track");
    const span = track.appendChild(make("span", low === undefined ? "copa-bar-fill" : "copa-bar-range"));
    span.style.left = `${100 * (low ?? 0)}%`;
    span.style.width = `${Math.max(100 * ((high ?? share) - (low ?? 0)), 0.8)}%`;
    if (low !== undefined) track.appendChild(make("span", "copa-bar-middle")).style.left = `${100 * share}%`;
    return [make("span", "copa-bar-label", label, { title: label }), track, make("span", "copa-bar-text", text)];
  });
}

// Lab, Notebook, Voila and VS Code mark the body; marimo and Colab the root; a page of its own follows the system.
function isDark() {
  const { body, documentElement: root } = document;
  if (body.dataset.jpThemeLight) return body.dataset.jpThemeLight === "false";
  const marks = `${body.className} ${root.className} ${body.dataset.theme || ""} ${root.dataset.theme || root.getAttribute("theme") || ""}`;
  if (/\b(dark|vscode-dark|dark-theme)\b/.test(marks)) return true;
  if (/\blight\b/.test(marks)) return false;
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

// The model of a page without a kernel: what was exported, with bytes written as base64.
export function openPage(content, el) {
  const decode = (value) => {
    if (Array.isArray(value)) return value.map(decode);
    if (value === null || typeof value !== "object") return value;
    if ("base64" in value) return new DataView(Uint8Array.from(atob(value.base64), (letter) => letter.charCodeAt(0)).buffer);
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, decode(item)]));
  };
  const traits = decode(content);
  const nothing = () => {};
  const model = { address: true, offline: true, get: (name) => traits[name], set: (name, value) => (traits[name] = value), save_changes: nothing, send: nothing, on: nothing, off: nothing };
  return new View(model, el);
}

export default {
  render({ model, el }) {
    const view = new View(model, el);
    return () => view.end();
  },
};
