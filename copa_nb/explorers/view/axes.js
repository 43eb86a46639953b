// Axes: what they span, where their ticks stand, and how a value becomes a place on the screen.
import { number } from "./text.js";

// The smallest and the largest finite value.
export function extent(values) {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low > high ? [0, 1] : [low, high];
}

// An axis that holds all finite values with a little room.
export function axis(label, values, { log = false, better = null } = {}) {
  const [lo, hi] = extent(values);
  const room = 0.04 * (log ? Math.log10(hi / lo) || 1 : hi - lo || Math.abs(hi) || 1);
  const ends = log ? [lo / 10 ** room, hi * 10 ** room] : [lo - room, hi + room];
  return { label, lo: ends[0], hi: ends[1], log, better: { max: "high", min: "low" }[better] || null };
}

export function ticks(axis, room) {
  const most = Math.max(3, room);
  if (axis.log) return decades(axis, most);
  const raw = (axis.hi - axis.lo) / most;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw);
  const found = [];
  for (let i = Math.ceil(axis.lo / step); i * step <= axis.hi + step * 1e-9 && found.length < 99; i += 1) found.push(i * step);
  return found.map((value) => ({ at: value, text: number(Number(value.toPrecision(12))) }));
}

function decades(axis, most) {
  const [low, high] = [Math.log10(axis.lo), Math.log10(axis.hi)];
  if (high - low < 0.5) return ticks({ ...axis, log: false }, most);
  const factors = high - low < 1.5 ? [1, 2, 5] : high - low < 3 ? [1, 3] : [1];
  const found = [];
  for (let power = Math.floor(low); power <= high; power += Math.max(1, Math.ceil((high - low) / most))) {
    for (const factor of factors) {
      const value = factor * 10 ** power;
      if (value >= axis.lo && value <= axis.hi) found.push({ at: value, text: number(value) });
    }
  }
  return found;
}

// Value to pixel, and back. An axis of costs runs the other way: the best is up and right in every picture.
export function scaler(axis, start, end) {
  const [from, to] = axis.better === "low" ? [end, start] : [start, end];
  const place = axis.log ? Math.log10 : (value) => value;
  const low = place(axis.lo);
  const span = place(axis.hi) - low || 1;
  const scale = (value) => from + ((place(value) - low) / span) * (to - from);
  scale.invert = (pixel) => {
    const found = low + ((pixel - from) / (to - from)) * span;
    return axis.log ? 10 ** found : found;
  };
  return scale;
}

// The same axis after moving by shares of its length and zooming around a share of it, both as they are on the screen.
export function zoomed(axis, factor, share = 0.5, moved = 0) {
  const [around, shift] = axis.better === "low" ? [1 - share, -moved] : [share, moved];
  const [place, back] = axis.log ? [Math.log10, (v) => 10 ** v] : [(v) => v, (v) => v];
  const [low, high] = [place(axis.lo), place(axis.hi)];
  const middle = low + around * (high - low);
  const move = shift * (high - low);
  return { ...axis, lo: back(middle + (low - middle) * factor + move), hi: back(middle + (high - middle) * factor + move) };
}

export function withArrow(axis) {
  return axis.better ? `${axis.label}   better →` : axis.label;
}
