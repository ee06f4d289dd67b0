// SPDX-License-Identifier: Apache-2.0
"use strict";

// Worst first: those that fail a run, those that neither pass nor fail, PASS.
const VERDICTS = ["FAIL", "ERROR", "TIMEOUT", "MISTRUSTED", "NOT-RUN", "XPASS", "RUNTIME",
  "UNSUPPORTED", "NOT-CLAIMED", "SKIP", "XFAIL", "ASSISTED", "PASS"];
const FAILING = VERDICTS.indexOf("RUNTIME");
const PASS = VERDICTS.indexOf("PASS");
const BEST_FIRST = [PASS, ...VERDICTS.keys()].slice(0, VERDICTS.length);
const DTYPES = ["float64", "float32", "bfloat16", "float16", "float8_e4m3fn", "float8_e5m2",
  "int64", "int32", "int16", "int8", "uint8", "bool"];
const ROW = 32;
const VIEWS = ["overview", "matrix", "cases", "rules", "compare"];

const $ = (id) => document.getElementById(id);
const runs = [];
let rules = { pages: {} };

// ---- small helpers --------------------------------------------------------------------

function el(tag, props, ...children) {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(props || {})) {
    if (k.startsWith("on")) e.addEventListener(k.slice(2), v);
    else if (v === true) e.setAttribute(k, "");
    else if (v !== false && v != null) e.setAttribute(k, v);
  }
  e.append(...children.flat().filter((c) => c != null && c !== false));
  return e;
}

const count = (n) => n.toLocaleString("en");
const plural = (n, one, many) => `${count(n)} ${n === 1 ? one : many || one + "s"}`;
const verdict = (v, text) => el("span", { class: `v v-${v}` }, text || v);
const badge = (v) => el("span", { class: `v badge v-${v}` }, v);

function say(text) {
  $("said").textContent = text;
}

// A number as recorded, "nan" or "inf" included; 9 digits tell every value of 32 bits.
function show(x, digits = 17) {
  if (typeof x !== "number") return typeof x === "string" ? x : JSON.stringify(x);
  if (Number.isInteger(x) && Math.abs(x) < 1e15) return Object.is(x, -0) ? "-0" : String(x);
  const a = Math.abs(x);
  if (digits === 17) return String(x); // the shortest that reads back as x
  return a >= 1e-4 && a < 1e9 ? String(Number(x.toPrecision(digits)))
    : Number(x.toPrecision(digits)).toExponential();
}

function short(x) { // a ratio
  if (!Number.isFinite(x)) return Number.isNaN(x) ? "nan" : "∞";
  if (x === 0) return "0";
  if (x >= 1e5 || x < 1e-3) return x.toExponential(1);
  return String(Number(x.toPrecision(3)));
}

function toNumber(x) {
  if (typeof x === "number") return x;
  return { nan: NaN, inf: Infinity, "-inf": -Infinity }[x] ?? Number(x);
}

