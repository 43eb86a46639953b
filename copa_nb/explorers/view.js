// One view for every explorer: draws a scene (charts, cards, tables, code) that the kernel describes.
// Labels are data: they reach the page through textContent and fillText only, never as markup.

const MARGIN = { left: 62, right: 16, top: 14, bottom: 44 };
const REACH = 14; // pixels within which a point is under the pointer

function make(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

function short(value) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-3) return value.toExponential(1).replace("e+", "e");
  return String(Number(value.toPrecision(4)));
}

function ticks(axis, count) {
  if (axis.ticks) return axis.ticks;
  if (axis.log) return decades(axis, count);
  const raw = (axis.hi - axis.lo) / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw);
  const found = [];
  for (let i = Math.ceil(axis.lo / step); i * step <= axis.hi + step * 1e-9; i += 1) found.push(i * step);
  return found.map((value) => ({ at: value, text: short(Number(value.toPrecision(12))) }));
}

function decades(axis, count) {
  const low = Math.log10(axis.lo);
  const high = Math.log10(axis.hi);
  const factors = high - low < 1.5 ? [1, 2, 5] : high - low < 3 ? [1, 3] : [1];
  const found = [];
  for (let power = Math.floor(low); power <= high; power += Math.max(1, Math.ceil((high - low) / count))) {
    for (const factor of factors) {
      const value = factor * 10 ** power;
      if (value >= axis.lo && value <= axis.hi) found.push({ at: value, text: short(value) });
    }
  }
  return found;
}

function scaler(axis, from, to) {
  const place = axis.log ? Math.log10 : (value) => value;
  const low = place(axis.lo);
  const span = place(axis.hi) - low || 1;
  return (value) => from + ((place(value) - low) / span) * (to - from);
}

const SHAPES = {
  circle: (c, x, y, r) => c.arc(x, y, r, 0, 2 * Math.PI),
  square: (c, x, y, r) => c.rect(x - r, y - r, 2 * r, 2 * r),
  diamond: (c, x, y, r) => polygon(c, x, y, [[0, -r * 1.25], [r * 1.25, 0], [0, r * 1.25], [-r * 1.25, 0]]),
  triangle: (c, x, y, r) => polygon(c, x, y, [[0, -r * 1.2], [r * 1.15, r], [-r * 1.15, r]]),
  star: (c, x, y, r) => {
    const corners = [];
    for (let i = 0; i < 10; i += 1) {
      const length = i % 2 ? r * 0.62 : r * 1.5;
      const angle = (i * Math.PI) / 5 - Math.PI / 2;
      corners.push([length * Math.cos(angle), length * Math.sin(angle)]);
    }
    polygon(c, x, y, corners);
  },
};

function polygon(context, x, y, corners) {
  corners.forEach(([a, b], i) => (i ? context.lineTo(x + a, y + b) : context.moveTo(x + a, y + b)));
  context.closePath();
}

function drawShape(context, shape, x, y, radius) {
  context.beginPath();
  (SHAPES[shape] || SHAPES.circle)(context, x, y, radius);
}

// ---------------------------------------------------------------------------------------------- one chart

class Chart {
  constructor(view, host) {
    this.view = view;
    this.box = host.appendChild(make("figure", "copa-chart"));
    this.title = this.box.appendChild(make("figcaption", "copa-chart-title"));
    this.legend = this.box.appendChild(make("div", "copa-legend"));
    this.frame = this.box.appendChild(make("div", "copa-canvas"));
    this.canvas = this.frame.appendChild(make("canvas"));
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
    this.tip = this.frame.appendChild(make("div", "copa-tip"));
    this.tip.hidden = true;
    this.base = document.createElement("canvas");
    this.hovered = null;
    this.stale = true;
    const stop = { signal: view.signal };
    this.canvas.addEventListener("pointermove", (event) => this.hover(this.nearest(event)), stop);
    this.canvas.addEventListener("pointerleave", () => this.hover(null), stop);
    this.canvas.addEventListener("click", (event) => this.pick(this.nearest(event)), stop);
    this.canvas.addEventListener("keydown", (event) => this.key(event), stop);
    this.resizing = new ResizeObserver(() => view.redraw());
    this.resizing.observe(this.frame);
  }

