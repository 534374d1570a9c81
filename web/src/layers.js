// The methods made visible: what a contact search looks at, drawn over the bodies. Everything here is
// computed by the page from the frame it shows, by the rules that docs/methods describes, so that it
// works for live and stored runs alike.
import * as THREE from "three";
import { Bodies } from "./bodies.js";
import { colourOf, kinds } from "./palette.js";

const most = 120000; // lines

class Lines {
  constructor() {
    this.points = [];
    this.colours = [];
    this.faces = []; // corners of triangles that are seen through
    this.tints = [];
  }

  face(corners, c) {
    this.faces.push(...corners);
    for (let k = 0; k < corners.length; k += 3) this.tints.push(...c);
  }

  // A circle around each axis.
  rings(at, r, c, dim) {
    const n = 40;
    for (const [u, v] of dim === 2 ? [[0, 1]] : [[0, 1], [0, 2], [1, 2]])
      for (let s = 0; s < n; s++) {
        const p = (t) => { const q = [...at]; q[u] += r * Math.cos(t); q[v] += r * Math.sin(t); return q; };
        this.add(p((2 * Math.PI * s) / n), p((2 * Math.PI * (s + 1)) / n), c);
      }
  }

  get full() {
    return this.points.length / 6 >= most;
  }

  add(a, b, c) {
    this.points.push(...a, ...b);
    this.colours.push(...c, ...c);
  }

  box(lo, hi, c, dim) {
    const p = (k) => [k & 1 ? hi[0] : lo[0], k & 2 ? hi[1] : lo[1], k & 4 ? hi[2] : lo[2]];
    const edges = dim === 2 ? [[0, 1], [0, 2], [1, 3], [2, 3]] : [[0, 1], [0, 2], [1, 3], [2, 3], [4, 5], [4, 6], [5, 7], [6, 7], [0, 4], [1, 5], [2, 6], [3, 7]];
    for (const [a, b] of edges) this.add(p(a), p(b), c);
  }
}

function extent(f) {
  const lo = [Infinity, Infinity, Infinity], hi = [-Infinity, -Infinity, -Infinity];
  let r = 0, least = Infinity;
  for (let i = 0; i < f.n; i++) {
    for (let a = 0; a < 3; a++) (lo[a] = Math.min(lo[a], f.x[3 * i + a])), (hi[a] = Math.max(hi[a], f.x[3 * i + a]));
    (r = Math.max(r, f.r[i])), (least = Math.min(least, f.r[i]));
  }
  return { lo, hi, largest: r, least };
}

// Bodies by cell: a map from "i,j,k" to the bodies whose centres lie there.
function sortIntoCells(f, edge, lo, which = () => true) {
  const cells = new Map();
  for (let i = 0; i < f.n; i++) {
    if (!which(i)) continue;
    const k = [0, 1, 2].map((a) => (a < f.dim ? Math.floor((f.x[3 * i + a] - lo[a]) / edge) : 0)), key = (k[2] * 4096 + k[1]) * 4096 + k[0];
    if (!cells.has(key)) cells.set(key, { k, bodies: [] });
    cells.get(key).bodies.push(i);
  }
  return cells;
}

// Pairs of bodies in the same and in neighbouring cells; on periodic axes cells wrap around.
function forPairs(f, reach, lo, act) {
  const grid = [0, 1, 2].map((a) => {
    if (a >= f.dim) return { from: 0, edge: 1, cells: 1 };
    if (!f.box?.periodic[a]) return { from: lo[a], edge: reach, cells: 0 }; // no end
    const cells = Math.max(1, Math.floor(f.box.size[a] / reach));
    return { from: f.box.lo[a], edge: f.box.size[a] / cells, cells };
  });
  // A sheared box: the cells above lie elsewhere, so all along x are neighbours.
  if (f.box?.shear) grid[0] = { ...grid[0], edge: f.box.size[0], cells: 1 };
  const wrap = (k, a) => (grid[a].cells ? ((k % grid[a].cells) + grid[a].cells) % grid[a].cells : k), keyOf = (k) => (k[2] * 4096 + k[1]) * 4096 + k[0];
  const cells = new Map();
  for (let i = 0; i < f.n; i++) {
    const k = grid.map(({ from, edge }, a) => wrap(Math.floor((a < f.dim ? f.x[3 * i + a] - from : 0) / edge), a)), key = keyOf(k);
    if (!cells.has(key)) cells.set(key, { k, bodies: [] });
    cells.get(key).bodies.push(i);
  }
  for (const [key, { k, bodies }] of cells) {
    for (let a = 0; a < bodies.length; a++) for (let b = a + 1; b < bodies.length; b++) if (act(bodies[a], bodies[b]) === false) return;
    const around = new Set(); // in a small box a neighbour may be one on both sides
    for (let z = -1; z <= 1; z++) for (let y = -1; y <= 1; y++) for (let x = -1; x <= 1; x++) around.add(keyOf([wrap(k[0] + x, 0), wrap(k[1] + y, 1), f.dim === 3 ? wrap(k[2] + z, 2) : 0]));
    for (const other of around) {
      const others = other > key && cells.get(other);
      if (others) for (const i of bodies) for (const j of others.bodies) if (act(i, j) === false) return;
    }
  }
}

