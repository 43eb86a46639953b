// What every chart shares: a canvas in two layers, a tooltip, a legend, keys, and saving as PNG or SVG.
import { button, download, make, number, setAttribute, write } from "./text.js";
import { SvgContext } from "./svg.js";

const SHAPES = {
  circle: (c, x, y, r) => c.arc(x, y, r, 0, 2 * Math.PI),
  square: (c, x, y, r) => c.rect(x - r, y - r, 2 * r, 2 * r),
  diamond: (c, x, y, r) => polygon(c, x, y, [[0, -r * 1.25], [r * 1.25, 0], [0, r * 1.25], [-r * 1.25, 0]]),
  down: (c, x, y, r) => polygon(c, x, y, [[0, r * 1.2], [r * 1.15, -r], [-r * 1.15, -r]]),
  triangle: (c, x, y, r) => polygon(c, x, y, [[0, -r * 1.2], [r * 1.15, r], [-r * 1.15, r]]),
  star: (c, x, y, r) => {
    const corners = [];
    for (let i = 0; i < 10; i += 1) {
      const [length, angle] = [i % 2 ? r * 0.62 : r * 1.5, (i * Math.PI) / 5 - Math.PI / 2];
      corners.push([length * Math.cos(angle), length * Math.sin(angle)]);
    }
    polygon(c, x, y, corners);
  },
};

function polygon(context, x, y, corners) {
  corners.forEach(([a, b], i) => (i ? context.lineTo(x + a, y + b) : context.moveTo(x + a, y + b)));
  context.closePath();
}

export function drawShape(context, shape, x, y, radius) {
  context.beginPath();
  (SHAPES[shape] || SHAPES.circle)(context, x, y, radius);
}