  set(spec) {
    const { layers, ...rest } = spec;
    const axes = JSON.stringify(rest);
    this.stale = this.stale || axes !== this.axes;
    this.axes = axes;
    this.spec = spec;
    this.title.textContent = spec.title || "";
    this.title.hidden = !spec.title;
    this.canvas.setAttribute("aria-label", spec.description || spec.title || "chart");
    this.frame.style.height = `${spec.height || 380}px`;
  }

  measure() {
    const width = Math.max(220, Math.floor(this.frame.clientWidth));
    const height = Math.max(120, Math.floor(this.frame.clientHeight));
    const ratio = window.devicePixelRatio || 1;
    if (this.width === width && this.height === height && this.ratio === ratio) return;
    Object.assign(this, { width, height, ratio, stale: true });
    for (const canvas of [this.canvas, this.base]) {
      canvas.width = width * ratio;
      canvas.height = height * ratio;
    }
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
  }

  draw() {
    if (!this.spec) return;
    this.measure();
    const left = this.spec.bare ? 8 : MARGIN.left;
    const bottom = this.spec.bare ? 8 : MARGIN.bottom;
    this.area = { left, top: MARGIN.top, right: this.width - MARGIN.right, bottom: this.height - bottom };
    this.x = scaler(this.spec.x, this.area.left, this.area.right);
    this.y = scaler(this.spec.y, this.area.bottom, this.area.top);
    this.palette = this.view.palette();
    if (this.stale) this.drawBase();
    this.stale = false;
    const context = this.canvas.getContext("2d");
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    context.drawImage(this.base, 0, 0);
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.save();
    context.beginPath();
    context.rect(this.area.left - 9, this.area.top - 9, this.area.right - this.area.left + 18, this.area.bottom - this.area.top + 18);
    context.clip();
    for (const layer of this.spec.layers) this.drawLayer(context, layer);
    context.restore();
    this.drawHovered(context);
    this.drawLegend();
  }

  drawBase() {
    const context = this.base.getContext("2d");
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    if (!this.spec.bare) this.drawAxes(context);
    if (this.spec.cloud) this.drawCloud(context);
  }

  drawAxes(context) {
    const { left, right, top, bottom } = this.area;
    const { ink, faint, soft } = this.palette;
    context.font = `11px ${this.palette.font}`;
    context.lineWidth = 1;
    context.fillStyle = soft;
    context.strokeStyle = faint;
    context.textBaseline = "top";
    context.textAlign = "center";
    for (const { at, text } of ticks(this.spec.x, Math.max(3, (right - left) / 90))) {
      const x = Math.round(this.x(at)) + 0.5;
      line(context, x, top, x, bottom);
      context.fillText(text, x, bottom + 6);
    }
    context.textBaseline = "middle";
    context.textAlign = "right";
    for (const { at, text } of ticks(this.spec.y, Math.max(3, (bottom - top) / 60))) {
      const y = Math.round(this.y(at)) + 0.5;
      line(context, left, y, right, y);
      context.fillText(text, left - 7, y);
    }
    context.fillStyle = ink;
    context.font = `12px ${this.palette.font}`;
    context.textAlign = "center";
    context.textBaseline = "bottom";
    context.fillText(withArrow(this.spec.x), (left + right) / 2, this.height - 4);
    context.save();
    context.translate(12, (top + bottom) / 2);
    context.rotate(-Math.PI / 2);
    context.textBaseline = "middle";
    context.fillText(withArrow(this.spec.y), 0, 0);
    context.restore();
  }

  drawCloud(context) {
    const { xy, flags } = this.view.cloud();
    const { grey, front } = this.palette;
    const many = flags.length > 800;
    // Rows outside the limits first, then the others, the front on top.
    const looks = [
      { bit: (f) => !(f & 2), color: grey, alpha: 0.16, size: many ? 1.2 : 2.4 },
      { bit: (f) => f & 2 && !(f & 1), color: grey, alpha: many ? 0.5 : 0.75, size: many ? 1.5 : 3 },
      { bit: (f) => f & 2 && f & 1, color: front, alpha: 0.8, size: many ? 2.1 : 3.4 },
    ];
    for (const { bit, color, alpha, size } of looks) {
      context.fillStyle = color;
      context.globalAlpha = alpha;
      for (let i = 0; i < flags.length; i += 1) {
        if (!bit(flags[i])) continue;
        const x = this.x(xy[2 * i]);
        const y = this.y(xy[2 * i + 1]);
        if (!Number.isFinite(x + y)) continue;
        if (flags.length > 5000) context.fillRect(x - size, y - size, 2 * size, 2 * size);
        else {
          context.beginPath();
          context.arc(x, y, size, 0, 2 * Math.PI);
          context.fill();
        }
      }
    }
    context.globalAlpha = 1;
  }