async function unpack(id) {
  const bytes = Uint8Array.from(atob($(id).textContent), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

// ---- the data -------------------------------------------------------------------------

class Run {
  constructor(number, index) {
    const s = index.strings;
    this.number = number;
    this.name = index.name;
    this.spec = index.spec;
    this.detailed = index.detailed;
    this.summary = index.summary || null;
    this.size = index.id.length;
    this.id = index.id;
    this.ms = index.ms;
    this.executions = index.executions;
    this.worst = index.worst; // of the bound, by this backend
    this.used = index.used; // of the bound, by PyTorch
    this.reason = index.reason;
    this.chunks = index.chunks;
    this.verdict = Uint8Array.from(index.verdict, (i) => VERDICTS.indexOf(s[i]));
    for (const k of ["page", "level", "dtype", "provenance", "rules", "ops"]) {
      this[k] = index[k].map((i) => s[i]); // strings are shared, so an array of references
    }
    // What uses operators only, `x + 1`, names no op; its page says what it is about.
    this.ops = this.ops.map((ops, i) => ops || this.page[i]);
    this.unpacked = new Map();
  }

  counts(rows) {
    const n = new Array(VERDICTS.length).fill(0);
    if (rows) for (const i of rows) n[this.verdict[i]]++;
    else for (let i = 0; i < this.size; i++) n[this.verdict[i]]++;
    return n;
  }

  text(i) { // what the filter looks in
    if (!this.texts) {
      this.texts = this.id.map((id, k) =>
        `${id} ${this.rules[k]} ${this.ops[k]} ${this.reason[k] || ""}`.toLowerCase());
    }
    return this.texts[i];
  }

  row(id) {
    if (!this.rows) this.rows = new Map(this.id.map((t, i) => [t, i]));
    return this.rows.has(id) ? this.rows.get(id) : -1;
  }

  async item(i) {
    let low = 0;
    let high = this.chunks.length - 1;
    while (low < high) {
      const mid = (low + high) >> 1;
      if (i < this.chunks[mid]) high = mid;
      else low = mid + 1;
    }
    if (!this.unpacked.has(low)) {
      this.unpacked.set(low, unpack(`c${this.number}.${low}`));
      if (this.unpacked.size > 32) this.unpacked.delete(this.unpacked.keys().next().value);
    }
    return (await this.unpacked.get(low))[i - (low ? this.chunks[low - 1] : 0)];
  }
}

// A reason without its figures, so that alike reasons are counted together.
const kindOf = (reason) => reason.replace(/\d[\d.e+-]*/g, "…").slice(0, 200);

// ---- state: all of it is in the address -----------------------------------------------

const KEYS = ["view", "run", "case", "filter", "level", "page", "op", "dtype", "provenance",
  "verdict", "rule", "reason", "sort", "rows", "same"];
const NO_FILTER = { filter: "", level: "", page: "", op: "", dtype: "", provenance: "",
  verdict: "", rule: "", reason: "", case: "" };
let state = {};
let found = []; // rows of the run that pass the filters, in order
let foundKey = "";

const run = () => runs[Number(state.run) || 0] || runs[0];

function readHash() {
  const q = new URLSearchParams(location.hash.slice(1));
  state = {};
  for (const k of KEYS) if (q.get(k)) state[k] = q.get(k);
  if (!VIEWS.includes(state.view)) {
    const cases = Object.keys(NO_FILTER).some((k) => state[k]);
    state.view = cases ? "cases" : "overview";
  }
}

// Replace for what changes with every key, else make a step that Back undoes.
function go(change, replace) {
  Object.assign(state, change);
  const q = new URLSearchParams();
  for (const k of KEYS) if (state[k]) q.set(k, state[k]);
  const hash = "#" + q.toString().replace(/%2F/gi, "/").replace(/%2C/gi, ",");
  if (hash !== location.hash) history[replace ? "replaceState" : "pushState"](null, "", hash);
  render();
}


function filtered() {
  const r = run();
  const key = JSON.stringify([r.number, state.sort,
    ...Object.keys(NO_FILTER).map((k) => k !== "case" && state[k])]);
  if (key === foundKey) return found;
  foundKey = key;
  const words = (state.filter || "").toLowerCase().split(/\s+/).filter(Boolean);
  const wanted = state.verdict ? new Set(state.verdict.split(",").map(
    (v) => VERDICTS.indexOf(v))) : null;
  found = [];
  for (let i = 0; i < r.size; i++) {
    if (wanted && !wanted.has(r.verdict[i])) continue;
    if (state.level && r.level[i] !== state.level) continue;
    if (state.page && r.page[i] !== state.page) continue;
    if (state.dtype && (r.dtype[i] || "-") !== state.dtype) continue;
    if (state.op && !r.ops[i].split(" ").includes(state.op)) continue;
    if (state.provenance && r.provenance[i] !== state.provenance) continue;
    if (state.rule && !r.rules[i].split(" ").includes(state.rule)) continue;
    if (state.reason && kindOf(r.reason[i] || "") !== state.reason) continue;
    if (words.length) {
      const text = r.text(i);
      if (!words.every((w) => text.includes(w))) continue;
    }
    found.push(i);
  }
  const by = {
    bound: (a, b) => share(r.worst[b]) - share(r.worst[a]) || a - b,
    slow: (a, b) => r.ms[b] - r.ms[a] || a - b,
    file: (a, b) => a - b,
  };
  found.sort(by[state.sort] || ((a, b) => r.verdict[a] - r.verdict[b] || a - b));
  return found;
}

// Order by share of the bound: nan counts as outside, no bound at all as less than none used.
function share(worst) {
  if (worst == null) return -1;
  const x = toNumber(worst);
  return Number.isFinite(x) ? x : Number.MAX_VALUE;
}

// ---- pieces ---------------------------------------------------------------------------

function stack(counts) {
  const total = counts.reduce((a, b) => a + b, 0) || 1;
  return el("div", { class: "stack", "aria-hidden": "true" }, BEST_FIRST
    .filter((v) => counts[v]).map((v) => el("span", { class: `v-${VERDICTS[v]}`,
      style: `flex:${counts[v] / total} 1 0`,
      title: `${count(counts[v])} ${VERDICTS[v]}` })));
}

function chip(v, n, pressed, onclick) {
  return el("button", { class: `chip v-${VERDICTS[v]}`, type: "button", onclick,
    "aria-pressed": pressed == null ? null : String(pressed), "data-verdict": VERDICTS[v] },
  el("b", null, VERDICTS[v]), count(n));
}

function group(r, key) {
  const rows = new Map();
  for (let i = 0; i < r.size; i++) {
    const name = r[key][i] || "–";
    if (!rows.has(name)) rows.set(name, new Array(VERDICTS.length).fill(0));
    rows.get(name)[r.verdict[i]]++;
  }
  return [...rows].sort((a, b) => (a[0] < b[0] ? -1 : 1));
}

function groupTable(r, key, title) {
  const rows = group(r, key);
  const used = BEST_FIRST.filter((v) => rows.some(([, n]) => n[v]));
  const cell = (name, v, n) => el("td", { class: "num" }, n === 0 ? el("span",
    { class: "muted" }, "·") : el("button", { class: "link", onclick: () => go(
    { ...NO_FILTER, view: "cases", [key]: name, verdict: VERDICTS[v] }) }, count(n)));
  return el("div", null, el("h2", null, `By ${title}`), el("div", { class: "scroll" },
    el("table", null,
      el("thead", null, el("tr", null, el("th", { scope: "col" }, title),
        el("th", { class: "num", scope: "col" }, "cases"), used.map((v) =>
          el("th", { class: "num", scope: "col" }, verdict(VERDICTS[v]))))),
      el("tbody", null, rows.map(([name, n]) => el("tr", null,
        el("th", { scope: "row" }, el("button", { class: "link", onclick: () => go(
          { ...NO_FILTER, view: "cases", [key]: name }) }, name)),
        el("td", { class: "num" }, count(n.reduce((a, b) => a + b))),
        used.map((v) => cell(name, v, n[v]))))))));
}

// ---- overview -------------------------------------------------------------------------

function overview() {
  const r = run();
  const n = r.counts();
  const s = r.summary || {};
  const failing = s.failed ?? n.slice(0, FAILING).reduce((a, b) => a + b, 0);
  const fact = (name, value) => value == null || value === "" ? null
    : el("div", null, el("dt", null, name), el("dd", null, String(value)));
  const executions = r.executions.reduce((a, b) => a + b, 0);
  const rest = r.size - n[PASS] - failing;
  const out = [
    el("h1", { class: "headline" },
      el("span", { class: failing ? "" : "good" }, `${count(n[PASS])} of ${
        plural(r.size, "case")} pass`),
      failing > 0 && el("span", { class: "bad" }, `${count(failing)} fail`)),
    el("p", { class: "sub" }, failing
      ? "Exit status 1: at least one case failed."
      : "No case failed: exit status 0, unless the corpus or the list of expected " +
        "failures is out of step.",
    rest > 0 && ` ${plural(rest, "case")} ${rest === 1 ? "is" : "are"} counted apart: ` +
      "neither passed nor failed."),
    stack(n),
    el("div", { class: "chips" }, [...n.keys()].filter((v) => n[v]).map((v) => chip(v, n[v],
      null, () => go({ ...NO_FILTER, view: "cases", verdict: VERDICTS[v] })))),
    ...notices(r, n),
    el("dl", { class: "facts" },
      fact("Backend", [s.backend, s.backend_version, s.simulated && "(simulated, no GPU ran)"].filter(Boolean).join(" ")),
      fact("Door", s.door && (s.door === "pipe"
        ? "pipe: the peer's memory is its own, so stale memory, guard zones, leaks and meta were not looked at"
        : "lib: values, memory and what is left behind were looked at")),
      fact("Profile", s.profile), fact("Golden data from", s.torch && `PyTorch ${s.torch}`),
      fact("Executions", count(executions)),
      fact("Time", s.seconds != null && `${s.seconds.toPrecision(3)} s`),
      fact("Rate", s.rate != null && `${count(Math.round(s.rate))} / s`),
      fact("Results", r.name)),
    el("div", { class: n.filter(Boolean).length > 5 ? "two wide" : "two" },
      groupTable(r, "level", "level"),
      groupTable(r, "provenance", "provenance")),
    el("div", { class: "two" }, boundHistogram(r), reasons(r)),
    quality(s.quality),
  ];
  $("overview").replaceChildren(...out.filter(Boolean));
}

function notices(r, n) {
  const s = r.summary;
  const out = [];
  if (s?.ended) out.push(`The run was ended before its time: ${s.ended}.`);
  if (!s) out.push("There is no summary line: the run was cut short.");
  else if (s.cases !== r.size || s.passed !== n[PASS]) {
    out.push(`The summary line says ${s.cases} cases and ${s.passed} passed, the file ` +
      `holds ${r.size} and ${n[PASS]}.`);
  }
  return out.map((t) => el("p", { class: "notice", role: "note" }, t));
}

function boundHistogram(r) {
  const edges = [[0, "none"], [0.01, "up to 1 %"], [0.1, "up to 10 %"], [0.25, "up to 25 %"],
    [0.5, "up to 50 %"], [0.75, "up to 75 %"], [1, "up to 100 %"], [Infinity, "outside"]];
  const counted = (shares) => {
    const n = edges.map(() => 0);
    for (const x of shares) {
      if (x != null) n[Math.max(0, edges.findIndex(([e]) => share(x) <= e))]++;
    }
    return n;
  };
  const own = counted(r.worst);
  const torch = counted(r.used);
  const both = torch.some(Boolean);
  const most = Math.max(...own, ...torch);
  if (!most) return null;
  const bar = (n, kind) => el("i", { class: kind, style: `width:${(100 * n) / most}%`,
    hidden: n === 0 });
  return el("div", null, el("h2", null, "Share of the bound used"),
    el("div", { class: "bars" }, edges.flatMap(([, name], i) => [
      el("span", null, name),
      el("span", null, bar(own[i], i === edges.length - 1 ? "over" : ""),
        both && bar(torch[i], "torch")),
      el("span", { class: "num" }, count(own[i]),
        both && el("span", { class: "muted" }, ` / ${count(torch[i])}`)),
    ])),
    el("p", { class: "muted" }, "Cases by their worst element: |result − truth| ÷ bound.",
      both && " Above, and first, this backend; below, PyTorch’s own result."));
}

// The tier above conformance: only in results of `run --quality`.
function quality(rows) {
  if (!rows?.length) return null;
  const bad = rows.filter((q) => q.inaccurate).length;
  const number = (v) => v == null ? "" : short(v);
  const torch = rows.some((q) => q.torch);
  return el("div", null, el("h2", null, "Quality"),
    el("p", { class: "muted" }, "Errors of each op’s own results on the very same inputs, in ulps. ",
      bad ? `Conforming where it passed, inaccurate in ${bad} of ${rows.length} rows.`
        : "No row lies beyond its page’s limit."),
    el("table", { class: "quality" }, el("thead", null, el("tr", null,
      ["op", "dtype", "elements", "worst", "limit", "mean", "bias", torch && "PyTorch: worst",
        torch && "mean", torch && "bias", ""].filter((h) => h !== false)
        .map((h) => el("th", null, h)))),
    el("tbody", null, rows.map((q) => el("tr", { class: q.inaccurate ? "bad" : "" },
      [q.op, q.dtype, count(q.elements), number(q.worst), q.limit ? number(q.limit) : "–",
        number(q.mean), number(q.bias), torch && number(q.torch?.worst),
        torch && number(q.torch?.mean), torch && number(q.torch?.bias),
        q.inaccurate ? "inaccurate" : ""].filter((v) => v !== false)
        .map((v) => el("td", null, String(v))))))));
}

function reasons(r) {
  const kinds = new Map();
  for (const [i, text] of Object.entries(r.reason)) {
    const kind = kindOf(text);
    const k = kinds.get(kind) || { n: 0, v: PASS };
    k.n++;
    k.v = Math.min(k.v, r.verdict[i]);
    kinds.set(kind, k);
  }
  if (!kinds.size) return null;
  const top = [...kinds].sort((a, b) => a[1].v - b[1].v || b[1].n - a[1].n).slice(0, 12);
  return el("div", null, el("h2", null, "Reasons"), el("table", { class: "reasons" },
    el("tbody", null, top.map(([kind, k]) => el("tr", null,
      el("td", { class: "num" }, count(k.n)), el("td", null, verdict(VERDICTS[k.v])),
      el("td", null, el("button", { class: "link", onclick: () => go(
        { ...NO_FILTER, view: "cases", reason: kind }) }, kind)))))),
  kinds.size > top.length &&
    el("p", { class: "muted" }, `and ${plural(kinds.size - top.length, "more kind")}`));
}

// ---- matrix ---------------------------------------------------------------------------

function matrix() {
  const r = run();
  const byPage = state.rows === "page";
  const cells = new Map();
  const dtypes = new Set();
  const add = (name, d, v) => {
    if (!cells.has(name)) cells.set(name, new Map());
    const row = cells.get(name);
    if (!row.has(d)) row.set(d, new Array(VERDICTS.length).fill(0));
    row.get(d)[v]++;
  };
  for (let i = 0; i < r.size; i++) {
    const d = r.dtype[i];
    dtypes.add(d);
    if (byPage) add(r.page[i], d, r.verdict[i]);
    else for (const op of r.ops[i].split(" ")) add(op, d, r.verdict[i]);
  }
  const rank = (d) => (DTYPES.includes(d) ? DTYPES.indexOf(d) : DTYPES.length);
  const columns = [...dtypes].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  const rows = [...cells.keys()].sort();
  const cell = (name, d, y, x) => {
    const n = cells.get(name).get(d);
    if (!n) {
      return el("td", null, el("span", { class: "cell none", "aria-label": "no case" }, "·"));
    }
    const total = n.reduce((a, b) => a + b);
    const worst = n.findIndex(Boolean);
    const counts = n.map((k, v) => k && `${k} ${VERDICTS[v]}`).filter(Boolean).join(", ");
    return el("td", null, el("button", {
      class: `cell v-${VERDICTS[worst]}${worst < FAILING ? " strong" : ""}`,
      tabindex: "-1", "data-y": y, "data-x": x,
      title: `${name} ${d || "no dtype"}: ${counts}`,
      onclick: () => go({ ...NO_FILTER, view: "cases", [byPage ? "page" : "op"]: name,
        dtype: d || "-" }),
    }, worst === PASS ? count(total) : `${n[PASS]}/${total}`,
    worst !== PASS && el("small", null, VERDICTS[worst])));
  };
  const table = el("table", { class: "grid", onkeydown: moveInGrid },
    el("thead", null, el("tr", null, el("td"), columns.map((d) =>
      el("th", { scope: "col" }, ...(d || "no dtype").split(/(?<=_)/)
        .flatMap((part, i) => (i ? [el("wbr"), part] : [part])))))),
    el("tbody", null, rows.map((name, y) => el("tr", null,
      el("th", { scope: "row" }, name),
      columns.map((d, x) => cell(name, d, y, x))))));
  table.querySelector("button")?.setAttribute("tabindex", "0");
  const choice = (name, value, on) => el("button", { type: "button",
    "aria-pressed": String(on), onclick: () => go({ rows: value }) }, name);
  $("matrix").replaceChildren(el("h1", null, byPage ? "Page × dtype" : "Op × dtype"),
    el("p", { class: "sub" },
      "Cases that pass, of all; the worst verdict where one does not. ",
      byPage ? "" : "A case counts for every op it names. ",
      "A cell opens its cases; arrow keys move."),
    el("div", { class: "choice", role: "group", "aria-label": "Rows" },
      choice("Ops", "", !byPage), choice("Pages", "page", byPage)),
    el("div", { class: "scroll both" }, table));
}

function moveInGrid(e) {
  const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1],
    ArrowRight: [0, 1] }[e.key];
  const from = e.target.closest("[data-x]");
  if (!step || !from) return;
  e.preventDefault();
  let y = Number(from.dataset.y);
  let x = Number(from.dataset.x);
  for (let tries = 0; tries < 400; tries++) { // over empty cells
    y += step[0];
    x += step[1];
    const to = e.currentTarget.querySelector(`[data-y="${y}"][data-x="${x}"]`);
    if (to) {
      from.tabIndex = -1;
      to.tabIndex = 0;
      to.focus();
      return;
    }
  }
}

