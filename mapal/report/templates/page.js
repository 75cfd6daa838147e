"use strict";
// The page reads without this script. With it, one view is shown at a time, and two artifacts of
// a program stand side by side or as differences. The address holds what is shown.
(() => {
  const root = document.documentElement;
  root.classList.add("js");
  const byId = (id) => document.getElementById(id);
  const element = (name, properties, ...children) => {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  };

  // --- Artifacts -------------------------------------------------------------------------

  // What a panel holds, as elements of its own. Scripts and noscript are never both active, so
  // the browser kept the markup as text.
  const contentOf = (panel) => {
    const template = document.createElement("template");
    template.innerHTML = panel.querySelector("noscript").textContent;
    return template.content;
  };
  const original = (panel) => (panel.dataset.same ? byId(panel.dataset.same) : panel);
  const textOf = (panel) => {
    const pre = contentOf(original(panel)).querySelector("pre");
    return pre === null ? null : pre.textContent;
  };
  const linesOf = (text) => {
    const lines = text.split("\n");
    if (lines[lines.length - 1] === "") lines.pop();
    return lines;
  };

  // --- Colours ---------------------------------------------------------------------------

  // One pattern a language, its groups in the order of CLASSES. `d` is what is defined or named.
  const CLASSES = ["c", "s", "t", "k", "d", "n"];
  const LANGUAGES = {
    mapal: /(\/\/.*)|("(?:[^"\\]|\\.)*")|\b(i32|i64|u8|f32|f64|bool|str)\b|\b(fn|struct|mut|loop|map|fold|zip|iota|fill|update|enumerate|reduce|guard|match|if|else|ret|true|false|not|and|or)\b|(\bmain\b|->)|\b(\d[\d_.]*(?:e[+-]?\d+)?)\b/g,
    ir: /(@ [\d\/-]+)|("(?:[^"\\]|\\.)*")|\b(i32|i64|u8|f32|f64|bool|str)\b|\b(function|objects|entry|parameters|captures|parameter|return|temporary|constant|named|body|token)\b|(\b[omrf]\d+\b)|(-?\b\d[\d.]*(?:e[+-]?\d+)?\b)/g,
    llvm: /(;.*)|("(?:[^"\\]|\\.)*")|\b(i\d+|float|double|half|ptr|void|label|metadata|x)\b|\b(define|declare|target|datalayout|triple|attributes|private|internal|unnamed_addr|constant|global|align|nounwind|noundef|nocapture|readonly|writeonly|noalias|to|ret|br|switch|call|tail|phi|select|getelementptr|inbounds|load|store|add|sub|mul|fadd|fsub|fmul|fdiv|sdiv|srem|udiv|urem|icmp|fcmp|and|or|xor|shl|lshr|ashr|sext|zext|trunc|bitcast|alloca|unreachable|insertelement|extractelement|shufflevector|nuw|nsw|true|false|null|undef|poison|zeroinitializer)\b|([%@][\w.$-]+|^[\w.$-]+:|![\w.]+|#\d+)|(-?\b(?:0x[0-9A-Fa-f]+|\d[\d.]*(?:e[+-]?\d+)?)\b)/g,
    assembly: /((?:^|\s)#.*|\/\/.*|;.*)|("(?:[^"\\]|\\.)*")|(%[\w]+|\b[xwvqdsr]\d+\b|\b[xyz]mm\d+\b)|(^\s+[a-z][\w.]*)|(^[\w.$@]+:|\.?L[\w.$]+)|([$#]?-?\b(?:0x[0-9A-Fa-f]+|\d+)\b)/g,
    ptx: /(\/\/.*)|("(?:[^"\\]|\\.)*")|(\.[a-z]\w*)|(^\s+@?[a-z][\w]*)|([%$][\w.]+|^[\w$]+:)|(-?\b(?:0[xfd][0-9A-Fa-f]+|\d+)\b)/g,
  };
  const colour = (line, pattern) => {
    const parts = [];
    let at = 0;
    for (const match of line.matchAll(pattern)) {
      if (match.index > at) parts.push(line.slice(at, match.index));
      const group = match.slice(1).findIndex((text) => text !== undefined);
      parts.push(element("span", { className: CLASSES[group], textContent: match[0] }));
      at = match.index + match[0].length;
    }
    if (at < line.length) parts.push(line.slice(at));
    return parts;
  };

  // Order keys in graphs, `@ 12-20`, lead to their place in the source.
  const linkKeys = (line, program) => {
    for (const key of line.querySelectorAll(".c")) {
      const token = /(\d+)(?:-\d+)?$/.exec(key.textContent);
      const place = token && tokensOf(program)[Number(token[1])];
      if (!place) continue;
      const link = element("a", { className: "key place", href: `#${program.dataset.program}.source` });
      link.dataset.line = place[0];
      link.title = `line ${place[0]}`;
      link.textContent = key.textContent;
      key.replaceChildren(link);
    }
  };
  const tokensOf = (program) => JSON.parse(program.querySelector(".tokens").textContent);

  const codeOf = (panel, program) => {
    const pattern = LANGUAGES[panel.dataset.language];
    const pre = element("pre", { className: "code", tabIndex: 0 });
    pre.setAttribute("aria-label", panel.dataset.title);
    linesOf(textOf(panel)).forEach((text, index) => {
      const line = element("span", { className: "line" }, ...colour(text, pattern));
      line.dataset.n = index + 1;
      if (panel.dataset.language === "ir") linkKeys(line, program);
      pre.append(line);
    });
    return pre;
  };

  // --- Pictures --------------------------------------------------------------------------

  const zoomable = (content) => {
    const frame = content.querySelector(".picture");
    const svg = frame.querySelector("svg");
    const width = Number(svg.getAttribute("width"));
    const ratio = Number(svg.getAttribute("height")) / width;
    const shown = element("output", {});
    let scale = 1;
    const zoom = (to) => {
      scale = Math.min(8, Math.max(0.05, to));
      svg.setAttribute("width", Math.round(width * scale));
      svg.setAttribute("height", Math.round(width * ratio * scale));
      shown.textContent = `${Math.round(scale * 100)} %`;
    };
    const fit = () => zoom(Math.min(1.5, (frame.clientWidth - 30) / width));
    const button = (text, label, action) => {
      const made = element("button", { type: "button", textContent: text, onclick: action });
      made.setAttribute("aria-label", label);
      return made;
    };
    frame.addEventListener("keydown", (event) => {
      const to = { "+": scale * 1.25, "=": scale * 1.25, "-": scale / 1.25, 0: 1 }[event.key];
      if (to === undefined || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      zoom(to);
    });
    frame.addEventListener("wheel", (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      zoom(scale * (event.deltaY < 0 ? 1.1 : 1 / 1.1));
    }, { passive: false });
    const bar = element("div", { className: "zoom" },
      button("−", "Smaller", () => zoom(scale / 1.25)), button("+", "Larger", () => zoom(scale * 1.25)),
      button("Fit", "Fit the width", fit), button("1:1", "Natural size", () => zoom(1)), shown);
    requestAnimationFrame(() => zoom(Math.max(0.6, Math.min(1.5, (frame.clientWidth - 30) / width))));
    return [bar, frame];
  };

  const shownOf = (panel, program) => {
    if (panel.dataset.kind === "text" || panel.dataset.kind === "same") {
      return [codeOf(panel, program)];
    }
    const content = contentOf(panel);
    return panel.dataset.kind === "picture" ? zoomable(content) : [...content.children];
  };

  // --- Differences -----------------------------------------------------------------------

  const MOST_EDITS = 3000;

  // The shortest edit script (Myers 1986) between two lists of lines, as runs [kind, a, b, n]
  // with kind "=", "-" or "+". Beyond MOST_EDITS edits the rest counts as replaced.
  const editScript = (a, b) => {
    let head = 0;
    while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
    let tail = 0;
    while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
    const n = a.length - head - tail;
    const m = b.length - head - tail;
    const runs = [];
    const add = (kind, at, bt, count) => {
      if (count === 0) return;
      const last = runs[runs.length - 1];
      if (last && last[0] === kind) last[3] += count;
      else runs.push([kind, at, bt, count]);
    };
    add("=", 0, 0, head);
    for (const [kind, at, bt] of middle(a.slice(head, head + n), b.slice(head, head + m))) {
      add(kind, at + head, bt + head, 1);
    }
    add("=", a.length - tail, b.length - tail, tail);
    return runs;
  };
  const replaced = (a, b) => [...a.map((_, i) => ["-", i, 0]), ...b.map((_, i) => ["+", a.length, i])];
  const middle = (a, b) => {
    if (a.length === 0 || b.length === 0) return replaced(a, b);
    const most = Math.min(a.length + b.length, MOST_EDITS);
    let frontier = new Map([[1, 0]]);
    const trace = [];
    for (let d = 0; d <= most; d += 1) {
      const next = new Map();
      for (let k = -d; k <= d; k += 2) {
        const down = k === -d || (k !== d && (frontier.get(k - 1) ?? -1) < (frontier.get(k + 1) ?? -1));
        let x = down ? frontier.get(k + 1) : frontier.get(k - 1) + 1;
        if (x === undefined || x > a.length || x - k > b.length) continue;
        while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1;
        next.set(k, x);
        if (x === a.length && x - k === b.length) {
          trace.push(frontier);
          return path(trace, a, b);
        }
      }
      trace.push(frontier);
      frontier = next;
    }
    return replaced(a, b);
  };
  const path = (trace, a, b) => {
    const steps = [];
    let x = a.length;
    let y = b.length;
    for (let d = trace.length - 1; d >= 0; d -= 1) {
      const frontier = trace[d];
      const k = x - y;
      const down = k === -d || (k !== d && (frontier.get(k - 1) ?? -1) < (frontier.get(k + 1) ?? -1));
      const from = d === 0 ? 0 : frontier.get(down ? k + 1 : k - 1);
      const fromY = d === 0 ? 0 : from - (down ? k + 1 : k - 1);
      const startX = d === 0 ? 0 : down ? from : from + 1;
      while (x > startX) { x -= 1; y -= 1; steps.push(["=", x, y]); }
      if (d === 0) break;
      if (down) steps.push(["+", x, fromY]);
      else steps.push(["-", from, y]);
      x = from;
      y = fromY;
    }
    return steps.reverse();
  };

  const CONTEXT = 3;
  const row = (a, at, b, bt, left, right) => {
    const cell = (className, text) => element("td", { className, textContent: text });
    return element("tr", {},
      cell("at", at === null ? "" : at + 1), cell(`sign ${left}`, left === "removed" ? "−" : ""),
      cell(left, at === null ? "" : a[at]),
      cell("at", bt === null ? "" : bt + 1), cell(`sign ${right}`, right === "added" ? "+" : ""),
      cell(right, bt === null ? "" : b[bt]));
  };
  const equalRows = (a, b, at, bt, count) =>
    Array.from({ length: count }, (_, i) => row(a, at + i, b, bt + i, "", ""));
  const folded = (a, b, at, bt, count) => {
    const button = element("button", { type: "button", textContent: `${count} equal lines` });
    const line = element("tr", { className: "fold" }, element("td", { colSpan: 6 }, button));
    button.onclick = () => line.replaceWith(...equalRows(a, b, at, bt, count));
    return line;
  };
  const differenceTable = (a, b, title) => {
    const body = element("tbody", {});
    const runs = editScript(a, b);
    let places = 0;
    for (let i = 0; i < runs.length; i += 1) {
      const [kind, at, bt, count] = runs[i];
      if (kind === "=") {
        const before = i === 0 ? 0 : CONTEXT;
        const after = i === runs.length - 1 ? 0 : CONTEXT;
        if (count <= before + after + 2) {
          body.append(...equalRows(a, b, at, bt, count));
        } else {
          const hidden = count - before - after;
          body.append(...equalRows(a, b, at, bt, before), folded(a, b, at + before, bt + before, hidden),
            ...equalRows(a, b, at + before + hidden, bt + before + hidden, after));
        }
        continue;
      }
      // A removal and an addition next to each other stand side by side.
      const other = runs[i + 1] && runs[i + 1][0] !== "=" ? runs[i + 1] : null;
      const removed = kind === "-" ? runs[i] : other;
      const added = kind === "+" ? runs[i] : other;
      const height = Math.max(removed ? removed[3] : 0, added ? added[3] : 0);
      for (let j = 0; j < height; j += 1) {
        const left = removed && j < removed[3];
        const right = added && j < added[3];
        const line = row(a, left ? removed[1] + j : null, b, right ? added[2] + j : null,
          left ? "removed" : "", right ? "added" : "");
        if (j === 0) { line.classList.add("place-of-difference"); places += 1; }
        body.append(line);
      }
      if (other) i += 1;
    }
    const table = element("table", {}, body);
    table.setAttribute("aria-label", title);
    return [table, places];
  };

  // --- The workbench of a program ----------------------------------------------------------

  const FIRST_RIGHT = ["plan", "rewriting", "lower"];
  class Workbench {
    constructor(program) {
      this.program = program;
      this.panels = [...program.querySelectorAll("details.panel")];
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
      select.onchange = () => this.show({ [name.toLowerCase()]: byId(select.value), line: 0 }, true);
      return element("label", {}, element("span", { textContent: name }), select);
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

  // --- Views -----------------------------------------------------------------------------

  const views = [...document.querySelectorAll(".view")];
  const activate = (view) => {
    views.forEach((other) => other.classList.toggle("current", other === view));
    for (const link of document.querySelectorAll("nav a")) {
      if (link.hash === `#${view.id}`) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    const title = view.querySelector("h1");
    document.title = `${title.firstChild.textContent.trim()} · Mapal build`;
    return title;
  };
  const visit = (moveFocus) => {
    const [id, query] = decodeURIComponent(location.hash.slice(1)).split("?");
    const target = byId(id);
    if (id === "content" && target) return;
    const view = (target && target.closest(".view")) || byId("overview");
    const title = activate(view);
    if (view.classList.contains("program")) {
      const bench = benchOf(view);
      const wanted = new URLSearchParams(query || "");
      const panel = (name) => view.querySelector(`#${CSS.escape(wanted.get(name) || "-")}`) || undefined;
      if (query) bench.show({ left: panel("l"), right: panel("r"), differences: wanted.get("d") === "1", line: Number(wanted.get("line")) }, false);
      else if (target !== view) bench.show({ [id.endsWith(".source") ? "left" : "right"]: target, differences: false }, false);
      else bench.show({}, false);
    }
    if (moveFocus) title.focus({ preventScroll: true });
    if (target && target !== view && !target.closest(".program")) target.scrollIntoView();
    else window.scrollTo(0, 0);
  };

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a.place");
    if (!link || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const source = byId(link.hash.slice(1));
    const program = source.closest(".program");
    const bench = benchOf(program);
    const right = bench.right === source ? bench.left : bench.right;
    if (program.classList.contains("current")) {
      bench.show({ left: source, right, differences: false, line: Number(link.dataset.line) }, true);
      bench.body.querySelector("pre").focus({ preventScroll: true });
    } else {
      location.hash = `${program.id}?l=${source.id}&r=${right.id}&line=${link.dataset.line}`;
    }
  });
  document.addEventListener("toggle", (event) => {
    const panel = event.target;
    if (panel.dataset.kind === "tasks" && panel.open && !panel.querySelector("table")) panel.append(contentOf(panel));
  }, true);

  // A changed artifact leads to the texts before and after.
  for (const name of document.querySelectorAll("[data-artifact]")) {
    const panels = [...document.querySelectorAll(`.panel[data-label="${CSS.escape(name.dataset.artifact)}"]`)];
    const [after, before] = [panels.find((p) => !p.id.endsWith(".former")), panels.find((p) => p.id.endsWith(".former"))];
    if (!before) continue;
    const right = after || before;
    const link = element("a", { href: `#${before.closest(".view").id}?l=${before.id}&r=${right.id}&d=1` });
    name.replaceWith(link);
    link.append(name);
  }

  const filter = byId("filter");
  filter.addEventListener("input", () => {
    const wanted = filter.value.trim().toLowerCase();
    for (const section of document.querySelectorAll("nav.programs section")) {
      let some = false;
      for (const item of section.querySelectorAll("li")) {
        item.hidden = !item.textContent.toLowerCase().includes(wanted);
        some = some || !item.hidden;
      }
      section.hidden = !some;
    }
  });
  filter.addEventListener("keydown", (event) => {
    const first = document.querySelector("nav.programs section:not([hidden]) li:not([hidden]) a");
    if (event.key === "Enter" && first) location.hash = first.hash;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target.matches("input, select")) return;
    event.preventDefault();
    filter.focus();
  });

  const themes = ["system", "light", "dark"];
  const theme = byId("theme");
  theme.onclick = () => {
    const next = themes[(themes.indexOf(root.dataset.theme || "system") + 1) % themes.length];
    if (next === "system") delete root.dataset.theme;
    else root.dataset.theme = next;
    theme.textContent = `Theme: ${next}`;
  };

  window.addEventListener("hashchange", () => visit(true));
  visit(false);
})();