  drawLayer(context, layer) {
    const color = this.palette.named(layer.color);
    context.strokeStyle = color;
    context.fillStyle = color;
    context.globalAlpha = layer.alpha ?? 1;
    context.lineWidth = layer.width ?? 1.6;
    context.setLineDash(layer.dash || []);
    if (layer.kind === "line" || layer.kind === "area") this.drawLine(context, layer);
    if (layer.kind === "bars") this.drawBars(context, layer);
    if (layer.kind === "rule") this.drawRule(context, layer);
    context.setLineDash([]);
    if (layer.kind === "marks") this.drawMarks(context, layer, color);
    if (layer.kind === "texts") this.drawTexts(context, layer);
    context.globalAlpha = 1;
  }

  drawLine(context, layer) {
    context.beginPath();
    layer.x.forEach((value, i) => {
      const [x, y] = [this.x(value), this.y(layer.y[i])];
      if (i) context.lineTo(x, y);
      else context.moveTo(x, y);
    });
    if (layer.kind === "area") context.fill();
    else context.stroke();
  }

  drawBars(context, layer) {
    layer.y.forEach((value, i) => {
      const [a, b, top] = [this.x(layer.from[i]), this.x(layer.to[i]), this.y(value)];
      const floor = this.y(layer.base ? layer.base[i] : 0);
      context.fillRect(Math.min(a, b) + 0.5, Math.min(top, floor), Math.max(Math.abs(b - a) - 1, 1), Math.abs(floor - top));
    });
  }

  drawRule(context, layer) {
    const { left, right, top, bottom } = this.area;
    if (layer.axis === "x") line(context, this.x(layer.at), top, this.x(layer.at), bottom);
    else line(context, left, this.y(layer.at), right, this.y(layer.at));
  }

  drawMarks(context, layer, color) {
    layer.x.forEach((value, i) => {
      const [x, y] = [this.x(value), this.y(layer.y[i])];
      if (!Number.isFinite(x + y)) return;
      drawShape(context, layer.shape, x, y, layer.size ?? 5);
      if (layer.hollow) {
        context.lineWidth = 1.8;
        context.strokeStyle = color;
        context.stroke();
        return;
      }
      context.fillStyle = layer.colors ? this.palette.named(layer.colors[i]) : color;
      context.fill();
      context.lineWidth = 1.2;
      context.strokeStyle = this.palette.paper;
      context.stroke();
    });
  }

  drawTexts(context, layer) {
    let size = layer.size ?? 12;
    // Where a unit across is a character, letters shrink until they fit.
    if (layer.fit) size = Math.max(5, Math.min(size, (this.x(1) - this.x(0)) / 0.6));
    context.font = `${layer.bold ? "600 " : ""}${size}px ${this.palette.font}`;
    context.textBaseline = "middle";
    context.textAlign = layer.align || "center";
    context.lineJoin = "round";
    layer.x.forEach((value, i) => {
      const [x, y] = [this.x(value), this.y(layer.y[i]) + (layer.shift ?? 0)];
      if (layer.fit) {
        // Lines that lead to a label end at its edge.
        const width = context.measureText(layer.texts[i]).width + 10;
        context.fillStyle = this.palette.paper;
        context.fillRect(x - width / 2, y - 0.8 * size, width, 1.6 * size);
        context.fillStyle = this.palette.named(layer.color);
      }
      context.lineWidth = 4;
      context.strokeStyle = this.palette.paper;
      context.strokeText(layer.texts[i], x, y);
      context.fillText(layer.texts[i], x, y);
    });
  }

