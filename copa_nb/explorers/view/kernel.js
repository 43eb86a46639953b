// Explorers whose scenes the kernel makes: tests, partial orders, questions. A page without a kernel holds the
// scenes for every position of the controls that it can; what it cannot is disabled and says why.
import { same } from "./state.js";
import { download } from "./text.js";

export class KernelRoom {
  constructor(view, data) {
    Object.assign(this, { view, data });
  }

  controls() {
    const { model } = this.view;
    const fixed = (item) => (model.offline && !item.offline && item.kind !== "buttons" ? { ...item, name: `${item.name || item.label} (needs a kernel)`, disabled: () => true } : item);
    const live = ({ kind, offline }) => offline || kind === "buttons";
    return this.data.controls.map((group) => ({
      ...group, items: group.items.map((item) => fixed(this.wire(item))), ...(model.offline && !group.items.some(live) && { note: "These controls need a kernel." }),
    }));
  }

  // Entries of a list in the state have a place in it; buttons add to such a list.
  wire(item) {
    if (item.kind === "buttons") return { ...item, items: item.items.map((one) => this.wireButton(one)) };
    if (item.place === undefined) return item;
    const { key, place } = item;
    return { ...item, get: (state) => state[key][place], set: (value) => ({ [key]: this.view.store.state[key].map((old, i) => (i === place ? value : old)) }) };
  }

  wireButton(one) {
    const acts = {
      answer: () => this.view.store.set({ statements: [...this.view.store.state.statements, [...this.shown.asks, one.choice]] }),
      withdraw: () => this.view.store.set({ statements: this.view.store.state.statements.filter((_, i) => i !== (this.shown.withdraws ?? this.view.store.state.statements.length - 1)) }),
      save: () => download("statements.json", JSON.stringify(this.shown.statements, null, 1), "application/json"),
    };
    const off = { answer: () => this.view.model.offline || !this.shown?.asks || this.waits(), withdraw: (state) => this.view.model.offline || !state.statements.length, save: (state) => !state.statements.length };
    return { ...one, act: acts[one.does], disabled: off[one.does] };
  }

  // Whether the kernel has not yet answered to where the controls stand.
  waits() {
    return !same(this.view.model.get("scene").state, this.view.store?.state);
  }

  repair(state) {
    return state;
  }

  scene(state) {
    const { model } = this.view;
    const kept = this.data.scenes?.[JSON.stringify(this.data.keys.map((key) => state[key]))];
    this.shown = kept || model.get("scene");
    if (model.offline && !kept && !same(this.shown.state, state)) return { ...this.shown, message: "This position needs a kernel. The picture shows a different position." };
    return { ...this.shown, busy: !model.offline && this.waits() };
  }
}
