// Views of the page, chosen by its address; links, the filter of programs, the theme.

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
  if (id === "content") return;
  // Ids of panels begin with the name of their program.
  const target = byId(id) || byId(`program-${id.split(".")[0]}`);
  const view = (target && target.closest(".view")) || byId("overview");
  const title = activate(view);
  if (view.classList.contains("program")) {
    const bench = benchOf(view);
    const wanted = new URLSearchParams(query || "");
    const panel = bench.panel(id);
    const side = id.endsWith(".source") ? "left" : "right";
    bench.show({
      left: bench.panel(wanted.get("l")),
      right: bench.panel(wanted.get("r")),
      differences: wanted.get("d") === "1",
      line: Number(wanted.get("line")),
      ...(panel ? { [side]: panel } : {}),
    }, false);
  }
  if (moveFocus) title.focus({ preventScroll: true });
  if (target && target !== view && !target.closest(".program")) target.scrollIntoView();
  else window.scrollTo(0, 0);
};

document.addEventListener("click", (event) => {
  const link = event.target.closest("a.place");
  if (!link || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  const id = link.hash.slice(1);
  const program = byId(`program-${id.split(".")[0]}`);
  const bench = benchOf(program);
  const source = bench.panel(id);
  const right = bench.right === source ? bench.left : bench.right;
  if (program.classList.contains("current")) {
    bench.show({ left: source, right, differences: false, line: Number(link.dataset.line) }, true);
    bench.body.querySelector("pre").focus({ preventScroll: true });
  } else {
    location.hash = `${program.id}?l=${source.id}&r=${right.id}&line=${link.dataset.line}`;
  }
});
document.addEventListener("toggle", (event) => {
  const noscript = event.target.querySelector(":scope > noscript");
  if (noscript && event.target.open) noscript.replaceWith(parsed(noscript));
}, true);

// A changed artifact leads to the texts before and after.
for (const name of document.querySelectorAll("[data-compare]")) {
  const link = element("a", { href: name.dataset.compare });
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
