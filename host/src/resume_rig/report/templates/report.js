"use strict";
// Sorts and filters tables, shows values under the pointer, and draws any cycle that is chosen.
// The page is complete without it: it adds its own buttons. Numbers are those of cycle_column
// (report/drawing/phases.py), the panel is that of first.html.j2.
(() => {
  const all = (query, within = document) => [...within.querySelectorAll(query)];
  const add = (parent, name, attributes = {}, text = "") => {
    const made = document.createElementNS(parent.namespaceURI, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text) made.textContent = text;
    return parent.appendChild(made);
  };

  // ---- tables
  const keyOf = (row, column) => {
    const text = (row.cells[column] || row.cells[0]).textContent.trim();
    const number = parseFloat(text.replace(/^[<+]/, ""));
    return { text, number };
  };
  const sortBy = (table, column, head) => {
    const body = table.tBodies[0];
    const rows = all("tr:not(.gap)", body);
    const down = head.getAttribute("aria-sort") === "ascending";
    all("[aria-sort]", table).forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const keyed = rows.map((row) => ({ row, ...keyOf(row, column) }));
    const numeric = keyed.some((one) => !isNaN(one.number));
    keyed.sort((a, b) => {
      const none = numeric ? isNaN(a.number) - isNaN(b.number) : !a.text - !b.text;
      if (none) return none; // what was not measured is last, whichever way
      const order = numeric ? a.number - b.number : a.text.localeCompare(b.text);
      return down ? -order : order;
    });
    body.prepend(...keyed.map((one) => one.row));
  };
  const FILTERS = [["", "All"], ["f", "Failed"], ["g", "Finding"], ["s", "Slowest 1 %"]];
  const addFilters = (table) => {
    const rows = all("tr:not(.gap)", table.tBodies[0]);
    const tools = document.createElement("div");
    tools.className = "tools";
    table.closest(".scroll").before(tools);
    let flag = "";
    const said = document.createElement("span");
    said.setAttribute("role", "status");
    const search = document.createElement("input");
    search.type = "search";
    search.placeholder = "filter rows";
    search.setAttribute("aria-label", "filter rows by text");
    const apply = () => {
      const wanted = search.value.trim().toLowerCase();
      let shown = 0;
      for (const row of rows) {
        const flagged = !flag || (row.dataset.f || "").includes(flag);
        row.hidden = !flagged || (wanted && !row.textContent.toLowerCase().includes(wanted));
        shown += !row.hidden;
      }
      said.textContent = `${shown} of ${rows.length} rows`;
    };
    if (table.classList.contains("filtered")) {
      for (const [letter, name] of FILTERS) {
        const count = rows.filter((row) => !letter || (row.dataset.f || "").includes(letter)).length;
        const button = add(tools, "button", { type: "button", "aria-pressed": !letter }, `${name} (${count})`);
        button.disabled = !count;
        button.onclick = () => {
          flag = letter;
          all("button", tools).forEach((b) => b.setAttribute("aria-pressed", b === button));
          apply();
        };
      }
    }
    search.oninput = apply;
    tools.append(search, said);
  };
  for (const table of all("table.sortable")) {
    const heads = all("thead tr:last-child th", table);
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      button.onclick = () => sortBy(table, column, head);
      head.append(button);
    });
    if (table.tBodies[0].rows.length > 3) addFilters(table);
  }

  // ---- every cycle
  const figure = document.querySelector("figure[data-cycles]");
  const first = document.querySelector(".panel");
  if (figure && first) {
    const words = figure.dataset.words.split("|");
    const number = (text) => (text ? parseInt(text, 36) / 100 : NaN);
    const cycles = figure.dataset.cycles.split(";").map((row) => {
      const f = row.slice(1).split(",");
      const word = (i) => words[parseInt(f[i], 36)] || "";
      const os = (i) => (f[i] ? parseInt(f[i], 36) : NaN);
      return {
        mark: row[0], n: parseInt(f[0], 36), shown: number(f[1]),
        wires: [2, 3, 4, 5].map((i) => number(f[i])), lightE: number(f[6]),
        bios: os(7), image: os(8), drivers: os(9),
        from: number(f[10]), hidden: number(f[11]), hiddenE: number(f[12]), completeE: number(f[13]),
        wiresE: [19, 20, 21, 6].map((i) => number(f[i])),
        noWires: word(14), noOs: word(15), noWhole: word(16), verdict: word(17), limited: f[18],
      };
    });
    const byNumber = new Map(cycles.map((cycle) => [cycle.n, cycle]));
    // As rounded_ms of report/text/wording.py: the interval shown holds the one computed.
    const quantity = (value, expanded) => {
      const digits = expanded >= 10 ? 0 : expanded >= 1 ? 1 : 2;
      const scale = 10 ** digits;
      const moved = Math.abs(value - Math.round(value * scale) / scale);
      const width = Math.ceil((expanded + moved) * scale - 1e-6) / scale;
      return `${value.toFixed(digits)} ±${width.toFixed(digits)}`;
    };

    // the panel of a cycle that was chosen: on the usual axis, or on its own where it is longer
    const { frame, trigger, resume, limit, unseen, end: usual } = first.querySelector("svg").dataset;
    const [left, right, column, top, wires, os, whole, bar, base] = frame.split(" ").map(Number);
    const group = document.querySelector(".choose");
    const radio = document.createElement("input");
    Object.assign(radio, { type: "radio", name: "phase", id: "choose-other" });
    const label = document.createElement("label");
    label.htmlFor = "choose-other";
    const pick = document.createElement("input");
    Object.assign(pick, { type: "number", min: cycles[0].n, max: cycles[cycles.length - 1].n, placeholder: "cycle" });
    pick.setAttribute("aria-label", "number of the cycle to draw");
    first.before(radio, label, pick);
    const other = first.cloneNode(true);
    other.className = "panel panel-other";
    all("[id]", other).forEach((each) => each.removeAttribute("id"));
    const svg = other.querySelector("svg");
    svg.removeAttribute("aria-labelledby");
    label.hidden = true;
    group.append(other);

    const draw = (c) => {
      const image = c.image || 0, hidden = c.hidden || 0;
      const reported = c.bios + c.drivers;
      const bios = Math.max(c.bios + Math.min(hidden, 0), 0);
      const complete = c.from + bios + image + c.drivers;
      const zero = c.from - Math.max(hidden, 0);
      const [, , plt, light] = c.wires;
      const ends = [...c.wires, light + c.lightE, complete + c.completeE, c.limited && zero + Number(resume)];
      const reach = Math.max(...ends.filter((ms) => ms > 0));
      const end = reach > usual ? reach * 1.02 : Number(usual);
      const at = (ms) => left + ((right - left) * Math.min(Math.max(ms, 0), end)) / end;
      svg.setAttribute("aria-label", `Measured, OS-reported and reconciled times of cycle ${c.n}`);
      const ticks = svg.querySelector(".ticks"), g = svg.querySelector(".drawn");
      ticks.replaceChildren();
      g.replaceChildren();
      const power = 10 ** Math.floor(Math.log10(end / 8)), unit = end >= 20000 ? 1000 : 1;
      const step = power * [1, 2, 5, 10].find((each) => each * power >= end / 8);
      for (let ms = 0; ms <= end; ms += step) {
        add(ticks, "line", { class: "grid", x1: at(ms), x2: at(ms), y1: top, y2: base - 20 });
        add(ticks, "text", { class: "soft", x: at(ms), y: top - 8, "text-anchor": "middle" }, `${ms / unit}`);
      }
      add(ticks, "text", { class: "soft", x: column, y: top - 8 }, `${unit > 1 ? "s" : "ms"} since ${trigger}; ± is 95 %`);
      const notes = [];
      const drawBar = (y, name, parts, missing, note, whisker = Infinity) => {
        add(g, "text", { x: left - 8, y: y + 17, "text-anchor": "end" }, name);
        let drawn = false;
        for (const [style, from, to, text, size] of parts) {
          if (!(to > from)) continue;
          drawn = true;
          const x = at(from), width = at(to) - x;
          const free = Math.min(x + width, Math.max(whisker, x)) - x;
          const rect = add(g, "rect", { class: `seg ${style}`, x, y, width, height: bar });
          const took = (to - from).toFixed(0); // what the OS reports, unless its size is given
          add(rect, "title", {}, `${text}: ${size || `${took} ±1`} ms`);
          const named = /^(to-light|bios|image|drivers)$/.test(style) ? [`${text} ${took}`, took] : [];
          const inside = named.find((one) => one.length * 6.6 + 8 <= free);
          if (inside)
            add(g, "text", { class: `in ${style}`, x: x + free / 2, y: y + 17, "text-anchor": "middle" }, inside);
          if (to > end)
            add(g, "path", { class: "tear", d: `M${right - 14} ${y + bar + 2}L${right - 8} ${y - 2}` });
        }
        if (!drawn && missing) add(g, "text", { class: "soft", x: left + 8, y: y + 17 }, missing);
        if (note) notes.push(add(g, "text", { x: column, y: y + 17 }, note).textContent);
      };
      const names = ["SLP_S3#", "PWR_OK", "PLTRST#", "display on"];
      const styles = ["to-slp-s3", "to-pwr-ok", "to-pltrst", "to-light"];
      let before = 0, from = trigger;
      const lines = [];
      c.wires.forEach((t, i) => {
        if (!(t >= before)) return;
        lines.push([styles[i], before, t, `${from} to ${names[i]}`, quantity(t - before, c.wiresE[i] + 0.01)]);
        [before, from] = [t, names[i]];
      });
      const init = "device initialization";
      drawBar(wires, "Wires, light", lines, c.noWires, light >= 0 ? `display on ${quantity(light, c.lightE)} ms` : c.noWires);
      const parts = [["bios", 0, c.bios, "BIOS"], ["image", c.bios, c.bios + image, "image"], ["drivers", c.bios + image, reported + image, init]];
      drawBar(os, "OS reports", parts.map(([s, a, b, t]) => [s, plt + a, plt + b, t]), c.noOs, reported >= 0 ? `reports ${reported} ms` : "");
      drawBar(whole, "Reconciled", [
        ["unknown", plt, zero, "unobserved, PLTRST# to TSC start", unseen ? quantity(zero - plt, +unseen) : (zero - plt).toFixed(0)],
        ["hidden", zero, c.from, "hidden, not in BiosInit", quantity(hidden, c.hiddenE)],
        ["bios", c.from, c.from + bios, "BIOS", hidden < 0 && quantity(bios, c.hiddenE)],
        ["image", c.from + bios, c.from + bios + image, "image"],
        ["drivers", c.from + bios + image, complete, init],
      ], c.noWhole, complete >= 0 ? `complete ${quantity(complete, c.completeE)} ms` : "", complete <= end ? at(complete - c.completeE) : Infinity);
      const limitMs = !Number(resume) ? parseFloat(limit.slice(6)) : c.limited ? zero + Number(resume) : NaN;
      if (limitMs <= end) {
        const x = at(limitMs);
        add(g, "line", { class: "limit", x1: x, x2: x, y1: top + 4, y2: base - 8 });
        add(g, "text", { class: "limit-label", x: x + 4, y: base + 6, "text-anchor": "end" }, limit);
      }
      g.append(...all(".in", g));
      if (light <= end) add(g, "circle", { class: "mark", cx: at(light), cy: wires + bar / 2, r: 6 });
      if (complete <= end) {
        const mid = whole + bar / 2;
        const [low, high] = [at(complete - c.completeE), at(complete + c.completeE)];
        add(g, "path", { class: "whisker-halo", d: `M${low} ${mid}H${high}` });
        add(g, "path", { class: "whisker", d: `M${low} ${mid - 6}v12m0-6H${high}m0-6v12` });
        add(g, "path", { class: "mark", d: `M${at(complete)} ${mid - 6}l6 6l-6 6l-6-6z` });
      }
      if (c.hidden) {
        const size = quantity(Math.abs(hidden), c.hiddenE);
        add(g, "text", { class: "hidden-label", x: at(plt), y: base - 10 }, `${hidden > 0 ? "hidden" : "BIOS time too long by"} ${size} ms`);
      }
      other.querySelector("figcaption").textContent = notes.join(" · ");
      all(".key li").forEach((li) => { if (g.querySelector(`.seg.${li.dataset.style}`)) li.hidden = false; });
      label.textContent = `cycle ${c.n} (${c.verdict})`;
      label.hidden = false;
      pick.value = c.n;
      radio.checked = true;
    };

    // marks under the pointer
    const marks = figure.querySelector("svg");
    const [mLeft, mRight, mTop, mBase, mCross, mDiamond] = figure.dataset.frame.split(" ").map(Number);
    const last = Number(figure.dataset.last), low = Number(figure.dataset.low), high = Number(figure.dataset.high);
    const place = (c) => {
      const x = mLeft + ((mRight - mLeft) * (c.n - 0.5)) / (last - 0.5);
      if (isNaN(c.shown)) return [x, c.mark === "x" ? mCross : mDiamond];
      return [x, c.shown > high ? mTop : mBase - ((mBase - mTop) * (c.shown - low)) / (high - low)];
    };
    const places = cycles.map(place);
    const cursor = add(marks, "circle", { class: "cursor", r: 6, cx: -20, cy: -20 });
    const chosen = add(marks, "circle", { class: "cursor", r: 8, cx: -20, cy: -20 });
    const tip = document.createElement("div");
    tip.className = "tip";
    tip.setAttribute("role", "status");
    tip.hidden = true;
    document.body.append(tip);
    const nearest = (event) => { // a mark is nearer along the cycles than across them
      const box = marks.getBoundingClientRect();
      const scale = marks.viewBox.baseVal.width / box.width;
      const [x, y] = [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
      let best = 0, least = Infinity;
      places.forEach(([px, py], i) => {
        const away = (px - x) ** 2 + ((py - y) / 3) ** 2;
        if (away < least) [best, least] = [i, away];
      });
      return best;
    };
    const show = (c, [x, y], mark) => { mark.setAttribute("cx", x); mark.setAttribute("cy", y); };
    const choose = (c) => {
      if (!c) return;
      draw(c);
      show(c, place(c), chosen);
      all("tr.chosen").forEach((row) => row.classList.remove("chosen"));
      const head = document.querySelector(`th[data-n="${c.n}"]`);
      if (head) head.parentNode.classList.add("chosen");
    };
    const said = (c) => {
      const [light, reported] = [c.wires[3], c.bios + c.drivers];
      const parts = [`cycle ${c.n}: ${c.verdict}`];
      if (reported >= 0) parts.push(`OS reports ${reported} ±2 ms`);
      if (c.hidden) parts.push(`hidden ${quantity(c.hidden, c.hiddenE)} ms`);
      if (light >= 0) parts.push(`display on ${quantity(light, c.lightE)} ms`);
      return [...parts, c.noWires, c.noOs].filter(Boolean).join("; ");
    };
    let here = 0;
    const point = (i) => {
      const [x, y] = places[here = i];
      show(cycles[i], [x, y], cursor);
      tip.textContent = said(cycles[i]);
      tip.hidden = false;
      const box = marks.getBoundingClientRect(), scale = box.width / marks.viewBox.baseVal.width;
      tip.style.left = `${Math.min(box.left + scrollX + x * scale + 12, document.documentElement.clientWidth - 330)}px`;
      tip.style.top = `${box.top + scrollY + y * scale + 14}px`;
    };
    marks.onpointermove = (event) => point(nearest(event));
    marks.onpointerleave = marks.onblur = () => { tip.hidden = true; cursor.setAttribute("cx", -20); };
    marks.onclick = (event) => choose(cycles[nearest(event)]);
    marks.tabIndex = 0;
    marks.onfocus = () => { if (marks.matches(":focus-visible")) point(here); };
    marks.onkeydown = (event) => {
      const to = { ArrowLeft: here - 1, ArrowRight: here + 1, Home: 0, End: cycles.length - 1 }[event.key];
      if (to !== undefined) point(Math.min(Math.max(to, 0), cycles.length - 1));
      else if (event.key === "Enter") choose(cycles[here]);
      else return;
      event.preventDefault();
    };
    pick.onchange = () => choose(byNumber.get(Number(pick.value)));
    for (const head of all("th[data-n]")) {
      const button = document.createElement("button");
      button.type = "button";
      button.title = "draw this cycle above";
      button.append(...head.childNodes);
      button.onclick = () => {
        choose(byNumber.get(Number(head.dataset.n)));
        document.getElementById("phases").scrollIntoView({ block: "nearest" });
      };
      head.append(button);
    }
  }

  // ---- what folds away is printed, in browsers that do not know details-content
  addEventListener("beforeprint", () => all("details:not([open])").forEach((each) => { each.open = true; each.dataset.shut = ""; }));
  addEventListener("afterprint", () => all("details[data-shut]").forEach((each) => { each.open = false; delete each.dataset.shut; }));
})();
