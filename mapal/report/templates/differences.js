// Differences between two texts, line by line.

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
