// Parallel coordinates: one vertical axis per objective, the best on top; a line per row. Dragging along an axis selects rows.
import { Canvas, fitting, line } from "./canvas.js";

const MOST_LINES = 2000;

export class Parallel extends Canvas {
  constructor(view, host) {
    super(view, host);
    this.active = 0;
    this.addSaving();
  }

  layout() {
    const { sides } = this.spec;
    const gapAt = (room) => (this.width - 2 * room) / Math.max(sides.length - 1, 1);
    // Where axes stand close, their names take turns in two lines, and only the ends are written.
    this.tight = gapAt(48) < 90;
    const room = this.tight ? 30 : 48;
    const gap = gapAt(room);
    this.area = { left: room, right: this.width - room, top: this.tight ? 48 : 30, bottom: this.height - 26 };
    this.at = sides.map((_, k) => this.area.left + k * gap);
    this.y = (rank) => this.area.top + rank * (this.area.bottom - this.area.top);
    this.x = (k) => this.at[k];
    this.gap = gap;
  }

  strand(context, row) {
    context.beginPath();
    this.spec.sides.forEach(({ ranks }, k) => (k ? context.lineTo(this.at[k], this.y(ranks[row])) : context.moveTo(this.at[k], this.y(ranks[row]))));
    context.stroke();
  }

  paintBase(context) {
    const { sides, cloud } = this.spec;
    const { ink, soft, grey, front, font, paper } = this.palette;
    const lines = { plain: [], chosen: [] };
    const step = Math.max(1, Math.floor(cloud.flags.length / MOST_LINES));
    cloud.flags.forEach((flag, i) => {
      if (flag & 2 && (flag & 1 || i % step === 0)) lines[flag & (cloud.selecting ? 4 : 1) ? "chosen" : "plain"].push(i);
    });
    context.lineWidth = 1;
    for (const [rows, color, most] of [[lines.plain, grey, 0.35], [lines.chosen.slice(0, MOST_LINES), front, 0.55]]) {
      Object.assign(context, { strokeStyle: color, globalAlpha: Math.min(most, Math.max(0.05, 12 / Math.sqrt(rows.length * 30 + 1) / 2)) });
      rows.forEach((row) => this.strand(context, row));
    }
    context.globalAlpha = 1;
    sides.forEach((side, k) => {
      Object.assign(context, { strokeStyle: soft, lineWidth: 1 });
      line(context, [this.at[k], this.area.top], [this.at[k], this.area.bottom]);
      Object.assign(context, { font: `12px ${font}`, fillStyle: ink, textAlign: k === 0 ? "left" : k === sides.length - 1 ? "right" : "center", textBaseline: "middle" });
      const shift = (k === 0 ? -1 : k === sides.length - 1 ? 1 : 0) * (this.area.left - 8);
      context.fillText(fitting(context, side.label, (this.tight ? 2 : 1) * this.gap - 8), this.at[k] + shift, this.tight && k % 2 ? 27 : 11);
      Object.assign(context, { font: `10px ${font}`, fillStyle: soft, textAlign: k === sides.length - 1 ? "left" : "right", strokeStyle: paper, lineWidth: 3, lineJoin: "round" });
      const room = k === sides.length - 1 ? 6 : -6;
      for (const { rank, text } of this.tight ? [] : side.ticks) {
        context.strokeText(text, this.at[k] + room, this.y(rank));
        context.fillText(text, this.at[k] + room, this.y(rank));
      }
    });
  }

  paint(context) {
    const { bands, strands } = this.spec;
    for (const { row, color, width } of strands) {
      Object.assign(context, { strokeStyle: this.palette.named(color), lineWidth: width });
      this.strand(context, row);
    }
    const shown = this.pressed?.band ? { ...bands, [this.pressed.k]: this.pressed.band } : bands;
    for (const [k, [low, high]] of Object.entries(shown)) {
      Object.assign(context, { fillStyle: this.palette.front, globalAlpha: 0.25 });
      context.fillRect(this.at[k] - 7, this.y(low), 14, Math.max(this.y(high) - this.y(low), 2));
      context.globalAlpha = 1;
    }
    if (this.focused()) {
      Object.assign(context, { strokeStyle: this.palette.ink, lineWidth: 1 });
      context.strokeRect(this.at[this.active] - 10, this.area.top - 4, 20, this.area.bottom - this.area.top + 8);
    }
  }

  paintHovered(context) {
    const target = this.target();
    if (!target) return;
    Object.assign(context, { strokeStyle: this.palette.ink, lineWidth: 2 });
    this.strand(context, target.id);
  }

  axisAt(x) {
    return this.at.reduce((best, place, k) => (Math.abs(place - x) < Math.abs(this.at[best] - x) ? k : best), 0);
  }

  rankAt(y) {
    return Math.min(1, Math.max(0, (y - this.area.top) / (this.area.bottom - this.area.top)));
  }

  nearest(event) {
    const [px, py] = this.pointer(event);
    const { sides, cloud } = this.spec;
    const k = Math.min(Math.max(Math.floor((px - this.area.left) / this.gap), 0), Math.max(sides.length - 2, 0));
    const share = (px - this.at[k]) / this.gap;
    let [found, closest] = [null, 7];
    for (let i = 0; i < cloud.flags.length; i += 1) {
      if (!(cloud.flags[i] & 2)) continue;
      const y = this.y(sides[k].ranks[i] * (1 - share) + sides[Math.min(k + 1, sides.length - 1)].ranks[i] * share);
      const distance = Math.abs(y - py) - (cloud.flags[i] & 1);
      if (distance < closest) [found, closest] = [i, distance];
    }
    return found === null ? null : { id: found, name: cloud.names[found], x: this.axisAt(px), y: sides[this.axisAt(px)].ranks[found] };
  }

  dragged([, y]) {
    this.pressed.k ??= this.axisAt(this.pressed.from[0]);
    this.pressed.band = [this.rankAt(this.pressed.from[1]), this.rankAt(y)].sort((a, b) => a - b);
  }

  dropped({ k, band }) {
    if (band) this.view.select({ bands: { ...this.spec.bands, [k]: band } });
  }

  pick(target) {
    if (target) super.pick(target);
    else this.view.select({ bands: {} });
  }

  key(event) {
    const { sides, bands } = this.spec;
    const move = { ArrowUp: -0.05, ArrowDown: 0.05 }[event.key];
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (event.ctrlKey || event.metaKey) return;
    if (step) this.active = (this.active + step + sides.length) % sides.length;
    else if (event.key === "Escape") this.view.select({ bands: {} });
    else if (move) {
      // Down lets worse rows in, up leaves them out; with Shift the same for the better end.
      const [low, high] = bands[this.active] || [0, 1];
      const kept = (rank) => Math.round(Math.min(1, Math.max(0, rank)) * 100) / 100;
      const band = event.shiftKey ? [Math.min(kept(low + move), high), high] : [low, Math.max(kept(high + move), low)];
      this.view.select({ bands: { ...bands, [this.active]: band } });
    } else return;
    event.preventDefault();
    const [low, high] = this.spec.bands[this.active] || [0, 1];
    this.view.say(`${sides[this.active].label}: rows of which ${Math.round(100 * low)}% to ${Math.round(100 * high)}% of all are better`);
    this.view.redraw();
  }
}
