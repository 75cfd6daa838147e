"use strict";
// The page reads without scripts. With them, one view is shown at a time, and two artifacts of a
// program stand side by side or as differences. The address holds what is shown. The files of
// this directory are one script, in the order artifacts, differences, workbench, views.

const root = document.documentElement;
root.classList.add("js");
const byId = (id) => document.getElementById(id);
const element = (name, properties, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};

// Artifacts: what panels hold, with colours and links; pictures that can be enlarged.

// Scripts and noscript are never both active, so the browser kept what is in noscript as text:
// it costs nothing until a person looks at it.
const parsed = (noscript) => {
  const template = document.createElement("template");
  template.innerHTML = noscript.textContent;
  return template.content;
};
const contentOf = (panel) => {
  const content = document.createDocumentFragment();
  for (const part of panel.children) {
    if (part.localName !== "summary") content.append(part.cloneNode(true));
  }
  return content;
};
const textOf = (panel) => {
  const same = panel.dataset.same;
  const original = same ? panel.getRootNode().querySelector(`#${CSS.escape(same)}`) : panel;
  const pre = original.querySelector("pre");
  return pre === null ? null : pre.textContent;
};
const linesOf = (text) => {
  const lines = text.split("\n");
  if (lines[lines.length - 1] === "") lines.pop();
  return lines;
};

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
