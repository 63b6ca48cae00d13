"use strict";
(() => {
  // Tables: a click on a heading sorts by its column.
  for (const th of document.querySelectorAll("table.sorts th")) {
    th.title = "sort";
    th.addEventListener("click", () => {
      const body = th.closest("table").tBodies[0], column = th.cellIndex;
      const groups = [];
      for (const row of body.rows) {
        if (row.classList.contains("child")) groups[groups.length - 1].push(row);
        else groups.push([row]);
      }
      const down = th.dataset.down !== "1";
      th.dataset.down = down ? "1" : "0";
      const key = (group) => group[0].cells[column]?.dataset.v ?? group[0].cells[column]?.textContent ?? "";
      const numeric = th.classList.contains("n");
      groups.sort((a, b) => {
        const order = numeric ? Number(key(a)) - Number(key(b)) : key(b).localeCompare(key(a));
        return down ? -order : order;
      });
      body.append(...groups.flat());
    });
  }

  const canvas = document.getElementById("timeline");
  if (!canvas) return;
  const data = JSON.parse(document.getElementById("timeline-data").textContent);
  const LABEL = 190, ROW = 18, PAD = 8, AXIS = 24, SMALLEST = 50;
  const tip = document.getElementById("tip"), context = canvas.getContext("2d");
  // Runs of each row: start, length, name, count, busy.
  let height = AXIS;
  const tracks = data.tracks.map((track) => {
    const rows = track.rows.map((numbers) => {
      const runs = [];
      for (let i = 0, time = 0; i < numbers.length;) {
        const start = time + numbers[i], length = numbers[i + 1];
        let name = numbers[i + 2], count = 1, busy = length;
        i += 3;
        if (name < 0) {
          name = -1 - name;
          [count, busy] = [numbers[i], numbers[i + 1]];
          i += 2;
        }
        runs.push([start, length, name, count, busy]);
        time = start + length;
      }
      return runs;
    });
    const top = height + PAD / 2;
    height += rows.length * ROW + PAD;
    return { name: track.name, rows, top };
  });
  let from = 0, to = Math.max(data.span, 1);
  const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const hues = new Map();
  const color = ([name, kind]) => {
    switch (kind) {
      case "call": return "hsl(214 18% 52%)";
      case "build": return "hsl(32 72% 48%)";
      case "transfer": return "hsl(174 52% 38%)";
      case "host": return "hsl(88 34% 42%)";
    }
    if (!hues.has(name)) hues.set(name, (220 + hues.size * 137.5) % 360);
    return `hsl(${hues.get(name)} ${kind === "enqueued" ? "35%" : "58%"} 50%)`;
  };
  const time = (ns) => {
    for (const [unit, size] of [["s", 1e9], ["ms", 1e6], ["µs", 1e3]]) {
      if (ns >= 0.9995 * size) return `${(ns / size).toPrecision(3)} ${unit}`;
    }
    return `${Math.round(ns)} ns`;
  };
  const width = () => canvas.clientWidth - LABEL;
  const x = (ns) => LABEL + (ns - from) / (to - from) * width();

  function axis() {
    const rough = (to - from) / Math.max(2, width() / 110);
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough);
    context.fillStyle = style("--dim");
    context.strokeStyle = style("--line");
    context.textAlign = "center";
    for (let at = Math.ceil(from / step) * step; at <= to; at += step) {
      const px = Math.round(x(at)) + 0.5;
      context.beginPath();
      context.moveTo(px, AXIS - 5);
      context.lineTo(px, height);
      context.stroke();
      if (px > LABEL + 24 && px < canvas.clientWidth - 24) context.fillText(at === 0 ? "0" : time(at), px, 12);
    }
    context.textAlign = "left";
  }

  function draw() {
    const ratio = window.devicePixelRatio || 1;
    canvas.style.height = `${height}px`;
    canvas.width = canvas.clientWidth * ratio;
    canvas.height = height * ratio;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.font = "12px system-ui, 'DejaVu Sans', sans-serif";
    context.textBaseline = "middle";
    context.clearRect(0, 0, canvas.clientWidth, height);
    axis();
    for (const [index, track] of tracks.entries()) {
      context.fillStyle = style("--panel");
      context.fillRect(0, track.top - PAD / 2, LABEL, track.rows.length * ROW + PAD);
      context.strokeStyle = style("--line");
      if (index > 0) {
        context.beginPath();
        context.moveTo(0, track.top - PAD / 2 + 0.5);
        context.lineTo(canvas.clientWidth, track.top - PAD / 2 + 0.5);
        context.stroke();
      }
      context.fillStyle = style("--text");
      label(track.name, 10, track.top + ROW / 2, LABEL - 18);
      context.save();
      context.beginPath();
      context.rect(LABEL, track.top - PAD, width(), track.rows.length * ROW + 2 * PAD);
      context.clip();
      for (const [number, row] of track.rows.entries()) runs(row, track.top + number * ROW);
      context.restore();
    }
  }

  function label(text, left, middle, room) {
    if (context.measureText(text).width > room) {
      let cut = text.length;
      while (cut > 0 && context.measureText(`${text.slice(0, cut)}…`).width > room) cut--;
      if (cut < 2) return;
      text = `${text.slice(0, cut)}…`;
    }
    context.fillText(text, left, middle);
  }

  function runs(row, top) {
    for (const [start, length, name, count, busy] of row) {
      if (start + length < from || start > to) continue;
      const left = Math.max(x(start), LABEL - 2), right = Math.min(x(start + length), canvas.clientWidth + 2);
      const wide = Math.max(right - left, 1);
      context.fillStyle = color(data.names[name]);
      // Merged slices are paler where they leave gaps.
      context.globalAlpha = count > 1 ? 0.35 + 0.65 * Math.min(1, busy / Math.max(length, 1)) : 1;
      context.fillRect(left, top + 1, wide, ROW - 2);
      context.globalAlpha = 1;
      if (wide > 34) {
        context.fillStyle = "#fff";
        label(count > 1 ? `${count} × ${data.names[name][0]} …` : data.names[name][0], left + 4, top + ROW / 2, wide - 8);
      }
    }
  }

  function find(px, py) {
    const at = from + (px - LABEL) / width() * (to - from), near = 2 * (to - from) / width();
    for (const track of tracks) {
      const row = track.rows[Math.floor((py - track.top) / ROW)];
      if (py < track.top || !row || px < LABEL) continue;
      let best = null;
      for (const run of row) {
        const distance = Math.max(run[0] - at, at - run[0] - run[1], 0);
        if (distance <= near && (!best || distance < best.distance)) best = { run, distance };
      }
      return best?.run;
    }
    return null;
  }

  function show(run, px, py) {
    if (!run) {
      tip.style.display = "none";
      return;
    }
    const [start, length, name, count, busy] = run, [text] = data.names[name];
    const lines = count > 1
      ? [`${count} slices, the longest is ${text}`, `${time(busy)} in ${time(length)}, from ${time(start)} on`]
      : [text, `${time(length)}, from ${time(start)} on`];
    tip.replaceChildren(...lines.map((line, index) => {
      const div = document.createElement("div");
      div.textContent = line;
      if (index > 0) div.className = "dim";
      return div;
    }));
    tip.style.display = "block";
    tip.style.left = `${Math.min(px + 14, canvas.clientWidth - tip.offsetWidth - 4)}px`;
    tip.style.top = `${Math.min(py + 16, height - tip.offsetHeight - 2)}px`;
  }

  function look(first, last) {
    const span = Math.min(Math.max(last - first, SMALLEST), Math.max(data.span, SMALLEST));
    from = Math.min(Math.max(first, 0), Math.max(data.span - span, 0));
    to = from + span;
    draw();
  }
  const zoom = (factor, at = (from + to) / 2) => look(at - (at - from) * factor, at + (to - at) * factor);

  let drag = null;
  canvas.addEventListener("pointerdown", (event) => {
    drag = { px: event.offsetX, from, to };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointerup", () => { drag = null; });
  canvas.addEventListener("pointermove", (event) => {
    if (!drag) {
      show(find(event.offsetX, event.offsetY), event.offsetX, event.offsetY);
      return;
    }
    const moved = (event.offsetX - drag.px) / width() * (drag.to - drag.from);
    show(null);
    look(drag.from - moved, drag.to - moved);
  });
  canvas.addEventListener("pointerleave", () => show(null));
  canvas.addEventListener("dblclick", (event) => {
    const run = find(event.offsetX, event.offsetY);
    if (run) look(run[0] - run[1] * 0.1, run[0] + run[1] * 1.1);
  });
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    const at = from + (event.offsetX - LABEL) / width() * (to - from);
    zoom(event.deltaY > 0 ? 1.3 : 1 / 1.3, at);
  }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    const step = (to - from) / 5;
    const keys = {
      "+": () => zoom(0.5), "-": () => zoom(2), "0": () => look(0, data.span),
      ArrowLeft: () => look(from - step, to - step), ArrowRight: () => look(from + step, to + step),
    };
    if (keys[event.key]) {
      event.preventDefault();
      keys[event.key]();
    }
  });
  document.getElementById("nearer").addEventListener("click", () => zoom(0.5));
  document.getElementById("farther").addEventListener("click", () => zoom(2));
  document.getElementById("whole").addEventListener("click", () => look(0, data.span));
  window.addEventListener("resize", draw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  draw();
})();
