// What the page computes itself, defined as in copa_nb.selection.arrays and compared with it by the tests: ranks,
// the weighted p-norm, its three tie keys, the path of one weight, and fronts as rows come in.
import { LARGEST_POWER, LOOSE_BITS, RELATIVE_MARGIN, UNDERFLOW, WEIGHT_DECIMALS } from "./constants.js";

const PATH_STEPS = 81;
const WEIGHT_PARTS = 10 ** WEIGHT_DECIMALS;

const bits = new Float64Array(1);
const words = new Uint32Array(bits.buffer); // low word first: every browser runs on little-endian processors

// Numbers of a buffer that may start anywhere in its memory.
export function floats({ buffer, byteOffset, byteLength }) {
  return new Float64Array(buffer.slice(byteOffset, byteOffset + byteLength));
}

// Round to the digits that decide, half to even.
export function tieKey(value) {
  bits[0] = value;
  const low = words[0] + (2 ** (LOOSE_BITS - 1) - 1) + ((words[0] >>> LOOSE_BITS) & 1);
  if (low >= 2 ** 32) words[1] += 1;
  words[0] = low & ~(2 ** LOOSE_BITS - 1);
  return bits[0];
}

// Rows with a strictly smaller cost, for every row (equation 9 without the division).
export function countBetter(column) {
  const ordered = Float64Array.from(column).sort();
  return Int32Array.from(column, (cost) => firstAtLeast(ordered, cost));
}

function counting(size) {
  const found = new Uint32Array(size);
  for (let i = 0; i < size; i += 1) found[i] = i;
  return found;
}