// ---- a list that only draws what is seen ----------------------------------------------

class List {
  constructor(box, draw, choose, open) {
    this.box = box;
    this.rows = box.firstElementChild;
    this.draw = draw;
    this.open = open;
    this.size = 0;
    this.at = -1;
    this.shown = "";
    box.addEventListener("scroll", () => this.paint());
    new ResizeObserver(() => this.paint()).observe(box);
    box.addEventListener("click", (e) => {
      const row = e.target.closest(".row");
      if (row) open(Number(row.dataset.k), true);
    });
    box.addEventListener("keydown", (e) => {
      const page = Math.max(1, Math.floor(box.clientHeight / ROW) - 1);
      const step = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page,
        Home: -Infinity, End: Infinity }[e.key];
      if (step !== undefined) {
        e.preventDefault();
        choose(this.clamp(this.at + step));
      } else if (e.key === "Enter") {
        e.preventDefault();
        open(this.clamp(this.at), false);
      }
    });
  }

  clamp(k) {
    return Math.min(Math.max(k, 0), this.size - 1);
  }

  set(size, at, key) {
    this.size = size;
    this.rows.style.height = `${size * ROW}px`;
    this.shown = "";
    if (key !== this.key && at < 0) this.box.scrollTop = 0;
    this.key = key;
    this.select(at);
  }

  select(at) {
    this.at = at;
    if (at >= 0) {
      const top = at * ROW;
      const view = this.box.clientHeight;
      if (top < this.box.scrollTop) this.box.scrollTop = top;
      else if (top + ROW > this.box.scrollTop + view) this.box.scrollTop = top + ROW - view;
    }
    this.shown = "";
    this.paint();
  }

  paint() {
    const { scrollTop, clientHeight } = this.box;
    const first = Math.max(0, Math.floor(scrollTop / ROW) - 6);
    const last = Math.min(this.size, Math.ceil((scrollTop + clientHeight) / ROW) + 6);
    const shown = `${first} ${last}`;
    if (shown === this.shown) return;
    this.shown = shown;
    const rows = [];
    for (let k = first; k < last; k++) {
      rows.push(el("div", { class: "row", role: "option", id: `${this.box.id}-${k}`,
        "data-k": k, style: `top:${k * ROW}px`, "aria-selected": String(k === this.at),
        "aria-posinset": k + 1, "aria-setsize": this.size }, this.draw(k)));
    }
    if (!this.size) rows.push(el("p", { class: "empty" }, "No case fits these filters."));
    this.rows.replaceChildren(...rows);
    if (this.at >= first && this.at < last) {
      this.box.setAttribute("aria-activedescendant", `${this.box.id}-${this.at}`);
    } else this.box.removeAttribute("aria-activedescendant");
  }
}

