// Points, lines, bars and texts on two axes, with zooming, moving and selecting. What is drawn comes as a plain spec.
import { Canvas, drawShape, fitting, line } from "./canvas.js";
import { button, make } from "./text.js";
import { scaler, ticks, withArrow, zoomed } from "./axes.js";

const MARGIN = { left: 62, right: 16, top: 14, bottom: 44 };
const REACH = 14; // pixels within which a point is under the pointer
const DENSE = 5000; // points that are drawn as pixels

export class Chart extends Canvas {
  constructor(view, host) {
    super(view, host);
    this.look = null; // axes after zooming
    this.tools.append(
      (this.hand = button("copa-tool", "✥", "Drag to move the picture instead of selecting", () => this.toggleHand())),
      button("copa-tool", "+", "Zoom in", () => this.zoom(0.7)),
      button("copa-tool", "−", "Zoom out", () => this.zoom(1 / 0.7)),
      button("copa-tool", "⤢", "Show everything", () => this.reset()),
    );
    this.hand.setAttribute("aria-pressed", "false");
    this.addSaving();
    this.canvas.addEventListener("wheel", (event) => this.wheel(event), { signal: view.signal, passive: false });
  }

  set(spec) {
    const axes = [spec.x.label, spec.x.log, spec.y.label, spec.y.log].join();
    if (axes !== this.axes) this.look = null;
    this.axes = axes;
    super.set(spec);
    this.tools.hidden = Boolean(spec.bare);
  }

  layout() {
    const bare = this.spec.bare;
    this.area = { left: bare ? 8 : MARGIN.left, top: MARGIN.top, right: this.width - MARGIN.right, bottom: this.height - (bare ? 8 : MARGIN.bottom) };
    this.shown = this.look || { x: this.spec.x, y: this.spec.y };
    this.x = scaler(this.shown.x, this.area.left, this.area.right);
    this.y = scaler(this.shown.y, this.area.bottom, this.area.top);
  }

  clipTo(context, room = 9) {
    const { left, right, top, bottom } = this.area;
    context.save();
    context.beginPath();
    context.rect(left - room, top - room, right - left + 2 * room, bottom - top + 2 * room);
    context.clip();
  }

  paintBase(context) {
    if (!this.spec.bare) this.paintAxes(context);
    if (!this.spec.cloud) return;
    this.clipTo(context, 3);
    this.paintCloud(context);
    context.restore();
  }

  paintAxes(context) {
    const { left, right, top, bottom } = this.area;
    const { ink, faint, soft, font } = this.palette;
    Object.assign(context, { font: `11px ${font}`, lineWidth: 1, fillStyle: soft, strokeStyle: faint, textBaseline: "top", textAlign: "center" });
    for (const { at, text } of ticks(this.shown.x, (right - left) / 90)) {
      const x = Math.round(this.x(at)) + 0.5;
      line(context, [x, top], [x, bottom]);
      context.fillText(text, x, bottom + 6);
    }
    Object.assign(context, { textBaseline: "middle", textAlign: "right" });
    for (const { at, text } of ticks(this.shown.y, (bottom - top) / 60)) {
      const y = Math.round(this.y(at)) + 0.5;
      line(context, [left, y], [right, y]);
      context.fillText(text, left - 7, y);
    }
    Object.assign(context, { fillStyle: ink, font: `12px ${font}`, textAlign: "center", textBaseline: "middle" });
    context.fillText(fitting(context, withArrow(this.shown.x), right - left), (left + right) / 2, this.height - 11);
    context.save();
    context.translate(12, (top + bottom) / 2);
    context.rotate(-Math.PI / 2);
    context.fillText(fitting(context, withArrow(this.shown.y), bottom - top), 0, 0);
    context.restore();
  }