function firstAtLeast(ordered, value) {
  let [low, high] = [0, ordered.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ordered[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

// The objectives of a table: values in their own units, one column after the other; missing ones count as worst.
export class Table {
  constructor(values, size, maximized, scales) {
    this.size = size;
    this.values = maximized.map((_, k) => values.subarray(k * size, (k + 1) * size));
    this.costs = this.values.map((column, k) => column.map((v) => (Number.isNaN(v) ? Infinity : maximized[k] ? 0 - v : v + 0)));
    this.better = this.costs.map(countBetter);
    this.rankSums = new Float64Array(size);
    for (const column of this.better) column.forEach((better, i) => (this.rankSums[i] += better));
    this.ranks = this.better.map((column) => Float64Array.from(column, (better) => better / size));
    this.scales = scales;
    this.placed = { cdf: this.ranks };
  }

  // Costs on a common scale; those that no scale can be fitted to come with a sentence instead.
  place(how) {
    const scale = this.scales[how];
    if (scale?.error) throw new Error(scale.error);
    this.placed[how] ||= this.costs.map((column, k) => column.map((cost) => (cost - scale.origin[k]) / scale.unit[k]));
    return this.placed[how];
  }

  // Rows within limits given in the objectives' own units.
  within(ranges) {
    let rows = counting(this.size);
    ranges.forEach(([low, high], k) => {
      const column = this.values[k];
      if (low !== null) rows = rows.filter((i) => column[i] >= low);
      if (high !== null) rows = rows.filter((i) => column[i] <= high);
    });
    return rows;
  }
}

// The weighted p-norm of some rows (equations 10 and 11); a zero weight hides its objective, also where it is infinite.
export function norms(placed, rows, weights, p) {
  const active = placed.map((column, k) => [column, weights[k]]).filter(([, weight]) => weight > 0);
  const [n, sums, largest] = [rows.length, new Float64Array(rows.length), new Float64Array(rows.length).fill(-Infinity)];
  // One objective after the other, as Python sums.
  for (const [column, weight] of active) {
    if (p === 1) for (let r = 0; r < n; r += 1) sums[r] += column[rows[r]] * weight;
    else {
      for (let r = 0; r < n; r += 1) {
        const product = column[rows[r]] * weight;
        if (product > largest[r]) largest[r] = product;
      }
    }
  }
  if (p === 1) return sums;
  if (p === Infinity) return largest;
  const powers = sums;
  // Dividing by the largest term keeps high powers from vanishing.
  for (let r = 0; r < n; r += 1) if (!(largest[r] > 0 && largest[r] < Infinity)) largest[r] = 1;
  for (const [column, weight] of active) {
    for (let r = 0; r < n; r += 1) {
      const share = (column[rows[r]] * weight) / largest[r];
      powers[r] += p === 2 ? share * share : share ** p;
    }
  }
  for (let r = 0; r < n; r += 1) powers[r] = largest[r] * (p === 2 ? Math.sqrt(powers[r]) : powers[r] ** (1 / p));
  return powers;
}

const scaled = (weights) => {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
};

// The order of rows under one criterion, compared by three keys: the norm, its value at p = 1, the sum of ranks.
export class Decision {
  constructor(table, rows, weights, p, how) {
    if (!rows.length) throw new Error("No row lies within all limits; widen one of them.");
    Object.assign(this, { table, rows, weights: scaled(weights), p, placed: table.place(how) });
    this.scores = norms(this.placed, rows, this.weights, p);
    this.tied = this.keepTied(this.leaders());
    this.best = this.tied[0];
  }

  // Positions in `rows` that share the smallest norm.
  leaders() {
    let least = Infinity;
    for (const score of this.scores) if (score < least) least = score;
    const [limit, key, kept] = [least + Math.abs(least) * RELATIVE_MARGIN, tieKey(least), []];
    for (let r = 0; r < this.scores.length; r += 1) {
      if (!(this.scores[r] > limit) && tieKey(this.scores[r]) === key) kept.push(r);
    }
    return kept;
  }

  keepTied(positions) {
    this.sharing = positions.length;
    let left = this.p === 1 ? positions : keepSmallest(positions, (r) => tieKey(this.sum(r)));
    // How many share the smallest value at p = 1, where that is not the criterion itself.
    this.sums = this.p === 1 ? null : left.length;
    if (left.length > 1) left = keepSmallest(left, (r) => this.table.rankSums[this.rows[r]]);
    return left.map((r) => this.rows[r]);
  }

  sum(r) {
    return norms(this.placed, [this.rows[r]], this.weights, 1)[0];
  }

  keys(r) {
    return [tieKey(this.scores[r]), tieKey(this.sum(r)), this.table.rankSums[this.rows[r]]];
  }

  // The first rows from best to worst, with their ranks; rows that tie on all keys share the lowest.
  first(most) {
    const wanted = Math.min(most, this.rows.length);
    const limit = wanted < this.rows.length ? smallest(this.scores, wanted).at(-1) : Infinity;
    const [above, key] = [limit + Math.abs(limit) * RELATIVE_MARGIN, tieKey(limit)];
    const near = [];
    for (let r = 0; r < this.rows.length; r += 1) {
      if (!(this.scores[r] > above) && !(tieKey(this.scores[r]) > key)) near.push({ r, keys: this.keys(r) });
    }
    near.sort((a, b) => compareKeys(a.keys, b.keys) || a.r - b.r);
    let rank = 0;
    return near.slice(0, wanted).map(({ r, keys }, i) => {
      if (i === 0 || compareKeys(near[i - 1].keys, keys)) rank = i + 1;
      return { row: this.rows[r], rank, score: this.scores[r] };
    });
  }

  // Rank and score of one row; null outside the limits.
  standing(row) {
    const r = this.positionOf(row);
    if (r < 0) return null;
    const own = this.keys(r);
    let rank = 1;
    for (let other = 0; other < this.rows.length; other += 1) {
      const key = tieKey(this.scores[other]);
      if (key < own[0] || (key === own[0] && compareKeys(this.keys(other), own) < 0)) rank += 1;
    }
    return { rank, score: this.scores[r] };
  }

  positionOf(row) {
    const r = firstAtLeast(this.rows, row);
    return this.rows[r] === row ? r : -1;
  }
}

// A few smallest values, in order; faster than sorting all.
function smallest(values, wanted) {
  if (wanted > 100) return Float64Array.from(values).sort().subarray(0, wanted);
  const found = [];
  for (const value of values) {
    if (found.length === wanted && !(value < found[wanted - 1])) continue;
    let place = found.length;
    while (place > 0 && found[place - 1] > value) place -= 1;
    found.splice(place, 0, value);
    if (found.length > wanted) found.pop();
  }
  return found;
}

function compareKeys(a, b) {
  for (let k = 0; k < a.length; k += 1) if (a[k] !== b[k]) return a[k] - b[k];
  return 0;
}

function keepSmallest(items, key) {
  const keys = items.map(key);
  const least = keys.reduce((a, b) => Math.min(a, b), Infinity);
  return items.filter((_, i) => keys[i] === least);
}

// Weights when one of them is moved: the others that are not locked share the rest in the proportions they have.
export function moveWeight(weights, locked, moved, value, round = true) {
  const free = weights.map((_, k) => k !== moved && !locked[k]);
  const held = weights.reduce((sum, weight, k) => sum + (k !== moved && !free[k] ? weight : 0), 0);
  const budget = Math.max(1 - held, 0);
  const shares = freeShares(weights, free);
  const wanted = shares ? Math.min(Math.max(value, 0), budget) : budget;
  const found = weights.map((weight, k) => (k === moved ? wanted : free[k] ? (budget - wanted) * shares[k] : weight));
  return round ? found.map((weight) => Math.round(weight * WEIGHT_PARTS) / WEIGHT_PARTS) : found;
}

function freeShares(weights, free) {
  const members = free.filter(Boolean).length;
  if (!members) return null;
  const total = weights.reduce((sum, weight, k) => sum + (free[k] ? weight : 0), 0);
  return weights.map((weight, k) => (free[k] ? (total > 0 ? weight / total : 1 / members) : 0));
}

// What is chosen as one weight goes from 0 to all that is not locked: stretches {low, high, row}.
// Along this line the norm of a row depends on three numbers only, its moved, its free and its locked part.
export function navigate(table, rows, weights, locked, moved, p, how) {
  const placed = table.place(how);
  const free = weights.map((_, k) => k !== moved && !locked[k]);
  const shares = freeShares(weights, free);
  const fixed = weights.map((weight, k) => (k !== moved && locked[k] ? weight : 0));
  const budget = Math.max(1 - fixed.reduce((sum, weight) => sum + weight, 0), 0);
  const [largest, power] = [p > LARGEST_POWER, p > LARGEST_POWER ? 1 : p];
  const join = (factors) => part(placed, rows, factors, power, largest);
  const parts = [join(weights.map((_, k) => Number(k === moved))), join(shares || weights.map(() => 0)), join(fixed)];
  const near = (1 + RELATIVE_MARGIN) * (largest ? weights.length ** (1 / p) : 1 + (power - 1) * RELATIVE_MARGIN);
  const line = { parts, power, largest, budget, near };
  const steps = shares ? PATH_STEPS : 1;
  const values = Float64Array.from({ length: steps }, (_, step) => (step === steps - 1 ? budget : (budget * step) / (steps - 1)));
  let left = counting(rows.length);
  // Rows that are worse in every part than one that wins somewhere win nowhere.
  for (const value of [0, 0.25, 0.5, 0.75, 1]) left = notWorse(parts, left, nearest(line, left, value * budget)[0], near);
  const path = [];
  for (const value of values) {
    const close = nearest(line, left, value).map((r) => rows[r]);
    const row = close.length === 1 ? close[0] : new Decision(table, close, moveWeight(weights, locked, moved, value, false), p, how).best;
    if (path.length && path.at(-1).row === row) path.at(-1).high = value;
    else path.push({ low: value, high: value, row });
  }
  return path;
}

// Positions of the rows whose norm is smallest at one weight, or so near that exact keys must decide.
function nearest({ parts: [mine, others, held], power, largest, budget, near }, left, value) {
  const [a, b] = [value ** power, (budget - value) ** power];
  const norms = new Float64Array(left.length);
  let least = Infinity;
  for (let i = 0; i < left.length; i += 1) {
    const r = left[i];
    const [x, y, z] = [a > 0 ? a * mine[r] : 0, b > 0 ? b * others[r] : 0, held[r]];
    norms[i] = largest ? Math.max(x, y, z) : x + y + z;
    if (norms[i] < least) least = norms[i];
  }
  const limit = least * near + UNDERFLOW;
  const found = [];
  for (let i = 0; i < left.length; i += 1) if (norms[i] <= limit) found.push(left[i]);
  return found;
}

function notWorse([mine, others, held], left, winner, near) {
  const [x, y, z] = [mine[winner] * near + UNDERFLOW, others[winner] * near + UNDERFLOW, held[winner] * near + UNDERFLOW];
  const found = new Uint32Array(left.length);
  let kept = 0;
  for (let i = 0; i < left.length; i += 1) {
    const r = left[i];
    if (!(mine[r] > x && others[r] > y && (held[r] > z || (z <= UNDERFLOW && held[r] === 0)))) found[kept++] = r;
  }
  return found.subarray(0, kept);
}

function part(placed, rows, factors, power, largest) {
  const found = new Float64Array(rows.length);
  placed.forEach((column, k) => {
    const factor = factors[k];
    if (!(factor > 0)) return;
    for (let r = 0; r < rows.length; r += 1) {
      const product = column[rows[r]] * factor;
      if (largest) found[r] = Math.max(found[r], product);
      else found[r] += power === 1 ? product : power === 2 ? product * product : product ** power;
    }
  });
  return found;
}

// ------------------------------------------------------------------------------------------------ fronts

// -1 if a row dominates another, 1 if it is dominated, 0 if neither, 2 if both are equal.
export function dominance(columns, i, j) {
  let [less, more] = [false, false];
  for (const column of columns) {
    if (column[i] < column[j]) less = true;
    else if (column[i] > column[j]) more = true;
  }
  return less && more ? 0 : less ? -1 : more ? 1 : 2;
}

// For rows in order of evaluation: when each enters the front, and when another pushes it out.
export function frontHistory(columns, size, keepFirst) {
  let archive = [];
  const history = [];
  for (let row = 0; row < size; row += 1) {
    const verdicts = archive.map((member) => dominance(columns, member.row, row));
    if (verdicts.some((verdict) => verdict === -1 || (keepFirst && verdict === 2))) continue;
    archive.forEach((member, m) => verdicts[m] === 1 && (member.leaves = row));
    archive = archive.filter((_, m) => verdicts[m] !== 1);
    const entered = { row, leaves: Infinity };
    archive.push(entered);
    history.push(entered);
  }
  return history;
}

// Rows that no other dominates (optimistic) and rows that dominate no other (pessimistic); equations 1 and 2 of
// "Mind the Gap", on the test costs of a validation front.
export function splitFront(columns, rows, keepFirst) {
  const first = (i, sign) => rows.every((j) => i === j || (dominance(columns, j, i) !== sign && !(keepFirst && j < i && dominance(columns, j, i) === 2)));
  return { optimistic: rows.filter((i) => first(i, -1)), pessimistic: rows.filter((i) => first(i, 1)) };
}