  drawLegend() {
    const entries = this.spec.layers.filter((layer) => layer.label && (!layer.x || layer.x.length));
    const cloud = this.spec.cloud ? this.spec.cloud.legend : [];
    const key = JSON.stringify([cloud, entries.map(({ label, color, shape, dash, kind }) => [label, color, shape, dash, kind])]);
    if (key === this.legendKey) return;
    this.legendKey = key;
    this.legend.replaceChildren();
    for (const entry of [...cloud, ...entries]) {
      const item = this.legend.appendChild(make("span", "copa-legend-item"));
      const swatch = item.appendChild(make("canvas"));
      swatch.width = 22 * this.ratio;
      swatch.height = 14 * this.ratio;
      const context = swatch.getContext("2d");
      context.scale(this.ratio, this.ratio);
      const color = this.palette.named(entry.color);
      Object.assign(context, { fillStyle: color, strokeStyle: color, lineWidth: 2 });
      if (["line", "rule"].includes(entry.kind)) {
        context.setLineDash(entry.dash || []);
        line(context, 1, 7, 21, 7);
      } else if (["area", "bars"].includes(entry.kind)) {
        context.globalAlpha = entry.alpha ?? 1;
        context.fillRect(3, 2, 16, 10);
      } else {
        drawShape(context, entry.shape, 11, 7, entry.hollow ? 4 : 4.5);
        if (entry.hollow) context.stroke();
        else context.fill();
      }
      item.appendChild(make("span", "", entry.label));
    }
  }

  // ------------------------------------------------------------------------------------ pointer and keys

  *targets() {
    for (const layer of this.spec.layers) {
      if (layer.kind !== "marks" || !layer.names) continue;
      for (let i = 0; i < layer.x.length; i += 1) {
        yield { x: layer.x[i], y: layer.y[i], name: layer.names[i], note: layer.notes?.[i], id: layer.ids?.[i], reach: 4 };
      }
    }
    if (!this.spec.cloud) return;
    const { xy, flags } = this.view.cloud();
    const names = this.view.model.get("names");
    for (let i = 0; i < flags.length; i += 1) {
      if (flags[i] & 2) yield { x: xy[2 * i], y: xy[2 * i + 1], name: names[i], id: i, front: flags[i] & 1, reach: flags[i] & 1 ? 2 : 0 };
    }
  }

  nearest(event) {
    const box = this.canvas.getBoundingClientRect();
    const [px, py] = [event.clientX - box.left, event.clientY - box.top];
    let found = null;
    let closest = REACH;
    for (const target of this.targets()) {
      const distance = Math.hypot(this.x(target.x) - px, this.y(target.y) - py) - target.reach;
      if (distance < closest) [found, closest] = [target, distance];
    }
    return found;
  }

  hover(target) {
    if (target?.id === this.hovered?.id && target?.name === this.hovered?.name) return;
    this.hovered = target;
    this.view.redraw();
    this.tip.hidden = !target;
    this.canvas.style.cursor = target && target.id !== undefined ? "pointer" : "default";
    if (!target) return;
    const lines = [make("strong", "", target.name)];
    if (target.note) lines.push(make("span", "", target.note));
    else for (const axis of [this.spec.x, this.spec.y]) {
      lines.push(make("span", "", `${axis.label}: ${short(axis === this.spec.x ? target.x : target.y)}`));
    }
    this.tip.replaceChildren(...lines);
    const [x, y] = [this.x(target.x), this.y(target.y)];
    this.tip.style.left = `${Math.min(Math.max(x + 12, 4), Math.max(this.width - this.tip.offsetWidth - 6, 4))}px`;
    this.tip.style.top = `${y > this.height / 2 ? y - this.tip.offsetHeight - 12 : y + 14}px`;
    this.view.say(lines.map((part) => part.textContent).join(", "));
  }

  drawHovered(context) {
    if (!this.hovered) return;
    context.strokeStyle = this.palette.ink;
    context.lineWidth = 1.5;
    drawShape(context, "circle", this.x(this.hovered.x), this.y(this.hovered.y), 8);
    context.stroke();
  }

  pick(target) {
    if (target && target.id !== undefined) this.view.pick(target.id);
  }

  key(event) {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") this.hover(null);
    if (event.key === "Enter" || event.key === " ") this.pick(this.hovered);
    if (step) {
      const known = new Map();
      for (const target of this.targets()) {
        if ((target.front || target.reach === 4) && !known.has(target.id ?? target.name)) known.set(target.id ?? target.name, target);
      }
      const row = [...known.values()].sort((a, b) => a.x - b.x);
      const now = row.findIndex((target) => target.id === this.hovered?.id && target.name === this.hovered?.name);
      if (row.length) this.hover(row[now < 0 ? (step > 0 ? 0 : row.length - 1) : (now + step + row.length) % row.length]);
    }
    if (step || event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      event.stopPropagation();
    }
  }
}

