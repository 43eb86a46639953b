// Which sentences the page says of a choice, from what it computed: those of Decision.parts() in
// copa_nb.selection.decision that change with the controls. tests/explorers/test_sentences.py keeps both equal.
import { EXAMPLE_SHARE, MOST_TIED, SAME_WEIGHT, WORTH_SHARES } from "./constants.js";
import { number, percent, writeOrder } from "./text.js";

// `names` are those of the objectives, without units; `named` gives what sentences call a row.
export function choiceParts(decision, how, names, named) {
  const { rows, table, tied } = decision;
  const found = rows.length < table.size ? [{ say: "choice.reasons.limit", allowed: rows.length, rows: table.size }] : [];
  if (rows.length > 1 && allEqual(decision)) return [];
  found.push(...trade(decision, how, names), ...ties(decision));
  if (tied.length > 1) found.push({ say: "choice.details.tied", tied: shortened(tied.slice(1).map(named), MOST_TIED) });
  if (how !== "cdf") {
    const values = names.map((name, k) => ({ say: "choice.phrases.scaled", name, value: decision.placed[k][decision.best] }));
    found.push({ say: "choice.details.scaled", normalize: how, values });
  }
  return found;
}

// What would be chosen with less and with more of one weight.
export function otherWeights(objective, rivals) {
  if (!rivals.length) return { say: "choice.page.no_other_weight", objective };
  return { say: "choice.page.other_weights", objective, rivals: rivals.map(({ name, low, high, less }) => ({
    say: `choice.phrases.${less ? "at_most" : "at_least"}`, name, weight: less ? high : low })) };
}

function allEqual({ table, rows }) {
  return table.better.every((column) => rows.every((row) => column[row] === column[rows[0]]));
}

// w_j u_j = w_k u_k: equal contributions to the criterion, whatever p is.
function trade({ table, weights, p }, how, names) {
  const found = [];
  if (how === "cdf" && weights.filter((weight) => weight > 0).length > 1) {
    const inRanks = table.size < WORTH_SHARES;
    const heaviest = weights.indexOf(Math.max(...weights));
    const share = inRanks ? 1 / table.size : EXAMPLE_SHARE;
    const [last, equal] = [[], new Map()];
    weights.forEach((weight, k) => {
      if (k === heaviest || weight === 0) return;
      const worth = weights[heaviest] / weight;
      if (share * worth >= 1) return last.push(names[k]);
      const loss = inRanks ? (Math.abs(worth - 1) < SAME_WEIGHT ? 1 : worth) : share * worth;
      const written = inRanks ? number(loss, 3) : percent(loss);
      if (!equal.has(written)) equal.set(written, [loss, []]);
      equal.get(written)[1].push(names[k]);
    });
    const [kind, unit] = inRanks ? ["ranks", "n"] : ["rows", "share"];
    const losses = [...equal.values()].map(([loss, objectives]) => ({ say: `choice.phrases.${kind}`, [unit]: loss, objectives }));
    const costs = losses.length ? [{ say: `choice.phrases.equal_${kind}`, losses }] : [];
    if (last.length) costs.push({ say: "choice.phrases.ranking_last", objectives: last });
    const lost = inRanks ? { say: "choice.phrases.one_rank" } : { say: "choice.phrases.rows_behind", share };
    const order = writeOrder(p === Infinity ? "inf" : p);
    found.push({ say: "choice.details.trade", p: order, objective: names[heaviest], lost, costs });
  }
  const objectives = names.filter((_, k) => weights[k] === 0);
  return objectives.length ? [...found, { say: "choice.details.ignored", objectives }] : found;
}

function ties({ scores, sharing, tied, sums }) {
  if (sharing === tied.length) return [];
  const score = scores.reduce((a, b) => Math.min(a, b));
  const how = sums === null ? "tie_ranks" : sums === tied.length ? "tie_sums" : "tie_sums_and_ranks";
  return [{ say: `choice.details.${how}`, score, sharing, rows: "rows" }];
}

function shortened(names, most) {
  if (names.length <= most) return names;
  return [...names.slice(0, most - 1), { say: "phrases.more", n: names.length - most + 1 }];
}
