// Polyhedra in the viewer: turned, scaled and placed as the frame says, against rays cast here.
import { check, finish, openPage, pixels, quiet, runJostle, same, serve } from "./support.mjs";

const here = new URL(".", import.meta.url).pathname;
runJostle("run", `${here}solids.yaml`, "--out", "run", "--quiet");
const served = await serve("view", "run");
const page = await openPage(served.url);
for (const id of ["show-walls", "show-box"]) await page.evaluate((i) => document.getElementById(i).click(), id);
const f = await page.evaluate(() => {
  const { frame } = window.jostle.state, b = frame.bodyInfo, { camera } = window.jostle.stage;
  camera.updateMatrixWorld();
  return { x: [...frame.position], q: [...frame.orientation], r: [...b.radius], shape: [...b.shape], triangles: [...b.triangles], owner: [...b.owner], world: camera.matrixWorld.toArray(), inverse: camera.projectionMatrixInverse.toArray() };
});
same("balls", f.shape.filter((s) => s === 0xffffffff).length, 4);
same("polyhedra", f.shape.filter((s) => s !== 0xffffffff).length, 24);
const cube = f.triangles.filter((_, k) => f.owner[Math.floor(k / 9)] === f.shape[0]);
same("a cube is twelve triangles", cube.length, 108);
check("of radius 1", Array.from({ length: 36 }, (_, k) => Math.hypot(...cube.slice(3 * k, 3 * k + 3))).every((l) => Math.abs(l - 1) < 1e-5));

const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2], minus = (a, b) => a.map((v, k) => v - b[k]);
// Every triangle where it is.
const placed = f.shape.map((s, i) => {
  const [w, ...u] = f.q.slice(4 * i, 4 * i + 4), c = f.x.slice(3 * i, 3 * i + 3), out = [];
  f.owner.forEach((o, t) => {
    if (o !== s) return;
    out.push([0, 1, 2].map((k) => {
      const p = f.triangles.slice(9 * t + 3 * k, 9 * t + 3 * k + 3), inner = cross(u, p).map((v, a) => v + w * p[a]), turned = cross(u, inner);
      return p.map((v, a) => c[a] + f.r[i] * (v + 2 * turned[a]));
    }));
  });
  return { c, r: f.r[i], out, ball: s === 0xffffffff };
});
const times = (m, v) => [0, 1, 2, 3].map((r) => m[r] * v[0] + m[4 + r] * v[1] + m[8 + r] * v[2] + m[12 + r] * v[3]);
const point = (x, y, z) => { const v = times(f.inverse, [x, y, z, 1]); return times(f.world, v.map((a) => a / v[3])).slice(0, 3); };
function hit(x, y) {
  const a = point(x, y, -1), d = minus(point(x, y, 1), a), l2 = dot(d, d);
  return placed.some(({ c, r, out, ball }) => {
    const rel = minus(c, a), s = dot(rel, d) / l2, off = minus(rel, d.map((v) => v * s));
    if (dot(off, off) > r * r) return false;
    return ball || out.some(([p, q, t]) => {
      const e = minus(q, p), g = minus(t, p), h = cross(d, g), det = dot(e, h), o = minus(a, p), u = dot(o, h) / det, k = cross(o, e), v = dot(d, k) / det;
      return u >= 0 && v >= 0 && u + v <= 1;
    });
  });
}
const image = await pixels(page);
let wrong = 0, body = 0, all = 0;
for (let j = 1; j < image.h; j += 4)
  for (let i = 1; i < image.w; i += 4) {
    const at = (dx, dy) => hit((2 * (i + 0.5 + dx)) / image.w - 1, (2 * (j + 0.5 + dy)) / image.h - 1), expected = at(0, 0);
    if ([[1, 0], [-1, 0], [0, 1], [0, -1]].some(([dx, dy]) => at(dx, dy) !== expected)) continue; // an outline
    body += expected;
    all++;
    wrong += expected !== image.bytes[4 * (j * image.w + i) + 3] > 128;
  }
check("there is much to see", body > 500, `: ${body} of ${all}`);
same("silhouette: points that are wrong", wrong, 0);
// Picking: the nearest of all by its faces, where the spheres around them would often say another.
function first(x, y) {
  const a = point(x, y, -1), d = minus(point(x, y, 1), a), l2 = dot(d, d);
  let best = -1, at = Infinity, round = -1, roundAt = Infinity;
  placed.forEach(({ c, r, out, ball }, i) => {
    const rel = minus(c, a), s = dot(rel, d) / l2, off = minus(rel, d.map((v) => v * s)), q = r * r - dot(off, off);
    if (q < 0) return;
    const enter = s - Math.sqrt(q / l2);
    if (enter < roundAt) (roundAt = enter), (round = i);
    if (ball && enter < at) (at = enter), (best = i);
    for (const [p, v, w] of out) {
      const e = minus(v, p), g = minus(w, p), h = cross(d, g), det = dot(e, h), o = minus(a, p), u = dot(o, h) / det, k = cross(o, e), t = dot(g, k) / det;
      if (!ball && u >= 0 && dot(d, k) / det >= 0 && u + dot(d, k) / det <= 1 && t < at) (at = t), (best = i);
    }
  });
  return [best, round];
}
const spots = [];
for (let j = 90; j < image.h - 110; j += 7) for (let i = 20; i < image.w - 340; i += 7) spots.push([i, j]);
const picks = await page.evaluate((all) => all.map(([x, y]) => window.jostle.stage.pick(x, y, window.jostle.state.frame)), spots);
let mistaken = 0, told = 0, other = 0;
spots.forEach(([x, y], k) => {
  const at = (dx, dy) => first((2 * (x + dx)) / image.w - 1, 1 - (2 * (y + dy)) / image.h), [best, round] = at(0, 0);
  if ([[0.5, 0], [-0.5, 0], [0, 0.5], [0, -0.5]].some(([dx, dy]) => at(dx, dy)[0] !== best)) return; // an edge
  mistaken += picks[k] !== best;
  told += best >= 0;
  other += best !== round;
});
same("bodies picked that are not the first", mistaken, 0);
check("faces and spheres differ", told > 100 && other > 20, `: ${told} bodies, ${other} others`);
quiet(page);
await page.done();
await finish();