// ---- cases ----------------------------------------------------------------------------

let list;
let compareList;
let openId = null;

function options(id, key, label) {
  const names = [...new Set(run()[key])].map((n) => n || "-").sort((a, b) =>
    (key === "dtype" ? DTYPES.indexOf(a) - DTYPES.indexOf(b) : 0) || (a < b ? -1 : 1));
  $(id).replaceChildren(el("option", { value: "" }, label),
    ...names.map((n) => el("option", { value: n }, n === "-" ? "none" : n)));
}

function toggleVerdict(v) {
  const now = new Set((state.verdict || "").split(",").filter(Boolean));
  if (!now.delete(VERDICTS[v])) now.add(VERDICTS[v]);
  go({ verdict: [...now].join(","), case: "" }, true);
}

let filtersOf = null;

function cases() {
  const r = run();
  if (filtersOf !== r) {
    filtersOf = r;
    options("f-level", "level", "every level");
    options("f-page", "page", "every page");
    options("f-dtype", "dtype", "every dtype");
    options("f-provenance", "provenance", "every provenance");
  }
  const n = r.counts();
  const on = new Set((state.verdict || "").split(","));
  const focused = document.activeElement?.dataset?.verdict;
  $("f-verdict").replaceChildren(...[...n.keys()].filter((v) => n[v]).map((v) =>
    chip(v, n[v], on.has(VERDICTS[v]), () => toggleVerdict(v))));
  if (focused) $("f-verdict").querySelector(`[data-verdict="${focused}"]`)?.focus();
  for (const k of ["level", "page", "dtype", "provenance", "sort"]) {
    $(`f-${k}`).value = state[k] || "";
  }
  if ($("filter").value !== (state.filter || "")) $("filter").value = state.filter || "";
  const rows = filtered();
  const extra = [state.op && `op ${state.op}`, state.rule && `rule ${state.rule}`,
    state.reason && `reason “${state.reason}”`].filter(Boolean).join(", ");
  $("found").textContent = (rows.length === r.size ? plural(r.size, "case")
    : `${count(rows.length)} of ${plural(r.size, "case")}`) + (extra ? ` · ${extra}` : "");
  $("clear").hidden = !Object.keys(NO_FILTER).some((k) => k !== "case" && state[k]);
  const row = state.case ? r.row(state.case) : -1;
  $("cases").querySelector(".panes").classList.toggle("open", Boolean(state.case));
  $("detail").hidden = !state.case;
  list.set(rows.length, row < 0 ? -1 : rows.indexOf(row), foundKey);
  openCase(row);
}

function drawRow(k) {
  const r = run();
  const i = found[k];
  return [badge(VERDICTS[r.verdict[i]]), el("span", { class: "id" }, r.id[i]),
    el("span", { class: "why" }, r.reason[i] || ""),
    el("span", { class: "ms" }, state.sort === "bound" && r.worst[i] != null
      ? `${short(toNumber(r.worst[i]))} ×` : `${r.ms[i]} ms`)];
}

async function openCase(row) {
  const r = run();
  const key = state.case && `${r.number} ${state.case}`;
  if (key === openId) return;
  openId = key;
  if (!state.case) return;
  if (row < 0) {
    $("detail").replaceChildren(el("p", { class: "notice" },
      `This run has no case “${state.case}”.`), elsewhere(state.case) || "");
    return;
  }
  const item = await r.item(row);
  if (openId !== key) return; // another was opened meanwhile
  $("detail").replaceChildren(...detail(r, item).filter(Boolean));
  $("detail").scrollTop = 0;
  $("detail").querySelectorAll(".pic").forEach((p) => p.paint());
}

function step(by) {
  const rows = filtered();
  if (!rows.length) return;
  const at = rows.indexOf(state.case ? run().row(state.case) : -1);
  go({ case: run().id[rows[Math.min(Math.max(at + by, 0), rows.length - 1)]] }, true);
}

function close() {
  const at = list.at;
  go({ case: "" });
  $("list").focus();
  list.select(at);
}

// ---- one case -------------------------------------------------------------------------

const TOKEN = new RegExp([
  "(?<comment>#.*)", "(?<string>\"(?:[^\"\\\\\\n]|\\\\.)*\"|'(?:[^'\\\\\\n]|\\\\.)*')",
  "(?<number>\\b\\d[\\w.]*)",
  "(?<keyword>\\b(?:for|in|if|elif|else|while|with|def|return|not|and|or|is|None|True" +
    "|False|as|lambda|pass|del)\\b)",
  "(?<call>\\b[A-Za-z_][\\w.]*(?=\\())",
].join("|"), "g");

