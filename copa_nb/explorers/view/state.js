// Where the controls stand: one plain object, with undo, in step with the kernel if there is one, or with the
// page's address.
import { MOST_PINNED } from "./constants.js";

const SYNC_AFTER = 120; // milliseconds: the page answers at once, the kernel hears where a move ended
const SAME_MOVE = 800;
const MOST_STEPS = 200;

export class Store {
  constructor(model, repair, changed, sent, signal) {
    Object.assign(this, { model, repair, changed, sent, past: [], future: [], last: {} });
    this.start = model.get("state");
    this.state = repair({ ...this.start, ...(model.address ? readAddress(this.start) : {}) });
    const listen = () => this.receive(model.get("state"));
    model.on("change:state", listen);
    signal.addEventListener("abort", () => model.off("change:state", listen));
    model.on("destroy", () => (this.isClosed = true));
  }

  // Change some entries; returns whether anything did. Changes of one gesture (a drag, a held key) are undone together.
  set(patch, gesture = null) {
    const next = this.repair({ ...this.state, ...patch });
    if (same(next, this.state)) return false;
    const now = performance.now();
    if (!(gesture && gesture === this.last.gesture && now - this.last.at < SAME_MOVE)) this.past.push(this.state);
    if (this.past.length > MOST_STEPS) this.past.shift();
    this.last = { gesture, at: now };
    this.future = [];
    this.put(next);
    return true;
  }

  undo() {
    this.step(this.past, this.future);
  }

  redo() {
    this.step(this.future, this.past);
  }

  step(from, to) {
    if (!from.length) return;
    to.push(this.state);
    this.last = {};
    this.put(from.pop());
  }

  put(state) {
    this.state = state;
    this.changed();
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.send(), SYNC_AFTER);
  }

  send() {
    this.waiting = null;
    // The kernel may close an explorer whose last move it has not heard of.
    if (this.isClosed) return;
    if (this.model.address) writeAddress(this.start, this.state);
    this.model.set("state", this.state);
    this.model.save_changes();
    this.sent();
  }

  // The kernel moved something. What was sent comes back from some front ends: no news then.
  receive(state) {
    if (this.waiting || same(state, this.state)) return;
    this.past.push(this.state);
    this.state = this.repair(state);
    this.changed();
  }
}

// A few rows that are picked: with one more, or one less; and those of them that a table has.
export const togglePick = (picked, row) => (picked.includes(row) ? picked.filter((kept) => kept !== row) : [...picked, row].slice(-MOST_PINNED));
export const picksWithin = (picked, size) => (picked || []).filter((row) => Number.isInteger(row) && row >= 0 && row < size).slice(-MOST_PINNED);

export const same = (a, b) => a === b || JSON.stringify(a) === JSON.stringify(b);

// The address holds what differs from the start, so that a choice can be sent: #w=[0.3,0.7]&p=2
const SHORT = { weights: "w" };
const TRANSIENT = ["selected"];

function writeAddress(start, state) {
  const parts = Object.keys(state)
    .filter((key) => !TRANSIENT.includes(key) && !same(state[key], start[key]))
    .map((key) => `${SHORT[key] || key}=${encodeURIComponent(JSON.stringify(state[key])).replaceAll("%2C", ",").replaceAll("%5B", "[").replaceAll("%5D", "]")}`);
  try {
    history.replaceState(null, "", parts.length ? `#${parts.join("&")}` : location.pathname + location.search);
  } catch {
    // A page inside another has no address of its own.
  }
}

function readAddress(start) {
  const found = {};
  for (const part of location.hash.slice(1).split("&")) {
    const [name, value] = part.split("=");
    const key = Object.keys(start).find((known) => (SHORT[known] || known) === name);
    if (!key || TRANSIENT.includes(key)) continue;
    try {
      const read = JSON.parse(decodeURIComponent(value));
      if (alike(read, start[key])) found[key] = read;
    } catch {
      // Somebody edited it; the start stands.
    }
  }
  return found;
}

// Whether a value has the shape of another: the address may hold anything.
function alike(value, start) {
  if (start === null || value === null) return true;
  if (Array.isArray(start)) return Array.isArray(value) && (!start.length || (value.length === start.length && value.every((item, i) => alike(item, start[i]))));
  if (typeof start === "number" || start === "inf") return (typeof value === "number" && Number.isFinite(value)) || value === "inf";
  return typeof value === typeof start;
}
