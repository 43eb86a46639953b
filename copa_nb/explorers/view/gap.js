// How a front and its gap change during a search. The fronts are computed here; hypervolumes come with the data.
import { floats, frontHistory, splitFront } from "./arithmetic.js";
import { axis, extent } from "./axes.js";
import { axisMenus } from "./controls.js";
import { picksWithin, togglePick } from "./state.js";
import { count, number, say } from "./text.js";

const LOOKS = {
  validation: { color: "validation", dash: [2, 3], shape: "circle", label: "validation front" },
  optimistic: { color: "second", dash: [], shape: "triangle", label: "optimistic front on test" },
  pessimistic: { color: "third", dash: [7, 4], shape: "down", label: "pessimistic front on test" },
};
const CURVES = ["evaluations", "validation", "optimistic", "pessimistic", "gap"];

export class GapRoom {
  constructor(view, data) {
    Object.assign(this, { view, data, objectives: data.objectives });
    const size = data.labels.length;
    const split = (values, n) => data[values].byteLength && Array.from({ length: data[values].byteLength / 8 / n }, (_, k) => floats(data[values]).subarray(k * n, (k + 1) * n));
    this.own = { validation: split("validation", size), test: split("test", size) };
    const signs = data.objectives.map(({ direction }) => (direction === "max" ? -1 : 1));
    this.costs = Object.fromEntries(Object.entries(this.own).map(([part, columns]) => [part, columns.map((column, k) => column.map((value) => signs[k] * value))]));
    this.positions = floats(data.positions);
    this.signs = signs;
    this.history = frontHistory(this.costs.validation, size, data.keep === "first");
    const lines = data.curves.byteLength / 8 / CURVES.length;
    this.curves = Object.fromEntries(CURVES.map((name, c) => [name, floats(data.curves).subarray(c * lines, (c + 1) * lines)]));
    this.sides = data.objectives.map(({ name, direction }, k) => axis(name, [...["validation", "test"].flatMap((part) => extent(this.own[part][k])), data.reference[k]], { better: direction }));
  }

  controls() {
    return [
      { heading: "Search", items: [{ kind: "slider", key: "budget", label: "budget", name: "Number of evaluations", min: 1, max: this.data.longest, step: 1, whole: true, digits: 9 }] },
      { heading: "Picture", folds: true, items: axisMenus(this.objectives) },
    ];
  }

  repair(state) {
    const within = (value, low, high) => Math.min(high, Math.max(low, Number.isInteger(value) ? value : high));
    const most = this.objectives.length - 1;
    return { ...state, budget: within(state.budget, 1, this.data.longest), x: within(state.x, 0, most), y: within(state.y, 0, most), pinned: picksWithin(state.pinned, this.data.labels.length) };
  }

  pick(row) {
    this.view.store.set({ pinned: togglePick(this.view.store.state.pinned, row) });
  }

  // The three fronts and the hypervolumes after a number of evaluations.
  at(budget) {
    let line = 0;
    while (line + 1 < this.curves.evaluations.length && this.curves.evaluations[line + 1] <= budget) line += 1;
    const validation = this.history
      .filter(({ row, leaves }) => this.positions[row] < budget && (leaves === Infinity || this.positions[leaves] >= budget))
      .map(({ row }) => row);
    const volumes = Object.fromEntries(CURVES.slice(1).map((name) => [name, this.curves[name][line]]));
    return { validation, ...splitFront(this.costs.test, validation, this.data.keep === "first"), volumes };
  }

  scene(state) {
    const fronts = this.at(state.budget);
    const empty = !fronts.validation.length;
    const { gap } = fronts.volumes;
    return {
      title: "Generalization gap by budget",
      message: empty ? "No row with all scores has been evaluated yet; increase the budget." : "",
      announce: `After ${count(state.budget)} evaluations: approximation gap ${number(gap)}`,
      charts: [this.drawFronts(state, fronts), this.drawCurves(state)],
      cards: empty ? [] : [{
        heading: `After ${count(state.budget)} of ${count(this.data.longest)} evaluations; reference point (${this.objectives.map(({ name }, k) => `${name} = ${number(this.data.reference[k])}`).join(", ")})`,
        title: `Approximation gap ${number(gap)}`, tone: "chosen", lines: this.sentences(fronts),
      }],
      tables: empty ? [] : [this.table(state, fronts)],
      code: empty ? "" : `${this.data.call[0]}${state.budget}${this.data.call[1]}`,
    };
  }

  // What the result in Python says of one search.
  sentences({ validation, optimistic, volumes }) {
    const out = validation.filter((row) => !optimistic.includes(row)).map((row) => this.data.labels[row]);
    const rows = out.length > 5 ? [...out.slice(0, 4), { say: "phrases.more", n: out.length - 4 }] : out;
    const { optimistic: high, pessimistic: low, validation: promised, gap } = volumes;
    const kept = { say: `gap.phrases.${low === high ? "kept" : "kept_between"}`, low, high, digits: 4 };
    // A percentage would otherwise depend on where the worst values happen to lie.
    const share = this.data.reference_given && high > 0 ? { say: "gap.details.gap_share", gap, share: gap / high } : { say: "gap.details.gap", gap };
    const lost = { say: `gap.phrases.${out.length ? "lost" : "none_lost"}`, n: out.length, front: validation.length };
    const dominated = out.length ? { say: "gap.details.dominated", lost, rows } : { say: "gap.details.none_dominated", lost };
    const parts = [{ say: "gap.reasons.kept", kept, promised, digits: 4 }, share, ...(this.data.keep === "first" ? [] : [dominated])];
    return parts.map(say);
  }