function coloured(text) {
  const code = el("code");
  let from = 0;
  for (const m of text.matchAll(TOKEN)) {
    const kind = Object.keys(m.groups).find((k) => m.groups[k] !== undefined);
    code.append(text.slice(from, m.index), el("span", { class: kind }, m[0]));
    from = m.index + m[0].length;
  }
  code.append(text.slice(from));
  return code;
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch (error) { // not given to a page from a file
    const area = el("textarea", { class: "sr" }, text);
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  say("copied");
}

function copyBox(text) {
  const button = el("button", { id: "copy", onclick: async () => {
    await copy(text);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  } }, "Copy");
  return el("div", { class: "copy" },
    el("pre", { id: "reproduce" }, el("code", null, text)), button);
}

function ruleText(label) {
  const [page, name] = label.split("/");
  return rules.pages[page]?.rules[name] ?? null;
}

// Rule text is Markdown of the plainest kind; only `code` is worth showing as such.
function prose(text) {
  return el("span", { class: "rule-text" }, text.split("`").map((part, i) =>
    (i % 2 ? el("code", null, part) : part)));
}

function elsewhere(id) {
  if (runs.length < 2) return null;
  return el("div", { class: "meta" }, runs.map((r) => {
    const i = r.row(id);
    return el("span", null, i < 0 ? `${r.name}: no such case` : [
      el("button", { class: "link",
        onclick: () => go({ run: String(r.number), view: "cases" }) }, r.name),
      " ", verdict(VERDICTS[r.verdict[i]])]);
  }));
}

function detail(r, c) {
  const meta = (name, value) => value == null || value === "" ? null
    : el("span", null, `${name} `, el("b", null, String(value)));
  const labels = c.rules || [];
  return [
    el("header", null, el("h1", null, c.id), badge(c.verdict),
      el("button", { class: "quiet", title: "Close (Esc)", onclick: close, id: "close" },
        el("span", { "aria-hidden": "true" }, "✕"), el("span", { class: "sr" }, "Close"))),
    el("div", { class: "meta" }, meta("level", c.level), meta("page", c.page),
      meta("dtype", c.dtype), meta("ops", (c.ops || []).join(" ")),
      meta("from", c.provenance),
      meta("in", c.file && `${c.file.split("/").pop()}:${c.line}`),
      meta("took", c.ms != null && `${c.ms} ms`), meta("executions", c.executions),
      meta("variant", c.variant)),
    elsewhere(c.id),
    c.reason && el("p", { class: `reason v v-${c.verdict}` }, c.reason),
    c.reproduce && el("h2", null, "Reproduce"), c.reproduce && copyBox(c.reproduce),
    el("h2", null, "Program"), el("pre", { id: "program" }, coloured(c.program || "")),
    ...(c.expect || []).flatMap((e) => expectation(r, c, e)),
    labels.length > 0 && el("h2", null, "Rules"),
    labels.length > 0 && el("ul", { class: "rules" }, labels.map((l) => el("li", null,
      el("a", { href: `#view=rules&rule=${l}` }, l),
      el("span", null, prose(ruleText(l) || "(its text is not in this report)"),
        specLink(r, l))))),
  ];
}

function specLink(r, label) {
  if (!r.spec) return null;
  const [page, name] = label.split("/");
  return [" ", el("a", { class: "spec-link",
    href: `${r.spec}${page}.html#${name}`, "aria-label": `${label} in the spec` }, "spec ↗")];
}

function expectation(r, c, e) {
  const tuple = (x) => (x.length === 1 ? `(${x[0]},)` : `(${x.join(", ")})`);
  const what = [e.class, e.dtype, e.shape && `shape ${tuple(e.shape)}`,
    e.strides && `strides ${tuple(e.strides)}`].filter(Boolean).join(" · ");
  const head = el("h2", null, e.name, " ", el("span", { class: "muted" }, what, " "),
    e.passed === false && el("span", { class: "v v-FAIL" }, "does not hold"),
    e.passed === true && el("span", { class: "v v-PASS" }, "holds"));
  const drawn = Array.isArray(e.expected) && Array.isArray(e.got) && e.shape &&
    (Array.isArray(e.error) || e.class !== "bound");
  if (!drawn) {
    const rows = ["expected", "got", "bound", "error"].filter((k) => e[k] !== undefined);
    const cut = c.verdict === "PASS" && e.class === "bound";
    if (!rows.length) {
      return [head, cut && el("p", { class: "muted" },
        `Worst element: ${short(toNumber(e.worst))} of its bound. Elements are kept for the ` +
        `first ${count(r.detailed)} passing cases only.`)];
    }
    return [head, el("dl", { class: "pair" }, rows.flatMap((k) => [el("dt", null, k),
      el("dd", null, Array.isArray(e[k]) ? e[k].map(show).join(", ") : show(e[k]))]))];
  }
  return [head, new Picture(e).figure];
}

// ---- the error as a picture -----------------------------------------------------------

class Picture {
  constructor(e) {
    this.e = e;
    this.n = Math.min(e.expected.length, e.got.length);
    this.shape = e.shape;
    this.numel = e.shape.reduce((a, b) => a * b, 1);
    this.exact = e.class !== "bound";
    this.digits = e.dtype === "float64" ? 17 : 9;
    this.ratio = Array.from({ length: this.n }, (_, i) => this.ratioAt(i));
    this.at = 0;
    for (let i = 1; i < this.n; i++) if (this.ratio[i] > this.ratio[this.at]) this.at = i;
    this.worst = this.at;
    this.outside = this.ratio.filter((x) => x > 1).length;
    this.build();
  }

  // nan as a ratio (nan expected and not got, or the reverse) counts as outside.
  ratioAt(i) {
    const e = this.e;
    if (Array.isArray(e.error) && e.error[i] != null) {
      const x = toNumber(e.error[i]);
      return Number.isNaN(x) ? Infinity : x;
    }
    return show(e.expected[i]) === show(e.got[i]) ? 0 : Infinity;
  }

  build() {
    this.map = el("canvas");
    this.chart = this.exact || this.n < 2 ? null : el("canvas");
    this.read = el("output", { class: "read", "aria-live": "polite" });
    const stage = el("div", { tabindex: "0", role: "application", class: "stage",
      "aria-label": `Error of ${this.e.name} by element; arrows move, w goes to the worst`,
      onkeydown: (ev) => this.key(ev) }, this.map, this.chart);
    for (const c of [this.map, this.chart]) {
      c?.addEventListener("pointermove", (ev) => this.hover(ev, c));
      c?.addEventListener("click", (ev) => this.hover(ev, c));
    }
    this.figure = el("figure", { class: "pic" }, this.sentence(), stage, this.read,
      this.legend(), this.table());
    this.figure.paint = () => this.paint();
    this.figure.picture = this;
    if (!this.n || (this.exact && !this.outside)) stage.hidden = this.read.hidden = true;
    new ResizeObserver(() => {
      if (this.width !== this.figure.clientWidth) this.paint();
    }).observe(this.figure);
  }

  sentence() {
    const parts = [];
    if (!this.n) parts.push("No elements.");
    else if (this.exact) {
      parts.push(this.outside ? el("b", { class: "bad" },
        `${plural(this.outside, "element")} ${this.outside === 1 ? "differs" : "differ"}`)
        : el("b", null, "Every element is equal"));
    } else {
      const w = this.ratio[this.worst];
      parts.push(el("b", { class: w > 1 ? "bad" : "" }, `${short(w)} × the bound`),
        `at the worst element [${this.index(this.worst).join(", ")}]`);
      parts.push(this.outside ? el("b", { class: "bad" }, `${count(this.outside)} outside`)
        : "none outside");
      if (this.e.used != null) {
        parts.push(`PyTorch’s own result: ${short(toNumber(this.e.used))} × the bound`);
      }
    }
    if (this.n < this.numel) {
      parts.push(`the first ${count(this.n)} of ${count(this.numel)} elements`);
    }
    return el("p", { class: "used" }, parts.map((p) => el("span", null, p)));
  }

  legend() {
    if (!this.n || (this.exact && !this.outside)) return null;
    return el("div", { class: "legend", "aria-hidden": "true" },
      el("span", null, "0", el("i", { class: "ramp in" }),
        this.exact ? "equal" : "1 × bound"),
      el("span", null, el("i", { class: "ramp out" }),
        this.exact ? "✕ differs" : "✕ outside, to 1000 ×"));
  }

  table() {
    const body = el("tbody");
    const box = el("details", { ontoggle: () => {
      if (!box.open || body.firstChild) return;
      const order = [...this.ratio.keys()].sort(
        (a, b) => (this.ratio[a] < this.ratio[b]) - (this.ratio[a] > this.ratio[b]) || a - b);
      body.append(...order.slice(0, 500).map((i) => el("tr",
        { class: this.ratio[i] > 1 ? "over" : "" },
        el("td", null, `[${this.index(i).join(", ")}]`),
        ...["expected", "got", "bound"].map((k) => el("td", { class: "num" },
          Array.isArray(this.e[k]) ? show(this.e[k][i], this.digits) : "")),
        el("td", { class: "num" }, this.exact ? (this.ratio[i] ? "differs" : "equal")
          : short(this.ratio[i])))));
    } }, el("summary", null, this.exact && !this.outside ? "Elements"
      : "Elements as a table, worst first"),
    el("div", { class: "scroll", tabindex: "0" }, el("table", null, el("thead", null,
      el("tr", null, ["index", "expected", "got", "bound", "error ÷ bound"].map((t, i) =>
        el("th", { scope: "col", class: i ? "num" : "" }, t)))), body)));
    return this.n ? box : null;
  }

  index(i) {
    const out = [];
    for (let d = this.shape.length - 1; d >= 0; d--) {
      out.unshift(i % this.shape[d]);
      i = Math.floor(i / this.shape[d]);
    }
    return out;
  }

  // Rows and columns are the last two dims; those before them make tiles, side by side.
  layout() {
    const s = this.shape;
    const width = Math.max(120, Math.min(this.figure.clientWidth || 600, 760));
    let cols = s.length ? s[s.length - 1] : 1;
    let rows = s.length > 1 ? s[s.length - 2] : 1;
    let wrap = false;
    if (s.length <= 1 && cols > 32) { // a long line is folded
      rows = Math.ceil(cols / 32);
      cols = 32;
      wrap = true;
    }
    const tiles = wrap ? 1 : Math.max(1, Math.ceil(this.n / (rows * cols || 1)));
    const shown = tiles === 1 ? Math.min(rows, Math.ceil(this.n / cols)) : rows;
    const gap = tiles > 1 ? 10 : 0;
    let cell = Math.max(2, Math.min(24, Math.floor(width / cols)));
    let across;
    let h;
    for (;; cell--) { // as large as fits a screen, but so that one can point at a cell
      across = Math.max(1, Math.min(tiles, Math.floor((width + gap) / (cols * cell + gap))));
      h = Math.ceil(tiles / across) * (shown * cell + gap) - gap;
      if (h <= 420 || cell <= 7) break;
    }
    this.g = { cols, rows: shown, per: rows * cols, cell, gap, across, width, h,
      w: Math.min(width, across * (cols * cell + gap) - gap) };
  }

  place(i) {
    const g = this.g;
    const tile = Math.floor(i / g.per);
    const k = i % g.per;
    const x = (tile % g.across) * (g.cols * g.cell + g.gap);
    const y = Math.floor(tile / g.across) * (g.rows * g.cell + g.gap);
    return [x + (k % g.cols) * g.cell, y + Math.floor(k / g.cols) * g.cell];
  }

  canvas(c, w, h) {
    const dpr = window.devicePixelRatio || 1;
    c.width = Math.ceil(w * dpr);
    c.height = Math.ceil(h * dpr);
    c.style.width = `${w}px`;
    c.style.height = `${h}px`;
    const p = c.getContext("2d");
    p.scale(dpr, dpr);
    return p;
  }

  colours() {
    const css = getComputedStyle(document.documentElement);
    const get = (n) => {
      const hex = css.getPropertyValue(n).trim();
      return [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16));
    };
    const mix = (a, b, t) =>
      `rgb(${a.map((x, k) => Math.round(x + (b[k] - x) * t)).join(" ")})`;
    const [f0, f1, o0, o1] = ["--fill-0", "--fill-1", "--over-0", "--over-1"].map(get);
    this.ink = css.getPropertyValue("--ink");
    this.muted = css.getPropertyValue("--muted");
    this.line = css.getPropertyValue("--line");
    return (x) => (x <= 1 ? mix(f0, f1, x) : mix(o0, o1, Math.min(1, Math.log10(x) / 3)));
  }

  paint() {
    if (!this.n || this.read.hidden || !this.figure.isConnected) return;
    this.width = this.figure.clientWidth;
    this.layout();
    const colour = this.colours();
    const g = this.g;
    const p = this.canvas(this.map, g.w, g.h);
    const size = g.cell - (g.cell > 5 ? 1 : 0);
    for (let i = 0; i < this.n; i++) {
      const [x, y] = this.place(i);
      p.fillStyle = colour(this.ratio[i]);
      p.fillRect(x, y, size, size);
      if (this.ratio[i] > 1 && g.cell >= 7) { // a cross: not by colour alone
        p.strokeStyle = "#fff";
        p.lineWidth = Math.max(1, g.cell / 12);
        const m = size * 0.3;
        p.beginPath();
        p.moveTo(x + m, y + m);
        p.lineTo(x + size - m, y + size - m);
        p.moveTo(x + size - m, y + m);
        p.lineTo(x + m, y + size - m);
        p.stroke();
      }
    }
    const [x, y] = this.place(this.at);
    p.strokeStyle = this.ink;
    p.lineWidth = 2;
    p.strokeRect(x + 1, y + 1, Math.max(1, size - 2), Math.max(1, size - 2));
    if (this.chart) this.paintChart(colour);
    this.tell();
  }

  // Bars of error ÷ bound on a logarithmic axis; the line at 1 is the bound.
  paintChart(colour) {
    const h = 150;
    const left = 44;
    const w = Math.min(this.g.width, left + 34 * this.n);
    const floor = -4;
    const finite = this.ratio.filter(Number.isFinite);
    const top = Math.max(1, Math.ceil(Math.log10(Math.max(1, ...finite) * 1.01)));
    const p = this.canvas(this.chart, w, h);
    const yOf = (x) => {
      const l = x > 0 ? Math.max(floor, Math.min(top, Math.log10(x))) : floor;
      return 8 + (h - 16) * (1 - (l - floor) / (top - floor));
    };
    this.bar = { left, step: (w - left) / this.n };
    p.font = "11px system-ui, sans-serif";
    p.textAlign = "right";
    p.textBaseline = "middle";
    const stride = Math.ceil((top - floor) / 6);
    for (let l = floor; l <= top; l++) {
      if (l !== 0 && (Math.abs(l) % stride || l === floor)) continue;
      p.fillStyle = l === 0 ? this.ink : this.muted;
      p.fillText(l === 0 ? "bound" : l > 0 && l < 4 ? `${10 ** l} ×` : `1e${l}`,
        left - 6, yOf(10 ** l));
      p.fillStyle = this.line;
      p.fillRect(left, yOf(10 ** l), w - left, 1);
    }
    const bar = Math.max(1, Math.min(this.bar.step - 1, 18));
    for (const over of [false, true]) { // what is outside stands in front
      for (let i = 0; i < this.n; i++) {
        if (this.ratio[i] > 1 !== over) continue;
        const y = yOf(this.ratio[i]);
        p.fillStyle = colour(Math.max(this.ratio[i], 0.35));
        p.fillRect(left + i * this.bar.step, y, bar, Math.max(1, h - 8 - y));
      }
    }
    p.fillStyle = this.ink;
    p.fillRect(left, yOf(1), w - left, 1.5);
    p.fillRect(left + this.at * this.bar.step, h - 6, Math.max(2, bar), 4);
  }

  tell() {
    const i = this.at;
    const e = this.e;
    const diff = Math.abs(toNumber(e.got[i]) - toNumber(e.expected[i]));
    const parts = [`[${this.index(i).join(", ")}]`, `expected ${show(e.expected[i], this.digits)}`,
      `got ${show(e.got[i], this.digits)}`];
    let end = this.ratio[i] > 1 ? "differs" : "equal";
    if (!this.exact) {
      if (Array.isArray(e.bound)) {
        const bound = toNumber(e.bound[i]);
        parts.push(`|error| ${Number.isFinite(diff) ? diff.toExponential(2) : "–"}`,
          `bound ${Number.isFinite(bound) ? bound.toExponential(2) : e.bound[i]}`);
      }
      end = `${short(this.ratio[i])} × bound`;
    }
    this.read.replaceChildren(parts.join("   ") + "   ",
      this.ratio[i] > 1 ? el("b", null, end) : end);
  }

  to(i) {
    i = Math.min(Math.max(i, 0), this.n - 1);
    if (i === this.at) return;
    this.at = i;
    this.paint();
  }

  hover(ev, c) {
    const box = c.getBoundingClientRect();
    const x = ev.clientX - box.left;
    const y = ev.clientY - box.top;
    if (c === this.chart) {
      this.to(Math.floor((x - this.bar.left) / this.bar.step));
      return;
    }
    const g = this.g;
    const tw = g.cols * g.cell + g.gap;
    const th = g.rows * g.cell + g.gap;
    const col = Math.floor((x % tw) / g.cell);
    const row = Math.floor((y % th) / g.cell);
    const tile = Math.floor(y / th) * g.across + Math.floor(x / tw);
    const i = tile * g.per + row * g.cols + col;
    if (col < g.cols && row < g.rows && i < this.n) this.to(i);
  }

  key(ev) {
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -this.g.cols,
      ArrowDown: this.g.cols, Home: -Infinity, End: Infinity }[ev.key];
    if (step !== undefined) this.to(this.at + step);
    else if (ev.key === "w") this.to(this.worst);
    else return;
    ev.preventDefault();
    ev.stopPropagation();
  }
}