  // Rows outside the limits first, then the others, the front on top; what is not selected fades.
  paintCloud(context) {
    const { x, y, flags, selecting } = this.spec.cloud;
    const { grey, front } = this.palette;
    const many = flags.length > 800;
    const looks = [
      { bits: [0, 1, 4, 5], color: grey, alpha: 0.16, size: many ? 1.2 : 2.4 },
      { bits: selecting ? [2, 3] : [], color: grey, alpha: 0.2, size: many ? 1.3 : 2.6 },
      { bits: selecting ? [6] : [2], color: grey, alpha: selecting ? 0.95 : many ? 0.5 : 0.75, size: many ? 1.5 : 3 },
      { bits: selecting ? [7] : [3], color: front, alpha: 0.8, size: many ? 2.1 : 3.4 },
    ];
    for (const { bits, color, alpha, size } of looks) {
      const drawn = Uint8Array.from({ length: 8 }, (_, flag) => bits.includes(flag));
      const points = [];
      for (let i = 0; i < flags.length; i += 1) {
        if (!drawn[flags[i]]) continue;
        const [a, b] = [this.x(x[i]), this.y(y[i])];
        if (Number.isFinite(a + b)) points.push(a, b);
      }
      Object.assign(context, { fillStyle: color, globalAlpha: alpha });
      if (flags.length > DENSE && context.createImageData) this.paintPixels(context, points, size);
      else this.paintDots(context, points, size);
    }
    context.globalAlpha = 1;
  }

  paintDots(context, points, size) {
    for (let i = 0; i < points.length; i += 2) {
      drawShape(context, "circle", points[i], points[i + 1], size);
      context.fill();
    }
  }

  // Very many points as squares of pixels, which takes a tenth of the time; where they lie on each other they darken.
  paintPixels(context, points, size) {
    const [width, height] = [Math.round(this.width * this.ratio), Math.round(this.height * this.ratio)];
    const layer = Object.assign(make("canvas"), { width, height });
    const pixels = layer.getContext("2d");
    pixels.fillStyle = context.fillStyle;
    pixels.fillRect(0, 0, 1, 1);
    const [red, green, blue] = pixels.getImageData(0, 0, 1, 1).data;
    const image = pixels.createImageData(width, height);
    const color = new Uint32Array(image.data.buffer);
    const [plain, side] = [(blue << 16) | (green << 8) | red, Math.max(1, Math.round(2 * size * this.ratio))];
    const step = Math.round(255 * context.globalAlpha);
    for (let i = 0; i < points.length; i += 2) {
      const [left, top] = [Math.round(points[i] * this.ratio - side / 2), Math.round(points[i + 1] * this.ratio - side / 2)];
      if (left < 0 || top < 0 || left + side > width || top + side > height) continue;
      for (let row = top; row < top + side; row += 1) {
        for (let at = row * width + left; at < row * width + left + side; at += 1) {
          const alpha = color[at] >>> 24;
          color[at] = ((alpha + (((255 - alpha) * step) >> 8)) << 24) | plain;
        }
      }
    }
    pixels.putImageData(image, 0, 0);
    context.globalAlpha = 1;
    context.drawImage(layer, 0, 0, this.width, this.height);
  }

  paint(context) {
    this.clipTo(context);
    for (const layer of this.spec.layers) {
      const color = this.palette.named(layer.color);
      Object.assign(context, { strokeStyle: color, fillStyle: color, globalAlpha: layer.alpha ?? 1, lineWidth: layer.width ?? 1.6 });
      context.setLineDash(layer.dash || []);
      if (layer.kind === "line") line(context, ...layer.x.map((value, i) => [this.x(value), this.y(layer.y[i])]));
      if (layer.kind === "bars") this.paintBars(context, layer);
      if (layer.kind === "rule") this.paintRule(context, layer);
      context.setLineDash([]);
      if (layer.kind === "marks") this.paintMarks(context, layer, color);
      if (layer.kind === "texts") this.paintTexts(context, layer);
      context.globalAlpha = 1;
    }
    context.restore();
    const box = this.pressed?.box || this.spec.box;
    if (box) this.paintBox(context, box);
  }