function line(context, x0, y0, x1, y1) {
  context.beginPath();
  context.moveTo(x0, y0);
  context.lineTo(x1, y1);
  context.stroke();
}

function withArrow(axis) {
  if (!axis.better) return axis.label;
  return axis.better === "high" ? `${axis.label}   better →` : `← better   ${axis.label}`;
}

// -------------------------------------------------------------------------------------- the whole view

class View {
  constructor(model, el) {
    this.model = model;
    this.ending = new AbortController();
    this.signal = this.ending.signal;
    this.root = el.appendChild(make("div", "copa-frame")).appendChild(make("div", "copa-view"));
    this.root.setAttribute("role", "group");
    // As long as this view is alive it stands for the static picture of the same explorer.
    this.hiding = el.appendChild(make("style"));
    const twin = `copa-nb-static-${model.get("twin")}`;
    this.hiding.textContent = `.${twin}, .jp-OutputArea-child:has(.${twin}) { display: none !important; }`;
    this.message = this.root.appendChild(make("div", "copa-message"));
    this.message.setAttribute("role", "alert");
    this.charts = [];
    this.picture = this.root.appendChild(make("div", "copa-picture"));
    this.side = this.root.appendChild(make("div", "copa-side"));
    this.wide = this.root.appendChild(make("div", "copa-wide"));
    this.code = this.root.appendChild(this.makeCode());
    this.live = this.root.appendChild(make("div", "copa-live"));
    this.live.setAttribute("aria-live", "polite");
    for (const name of ["xy", "flags", "names"]) {
      this.listen(`change:${name}`, () => {
        this.decoded = null;
        this.charts.forEach((chart) => (chart.stale = true));
        this.redraw();
      });
    }
    this.listen("change:scene", () => this.redraw(true));
    // The theme may change under us: Lab marks it on the body.
    this.theme = new MutationObserver(() => {
      this.colours = null;
      this.charts.forEach((chart) => Object.assign(chart, { stale: true, legendKey: null }));
      this.redraw();
    });
    this.theme.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light", "data-jp-theme-name"] });
    this.redraw(true);
  }

  listen(name, handler) {
    this.model.on(name, handler);
    this.signal.addEventListener("abort", () => this.model.off(name, handler));
  }

  end() {
    this.ending.abort();
    this.theme.disconnect();
    this.charts.forEach((chart) => chart.resizing.disconnect());
    cancelAnimationFrame(this.waiting);
    this.hiding.remove();
  }

