// Sliders, menus and buttons, described by plain specs. Native inputs, so that keys, touch and screen readers work.
import { button, make, number, setAttribute, write } from "./text.js";

// Menus for what the two axes show.
export function axisMenus(objectives) {
  const options = objectives.map(({ label }, k) => [label, k]);
  return [["x", "horizontal"], ["y", "vertical"]].map(([key, label]) => ({ kind: "menu", key, label, name: `Objective on the ${label} axis`, options }));
}

export class Controls {
  constructor(view, host, groups) {
    this.view = view;
    this.syncs = [];
    this.folding = [];
    for (const { heading, items, folds, note } of groups) {
      const group = host.appendChild(make("details", "copa-group", undefined, { "data-group": heading }));
      group.open = true;
      if (folds) this.folding.push(group);
      group.appendChild(make("summary", "", heading));
      if (note) group.appendChild(make("p", "copa-note", note));
      for (const item of items) group.appendChild(this[item.kind](item));
    }
  }

  // Where there is little room, what is needed less often is folded.
  fold(narrow) {
    for (const group of this.folding) group.open = !narrow;
  }

  // Move every control to where the state is.
  sync(state) {
    for (const sync of this.syncs) sync(state);
  }

  slider(item) {
    const { key, label, min, max, step, values } = item;
    const row = make("div", `copa-control${item.lock ? " copa-control-lock" : ""}`);
    const ends = values ? { min: 0, max: values.length - 1, step: 1 } : { min, max, step };
    const input = this.input("range", item.name || label, ends);
    const shown = values ? make("output", "copa-value") : this.input("number", `${item.name || label}, typed`, { min, max, step: "any" });
    const read = (value) => (values ? values[Math.round(value)].value : item.whole ? Math.round(value) : Number(value));
    input.addEventListener("input", () => this.put(item, read(input.value), `slider ${key}`));
    if (!values) shown.addEventListener("change", () => shown.value !== "" && this.put(item, Math.min(max, Math.max(min, read(shown.value)))));
    this.syncs.push((state) => {
      const value = item.get ? item.get(state) : state[key];
      const place = values ? Math.max(0, values.findIndex((entry) => entry.value === value)) : value;
      setValue(input, place);
      setAttribute(input, "aria-valuetext", values ? values[place].text : number(value));
      if (values) write(shown, values[place].text);
      else setValue(shown, item.digits ? Number(value.toPrecision(item.digits)) : value);
      for (const part of [input, shown]) part.disabled = Boolean(item.disabled?.(state));
    });
    row.append(this.name(label), input, shown);
    if (item.lock) row.appendChild(this.lock(item));
    return row;
  }

  lock(item) {
    const made = button("copa-lock", "", item.lock.name, () => item.lock.set());
    this.syncs.push((state) => {
      const locked = item.lock.get(state);
      write(made, locked ? "●" : "○");
      setAttribute(made, "aria-pressed", String(locked));
      setAttribute(made, "title", `${locked ? "Unlock" : "Lock"}: ${item.lock.name}`);
    });
    return made;
  }

  // Two handles on one track; at its ends it limits nothing.
  range(item) {
    const { label, min, max } = item;
    const row = make("div", "copa-control copa-control-range");
    const track = make("div", "copa-range");
    const fields = ["Lowest", "Highest"].map((side, s) => {
      const name = `${side} allowed ${label}`;
      const input = this.input("range", name, { min, max, step: (max - min) / 200 });
      const typed = this.input("number", `${name}, typed`, { step: "any" });
      const read = (field, event) => this.put(item, this.limit(item, s, Number(field.value), event), `range ${label} ${s}`);
      input.addEventListener("input", () => read(input, "input"));
      typed.addEventListener("change", () => (typed.value === "" ? this.put(item, this.limit(item, s, s ? max : min)) : read(typed)));
      this.syncs.push((state) => {
        const value = item.get(state)[s] ?? (s ? max : min);
        setValue(input, value);
        setAttribute(input, "aria-valuetext", number(value));
        setValue(typed, Number.isInteger(value) ? value : Number(value.toPrecision(4)));
      });
      return [input, typed];
    });
    track.append(fields[0][0], fields[1][0]);
    row.append(this.name(label), track, fields[0][1], fields[1][1]);
    return row;
  }

  limit(item, side, value) {
    const { min, max } = item;
    const reach = (max - min) / 400;
    const range = [...item.get(this.view.store.state)];
    const free = side ? value > max - reach : value < min + reach;
    range[side] = free ? null : Number(value.toPrecision(6));
    if (range[0] !== null && range[1] !== null && range[0] > range[1]) range[side] = range[1 - side];
    return range;
  }

  menu(item) {
    const row = make("label", "copa-control copa-control-menu");
    const select = make("select", "", undefined, { "aria-label": item.name || item.label });
    item.options.forEach(([text], i) => (select.appendChild(make("option", "", text)).value = i));
    select.addEventListener("change", () => this.put(item, item.options[select.value][1]));
    this.syncs.push((state) => {
      select.value = item.options.findIndex(([, value]) => value === state[item.key]);
      select.disabled = Boolean(item.disabled?.(state));
    });
    row.append(this.name(item.label), select);
    return row;
  }

  buttons({ items }) {
    const row = make("div", "copa-buttons");
    for (const item of items) {
      const made = row.appendChild(button(`copa-button ${item.className || ""}`, item.text, item.name || item.text, () => item.act()));
      this.syncs.push((state) => (made.disabled = Boolean(item.disabled?.(state))));
    }
    return row;
  }

  name(label) {
    const made = make("span", "copa-name", label, { "aria-hidden": "true" });
    made.title = label;
    return made;
  }

  input(type, name, attributes) {
    return make("input", "", undefined, { type, "aria-label": name, ...attributes });
  }

  put(item, value, gesture = null) {
    const moved = this.view.store.set(item.set ? item.set(value) : { [item.key]: value }, gesture);
    // A control may have moved although the state could not.
    if (!moved) this.sync(this.view.store.state);
  }
}

function setValue(input, value) {
  if (Number(input.value) !== Number(value) || input.value === "") input.value = value;
}