  paintBox(context, box) {
    const [left, right] = box.x.map(this.x);
    const [top, bottom] = box.y.map(this.y).reverse();
    Object.assign(context, { strokeStyle: this.palette.ink, lineWidth: 1 });
    context.setLineDash([4, 3]);
    context.strokeRect(left, top, right - left, bottom - top);
    context.setLineDash([]);
  }

  paintBars(context, layer) {
    layer.y.forEach((value, i) => {
      const [a, b, top, floor] = [this.x(layer.from[i]), this.x(layer.to[i]), this.y(value), this.y(layer.base ? layer.base[i] : 0)];
      context.fillRect(Math.min(a, b) + 0.5, Math.min(top, floor), Math.max(Math.abs(b - a) - 1, 1), Math.abs(floor - top));
    });
  }

  paintRule(context, layer) {
    const { left, right, top, bottom } = this.area;
    if (layer.axis === "x") line(context, [this.x(layer.at), top], [this.x(layer.at), bottom]);
    else line(context, [left, this.y(layer.at)], [right, this.y(layer.at)]);
  }

  paintMarks(context, layer, color) {
    layer.x.forEach((value, i) => {
      const [x, y] = [this.x(value), this.y(layer.y[i])];
      if (!Number.isFinite(x + y)) return;
      drawShape(context, layer.shape, x, y, layer.size ?? 5);
      if (layer.hollow) {
        Object.assign(context, { lineWidth: 1.8, strokeStyle: color });
        context.stroke();
        return;
      }
      context.fillStyle = layer.colors ? this.palette.named(layer.colors[i]) : color;
      context.fill();
      Object.assign(context, { lineWidth: 1.2, strokeStyle: this.palette.paper });
      if (!layer.plain) context.stroke();
    });
  }

  paintTexts(context, layer) {
    let size = layer.size ?? 12;
    // Where a unit across is a character, letters shrink until they fit.
    if (layer.fit) size = Math.max(5, Math.min(size, (this.x(1) - this.x(0)) / 0.6));
    Object.assign(context, { font: `${layer.bold ? "600 " : ""}${size}px ${this.palette.font}`, textBaseline: "middle", textAlign: layer.align || "center", lineJoin: "round" });
    layer.x.forEach((value, i) => {
      const [x, y] = [this.x(value), this.y(layer.y[i]) + (layer.shift ?? 0)];
      if (layer.fit) {
        // Lines that lead to a label end at its edge.
        const width = context.measureText(layer.texts[i]).width + 10;
        context.fillStyle = this.palette.paper;
        context.fillRect(x - width / 2, y - 0.8 * size, width, 1.6 * size);
        context.fillStyle = this.palette.named(layer.color);
      }
      Object.assign(context, { lineWidth: 4, strokeStyle: this.palette.paper });
      context.strokeText(layer.texts[i], x, y);
      context.fillText(layer.texts[i], x, y);
    });
  }

  paintHovered(context) {
    const target = this.target();
    if (!target || !Number.isFinite(this.x(target.x) + this.y(target.y))) return;
    Object.assign(context, { strokeStyle: this.palette.ink, lineWidth: 1.5 });
    drawShape(context, "circle", this.x(target.x), this.y(target.y), 8);
    context.stroke();
  }

  // ---------------------------------------------------------------------------------- pointer and keys

  *targets() {
    for (const layer of this.spec.layers) {
      if (layer.kind !== "marks" || !layer.names) continue;
      for (let i = 0; i < layer.x.length; i += 1) {
        yield { x: layer.x[i], y: layer.y[i], name: layer.names[i], note: layer.notes?.[i], id: layer.ids?.[i], reach: 4 };
      }
    }
    if (!this.spec.cloud) return;
    const { x, y, flags, names } = this.spec.cloud;
    for (let i = 0; i < flags.length; i += 1) {
      if (flags[i] & 2) yield { x: x[i], y: y[i], name: names[i], id: i, front: flags[i] & 1, reach: flags[i] & 1 ? 2 : 0 };
    }
  }

