// Text as the page shows it. Labels are data: they reach the page through textContent and fillText only.

import { SENTENCES } from "./constants.js";

const FOCUSED = ["input", "select", "button", "canvas", "summary"];

export function make(tag, className, text, attributes = {}) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  // Lab and Notebook take keys for their own commands unless the element that has the focus tells them not to.
  if (FOCUSED.includes(tag)) element.setAttribute("data-lm-suppress-shortcuts", "true");
  return element;
}

// Write only what changed: an untouched text is not laid out anew.
export function write(element, text) {
  if (!element.firstChild) element.textContent = text;
  else if (element.firstChild.data !== text) element.firstChild.data = text;
}

export function setAttribute(element, name, value) {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

export function button(className, text, name, act) {
  const made = make("button", className, text, { type: "button", "aria-label": name, title: name });
  made.addEventListener("click", act);
  return made;
}

const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0, roundingMode: "halfEven" });

// A few significant digits; whole and with commas where these would not reach the decimal point. As in Python.
export function number(value, digits = 4) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "-∞";
  if (value === 0) return "0";
  if (Math.abs(value) >= 10 ** digits - 0.5 && Math.abs(value) < 1e9) return whole.format(value);
  const [mantissa, power] = value.toExponential(digits - 1).split("e");
  if (power >= -4 && power < digits) return String(Number(value.toPrecision(digits)));
  return `${Number(mantissa)}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}

const grouped = new Intl.NumberFormat("en-US");
export const count = (value) => grouped.format(value);
export const writeOrder = (p) => (p === "inf" ? "∞" : number(p, 6));

export function percent(share) {
  if (share > 0 && share < 0.01) return "less than 1%";
  return share >= 0.995 && share < 1 ? "more than 99%" : `${whole.format(100 * share)}%`;
}

export function listing(words, conjunction = "and") {
  return words.length > 1 ? `${words.slice(0, -1).join(", ")} ${conjunction} ${words.at(-1)}` : words.join("");
}

function ordinal(value) {
  const ending = [11, 12, 13].includes(value % 100) ? "th" : { 1: "st", 2: "nd", 3: "rd" }[value % 10] || "th";
  return `${count(value)}${ending}`;
}

const pvalue = (value) => (value < 0.001 ? "p < 0.001" : `p = ${number(value, 3)}`);

function withUnit(value, unit, digits) {
  const written = number(value, digits);
  if (!["$", "€"].includes(unit)) return ["", "%"].includes(unit) ? `${written}${unit}` : `${written} ${unit}`;
  const amount = written.replace(/^-/, "");
  return `${written === amount ? "" : "-"}${unit}${amount}${/^\d+\.\d$/.test(amount) ? "0" : ""}`;
}

// ------------------------------------------------------------------------------------------- sentences

const GAP = /\{(\w+)(?::([^|{}]+)|\|([^|{}]*)\|([^|{}]*))?\}/g;

// Write a part as the sentence that it names, as copa_nb.results.sentences does.
export function say(part) {
  const template = part.say.split(".").reduce((found, name) => found[name], SENTENCES);
  return template.replace(GAP, (_, name, kind, single, several) => {
    const value = part[name];
    if (value === undefined) throw new Error(`${part.say} needs ${name}`);
    if (single === undefined) return fill(value, kind || "", part);
    return value === 1 ? single : several.replace("#", () => fill(value, "", part));
  });
}

function fill(value, kind, part) {
  if (Array.isArray(value)) {
    const written = value.map((one) => fill(one, "", part));
    return ",;".includes(kind[0]) ? written.join(kind) : listing(written, kind);
  }
  if (typeof value === "object" && value !== null) return say(value);
  if (typeof value === "string") return value;
  if (kind === "percent") return percent(value);
  if (kind === "place") return ordinal(value);
  if (kind === "p") return pvalue(value);
  if (kind === "unit") return withUnit(value, part.unit, part.digits);
  if (kind === "digits") return number(value, part.digits);
  if (kind) return number(value, Number(kind));
  return Math.abs(value) < 1e9 && Number.isInteger(value) ? count(value) : number(value, 3);
}

// ------------------------------------------------------------------------------------------------ places

function shareText(share) {
  if (share === 0) return "none";
  if (share >= 0.995 && share < 1) return "more than 99%";
  return share >= 0.01 ? `${(100 * share).toFixed(0)}%` : `${number(100 * share, 1)}%`;
}

// Where a row stands: its rank in a small table, the share of better rows in a large one.
export function place(better, size) {
  return size < 100 ? `${ordinal(better + 1)} of ${size}` : `${shareText(better / size)} are better`;
}

// CSV whose cells no spreadsheet takes for a formula.
export function csv(rows) {
  const cell = (value) => {
    if (typeof value === "number") return String(value);
    const guarded = String(value ?? "").replace(/\r\n?/g, "\n").replace(/^(?=[\t\n]|\s*[=+\-@＝＋－＠])|(?<=\n)(?=\s*[=@＝＠])/g, "'");
    return /[",\n]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
  };
  return rows.map((row) => row.map(cell).join(",")).join("\n") + "\n";
}

export function download(name, content, type) {
  const blob = content instanceof Blob ? content : new Blob([content], { type });
  const link = make("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