// ---- rules ----------------------------------------------------------------------------

function rulesView() {
  const r = run();
  const counts = new Map();
  for (let i = 0; i < r.size; i++) {
    for (const l of r.rules[i].split(" ")) {
      if (!counts.has(l)) counts.set(l, new Array(VERDICTS.length).fill(0));
      counts.get(l)[r.verdict[i]]++;
    }
  }
  const pages = new Map(Object.entries(rules.pages).map(
    ([p, x]) => [p, Object.keys(x.rules)]));
  for (const l of counts.keys()) {
    const [p, name] = l.split("/");
    if (!name) continue;
    if (!pages.has(p)) pages.set(p, []);
    if (!pages.get(p).includes(name)) pages.get(p).push(name);
  }
  const line = (page, name) => {
    const label = `${page}/${name}`;
    const n = counts.get(label);
    return el("div", { class: `rule${state.rule === label ? " target" : ""}`, id: label,
      tabindex: "-1" },
      el("code", null, name),
      el("span", null, prose(ruleText(label) || ""), specLink(r, label)),
      el("span", { class: "counts" }, n ? [...n.keys()].filter((v) => n[v]).map((v) =>
        el("button", { class: "link", onclick: () => go({ ...NO_FILTER, view: "cases",
          rule: label, verdict: VERDICTS[v] }) },
        verdict(VERDICTS[v], `${count(n[v])} ${VERDICTS[v]}`)))
        : el("span", { class: "muted" }, "no case in this run")));
  };
  const byNumber = (a, b) => (a[0] === b[0] ? a.slice(1) - b.slice(1)
    : "SCG".indexOf(a[0]) - "SCG".indexOf(b[0]));
  $("rules-view").replaceChildren(el("h1", null, "Rules"),
    el("p", { class: "sub" }, "What the spec says, and the cases of this run that serve it."),
    ...[...pages].sort().map(([page, names]) => el("div", { class: "page-rules" },
      el("h2", null, page, el("span", { class: "muted" }, rules.pages[page]?.level || "")),
      names.sort(byNumber).map((name) => line(page, name)))));
  const target = state.rule && $(state.rule);
  if (target) {
    target.scrollIntoView({ block: "center" });
    target.focus({ preventScroll: true });
  }
}