// From one point to the nearest image of another.
function towards(f, p, q) {
  const d = [q[0] - p[0], q[1] - p[1], q[2] - p[2]], { box } = f;
  if (!box) return d;
  for (const a of [1, 0, 2]) {
    if (!box.periodic[a]) continue;
    const times = Math.round(d[a] / box.size[a]);
    d[a] -= times * box.size[a];
    if (a === 1) d[0] -= times * box.shear;
  }
  return d;
}

// A line between two bodies; through a periodic side, one towards the image of each.
function join(f, lines, p, q, c) {
  const d = towards(f, p, q), there = p.map((v, a) => v + d[a]);
  lines.add(p, there, c);
  if (there.some((v, a) => Math.abs(v - q[a]) > 1e-6 * (f.box?.size[a] ?? Infinity))) lines.add(q, q.map((v, a) => v - d[a]), c);
}

const at = (f, i) => [f.x[3 * i], f.x[3 * i + 1], f.x[3 * i + 2]];

function drawCells(f, lines) {
  const e = extent(f), edge = 2 * e.largest;
  const cells = sortIntoCells(f, edge, e.lo), fullest = Math.max(...[...cells.values()].map((c) => c.bodies.length));
  for (const { k, bodies } of cells.values()) {
    if (lines.full) break;
    const lo = k.map((v, a) => e.lo[a] + v * edge * (a < f.dim ? 1 : 0));
    lines.box(lo, lo.map((v, a) => (a < f.dim ? v + edge : v)), colourOf(bodies.length / fullest), f.dim);
  }
  return `${cells.size} cells in use, as wide as the largest body; up to ${fullest} bodies in one`;
}

function drawPairs(f, lines) {
  const e = extent(f);
  let near = 0, touching = 0;
  forPairs(f, 2 * e.largest, e.lo, (i, j) => {
    const a = at(f, i), b = at(f, j), d = towards(f, a, b);
    const touch = (f.r[i] + f.r[j]) ** 2 >= d[0] ** 2 + d[1] ** 2 + d[2] ** 2;
    near++;
    touching += touch;
    if (!lines.full) join(f, lines, a, b, touch ? [0.95, 0.45, 0.15] : [0.45, 0.5, 0.55]);
  });
  return `${near} pairs tested by cells (grey), of which ${touching} touch (orange)`;
}

function drawContacts(f, lines, { lines: told }) {
  if (told) { // of a live run, with forces
    const v = new DataView(told.lines.buffer, told.lines.byteOffset), x = f.x;
    let strongest = 0;
    for (let k = 0; k < told.n; k++) strongest = Math.max(strongest, v.getFloat32(24 * k + 8, true));
    for (let k = 0; k < told.n && !lines.full; k++) {
      const a = v.getUint32(24 * k, true), b = v.getUint32(24 * k + 4, true), force = v.getFloat32(24 * k + 8, true);
      if (a >= f.n) continue;
      const end = b < f.n ? [x[3 * b], x[3 * b + 1], x[3 * b + 2]] : [12, 16, 20].map((o) => v.getFloat32(24 * k + o, true));
      join(f, lines, at(f, a), end, colourOf(Math.sqrt(Math.max(0, force) / (strongest || 1))));
    }
    return `${told.n} contacts, the strongest ${strongest.toPrecision(3)} N`;
  }
  const e = extent(f);
  let touching = 0;
  forPairs(f, 2 * e.largest, e.lo, (i, j) => {
    const a = at(f, i), b = at(f, j), d = towards(f, a, b);
    if ((f.r[i] + f.r[j]) ** 2 < d[0] ** 2 + d[1] ** 2 + d[2] ** 2) return;
    touching++;
    if (!lines.full) join(f, lines, a, b, [0.95, 0.45, 0.15]);
  });
  return `${touching} pairs touch`;
}

