// A place to drop a file on, or to choose one by a click; it arrives in parts, since one message holds only so much.
const PART = 2 ** 21; // bytes

async function hand(model, file) {
  for (let start = 0; start === 0 || start < file.size; start += PART) {
    const part = await file.slice(start, start + PART).arrayBuffer();
    model.send({ name: file.name, first: start === 0, last: start + PART >= file.size }, undefined, [new DataView(part)]);
  }
}

export default {
  render({ model, el }) {
    const zone = el.appendChild(document.createElement("label"));
    zone.className = "copa-drop";
    const [title, about] = ["strong", "span"].map((tag) => zone.appendChild(document.createElement(tag)));
    const input = zone.appendChild(document.createElement("input"));
    Object.assign(input, { type: "file", accept: model.get("accept"), ariaLabel: "Table" });
    const draw = () => {
      title.textContent = model.get("title");
      about.textContent = model.get("about");
      zone.classList.toggle("copa-full", model.get("full"));
    };
    input.addEventListener("change", () => {
      if (input.files.length) hand(model, input.files[0]);
      input.value = ""; // the same file may be given again
    });
    const over = (is) => (event) => {
      event.preventDefault();
      zone.classList.toggle("copa-over", is);
    };
    zone.addEventListener("dragover", over(true));
    zone.addEventListener("dragleave", over(false));
    zone.addEventListener("drop", (event) => {
      over(false)(event);
      if (event.dataTransfer.files.length) hand(model, event.dataTransfer.files[0]);
    });
    model.on("change", draw);
    draw();
    return () => model.off("change", draw);
  },
};
