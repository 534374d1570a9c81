// Measures over time: small charts that grow with the run. A click goes to that time.
import { css, kinds } from "./palette.js";

const groups = [
  ["energy", ["kinetic", "potential", "elastic", "dissipated"]],
  ["contacts", ["contacts", "wall_contacts"]],
  ["coordination", ["coordination"]],
  ["flow", /^gate_.*_flow$/],
  ["temperature", ["temperature"]],
  ["collisions", ["collisions", "wall_collisions"]],
  ["compressibility", ["compressibility"]],
  ["bodies", ["bodies"]],
];

export function short(v) {
  if (!Number.isFinite(v)) return "–";
  const a = Math.abs(v);
  if (a === 0) return "0";
  if (a >= 1e5 || a < 1e-3) return v.toExponential(2).replace("e+", "e");
  return String(+v.toPrecision(4));
}

export class Plots {
  constructor(holder, pickTime) {
    this.holder = holder;
    this.pickTime = pickTime;
    this.names = [];
    this.rows = [];
    this.charts = [];
  }

  start(names) {
    this.names = names;
    this.rows = [];
    this.charts = [];
    this.holder.replaceChildren();
    for (const [, wanted] of groups) {
      const columns = names.map((n, k) => ((wanted.test ? wanted.test(n) : wanted.includes(n)) ? k : -1)).filter((k) => k > 0);
      if (columns.length) this.add(columns.slice(0, 6));
    }
  }

  add(columns) {
    const box = document.createElement("div"), canvas = document.createElement("canvas"), names = document.createElement("div");
    box.className = "plot";
    names.className = "names";
    box.append(names, canvas);
    this.holder.append(box);
    const chart = { columns, canvas, box, names };
    for (const [k, c] of columns.entries()) {
      const label = document.createElement("span"), line = document.createElement("i"), value = document.createElement("b");
      line.style.background = css(kinds[k % kinds.length]);
      value.style.fontWeight = "400";
      label.append(line, `${this.names[c].replaceAll("_", " ")} `, value);
      names.append(label);
      (chart.values ??= []).push(value);
    }
    canvas.addEventListener("click", (e) => {
      const at = canvas.getBoundingClientRect();
      if (this.span) this.pickTime(this.span[0] + ((e.clientX - at.left) / at.width) * (this.span[1] - this.span[0]));
    });
    this.charts.push(chart);
  }

  receive(message) {
    const { rows, columns, first, n } = message;
    this.rows.length = Math.min(this.rows.length, first);
    for (let k = 0; k < n; k++) this.rows.push(rows.subarray(k * columns, (k + 1) * columns));
  }

  // The row at or before a time.
  rowAt(time) {
    let lo = 0, hi = this.rows.length;
    while (lo < hi) {
      const m = (lo + hi) >> 1;
      if (this.rows[m][0] <= time * (1 + 1e-12)) lo = m + 1;
      else hi = m;
    }
    return this.rows[Math.max(0, lo - 1)];
  }

  draw(time) {
    if (this.rows.length < 2) return;
    this.span = [this.rows[0][0], Math.max(this.rows[this.rows.length - 1][0], this.rows[0][0] + 1e-300)];
    const now = this.rowAt(time);
    for (const chart of this.charts) {
      this.drawChart(chart, time);
      chart.columns.forEach((c, k) => (chart.values[k].textContent = short(now[c])));
    }
  }

  drawChart({ canvas, columns }, time) {
    const ratio = devicePixelRatio, w = canvas.clientWidth, h = canvas.clientHeight;
    if (!w) return;
    if (canvas.width !== Math.round(w * ratio)) canvas.width = Math.round(w * ratio);
    if (canvas.height !== Math.round(h * ratio)) canvas.height = Math.round(h * ratio);
    const g = canvas.getContext("2d"), style = getComputedStyle(document.documentElement);
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, w, h);
    const stride = Math.max(1, Math.floor(this.rows.length / (2 * w)));
    let lo = Infinity, hi = -Infinity;
    for (let k = 0; k < this.rows.length; k += stride)
      for (const c of columns) {
        const v = this.rows[k][c];
        if (v < lo) lo = v;
        if (v > hi) hi = v;
      }
    if (!(hi > lo)) [lo, hi] = [lo - 1, lo + 1];
    const x = (t) => ((t - this.span[0]) / (this.span[1] - this.span[0])) * (w - 2) + 1;
    const y = (v) => h - 13 - ((v - lo) / (hi - lo)) * (h - 20);
    g.strokeStyle = style.getPropertyValue("--line");
    g.beginPath();
    for (const v of [lo, hi, 0]) if (v >= lo && v <= hi) g.moveTo(0, Math.round(y(v)) + 0.5), g.lineTo(w, Math.round(y(v)) + 0.5);
    g.stroke();
    columns.forEach((c, k) => {
      g.strokeStyle = css(kinds[k % kinds.length]);
      g.lineWidth = 1.4;
      g.beginPath();
      for (let r = 0; r < this.rows.length; r += stride) g.lineTo(x(this.rows[r][0]), y(this.rows[r][c]));
      g.lineTo(x(this.rows.at(-1)[0]), y(this.rows.at(-1)[c]));
      g.stroke();
    });
    g.strokeStyle = style.getPropertyValue("--soft");
    g.lineWidth = 1;
    g.beginPath();
    g.moveTo(x(time), 0);
    g.lineTo(x(time), h - 12);
    g.stroke();
    g.fillStyle = style.getPropertyValue("--soft");
    g.font = "10px system-ui, sans-serif";
    g.fillText(short(hi), 2, 9);
    g.fillText(`${short(this.span[0])}`, 1, h - 2);
    const end = short(this.span[1]);
    g.fillText(end, w - g.measureText(end).width - 1, h - 2);
  }
}