  drawFronts(state, fronts) {
    const { labels, reference } = this.data;
    const axes = [state.x, state.y];
    const layers = Object.entries(LOOKS).flatMap(([kind, { color, dash, shape, label }]) => {
      const part = this.own[kind === "validation" ? "validation" : "test"];
      const rows = fronts[kind].filter((row) => axes.every((k) => Number.isFinite(part[k][row])));
      const marks = { kind: "marks", shape, size: 4.5, color, x: rows.map((row) => part[axes[0]][row]), y: rows.map((row) => part[axes[1]][row]), names: rows.map((row) => labels[row]), ids: rows };
      if (this.objectives.length !== 2 || state.x === state.y) return [{ ...marks, label }];
      return [{ kind: "line", color, dash, width: 2, label, ...this.staircase(marks, axes) }, marks];
    });
    layers.push(...this.drawFollowed(state, axes));
    layers.push({ kind: "marks", shape: "square", hollow: true, size: 5, color: "ink", x: [reference[state.x]], y: [reference[state.y]], names: ["reference point"], label: "reference point" });
    return { x: this.sides[state.x], y: this.sides[state.y], height: this.view.narrow ? 300 : 380, layers, title: `Fronts after ${count(state.budget)} evaluations`,
      description: `Fronts after ${count(state.budget)} evaluations, ${this.sides[state.y].label} against ${this.sides[state.x].label}. Arrow keys move along the fronts, Enter follows a row from validation to test, plus, minus and 0 zoom, Shift and arrows pan.` };
  }

  // Rows that are picked: a line from their scores on validation to those on test.
  drawFollowed({ pinned }, axes) {
    const { validation, test } = this.own;
    const found = pinned.filter((row) => axes.every((k) => Number.isFinite(validation[k][row]) && Number.isFinite(test[k][row])));
    return found.flatMap((row, i) => {
      const [x, y] = axes.map((k) => [validation[k][row], test[k][row]]);
      const name = this.data.labels[row];
      const end = { kind: "marks", hollow: true, color: "front", size: 7, ids: [row] };
      return [
        { kind: "line", color: "front", width: 1.6, dash: [5, 3], x, y, ...(!i && { label: "followed from validation to test" }) },
        { ...end, shape: "circle", x: [x[0]], y: [y[0]], names: [`${name}, on validation`] },
        { ...end, shape: "square", x: [x[1]], y: [y[1]], names: [`${name}, on test`] },
      ];
    });
  }

  // The outline of what a front of two objectives dominates, up to the reference point.
  staircase({ x, y }, [a, b]) {
    const [s, t] = [this.signs[a], this.signs[b]];
    const [worstX, worstY] = [s * this.data.reference[a], t * this.data.reference[b]];
    const costs = x.map((value, i) => [s * value, t * y[i]]).filter(([u, v]) => u < worstX && v < worstY).sort((p, q) => p[0] - q[0] || p[1] - q[1]);
    const corners = [];
    let height = worstY;
    for (const [u, v] of costs) {
      if (v >= height) continue;
      corners.push([u, height], [u, v]);
      height = v;
    }
    if (corners.length) corners.push([worstX, height]);
    return { x: corners.map(([u]) => s * u), y: corners.map(([, v]) => t * v) };
  }

  drawCurves(state) {
    const { evaluations } = this.curves;
    const looks = { ...LOOKS, gap: { color: "ink", dash: [] } };
    const layers = Object.entries(looks).map(([kind, { color, dash }]) => {
      const [x, y] = [[], []];
      // Between two changes of the front nothing moves.
      evaluations.forEach((at, i) => {
        x.push(at, evaluations[i + 1] ?? this.data.longest);
        y.push(this.curves[kind][i], this.curves[kind][i]);
      });
      return { kind: "line", color, dash, width: kind === "gap" ? 1.4 : 2, label: kind, x, y };
    });
    layers.push({ kind: "rule", axis: "x", at: state.budget, color: "soft", dash: [3, 3] });
    const values = CURVES.slice(1).flatMap((name) => Array.from(this.curves[name]));
    return { x: axis("evaluations", [0, this.data.longest]), y: axis("hypervolume", [...values, 0]), height: this.view.narrow ? 260 : 380, layers, title: "Hypervolumes by budget" };
  }

  details(row) {
    return this.objectives.map(({ label }, k) => `${label}: ${number(this.own.validation[k][row])} on validation, ${number(this.own.test[k][row])} on test`);
  }

  table({ pinned }, { validation, optimistic, pessimistic }) {
    const yes = (rows, row) => (rows.includes(row) ? "yes" : "no");
    const columns = ["row", ...["validation", "test"].flatMap((part) => this.objectives.map(({ label }) => `${part} ${label}`)), "optimistic", "pessimistic"];
    const listed = [...validation, ...pinned.filter((row) => !validation.includes(row))];
    const rows = listed.map((row) => [this.data.labels[row], ...["validation", "test"].flatMap((part) => this.own[part].map((column) => number(column[row]))), yes(optimistic, row), yes(pessimistic, row)]);
    const caption = listed.length > validation.length ? "Rows of the validation front, and others that are followed" : "Rows of the validation front";
    const pins = { pinned, name: (row) => this.data.labels[row], verb: "Follow", list: "the rows that are followed" };
    return { caption, columns, rows, ids: listed, pins, marked: rows.flatMap((_, i) => (pinned.includes(listed[i]) ? [i] : [])), numeric: [false, ...Array(2 * this.objectives.length).fill(true), false, false] };
  }
}
