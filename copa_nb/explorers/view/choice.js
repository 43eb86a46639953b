// The choice of a model: weights, p, limits, and what follows from them. Everything is computed here.
import { Decision, Table, floats, moveWeight, navigate } from "./arithmetic.js";
import { axis, extent } from "./axes.js";
import { NORMALIZATIONS, SKEWED } from "./constants.js";
import { axisMenus } from "./controls.js";
import { picksWithin, same, togglePick } from "./state.js";
import { choiceParts, otherWeights } from "./choice_words.js";
import { count, listing, number, place, say, writeOrder } from "./text.js";

const SCALES = [["own units", "values"], ["own units, log if skewed", "log"], ["ranks (CDF)", "cdf"]];
const CLOUD = [{ label: "models", color: "grey", shape: "circle" }, { label: "Pareto front", color: "front", shape: "circle" }];

export class ChoiceRoom {
  constructor(view, data) {
    Object.assign(this, { view, data, objectives: data.objectives });
    this.table = new Table(floats(data.values), data.labels.length, data.objectives.map(({ direction }) => direction === "max"), data.scales);
    this.onFront = new Uint8Array(data.front.buffer, data.front.byteOffset, data.front.byteLength);
    this.ends = this.table.values.map((column) => {
      const [low, high] = extent(column);
      return [low, high > low ? high : low + (Math.abs(low) || 1)];
    });
    this.skewed = this.table.values.map((column) => {
      const sorted = column.filter(Number.isFinite).sort();
      const middle = (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
      return sorted.length > 0 && sorted[0] > 0 && sorted.at(-1) > SKEWED * middle;
    });
    this.sides = data.objectives.map(({ label }, k) => ({ label, ranks: this.table.ranks[k], ticks: this.quantiles(k) }));
    this.memory = {};
  }

  quantiles(k) {
    const column = Float64Array.from(this.table.costs[k]).sort();
    const sign = this.objectives[k].direction === "max" ? -1 : 1;
    return [0, 0.25, 0.5, 0.75, 1].map((rank) => ({ rank, text: number(sign * column[Math.min(Math.floor(rank * column.length), column.length - 1)], 3) }));
  }

  // ------------------------------------------------------------------------------------------ controls

  controls() {
    const { objectives, ends } = this;
    const list = (key, k, value, state) => state[key].map((old, i) => (i === k ? value : old));
    const weights = objectives.map(({ label }, k) => ({
      kind: "slider", key: `weight ${k}`, label, name: `Weight of ${label}`, min: 0, max: 1, step: 0.01, digits: 4,
      get: (state) => state.weights[k],
      set: (value) => ({ weights: moveWeight(this.state.weights, this.state.locked, k, value), moved: k }),
      disabled: (state) => state.locked[k],
      lock: { name: `Lock the weight of ${label}`, get: (state) => state.locked[k], set: () => this.view.store.set({ locked: list("locked", k, !this.state.locked[k], this.state) }) },
    }));
    const ranges = objectives.map(({ label }, k) => ({
      kind: "range", label, min: ends[k][0], max: ends[k][1], get: (state) => state.ranges[k],
      set: (range) => ({ ranges: list("ranges", k, range, this.state) }),
    }));
    return [
      { heading: "Weights", note: "They sum to 1; lock one to keep it.", items: weights },
      { heading: "Criterion", items: [
        { kind: "slider", key: "p", label: "p", name: "Order of the norm, 1 to infinity", values: this.data.orders.map((value) => ({ value, text: writeOrder(value) })) },
        { kind: "menu", key: "normalize", label: "normalization", options: NORMALIZATIONS },
      ] },
      { heading: "Allowed range", note: "Limits the candidates; ranks are still taken over all models.", items: ranges, folds: true },
      { heading: "Picture", items: [...axisMenus(objectives), { kind: "menu", key: "scale", label: "axes show", options: SCALES }], folds: true },
    ];
  }

  get state() {
    return this.view.store.state;
  }

  // A state from the address or the kernel may name what is not there.
  repair(state) {
    const k = this.objectives.length;
    const whole = (value, most, other) => (Number.isInteger(value) && value >= 0 && value < most ? value : other);
    const weights = state.weights.map((weight) => (weight >= 0 && weight <= 1 ? weight : 0));
    const known = (list, values, other) => (list.some(([, value]) => value === values) ? values : other);
    return {
      ...state,
      weights: weights.some((weight) => weight > 0) ? weights : weights.map(() => 1 / k),
      p: state.p === "inf" || state.p >= 1 ? state.p : "inf",
      normalize: known(NORMALIZATIONS, state.normalize, "cdf"),
      scale: known(SCALES, state.scale, "values"),
      ranges: state.ranges.map((range) => (Array.isArray(range) && range.length === 2 && range.every((end) => end === null || Number.isFinite(end)) ? range : [null, null])),
      x: whole(state.x, k, 0), y: whole(state.y, k, 0), moved: whole(state.moved, k, 0),
      pinned: picksWithin(state.pinned, this.table.size),
      ...this.selection(state),
    };
  }

  pick(row) {
    this.view.store.set({ pinned: togglePick(this.state.pinned, row) });
  }

  // Rows inside the box of the scatter plot and the bands of the parallel coordinates.
  selection(state) {
    const bands = Object.fromEntries(Object.entries(state.bands || {}).filter(([k, band]) => this.sides[k] && Array.isArray(band)));
    const box = state.box?.x?.length === 2 && state.box?.y?.length === 2 && this.axesKey(state) === state.box.of ? state.box : null;
    if (!box && !Object.keys(bands).length) return { box, bands, selected: [] };
    const key = JSON.stringify([box, bands, state.ranges]);
    if (this.memory.selection?.key === key) return this.memory.selection.found;
    const [x, y] = [this.coordinates(state, "x"), this.coordinates(state, "y")];
    const inside = (value, [low, high]) => value >= low && value <= high;
    const selected = Array.from(this.table.within(state.ranges)).filter((i) =>
      (!box || (inside(x[i], box.x) && inside(y[i], box.y))) && Object.entries(bands).every(([k, band]) => inside(this.sides[k].ranks[i], band)));
    this.memory.selection = { key, found: { box, bands, selected } };
    return this.memory.selection.found;
  }

  axesKey(state) {
    return `${state.x},${state.y},${state.scale === "cdf"}`;
  }

  select(patch) {
    this.view.store.set(patch.box ? { box: { ...patch.box, of: this.axesKey(this.state) } } : patch);
  }

  coordinates(state, side) {
    return (state.scale === "cdf" ? this.table.ranks : this.table.values)[state[side]];
  }

  // -------------------------------------------------------------------------------------------- scene

  // Compute once per what it depends on.
  once(name, depends, compute) {
    const kept = this.memory[name];
    if (kept && same(kept.depends, depends)) return kept.found;
    const found = compute();
    this.memory[name] = { depends, found };
    return found;
  }

  decide(state) {
    const rows = this.once("rows", state.ranges, () => this.table.within(state.ranges));
    const p = state.p === "inf" ? Infinity : state.p;
    const decision = this.once("decision", [state.ranges, state.weights, state.p, state.normalize], () => new Decision(this.table, rows, state.weights, p, state.normalize));
    const path = this.once("path", [state.ranges, state.weights, state.locked, state.p, state.normalize, state.moved], () =>
      navigate(this.table, rows, state.weights, state.locked, state.moved, p, state.normalize));
    return { decision, path };
  }

  scene(state) {
    let message = "";
    try {
      this.last = { ...this.decide(state), state };
    } catch (error) {
      if (!this.last) return { message: error.message, charts: [], cards: [], tables: [] };
      message = `${error.message} The picture still shows the previous choice.`;
    }
    const { decision, path } = this.last;
    const beside = neighbors(path, decision.best, this.last.state.weights[this.last.state.moved]);
    const cloud = this.cloud(state, decision);
    return {
      title: "Choice of a model",
      message,
      announce: [`Chosen: ${this.name(decision.best)}`, ...this.tier(decision.best)].join(", "),
      charts: [this.scatter(state, decision, path, beside, cloud), this.parallel(state, decision, beside, cloud)],
      cards: [this.card(decision, beside), ...this.tierCard(decision.best)],
      tables: [this.ranking(state, decision), ...this.comparison(state, decision)],
      code: message ? "" : this.code(state),
    };
  }

  name(row) {
    return this.data.labels[row];
  }

  // A row in a sentence: a number is that of a row or a trial.
  named(row) {
    return this.data.counted ? `${this.data.counted} ${this.name(row)}` : this.name(row);
  }

  cloud(state, decision) {
    const flags = this.once("flags", [state.ranges, state.box, state.bands], () => {
      const found = Uint8Array.from(this.onFront);
      for (const i of decision.rows) found[i] |= 2;
      for (const i of state.selected) found[i] |= 4;
      return found;
    });
    return { flags, selecting: Boolean(state.box || Object.keys(state.bands).length), names: this.data.labels, x: this.coordinates(state, "x"), y: this.coordinates(state, "y") };
  }

  scatter(state, decision, path, beside, cloud) {
    const moved = this.objectives[this.last.state.moved].name;
    const steps = [...new Set(path.map(({ row }) => row))];
    const at = (rows, looks) => ({ kind: "marks", x: rows.map((row) => cloud.x[row]), y: rows.map((row) => cloud.y[row]), ids: rows, names: rows.map((row) => this.name(row)), ...looks });
    const sides = ["x", "y"].map((side) => {
      const { name, direction } = this.objectives[state[side]];
      if (state.scale === "cdf") return { ...axis(`share better in ${name}`, [0, 1]), better: "low" };
      return this.once(`axis ${side}`, [state[side], state.scale], () => axis(name, cloud[side], { log: state.scale === "log" && this.skewed[state[side]], better: direction }));
    });
    return {
      title: `Chosen: ${this.name(decision.best)}`, x: sides[0], y: sides[1], height: this.view.narrow ? 280 : 400, cloud, legend: CLOUD, box: state.box, stale: `${state.x} ${state.y} ${state.scale} ${cloud.selecting} ${this.stamp(cloud.flags)}`,
      layers: [
        { ...at(steps), kind: "line", color: "soft", width: 1.3, alpha: 0.75, dash: [5, 3], label: `path as the weight of ${moved} grows` },
        at(steps, { size: 3.2, color: "soft" }),
        at(beside.map(({ row }) => row), { shape: "diamond", size: 5.2, color: "second", label: "chosen at other weights" }),
        at(state.pinned, { shape: "square", size: 7, color: "third", hollow: true, label: "compared" }),
        at([decision.best], { shape: "star", size: 8.5, color: "accent", label: "chosen" }),
      ],
      description: `${sides[1].label} against ${sides[0].label}; ${this.name(decision.best)} is chosen. Arrow keys move along the front, Enter adds a model to the comparison, plus, minus and 0 zoom, Shift and arrows pan.`,
    };
  }

  parallel(state, decision, beside, cloud) {
    return {
      kind: "parallel", title: "All objectives, best on top", height: this.view.narrow ? 230 : 270, sides: this.sides, cloud, bands: state.bands, stale: `${cloud.selecting} ${this.stamp(cloud.flags)}`,
      strands: [
        ...beside.map(({ row }) => ({ row, color: "second", width: 1.6 })),
        ...state.pinned.map((row) => ({ row, color: "third", width: 2 })),
        { row: decision.best, color: "accent", width: 2.6 },
      ],
      description: "Parallel coordinates of ranks, best on top. Left and right select an axis, down and up move the lower end of its band (with Shift, the upper end), Escape clears the band.",
    };
  }

  // A number that changes whenever an array is replaced.
  stamp(array) {
    if (this.memory.stamped !== array) Object.assign(this.memory, { stamped: array, stamps: (this.memory.stamps || 0) + 1 });
    return this.memory.stamps;
  }

  standing(row) {
    return this.objectives.map(({ label }, k) => {
      const better = this.table.better[k][row];
      return { label, share: 1 - better / this.table.size, text: `${number(this.table.values[k][row])} · ${place(better, this.table.size)}` };
    });
  }

  details(row) {
    const standing = this.last?.decision.standing(row);
    return [
      standing ? `rank ${count(standing.rank)} of ${count(this.last.decision.rows.length)}, score ${number(standing.score, 3)}` : "outside the allowed range",
      ...this.tier(row).slice(0, 1),
      ...this.standing(row).map(({ label, text }) => `${label}: ${text}`),
      ...this.data.columns.map(({ label, texts }) => `${label}: ${texts[row]}`),
    ];
  }

  // ---------------------------------------------------------------------------------- in words and numbers

  card(decision, beside) {
    const { rows, p, best } = decision;
    return {
      heading: `Chosen from ${count(rows.length)} candidates, p = ${writeOrder(p === Infinity ? "inf" : p)}`,
      title: this.name(best), tone: "chosen", bars: this.standing(best), lines: this.sentences(decision, beside),
    };
  }

  // Where a row stands if what was measured is uncertain, as `copa_nb.board` computed it for one criterion.
  tier(row) {
    const { tiers } = this.data;
    if (!tiers) return [];
    const own = tiers.tier[row];
    const others = tiers.tier.flatMap((tier, i) => (tier === own && i !== row ? [this.name(i)] : []));
    const named = others.length > 6 ? [...others.slice(0, 5), `${count(others.length - 5)} others`] : others;
    return [
      `Tier ${count(own)} of ${count(tiers.most)}`,
      `Its true rank is between ${count(tiers.low[row])} and ${count(tiers.high[row])} of ${count(tiers.size)}.`,
      named.length ? `In the same tier: ${listing(named)}.` : "No other row is in the same tier.",
    ];
  }

  tierCard(row) {
    const { tiers } = this.data;
    if (!tiers) return [];
    const { weights, p, normalize } = this.last.state;
    const here = same([weights, p, normalize], [tiers.weights, tiers.p, "cdf"]);
    const [title, ...lines] = this.tier(row);
    const own = this.objectives.map(({ name }, k) => `${name} ${number(tiers.weights[k])}`);
    const other = `The tiers are for p = ${writeOrder(tiers.p)} and the weights ${listing(own)}, not for the current ones.`;
    return [{ heading: `Certainty: ${tiers.said}`, title, lines: [...lines, "A tier contains its best row and all rows that are not significantly worse.", ...(here ? [] : [other])] }];
  }

  // What the constraint, the weights and the ties mean, and the choices at other weights.
  sentences(decision, beside) {
    const { state } = this.last;
    const names = this.objectives.map(({ called }) => called);
    const rivals = beside.map((one) => ({ ...one, name: this.named(one.row) }));
    const parts = choiceParts(decision, state.normalize, names, (row) => this.named(row));
    return [...parts, otherWeights(names[state.moved], rivals)].map(say);
  }

  ranking(state, decision) {
    const { objectives, data, table } = this;
    const columns = [
      { label: "rank", numeric: true, of: ({ rank }) => rank, write: count },
      { label: "model", of: ({ row }) => this.name(row), write: String },
      { label: "score", numeric: true, of: ({ score }) => score, write: (score) => number(score, 3) },
      ...(data.tiers ? [{ label: "tier", numeric: true, of: ({ row }) => data.tiers.tier[row], write: number }] : []),
      ...objectives.map(({ label }, k) => ({ label, numeric: true, of: ({ row }) => table.values[k][row], write: (value) => number(value) })),
    ];
    const selecting = state.box || Object.keys(state.bands).length;
    const list = (sort, query, most) => {
      const all = sort || query || selecting || most > decision.rows.length;
      let found = all ? this.once("ranked", [state.ranges, state.weights, state.p, state.normalize], () => decision.first(Infinity)) : decision.first(most);
      if (selecting) {
        const inside = new Set(state.selected);
        found = found.filter(({ row }) => inside.has(row));
      }
      if (query) found = found.filter(({ row }) => this.name(row).toLowerCase().includes(query));
      if (sort && sort.column !== 0) {
        const { of } = columns[sort.column];
        found = found.map((entry) => [of(entry), entry]).sort(([a], [b]) => compare(a, b)).map(([, entry]) => entry);
      }
      if (sort?.down) found = [...found].reverse();
      return { total: all ? found.length : decision.rows.length, rows: found.slice(0, most).map((entry) => ({ id: entry.row, entry, marked: entry.row === decision.best, cells: columns.map(({ of, write }) => write(of(entry))) })) };
    };
    const full = ({ entry }) => [...columns.map(({ of }) => of(entry)), ...data.columns.map(({ texts }) => texts[entry.row])];
    const saved = [...columns, ...data.columns].map(({ label }) => label);
    return { saved, caption: selecting ? `Ranking of ${count(state.selected.length)} selected models` : "Ranking", columns, list, full, pins: { pinned: state.pinned, name: (row) => this.name(row) } };
  }

  // The chosen model and the pinned ones: every value, and its difference from the chosen model's.
  comparison(state, decision) {
    const rows = [decision.best, ...state.pinned.filter((row) => row !== decision.best)];
    if (!state.pinned.length) return [];
    const standings = rows.map((row) => decision.standing(row));
    const lines = [
      ["rank", ...standings.map((standing) => (standing ? count(standing.rank) : "outside"))],
      ["score", ...standings.map((standing) => (standing ? number(standing.score, 3) : "–"))],
      ...this.objectives.map(({ label }, k) => [label, ...rows.map((row, i) => {
        const column = this.table.values[k];
        const apart = column[row] - column[decision.best];
        return `${number(column[row])}${i && Number.isFinite(apart) ? ` (${apart > 0 ? "+" : ""}${number(apart, 3)})` : ""} · ${place(this.table.better[k][row], this.table.size)}`;
      })]),
      ...this.data.columns.map(({ label, texts }) => [label, ...rows.map((row) => texts[row])]),
    ];
    const columns = [{ label: "model", fixed: true }, ...rows.map((row, i) => ({ label: `${this.name(row)}${i ? "" : " (chosen)"}`, fixed: true }))];
    return [{ caption: "Comparison", columns, short: true, list: () => ({ rows: lines.map((cells) => ({ cells })), total: lines.length }) }];
  }

  code(state) {
    const weights = this.objectives.map(({ code }, k) => `${code}: ${state.weights[k]}`);
    const lines = [`p=${state.p === "inf" ? '"inf"' : state.p}`, `weights={${weights.join(", ")}}`];
    const limits = state.ranges.flatMap(([low, high], k) => [[k, ">=", low], [k, "<=", high]]).filter(([, , limit]) => limit !== null);
    if (limits.length && limits.every(([k]) => this.objectives[k].plain)) {
      lines.push(`where="${limits.map(([k, sign, limit]) => `${this.objectives[k].column} ${sign} ${limit}`).join(" and ")}"`);
    } else if (limits.length) lines.push(`where=lambda rows: ${limits.map(([k, sign, limit]) => `(rows[${this.objectives[k].code}] ${sign} ${limit})`).join(" & ")}`);
    if (state.normalize !== "cdf") lines.push(`normalize="${state.normalize}"`);
    return `${this.data.call}.copa(\n${lines.map((text) => `    ${text},\n`).join("")})`;
  }
}

function compare(a, b) {
  if (typeof a === "string") return a.localeCompare(b);
  return (Number.isNaN(a) ? Infinity : a) - (Number.isNaN(b) ? Infinity : b) || 0;
}

// What would be chosen with less and with more of the moved weight.
function neighbors(path, best, weight) {
  const others = path.filter(({ row }) => row !== best);
  const less = others.filter(({ high }) => high <= weight).at(-1);
  const more = others.find(({ low }) => low >= weight);
  return [...(less ? [{ ...less, less: true }] : []), ...(more ? [more] : [])];
}
