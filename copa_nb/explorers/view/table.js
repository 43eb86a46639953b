// A table that can be sorted, searched, saved as CSV, and pinned from. Its height stays while its rows change.
import { button, count, csv, download, make, setAttribute, write } from "./text.js";

const SHOWN = 12;
const MORE = 50;

export class TableBox {
  constructor(view, host) {
    Object.assign(this, { view, sort: null, query: "", most: SHOWN });
    this.box = host.appendChild(make("section", "copa-table"));
    const head = this.box.appendChild(make("div", "copa-table-head"));
    this.caption = head.appendChild(make("h2", "copa-caption"));
    this.tools = head.appendChild(make("div", "copa-tools"));
    this.search = this.tools.appendChild(make("input", "copa-search", undefined, { type: "search", placeholder: "search", "aria-label": "Search rows by name" }));
    this.search.addEventListener("input", () => {
      this.query = this.search.value.toLowerCase();
      view.redraw(true);
    });
    this.tools.appendChild(button("copa-tool", "CSV", "Save these rows as CSV", () => this.save()));
    const scroll = this.box.appendChild(make("div", "copa-scroll", undefined, { tabindex: 0, role: "region", "data-lm-suppress-shortcuts": "true" }));
    this.scroll = scroll;
    const table = scroll.appendChild(make("table"));
    this.head = table.appendChild(make("thead")).appendChild(make("tr"));
    this.body = table.appendChild(make("tbody"));
    this.more = this.box.appendChild(button("copa-more", "", "Show more rows", () => {
      this.most += MORE;
      view.redraw(true);
    }));
  }

  set(spec) {
    this.spec = spec;
    write(this.caption, spec.caption);
    setAttribute(this.scroll, "aria-label", spec.caption);
    this.search.hidden = Boolean(spec.short);
    this.setHead(spec);
    const { rows, total } = spec.list(this.sort, this.query, this.most);
    rows.forEach((row, i) => this.setRow(this.body.children[i] || this.body.appendChild(this.makeRow()), row));
    while (this.body.children.length > rows.length) this.body.lastChild.remove();
    this.more.hidden = rows.length >= total;
    write(this.more, `Show more (${rows.length} of ${count(total)})`);
  }

  setHead({ columns, pins }) {
    const key = JSON.stringify([columns, this.sort, Boolean(pins)]);
    if (key === this.headKey) return;
    this.headKey = key;
    const cells = columns.map(({ label, numeric, fixed }, c) => {
      const sorted = this.sort?.column === c;
      const cell = make("th", numeric ? "copa-number" : "", undefined, { scope: "col", "aria-sort": sorted ? (this.sort.down ? "descending" : "ascending") : "none" });
      if (fixed) cell.textContent = label;
      else cell.appendChild(button("copa-sort", `${label}${sorted ? (this.sort.down ? " ▾" : " ▴") : ""}`, `Sort by ${label}`, () => this.sortBy(c)));
      return cell;
    });
    if (pins) {
      cells.unshift(make("th", "copa-pin"));
      cells[0].appendChild(make("span", "copa-spoken", (pins.verb || "Compare").toLowerCase()));
    }
    this.head.replaceChildren(...cells);
  }

  sortBy(column) {
    if (this.sort?.column !== column) this.sort = { column, down: false };
    else this.sort = this.sort.down ? null : { column, down: true };
    this.view.redraw(true);
  }

  makeRow() {
    const row = make("tr");
    row.addEventListener("pointerenter", () => {
      this.view.point(row.of);
      for (const cell of row.children) cell.title = cell.scrollWidth > cell.clientWidth ? cell.textContent : "";
    });
    row.addEventListener("pointerleave", () => this.view.point(undefined));
    return row;
  }

  setRow(row, { id, cells, marked, faded }) {
    const pins = this.spec.pins;
    row.of = id;
    row.classList.toggle("copa-marked", Boolean(marked));
    row.classList.toggle("copa-faded", Boolean(faded));
    const offset = pins ? 1 : 0;
    while (row.children.length > cells.length + offset) row.lastChild.remove();
    if (pins) {
      const pin = row.firstChild?.firstChild || row.appendChild(make("td", "copa-pin")).appendChild(button("copa-pin-button", "", "", () => this.view.pick(row.of)));
      const pressed = pins.pinned.includes(id);
      write(pin, pressed ? "●" : "○");
      setAttribute(pin, "aria-pressed", String(pressed));
      setAttribute(pin, "aria-label", `${pins.verb || "Compare"} ${pins.name(id)}`);
      setAttribute(pin, "title", `${pressed ? "Remove from" : "Add to"} ${pins.list || "the comparison"}`);
    }
    cells.forEach((text, c) => {
      const cell = row.children[c + offset] || row.appendChild(make("td"));
      const style = this.spec.columns[c]?.numeric ? "copa-number" : "";
      if (cell.className !== style) cell.className = style;
      write(cell, text);
    });
  }

  save() {
    const { rows } = this.spec.list(this.sort, this.query, Infinity);
    const values = rows.map((row) => (this.spec.full ? this.spec.full(row) : row.cells));
    download(`${this.spec.caption.replace(/[^\p{L}\p{N}]+/gu, "-").toLowerCase()}.csv`, csv([this.spec.saved || this.spec.columns.map(({ label }) => label), ...values]), "text/csv");
  }

  end() {
    this.box.remove();
  }
}

// Rows that are all there, as texts.
export function plainTable({ caption, columns, rows, numeric, ids, marked, pins }) {
  const list = (sort, query, most) => {
    let found = rows.map((cells, i) => ({ id: ids?.[i], cells, marked: marked?.includes(i) }));
    if (query) found = found.filter(({ cells }) => cells.join(" ").toLowerCase().includes(query));
    if (sort) found.sort((a, b) => (sort.down ? -1 : 1) * compareTexts(a.cells[sort.column], b.cells[sort.column]));
    // Rows that are picked are shown also where the others end.
    const rest = found.slice(most).filter(({ id }) => pins?.pinned.includes(id));
    return { rows: [...found.slice(0, most), ...rest], total: found.length };
  };
  return { caption, list, columns: columns.map((label, c) => ({ label, numeric: numeric?.[c] })), short: rows.length < 8, pins };
}

function compareTexts(a, b) {
  const [x, y] = [Number(a), Number(b)];
  return Number.isFinite(x) && Number.isFinite(y) ? x - y : String(a).localeCompare(String(b));
}