  nearest(event) {
    const [px, py] = this.pointer(event);
    let found = null;
    let closest = REACH;
    for (const target of this.targets()) {
      const distance = Math.hypot(this.x(target.x) - px, this.y(target.y) - py) - target.reach;
      if (distance < closest) [found, closest] = [target, distance];
    }
    return found;
  }

  toggleHand() {
    this.hand.setAttribute("aria-pressed", String(this.hand.getAttribute("aria-pressed") !== "true"));
  }

  moving() {
    return !this.spec.cloud || this.hand.getAttribute("aria-pressed") === "true";
  }

  dragged([x, y]) {
    if (!this.moving()) {
      const [from] = [this.pressed.from];
      const ends = (scale, a, b) => [scale.invert(a), scale.invert(b)].sort((s, t) => s - t);
      this.pressed.box = { x: ends(this.x, from[0], x), y: ends(this.y, from[1], y) };
      return;
    }
    this.pressed.start ||= this.shown;
    const { left, right, top, bottom } = this.area;
    const share = [(this.pressed.from[0] - x) / (right - left), (y - this.pressed.from[1]) / (bottom - top)];
    this.see({ x: zoomed(this.pressed.start.x, 1, 0.5, share[0]), y: zoomed(this.pressed.start.y, 1, 0.5, share[1]) });
  }

  dropped(pressed) {
    if (pressed.box) this.view.select({ box: pressed.box });
  }

  see(look) {
    Object.assign(this, { look, stale: true });
    this.view.redraw();
  }

  zoom(factor, at = [0.5, 0.5]) {
    this.see({ x: zoomed(this.shown.x, factor, at[0]), y: zoomed(this.shown.y, factor, at[1]) });
  }

  reset() {
    this.see(null);
  }

  wheel(event) {
    // The wheel alone scrolls the page.
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const [x, y] = this.pointer(event);
    const { left, right, top, bottom } = this.area;
    this.zoom(1.0015 ** event.deltaY, [(x - left) / (right - left), (bottom - y) / (bottom - top)]);
  }

  key(event) {
    const arrow = { ArrowRight: [1, 0], ArrowDown: [0, -1], ArrowLeft: [-1, 0], ArrowUp: [0, 1] }[event.key];
    if (event.ctrlKey || event.metaKey) return;
    if (event.key === "Escape" && this.hovered) this.hover(null);
    else if (event.key === "Escape") this.view.select({ box: null });
    else if (event.key === "Enter" || event.key === " ") this.pick(this.hovered);
    else if (event.key === "+" || event.key === "-") this.zoom(event.key === "+" ? 0.7 : 1 / 0.7);
    else if (event.key === "0") this.reset();
    else if (arrow && event.shiftKey) this.see({ x: zoomed(this.shown.x, 1, 0.5, 0.1 * arrow[0]), y: zoomed(this.shown.y, 1, 0.5, 0.1 * arrow[1]) });
    else if (arrow) this.walk(arrow[0] - arrow[1]);
    else return;
    event.preventDefault();
  }

  // From one point of the front, or mark, to the next.
  walk(step) {
    const known = new Map();
    for (const target of this.targets()) {
      if ((target.front || target.reach === 4) && !known.has(target.id ?? target.name)) known.set(target.id ?? target.name, target);
    }
    const row = [...known.values()].sort((a, b) => a.x - b.x);
    const now = row.findIndex((target) => target.id === this.hovered?.id && target.name === this.hovered?.name);
    if (row.length) this.hover(row[now < 0 ? (step > 0 ? 0 : row.length - 1) : (now + step + row.length) % row.length]);
  }
}
