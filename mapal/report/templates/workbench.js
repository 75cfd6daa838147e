// The workbench of a program: any two of its artifacts, side by side or compared.

const FIRST_RIGHT = ["plan", "rewriting", "lower"];
class Workbench {
  constructor(program) {
    this.program = program;
    this.panels = [...parsed(program.querySelector("noscript")).querySelectorAll("details")];
    this.sides = [this.side("Left"), this.side("Right")];
    this.toggle = element("button", { type: "button", textContent: "Differences" });
    this.toggle.setAttribute("aria-pressed", "false");
    this.toggle.onclick = () => this.show({ differences: !this.differences }, true);
    this.next = element("button", { type: "button", textContent: "Next", hidden: true });
    this.next.setAttribute("aria-label", "Next difference");
    this.next.onclick = () => this.step();
    const swap = element("button", { type: "button", textContent: "Swap", onclick: () =>
      this.show({ left: this.right, right: this.left }, true) });
    this.body = element("div", {});
    this.status = element("p", { className: "hidden" });
    this.status.setAttribute("role", "status");
    const middle = element("div", { className: "middle" }, swap, this.toggle, this.next);
    const controls = element("div", { className: "controls" }, this.sides[0], middle, this.sides[1]);
    const frame = element("div", { className: "workbench" }, controls, this.body, this.status);
    program.querySelector(".bench-place").append(frame);
    const first = FIRST_RIGHT.map((stage) => this.panels.find((p) => p.id.split(".")[1] === stage)).find(Boolean);
    this.left = this.panels[0];
    this.right = first || this.panels[this.panels.length - 1];
    this.differences = false;
    this.line = 0;
  }

  side(name) {
    const select = element("select", {});
    select.setAttribute("aria-label", name);
    for (const panel of this.panels) {
      const group = panel.dataset.group || "all targets";
      let parent = [...select.children].find((child) => child.label === group);
      if (!parent) {
        parent = element("optgroup", { label: group });
        select.append(parent);
      }
      const suffix = panel.dataset.group && !panel.dataset.title.includes("(") ? ` (${panel.dataset.group})` : "";
      parent.append(element("option", { value: panel.id, textContent: panel.dataset.title + suffix }));
    }
    select.onchange = () => this.show({ [name.toLowerCase()]: this.panel(select.value), line: 0 }, true);
    return element("label", {}, element("span", { textContent: name }), select);
  }

  panel(id) {
    return this.panels.find((panel) => panel.id === id);
  }

  show({ left = this.left, right = this.right, differences = this.differences, line = 0 }, record) {
    Object.assign(this, { left, right, differences, line });
    this.sides[0].querySelector("select").value = left.id;
    this.sides[1].querySelector("select").value = right.id;
    this.toggle.setAttribute("aria-pressed", String(differences));
    if (differences) this.showDifferences();
    else this.showPanes();
    this.next.hidden = !differences;
    if (record) history.replaceState(null, "", this.address());
  }

  showPanes() {
    const panes = [this.left, this.right].map((panel) => {
      const title = element("h2", { textContent: panel.dataset.title + (panel.dataset.group ? ` (${panel.dataset.group})` : "") },
        element("small", { textContent: `${panel.dataset.label} ${panel.dataset.detail}` }));
      return element("section", { className: "pane" }, title, ...shownOf(panel, this.program));
    });
    this.body.replaceChildren(element("div", { className: "panes" }, ...panes));
    if (this.line) this.mark(panes[this.left.id.endsWith(".source") ? 0 : 1]);
  }

  mark(pane) {
    const line = pane.querySelector(`.line[data-n="${this.line}"]`);
    if (!line) return;
    line.classList.add("marked");
    const code = line.parentElement;
    code.scrollTop = Math.max(0, line.offsetTop - code.offsetTop - code.clientHeight / 3);
    this.status.textContent = `Line ${this.line} is marked in the source`;
  }

  showDifferences() {
    const [a, b] = [this.left, this.right].map(textOf);
    if (a === null || b === null) {
      this.body.replaceChildren(element("p", { className: "message", textContent: "Only texts can be compared; choose two of them." }));
      return;
    }
    const title = `${this.left.dataset.label} against ${this.right.dataset.label}`;
    const [table, places] = differenceTable(linesOf(a), linesOf(b), title);
    const words = places === 0 ? "No differences: the texts are equal." : `${places} difference${places === 1 ? "" : "s"}: ${title}`;
    this.status.textContent = words;
    this.body.replaceChildren(element("p", { className: "message", textContent: words }),
      element("div", { className: "difference", tabIndex: 0 }, ...(places ? [table] : [])));
    this.at = -1;
  }

  step() {
    const places = [...this.body.querySelectorAll(".place-of-difference")];
    if (places.length === 0) return;
    places.forEach((place) => place.classList.remove("here"));
    this.at = (this.at + 1) % places.length;
    places[this.at].classList.add("here");
    places[this.at].scrollIntoView({ block: "center" });
    this.status.textContent = `Difference ${this.at + 1} of ${places.length}`;
  }

  address() {
    const differences = this.differences ? "&d=1" : "";
    return `#${this.program.id}?l=${this.left.id}&r=${this.right.id}${differences}`;
  }
}
const benches = new Map();
const benchOf = (program) => {
  if (!benches.has(program)) benches.set(program, new Workbench(program));
  return benches.get(program);
};
