// A drawing context that writes SVG: as much of a canvas' interface as the charts use.
import { make } from "./text.js";

const SPACE = "http://www.w3.org/2000/svg";

export class SvgContext {
  constructor(width, height, background) {
    this.root = this.element("svg", { xmlns: SPACE, width, height, viewBox: `0 0 ${width} ${height}` });
    this.saved = [];
    this.clips = 0;
    this.look = { fillStyle: "#000", strokeStyle: "#000", lineWidth: 1, globalAlpha: 1, font: "11px sans-serif", textAlign: "start", textBaseline: "alphabetic", lineJoin: "miter", dash: [], host: this.root, move: "" };
    for (const name of Object.keys(this.look)) Object.defineProperty(this, name, { get: () => this.look[name], set: (value) => (this.look[name] = value) });
    this.path = "";
    this.measuring = make("canvas").getContext("2d");
    this.put("rect", { width, height, fill: background });
  }

  element(tag, attributes) {
    const made = document.createElementNS(SPACE, tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    return made;
  }

  put(tag, attributes) {
    const made = this.element(tag, { ...attributes, ...(this.globalAlpha < 1 && { opacity: this.globalAlpha }), ...(this.move && { transform: this.move }) });
    return this.host.appendChild(made);
  }

  text() {
    return new XMLSerializer().serializeToString(this.root);
  }

  save() {
    this.saved.push({ ...this.look });
  }

  restore() {
    Object.assign(this.look, this.saved.pop());
  }

  clip() {
    const id = `clip${(this.clips += 1)}`;
    const clipping = this.host.appendChild(this.element("clipPath", { id }));
    clipping.appendChild(this.element("path", { d: this.path }));
    this.look.host = this.host.appendChild(this.element("g", { "clip-path": `url(#${id})` }));
  }

  translate(x, y) {
    this.move += `translate(${round(x)} ${round(y)})`;
  }

  rotate(angle) {
    this.move += `rotate(${round((angle * 180) / Math.PI)})`;
  }

  setLineDash(dash) {
    this.dash = dash;
  }

  beginPath() {
    this.path = "";
  }

  moveTo(x, y) {
    this.path += `M${round(x)} ${round(y)}`;
  }

  lineTo(x, y) {
    this.path += `L${round(x)} ${round(y)}`;
  }

  closePath() {
    this.path += "Z";
  }

  rect(x, y, width, height) {
    this.path += `M${round(x)} ${round(y)}h${round(width)}v${round(height)}h${round(-width)}Z`;
  }

  arc(x, y, r) {
    this.path += `M${round(x - r)} ${round(y)}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;
  }

  fill() {
    this.put("path", { d: this.path, fill: this.fillStyle });
  }

  stroke() {
    this.put("path", { d: this.path, fill: "none", stroke: this.strokeStyle, "stroke-width": this.lineWidth, ...(this.dash.length && { "stroke-dasharray": this.dash.join(" ") }) });
  }

  fillRect(x, y, width, height) {
    this.put("rect", { x: round(x), y: round(y), width: round(width), height: round(height), fill: this.fillStyle });
  }

  strokeRect(x, y, width, height) {
    this.put("rect", { x: round(x), y: round(y), width: round(width), height: round(height), fill: "none", stroke: this.strokeStyle });
  }

  measureText(text) {
    this.measuring.font = this.font;
    return this.measuring.measureText(text);
  }

  fillText(text, x, y) {
    this.write(text, x, y, { fill: this.fillStyle });
  }

  strokeText(text, x, y) {
    this.write(text, x, y, { fill: "none", stroke: this.strokeStyle, "stroke-width": this.lineWidth, "stroke-linejoin": "round" });
  }

  write(text, x, y, look) {
    const [, weight, size, family] = /^(600 )?([\d.]+)px (.*)$/.exec(this.font);
    const anchor = { center: "middle", right: "end" }[this.textAlign] || "start";
    const drop = { middle: 0.35, top: 0.85 }[this.textBaseline] || 0;
    const made = this.put("text", { x: round(x), y: round(y + drop * size), "font-size": size, "font-family": family, "text-anchor": anchor, ...(weight && { "font-weight": 600 }), ...look });
    made.textContent = text;
  }
}

function round(value) {
  return Math.round(value * 100) / 100;
}
