// SPDX-License-Identifier: Apache-2.0
"use strict";

const files = JSON.parse(document.getElementById("perf").textContent);

function el(tag, props, ...children) {
  const svg = ["svg", "rect", "line", "circle", "title"].includes(tag);
  const e = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag)
    : document.createElement(tag);
  for (const [k, v] of Object.entries(props || {})) e.setAttribute(k, v);
  e.append(...children.flat().filter((c) => c != null && c !== false));
  return e;
}

function short(x) {
  const a = Math.abs(x);
  if (a !== 0 && (a < 1e-3 || a >= 1e9)) return x.toExponential(2);
  return Number(x.toPrecision(a >= 1000 ? 6 : 3)).toLocaleString("en", { maximumFractionDigits: 6 });
}

const spread = (r) => (r.max - r.min) / r.median;
const below = (r) => r.ratio != null && r.floor != null && r.ratio < r.floor;

// The ratio as a bar, the floor as a line across it.
function ratioBar(r, top) {
  const x = (v) => `${Math.min(100, 100 * v / top)}%`;
  const text = `${short(r.ratio)} times as fast as ${r.peer}` +
    (r.floor != null ? `, at least ${short(r.floor)} wanted` : "");
  return el("svg", { role: "img", "aria-label": text }, el("title", null, text),
    el("rect", { class: "track", width: "100%", height: "100%", rx: 2 }),
    el("rect", { class: below(r) ? "low" : "value", width: x(r.ratio), height: "100%", rx: 2 }),
    r.floor != null && el("line", { class: "floor", x1: x(r.floor), x2: x(r.floor), y1: "-10%", y2: "110%" }));
}

// From min to max, the median a dot.
function spreadBar(r) {
  const x = (v) => `${3 + 94 * (r.max > r.min ? (v - r.min) / (r.max - r.min) : 0.5)}%`;
  const text = `min ${short(r.min)}, median ${short(r.median)}, max ${short(r.max)} ${r.unit}`;
  return el("svg", { role: "img", "aria-label": text }, el("title", null, text),
    el("line", { class: "range", x1: "3%", x2: "97%", y1: "50%", y2: "50%" }),
    el("circle", { class: "dot", cx: x(r.median), cy: "50%", r: 4 }));
}

function row(r, top) {
  return el("tr", null,
    el("th", { class: "name", scope: "row" }, r.name,
      el("small", null, [r.shape && `[${r.shape.join(", ")}]`, r.dtype].filter(Boolean).join(" "))),
    el("td", { class: "num" }, `${short(r.median)} ${r.unit}`,
      r.checked !== true && el("small", { class: "bad" }, "not checked")),
    el("td", { class: "num" }, short(r.min)), el("td", { class: "num" }, short(r.max)),
    el("td", { class: "wide" }, spreadBar(r), el("small", null, `${Math.round(100 * spread(r))} % of ${r.repeats}`)),
    el("td", { class: "num" }, r.rate != null && `${short(r.rate)} of ${short(r.limit)} ${r.limit_unit}`,
      r.rate != null && el("small", { title: `limit: ${r.limit_name}` }, r.formula)),
    el("td", { class: "graph" }, r.ratio != null && ratioBar(r, top),
      r.ratio != null && el("small", below(r) ? { class: "bad" } : null,
        `${short(r.ratio)} × ${r.peer}` +
        (r.ratio_of_minima != null ? ` (${short(r.ratio_of_minima)} by minima)` : "") +
        (r.floor != null ? below(r) ? `: below ${short(r.floor)}` : `, floor ${short(r.floor)}` : ""))));
}

function section(f) {
  const top = Math.max(1, ...f.rows.map((r) => Math.max(r.ratio || 0, r.floor || 0))) * 1.1;
  const heads = ["", "median", "min", "max", "spread", "rate and limit", "ratio to a peer"];
  return el("section", null, el("h2", null, f.head.suite || f.name),
    el("p", { class: "sub" }, [f.head.machine, f.head.build].filter(Boolean).join(" · ")),
    el("div", { class: "scroll" }, el("table", null,
      el("thead", null, el("tr", null, heads.map((h, i) =>
        el("th", { scope: "col", class: i > 0 && i !== 4 && i < 6 ? "num" : "" }, h)))),
      el("tbody", null, f.rows.map((r) => row(r, top))))));
}

function theme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
}

const all = files.flatMap((f) => f.rows);
const low = all.filter(below).length;
const floors = all.filter((r) => r.floor != null).length;
document.getElementById("main").append(
  el("h1", { class: low ? "bad" : "good" }, low ? `${low} of ${floors} below their floor`
    : floors ? `All ${floors} floors held` : `${all.length} measurements`),
  el("p", { class: "sub" }, `${all.length} measurements from ${files.length} file${files.length === 1 ? "" : "s"}. ` +
    "A ratio says how many times as fast; the line is the floor."),
  ...files.map(section));
document.documentElement.dataset.ready = String(Math.round(performance.now()));
document.getElementById("theme").addEventListener("click", theme);
document.addEventListener("keydown", (e) => {
  if (e.key === "t" && !e.ctrlKey && !e.metaKey && !e.altKey) theme();
});