// ---- compare --------------------------------------------------------------------------

let union = null;
let compared = [];

function allIds() {
  if (union) return union;
  const seen = new Map();
  for (const r of runs) for (const id of r.id) seen.set(id, seen.size);
  union = [...seen.keys()].map((id) => {
    const v = runs.map((r) => {
      const i = r.row(id);
      return i < 0 ? -1 : r.verdict[i];
    });
    return { id, v, differs: v.some((x) => x !== v[0]) };
  });
  return union;
}

const named = (v) => (v < 0 ? "absent" : VERDICTS[v]);

function compare() {
  const all = allIds();
  const words = (state.filter || "").toLowerCase().split(/\s+/).filter(Boolean);
  const wanted = state.verdict && state.verdict.split(">");
  compared = all.filter((c) => (state.same || c.differs) &&
    words.every((w) => c.id.toLowerCase().includes(w)) &&
    (!wanted || (named(c.v[0]) === wanted[0] && named(c.v[wanted[2] || 1]) === wanted[1])));
  const flows = new Map();
  runs.slice(1).forEach((_, k) => {
    for (const c of all) {
      if (c.v[0] === c.v[k + 1]) continue;
      const key = `${named(c.v[0])}>${named(c.v[k + 1])}>${k + 1}`;
      flows.set(key, (flows.get(key) || 0) + 1);
    }
  });
  const differing = all.filter((c) => c.differs).length;
  const flow = ([key, n]) => {
    const [a, b, k] = key.split(">");
    return el("button", { class: "chip", type: "button", "data-flow": key,
      "aria-pressed": String(state.verdict === key),
      onclick: () => go({ verdict: state.verdict === key ? "" : key }) },
    count(n), verdict(a), "→", verdict(b),
    runs.length > 2 && el("span", { class: "muted" }, runs[k].name));
  };
  const before = document.activeElement?.dataset?.flow;
  $("compare-head").replaceChildren(
    el("h1", null, differing ? `${count(differing)} of ${plural(all.length, "case")} differ`
      : "No case differs"),
    el("p", { class: "sub" }, `Against ${runs[0].name}: how verdicts change.`),
    el("div", { class: "chips flow" },
      [...flows].sort((a, b) => b[1] - a[1]).slice(0, 16).map(flow)));
  if (before) document.querySelector(`[data-flow="${before}"]`)?.focus();
  $("same").checked = Boolean(state.same);
  if ($("compare-filter").value !== (state.filter || "")) {
    $("compare-filter").value = state.filter || "";
  }
  $("compare-found").textContent = plural(compared.length, "case");
  $("compare-names").replaceChildren(el("span", null, "case"),
    ...runs.map((r) => el("span", null, r.name)));
  $("compare").style.setProperty("--runs", runs.length);
  compareList.set(compared.length, compareList.at < compared.length ? compareList.at : -1,
    JSON.stringify([state.filter, state.verdict, state.same]));
}