function drawBounds(f, lines) {
  for (let i = 0; i < f.n && !lines.full; i++) {
    const a = at(f, i), c = kinds[5];
    lines.box(a.map((v, k) => (k < f.dim ? v - f.r[i] : v)), a.map((v, k) => (k < f.dim ? v + f.r[i] : v)), c, f.dim);
  }
  return "a box around every body: what sweep and trees compare";
}

// Intervals along x, in as many rows as overlap at once, below the bodies.
function drawSweep(f, lines) {
  const e = extent(f), order = [...Array(f.n).keys()].sort((i, j) => f.x[3 * i] - f.r[i] - (f.x[3 * j] - f.r[j])), ends = [];
  const gap = ((e.hi[0] - e.lo[0]) || 1) / 160;
  for (const i of order) {
    const from = f.x[3 * i] - f.r[i], to = f.x[3 * i] + f.r[i];
    let row = ends.findIndex((end) => end < from);
    if (row < 0) row = ends.push(0) - 1;
    ends[row] = to;
    if (lines.full) break;
    const y = f.dim === 2 ? e.lo[1] - e.largest * 1.5 - row * gap : e.lo[1] - e.largest, z = f.dim === 2 ? 0 : e.lo[2] - 1.5 * e.largest - row * gap;
    lines.add([from, y, z], [to, y, z], kinds[row % kinds.length]);
  }
  return `intervals along x: up to ${ends.length} bodies overlap there at once`;
}

const levelOf = (r, least) => Math.max(0, Math.ceil(Math.log2(r / least) - 1e-9));

function drawLevels(f, lines) {
  const e = extent(f), levels = levelOf(e.largest, e.least) + 1, counts = [];
  for (let l = 0; l < levels; l++) {
    const edge = 2 * e.least * 2 ** l, cells = sortIntoCells(f, edge, e.lo, (i) => levelOf(f.r[i], e.least) === l);
    counts.push(cells.size);
    for (const { k } of cells.values()) {
      if (lines.full) break;
      const lo = k.map((v, a) => e.lo[a] + v * edge * (a < f.dim ? 1 : 0));
      lines.box(lo, lo.map((v, a) => (a < f.dim ? v + edge : v)), kinds[l % kinds.length], f.dim);
    }
  }
  return `${levels} level${levels > 1 ? "s" : ""} of cells, each twice as wide: ${counts.join(", ")} in use`;
}

// Shells around a corner: bodies sorted by their distance from it; only those within a diameter along
// that list can touch.
function drawShells(f, lines) {
  const e = extent(f), step = 2 * e.largest, far = Math.hypot(...e.hi.map((v, a) => v - e.lo[a])), count = Math.ceil(far / step);
  const stride = Math.max(1, Math.ceil(count / 60)), n = 48;
  for (let k = 1; k <= count && !lines.full; k += stride) {
    const r = k * step, c = colourOf(k / count);
    const arcs = f.dim === 2 ? [[0, 1]] : [[0, 1], [0, 2], [1, 2]];
    for (const [u, v] of arcs)
      for (let s = 0; s < n; s++) {
        const p = (t) => { const q = [...e.lo]; q[u] += r * Math.cos(t); q[v] += r * Math.sin(t); return q; };
        const a = p((s / n) * (Math.PI / 2)), b = p(((s + 1) / n) * (Math.PI / 2));
        if (a.every((w, d) => w <= e.hi[d] + step) && b.every((w, d) => w <= e.hi[d] + step)) lines.add(a, b, c);
      }
  }
  return `${count} shells of one diameter around a corner`;
}

// The calendar of hard balls: who meets whom next, the sooner the brighter.
function drawNext(f, lines, { next, hello }) {
  if (hello?.mode !== "live" || hello.engine !== "hard") return "the next events: engine hard, while it runs";
  if (!next) return "the next events";
  next.events.forEach((e, k) => {
    const c = k === 0 ? [1, 0.35, 0.1] : colourOf(0.9 - (0.8 * k) / next.events.length);
    if (e.at_a >= f.n) return;
    lines.rings(at(f, e.at_a), 1.1 * f.r[e.at_a], c, f.dim);
    if (e.at_b === undefined || e.at_b >= f.n) return;
    lines.rings(at(f, e.at_b), 1.1 * f.r[e.at_b], c, f.dim);
    join(f, lines, at(f, e.at_a), at(f, e.at_b), c);
  });
  const who = (e) => (e.b !== undefined ? `${e.a} meets ${e.b}` : `${e.a} hits ${hello.walls?.[e.wall] || `wall ${e.wall}`}`);
  return `${next.events.length} events to come: ${next.events.map((e) => `${who(e)} in ${e.in.toPrecision(3)}`).join("; ")}`;
}