export function line(context, ...points) {
  context.beginPath();
  points.forEach(([x, y], i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
  context.stroke();
}

export function fitting(context, text, room) {
  if (context.measureText(text).width <= room) return text;
  let kept = text;
  while (kept.length > 1 && context.measureText(`${kept}…`).width > room) kept = kept.slice(0, -1);
  return `${kept}…`;
}

export class Canvas {
  constructor(view, host) {
    this.view = view;
    this.box = host.appendChild(make("figure", "copa-chart"));
    const head = this.box.appendChild(make("div", "copa-chart-head"));
    this.title = head.appendChild(make("figcaption", "copa-chart-title"));
    this.tools = head.appendChild(make("div", "copa-tools"));
    this.legend = this.box.appendChild(make("div", "copa-legend"));
    this.frame = this.box.appendChild(make("div", "copa-canvas"));
    this.canvas = this.frame.appendChild(make("canvas", "", undefined, { tabindex: 0, role: "application" }));
    this.tip = this.frame.appendChild(make("div", "copa-tip"));
    this.tip.hidden = true;
    this.base = make("canvas");
    this.hovered = null;
    this.stale = true;
    const stop = { signal: view.signal };
    this.canvas.addEventListener("pointerdown", (event) => this.press(event), stop);
    this.canvas.addEventListener("pointermove", (event) => (this.pressed ? this.drag(event) : this.hover(this.nearest(event))), stop);
    this.canvas.addEventListener("pointerup", (event) => this.release(event), stop);
    this.canvas.addEventListener("pointercancel", () => this.abandon(), stop);
    this.canvas.addEventListener("pointerleave", () => this.pressed || this.hover(null), stop);
    this.canvas.addEventListener("keydown", (event) => this.key(event), stop);
    this.canvas.addEventListener("focus", () => view.redraw(), stop);
    this.canvas.addEventListener("blur", () => (this.hover(null), view.redraw()), stop);
    this.resizing = new ResizeObserver(([entry]) => {
      this.room = entry.contentRect;
      view.redraw();
    });
    this.resizing.observe(this.frame);
  }

  set(spec) {
    this.stale = this.stale || spec.stale !== this.spec?.stale || JSON.stringify([spec.x, spec.y]) !== JSON.stringify([this.spec?.x, this.spec?.y]);
    this.spec = spec;
    write(this.title, spec.title || "");
    setAttribute(this.canvas, "aria-label", spec.description || spec.title || "chart");
    this.frame.style.height = `${spec.height || 380}px`;
  }

  measure() {
    const room = this.room || this.frame.getBoundingClientRect();
    const [width, height] = [Math.max(200, Math.floor(room.width)), Math.max(120, Math.floor(room.height))];
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
    const { layers, strands, bands, box } = this.spec;
    const shown = JSON.stringify([layers, strands, bands, box, this.pressed, this.target(), this.active, this.focused()]);
    if (!this.stale && shown === this.shownLast) return;
    this.shownLast = shown;
    this.palette = this.view.palette();
    this.layout();
    const context = this.canvas.getContext("2d");
    if (this.stale) {
      const behind = this.base.getContext("2d");
      behind.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
      behind.clearRect(0, 0, this.width, this.height);
      this.paintBase(behind);
    }
    this.stale = false;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    context.drawImage(this.base, 0, 0);
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    this.paint(context);
    this.paintHovered(context);
    this.drawLegend();
  }

  // What is under the pointer, here or in another part.
  target() {
    return this.hovered || this.view.pointed(this);
  }

  focused() {
    return this.canvas.getRootNode().activeElement === this.canvas;
  }

  // The picture as a file: the same drawing in another context.
  save(format) {
    const name = `${(this.spec.title || this.view.root.getAttribute("aria-label") || "chart").replace(/[^\p{L}\p{N}]+/gu, "-").toLowerCase()}.${format}`;
    if (format === "svg") {
      const context = new SvgContext(this.width, this.height, this.palette.paper);
      this.paintBase(context);
      this.paint(context);
      download(name, context.text(), "image/svg+xml");
      return;
    }
    const canvas = make("canvas");
    Object.assign(canvas, { width: 2 * this.width, height: 2 * this.height });
    const context = canvas.getContext("2d");
    context.scale(2, 2);
    context.fillStyle = this.palette.paper;
    context.fillRect(0, 0, this.width, this.height);
    this.paintBase(context);
    this.paint(context);
    canvas.toBlob((blob) => download(name, blob, "image/png"));
  }

  addSaving() {
    for (const format of ["png", "svg"]) {
      this.tools.appendChild(button("copa-tool", format.toUpperCase(), `Save this chart as ${format.toUpperCase()}`, () => this.save(format)));
    }
  }

  pointer(event) {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  press(event) {
    if (event.button !== 0) return;
    this.pressed = { from: this.pointer(event), moved: false };
    this.canvas.setPointerCapture(event.pointerId);
  }

  drag(event) {
    const at = this.pointer(event);
    const [dx, dy] = [at[0] - this.pressed.from[0], at[1] - this.pressed.from[1]];
    this.pressed.moved ||= Math.hypot(dx, dy) > 4;
    if (!this.pressed.moved) return;
    this.dragged(at);
    this.view.redraw();
  }

  release(event) {
    const pressed = this.pressed;
    this.pressed = null;
    if (!pressed) return;
    if (pressed.moved) this.dropped(pressed, this.pointer(event));
    else this.pick(this.nearest(event));
  }

  abandon() {
    this.pressed = null;
    this.view.redraw();
  }

  hover(target) {
    if (target?.id === this.hovered?.id && target?.name === this.hovered?.name) return;
    this.hovered = target;
    this.view.redraw();
    this.tip.hidden = !target;
    this.canvas.style.cursor = target && target.id !== undefined ? "pointer" : "default";
    if (!target) return;
    const lines = this.view.details(target) || this.describe(target);
    this.tip.replaceChildren(make("strong", "", target.name), ...lines.map((text) => make("span", "", text)));
    const [x, y] = [this.x(target.x), this.y(target.y)];
    this.tip.style.left = `${Math.min(Math.max(x + 12, 4), Math.max(this.width - this.tip.offsetWidth - 6, 4))}px`;
    this.tip.style.top = `${y > this.height / 2 ? Math.max(y - this.tip.offsetHeight - 12, 2) : y + 14}px`;
    this.view.say([target.name, ...lines].join(", "));
  }

  describe(target) {
    if (target.note) return [target.note];
    return [this.spec.x, this.spec.y].map((side) => `${side.label}: ${number(side === this.spec.x ? target.x : target.y)}`);
  }

  pick(target) {
    if (target && target.id !== undefined) this.view.pick(target.id);
  }

  drawLegend() {
    const entries = [...(this.spec.legend || []), ...(this.spec.layers || []).filter((layer) => layer.label && (!layer.x || layer.x.length))];
    const key = JSON.stringify([this.palette.ink, entries.map(({ label, color, shape, dash, kind }) => [label, color, shape, dash, kind])]);
    if (key === this.legendKey) return;
    this.legendKey = key;
    this.legend.replaceChildren();
    for (const entry of entries) {
      const item = this.legend.appendChild(make("span", "copa-legend-item"));
      const swatch = item.appendChild(make("canvas", "", undefined, { "aria-hidden": "true" }));
      [swatch.width, swatch.height] = [22 * this.ratio, 14 * this.ratio];
      const context = swatch.getContext("2d");
      context.scale(this.ratio, this.ratio);
      const color = this.palette.named(entry.color);
      Object.assign(context, { fillStyle: color, strokeStyle: color, lineWidth: 2 });
      if (["line", "rule"].includes(entry.kind)) {
        context.setLineDash(entry.dash || []);
        line(context, [1, 7], [21, 7]);
      } else if (entry.kind === "bars") context.fillRect(3, 2, 16, 10);
      else {
        drawShape(context, entry.shape, 11, 7, entry.hollow ? 4 : 4.5);
        if (entry.hollow) context.stroke();
        else context.fill();
      }
      item.appendChild(make("span", "", entry.label));
    }
  }

  end() {
    this.resizing.disconnect();
    this.box.remove();
  }
}