function drawCompared(k) {
  const c = compared[k];
  return [el("span", { class: "id" }, c.id), ...c.v.map((v, i) => el("span",
    { title: runs[i].name }, v < 0 ? el("span", { class: "muted" }, "absent") : badge(VERDICTS[v])))];
}

function openCompared(k) {
  const c = compared[k];
  // The run where it fares worst: VERDICTS begins with the worst, absent runs are none.
  const there = runs.filter((x, i) => c.v[i] >= 0);
  const r = there.reduce((a, b) => (c.v[runs.indexOf(b)] < c.v[runs.indexOf(a)] ? b : a));
  go({ ...NO_FILTER, view: "cases", run: String(r.number), case: c.id });
  $("detail").focus();
}

// ---- drawing and keys -----------------------------------------------------------------

const DRAW = { overview, matrix, cases, rules: rulesView, compare };
let drawn = "";

function render() {
  if (state.view === "compare" && runs.length < 2) state.view = "overview";
  for (const v of VIEWS) {
    const tab = $(`tab-${v}`);
    const on = v === state.view;
    tab.setAttribute("aria-selected", String(on));
    tab.tabIndex = on ? 0 : -1;
    $(tab.getAttribute("aria-controls")).hidden = !on;
  }
  $("main").classList.toggle("fixed", ["cases", "compare"].includes(state.view));
  $("run").value = String(run().number);
  const still = `${state.view} ${run().number} ${state.rows || ""}`;
  if (drawn !== still && state.view !== "rules") $("main").scrollTop = 0;
  const same = drawn === still && state.view === "overview";
  drawn = still;
  if (!same) DRAW[state.view]();
}

const dark = () => {
  const set = document.documentElement.dataset.theme;
  return set ? set === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
};

function repaint() {
  document.querySelectorAll(".pic").forEach((p) => p.paint());
}

function setTheme(name) {
  document.documentElement.dataset.theme = name;
  try {
    localStorage.setItem("theme", name);
  } catch (error) { /* not kept, where a file may not store */ }
  repaint();
}

function view(name) {
  // A filter by verdict means another thing in compare; a case belongs to the list.
  const apart = name === "compare" || state.view === "compare";
  go({ view: name, ...(apart ? { verdict: "", case: "" } : {}),
    rule: name === "rules" ? "" : state.rule });
}

function keys(e) {
  if (e.ctrlKey || e.metaKey || e.altKey || $("help").open) return;
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName) &&
    e.target.type !== "checkbox";
  if (e.key === "Escape") {
    if (e.target.type === "search" && e.target.value) go({ filter: "", case: "" }, true);
    else if (typing) e.target.blur();
    else if (state.view === "cases" && state.case) close();
    else if (state.view === "cases") go({ ...NO_FILTER });
    return;
  }
  if (e.target === $("compare-filter") && (e.key === "Enter" || e.key === "ArrowDown")) {
    e.preventDefault();
    $("compare-list").focus();
    compareList.select(compareList.clamp(Math.max(0, compareList.at)));
    return;
  }
  if (e.target === $("filter") && (e.key === "Enter" || e.key === "ArrowDown")) {
    e.preventDefault();
    $("list").focus();
    if (!state.case) step(1);
    return;
  }
  if (typing) return;
  const tabs = VIEWS.filter((v) => !$(`tab-${v}`).hidden);
  const act = {
    "/": () => {
      if (!["cases", "compare"].includes(state.view)) view("cases");
      const box = $(state.view === "compare" ? "compare-filter" : "filter");
      box.focus();
      box.select();
    },
    j: () => (state.view === "cases" ? step(1) : 0),
    k: () => (state.view === "cases" ? step(-1) : 0),
    t: () => setTheme(dark() ? "light" : "dark"),
    "?": () => $("help").showModal(),
    y: () => $("copy")?.click(),
  }[e.key] || (tabs["12345".indexOf(e.key)] && (() => view(tabs["12345".indexOf(e.key)])));
  if (!act) return;
  e.preventDefault();
  act();
}

function wire() {
  list = new List($("list"), drawRow,
    (k) => k >= 0 && go({ case: run().id[found[k]] }, true),
    (k, byPointer) => {
      if (k < 0) return;
      go({ case: run().id[found[k]] });
      if (!byPointer || getComputedStyle($("list")).display === "none") $("detail").focus();
    });
  compareList = new List($("compare-list"), drawCompared, (k) => compareList.select(k),
    openCompared);
  document.querySelectorAll("[role=tab]").forEach((t) =>
    t.addEventListener("click", () => view(t.dataset.view)));
  document.querySelector(".tabs").addEventListener("keydown", (e) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
    if (!by) return;
    const tabs = VIEWS.filter((v) => !$(`tab-${v}`).hidden);
    const to = tabs[(tabs.indexOf(state.view) + by + tabs.length) % tabs.length];
    view(to);
    $(`tab-${to}`).focus();
  });
  $("filters").addEventListener("submit", (e) => e.preventDefault());
  let wait;
  $("filter").addEventListener("input", () => {
    clearTimeout(wait);
    wait = setTimeout(() => go({ filter: $("filter").value, case: "" }, true), 60);
  });
  for (const k of ["level", "page", "dtype", "provenance", "sort"]) {
    $(`f-${k}`).addEventListener("change", (e) => go({ [k]: e.target.value, case: "" }));
  }
  $("compare-filter").addEventListener("input", () =>
    go({ filter: $("compare-filter").value }, true));
  $("same").addEventListener("change", (e) => go({ same: e.target.checked ? "1" : "" }));
  $("clear").addEventListener("click", () => { go({ ...NO_FILTER }); $("filter").focus(); });
  $("run").append(...runs.map((r) => el("option", { value: r.number }, r.name)));
  $("run").addEventListener("change", (e) => go({ run: e.target.value }));
  $("run-label").hidden = $("tab-compare").hidden = runs.length < 2;
  $("theme").addEventListener("click", () => setTheme(dark() ? "light" : "dark"));
  $("help-open").addEventListener("click", () => $("help").showModal());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
  document.addEventListener("keydown", keys);
  addEventListener("popstate", () => { readHash(); render(); });
  addEventListener("beforeprint", forPrint);
}

function forPrint() {
  const r = run();
  overview();
  matrix();
  const rows = [...r.verdict.keys()].filter((i) => r.verdict[i] !== PASS)
    .sort((a, b) => r.verdict[a] - r.verdict[b]);
  $("print").replaceChildren(
    el("h2", null, `Cases that do not pass${rows.length > 300 ? ": the first 300" : ""}`),
    el("table", null, el("tbody", null, rows.slice(0, 300).map((i) => el("tr", null,
      el("td", null, verdict(VERDICTS[r.verdict[i]])),
      el("td", null, el("code", null, r.id[i])),
      el("td", null, r.reason[i] || ""))))));
}

async function start() {
  try {
    const kept = localStorage.getItem("theme");
    if (kept) document.documentElement.dataset.theme = kept;
  } catch (error) { /* nothing kept */ }
  if (typeof DecompressionStream === "undefined") {
    $("loading").textContent =
      "This report needs a browser of 2023 or later (DecompressionStream).";
    return;
  }
  rules = await unpack("rules");
  for (let k = 0; $(`i${k}`); k++) runs.push(new Run(k, await unpack(`i${k}`)));
  const s = runs[0].summary;
  document.title = `Touchstone: ${s ? s.backend : runs[0].name}`;
  wire();
  $("loading").remove();
  readHash();
  render();
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
}

start();