// The closest features of two bodies that were picked, each with its Voronoi region.
function drawFeatures(f, lines, { pair, origin }) {
  if (!pair) return "closest features: pick a body, then another one with shift";
  if (!pair.there || !pair.sides) return `of bodies ${pair.a} and ${pair.b} one has gone`;
  const less = (v) => v.map((x, k) => x - origin[k % 3]);
  lines.add(less(pair.on_a), less(pair.on_b), [1, 0.35, 0.1]);
  for (const p of [pair.on_a, pair.on_b]) lines.rings(less(p), 0.08 * Math.min(...f.r.slice(0, 1)), [1, 0.35, 0.1], f.dim);
  pair.sides.forEach(({ region }, k) => {
    if (!region) return;
    const corners = less(region), c = kinds[k === 0 ? 0 : 1];
    lines.face(corners, c);
    for (let t = 0; t + 9 <= corners.length; t += 9) for (let e = 0; e < 3; e++) {
      const p = corners.slice(t + 3 * e, t + 3 * e + 3), q = corners.slice(t + 3 * ((e + 1) % 3), t + 3 * ((e + 1) % 3) + 3);
      lines.add(p, q, c);
    }
  });
  const name = (s) => (s.feature === "sphere" ? `sphere ${s.id}` : `${s.feature} ${s.index} of ${s.id}`);
  return `${pair.sides.map(name).join(" and ")}: ${pair.overlap ? `${(-pair.distance).toPrecision(3)} deep` : `${pair.distance.toPrecision(3)} apart`}, ${pair.iterations} steps of the walk`;
}

// Sides that were not there in the frame before: a flip made them. They flash, and fade.
const flash = { shown: null, keys: null, born: new Map() }, fade = 900; // milliseconds
function findFlips(f, now) {
  if (flash.shown === f.frame || !f.sideKeys) return;
  const keys = new Set(f.sideKeys), before = flash.keys;
  for (const k of before ? keys : []) if (!before.has(k)) flash.born.set(k, now);
  for (const [k, t] of flash.born) if (now - t > fade || !keys.has(k)) flash.born.delete(k);
  [flash.shown, flash.keys] = [f.frame, keys];
}

// What hard polygons are found by: the space between them cut into triangles, and the side or corner that the
// last event was about.
function drawTriangulation(f, lines) {
  if (!f.sides) return "no triangulation: this run has none";
  const s = f.sides, e = f.event ?? [], grey = [0.5, 0.55, 0.6], mark = [0.95, 0.35, 0.1], n = e.length / 2, now = performance.now();
  findFlips(f, now);
  let flashing = 0;
  for (let k = 0; k < s.length && !lines.full; k += 4) {
    const born = f.sideKeys ? flash.born.get(f.sideKeys[k / 4]) : undefined, age = born === undefined ? 1 : Math.min(1, (now - born) / fade);
    const a = [s[k], s[k + 1], 0], b = [s[k + 2], s[k + 3], 0];
    lines.add(a, b, grey.map((v, c) => v * age + mark[c] * (1 - age)));
    if (age >= 1) continue;
    flashing++; // and the ground beside it
    const d = [b[0] - a[0], b[1] - a[1]], w = 0.06 * (1 - age), u = [-d[1] * w, d[0] * w];
    lines.face([a[0] - u[0], a[1] - u[1], 0, b[0] - u[0], b[1] - u[1], 0, b[0] + u[0], b[1] + u[1], 0, a[0] - u[0], a[1] - u[1], 0, b[0] + u[0], b[1] + u[1], 0, a[0] + u[0], a[1] + u[1], 0], mark);
  }
  lines.moving = flashing > 0;
  const p = (k) => [e[2 * k], e[2 * k + 1], 0];
  const pairs = n === 4 ? [[0, 1], [1, 2], [2, 3], [3, 0], [0, 2]] : n === 3 ? [[0, 1], [0, 2], [1, 2]] : [];
  for (const [a, b] of pairs) lines.add(p(a), p(b), mark);
  return `${s.length / 4} sides of triangles${flashing ? `, ${flashing} of them new by flips` : ""}${n === 4 ? "; the last event was a flip" : n === 3 ? "; the last event was a collision" : ""}`;
}