  cloud() {
    if (!this.decoded) {
      const view = this.model.get("xy");
      const flags = this.model.get("flags");
      this.decoded = {
        xy: new Float32Array(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength)),
        flags: new Uint8Array(flags.buffer, flags.byteOffset, flags.byteLength),
      };
    }
    return this.decoded;
  }

  palette() {
    if (!this.colours) {
      const style = getComputedStyle(this.root);
      const read = (name) => style.getPropertyValue(`--copa-${name}`).trim();
      const known = Object.fromEntries(["ink", "soft", "faint", "paper", "grey", "front"].map((name) => [name, read(name)]));
      this.colours = { ...known, font: style.fontFamily, named: (color) => known[color] || color || known.ink };
    }
    return this.colours;
  }

  // However many changes arrive between two frames of the screen, the page is drawn once.
  redraw(changed = false) {
    this.changed = this.changed || changed;
    if (this.waiting) return;
    this.waiting = requestAnimationFrame(() => {
      this.waiting = 0;
      const scene = this.model.get("scene");
      if (this.changed) this.fill(scene);
      this.changed = false;
      this.charts.forEach((chart) => chart.draw());
      this.root.dataset.revision = scene.revision ?? 0;
    });
  }

  fill(scene) {
    this.root.setAttribute("aria-label", scene.title || "explorer");
    this.root.classList.toggle("copa-two-charts", (scene.charts || []).length > 1);
    this.root.classList.toggle("copa-no-charts", !(scene.charts || []).length);
    this.message.textContent = scene.message || "";
    this.message.hidden = !scene.message;
    const charts = scene.charts || [];
    while (this.charts.length < charts.length) this.charts.push(new Chart(this, this.picture));
    while (this.charts.length > charts.length) {
      const chart = this.charts.pop();
      chart.resizing.disconnect();
      chart.box.remove();
    }
    charts.forEach((spec, i) => this.charts[i].set(spec));
    this.picture.hidden = !charts.length;
    const focused = this.root.contains(document.activeElement) ? document.activeElement?.dataset?.key : null;
    this.side.replaceChildren(...(scene.cards || []).map((card) => this.makeCard(card)));
    this.side.hidden = !(scene.cards || []).length;
    const tables = scene.tables || [];
    this.wide.replaceChildren(...tables.map((table) => this.makeTable(table)));
    this.wide.hidden = !tables.length;
    if (focused) this.root.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
    this.code.hidden = !scene.code;
    this.code.querySelector("pre").textContent = scene.code || "";
  }

  makeCard({ title, heading, lines, bars, tone, foot }) {
    const card = make("section", `copa-card${tone ? ` copa-${tone}` : ""}`);
    if (heading) card.appendChild(make("div", "copa-card-heading", heading));
    if (title) card.appendChild(make("h3", "copa-card-title", title));
    for (const text of lines || []) card.appendChild(make("p", "", text));
    if (bars) {
      const list = card.appendChild(make("div", "copa-bars"));
      for (const { label, share, text, low, high } of bars) {
        list.appendChild(make("span", "copa-bar-label", label));
        const track = list.appendChild(make("span", "copa-bar-track"));
        const span = track.appendChild(make("span", low === undefined ? "copa-bar-fill" : "copa-bar-range"));
        span.style.left = `${100 * (low ?? 0)}%`;
        span.style.width = `${Math.max(100 * ((high ?? share) - (low ?? 0)), 0.8)}%`;
        if (low !== undefined) {
          const middle = track.appendChild(make("span", "copa-bar-middle"));
          middle.style.left = `${100 * share}%`;
        }
        list.appendChild(make("span", "copa-bar-text", text));
      }
    }
    if (foot) card.appendChild(make("p", "copa-foot", foot));
    return card;
  }

  makeTable({ caption, columns, rows, ids, marked, pinned, numeric }) {
    const box = make("div", "copa-table");
    const table = box.appendChild(make("table"));
    table.appendChild(make("caption", "", caption));
    const head = table.appendChild(make("thead")).appendChild(make("tr"));
    if (ids) head.appendChild(make("th", "", "")).setAttribute("aria-label", "pin");
    columns.forEach((text, c) => head.appendChild(make("th", numeric?.[c] ? "copa-number" : "", text)).setAttribute("scope", "col"));
    const body = table.appendChild(make("tbody"));
    rows.forEach((cells, i) => {
      const row = body.appendChild(make("tr", (marked || []).includes(i) ? "copa-marked" : ""));
      if (ids) row.appendChild(make("td", "copa-pin")).appendChild(this.makePin(ids[i], cells[numeric?.[0] ? 1 : 0], (pinned || []).includes(ids[i]), caption));
      cells.forEach((text, c) => (row.appendChild(make("td", numeric?.[c] ? "copa-number" : "", text)).title = text));
    });
    return box;
  }

  makePin(id, label, pressed, where) {
    const button = make("button", "copa-pin-button", pressed ? "●" : "○");
    button.type = "button";
    button.dataset.key = `${where.slice(0, 12)}-${id}`;
    button.title = `${pressed ? "Unpin" : "Pin"} ${label}`;
    button.setAttribute("aria-label", button.title);
    button.setAttribute("aria-pressed", String(pressed));
    button.addEventListener("click", () => this.pick(id));
    return button;
  }

  makeCode() {
    const details = make("details", "copa-code");
    details.appendChild(make("summary", "", "Code for what is shown"));
    const pre = details.appendChild(make("pre"));
    const copy = details.appendChild(make("button", "", "Copy"));
    copy.type = "button";
    copy.addEventListener("click", () => {
      navigator.clipboard?.writeText(pre.textContent).then(() => this.say("Copied"));
    }, { signal: this.signal });
    return details;
  }

  say(text) {
    this.live.textContent = text;
  }

  pick(id) {
    this.model.send({ kind: "pick", id });
  }
}

export default {
  render({ model, el }) {
    const view = new View(model, el);
    return () => view.end();
  },
};