export const layers = [
  ["triangulation", "triangulation", drawTriangulation],
  ["contacts", "contacts", drawContacts],
  ["pairs", "pairs tested", drawPairs],
  ["cells", "cells", drawCells],
  ["levels", "levels", drawLevels],
  ["bounds", "boxes", drawBounds],
  ["sweep", "sweep axis", drawSweep],
  ["shells", "shells", drawShells],
  ["skins", "skins", null],
  ["events", "next events", drawNext],
  ["features", "closest features", drawFeatures],
];

// A periodic box, where positions are relative to the frame's origin.
function boxOf({ box: b, origin: o }) {
  if (!b) return null;
  return { lo: [0, 1, 2].map((a) => b[a] - o[a]), size: [0, 1, 2].map((a) => b[3 + a] - b[a]), periodic: [...b.subarray(6, 9)].map(Boolean), shear: b[9] };
}

export class Layers {
  constructor(stage, note) {
    this.stage = stage;
    this.note = note;
    this.on = new Set();
    this.shown = new Map();
    this.texts = new Map();
    this.skins = new Bodies(true);
    this.skins.mesh.visible = false;
    stage.layers.add(this.skins.mesh);
  }

  set(name, on, frame, told) {
    if (on) this.on.add(name);
    else this.on.delete(name);
    this.drop(name);
    this.update(frame, told);
  }

  drop(name) {
    const lines = this.shown.get(name);
    if (lines) (this.stage.layers.remove(lines), lines.children.forEach((c) => c.geometry.dispose()));
    this.shown.delete(name);
    this.texts.delete(name);
  }

  update(frame, told) {
    this.moving = false; // something changes by itself
    this.skins.mesh.visible = this.on.has("skins");
    if (frame && this.on.size) {
      const f = { x: frame.position, r: frame.bodyInfo.radius, n: frame.n, dim: this.stage.dim, sides: frame.sides, event: frame.event, sideKeys: frame.sideKeys, frame, box: boxOf(frame) };
      for (const [name, , draw] of layers) if (this.on.has(name)) draw ? this.draw(name, draw, f, told) : this.drawSkins(f, told);
    }
    this.note.hidden = this.on.size === 0;
    this.note.textContent = [...this.texts.values()].join(". ");
    this.stage.ask();
  }

  draw(name, draw, f, told) {
    this.drop(name);
    const lines = new Lines();
    this.texts.set(name, draw(f, lines, told));
    this.moving ||= !!lines.moving;
    const g = new THREE.BufferGeometry();
    g.setAttribute("position", new THREE.Float32BufferAttribute(lines.points, 3));
    g.setAttribute("color", new THREE.Float32BufferAttribute(lines.colours, 3));
    const drawn = new THREE.LineSegments(g, new THREE.LineBasicMaterial({ vertexColors: true, transparent: true, opacity: 0.7, depthTest: !["contacts", "pairs", "events", "features", "triangulation"].includes(name) }));
    const group = new THREE.Group();
    group.add(drawn);
    if (lines.faces.length) {
      const faces = new THREE.BufferGeometry();
      faces.setAttribute("position", new THREE.Float32BufferAttribute(lines.faces, 3));
      faces.setAttribute("color", new THREE.Float32BufferAttribute(lines.tints, 3));
      group.add(new THREE.Mesh(faces, new THREE.MeshBasicMaterial({ vertexColors: true, transparent: true, opacity: 0.25, side: THREE.DoubleSide, depthWrite: false })));
    }
    this.shown.set(name, group);
    this.stage.layers.add(group);
  }

  drawSkins(f, { status }) {
    const known = status?.counters?.skin, skin = known || 0.2 * extent(f).least;
    const r = Float32Array.from(f.r, (v) => v + 0.5 * skin);
    this.skins.show({ n: f.n, position: f.x }, r, () => new Float32Array(f.n), { range: [0, 1], categorical: true });
    this.skins.material.uniforms.ortho.value = f.dim === 2;
    this.skins.material.uniforms.disc.value = false;
    this.texts.set("skins", known ? `skin ${known.toPrecision(3)}: lists hold until a body has moved half of it; ${status.counters.rebuilds} rebuilds so far, ${status.counters.list_pairs} pairs listed` : "a skin of a fifth of the smallest radius");
  }
}
