// Polygons in the viewer: filled where their outlines say, and the layer of their triangulation.
import { check, finish, openPage, pixels, quiet, runJostle, same, serve } from "./support.mjs";

const here = new URL(".", import.meta.url).pathname;
runJostle("run", `${here}polygons.yaml`, "--out", "run", "--quiet");
const served = await serve("view", "run");
const page = await openPage(served.url);
for (const id of ["show-walls", "show-box"]) await page.evaluate((i) => document.getElementById(i).click(), id);
const f = await page.evaluate(() => {
  const { frame } = window.jostle.state, b = frame.bodyInfo, { camera } = window.jostle.stage;
  camera.updateMatrixWorld();
  return { x: [...frame.position], q: [...frame.orientation], r: [...b.radius], outline: [...b.outline], corners: [...b.corners], owner: [...b.owner], world: camera.matrixWorld.toArray(), inverse: camera.projectionMatrixInverse.toArray() };
});
same("bodies", f.corners.length, 18);
same("triangles fill them", f.owner.length, f.corners.reduce((sum, n) => sum + n - 2, 0));
let from = 0;
const placed = f.corners.map((n, i) => {
  const w = f.q[4 * i], z = f.q[4 * i + 3], c = w * w - z * z, s = 2 * w * z, points = [];
  for (let k = 0; k < n; k++) {
    const [px, py] = f.outline.slice(2 * (from + k), 2 * (from + k) + 2);
    points.push([f.x[3 * i] + c * px - s * py, f.x[3 * i + 1] + s * px + c * py]);
  }
  from += n;
  return points;
});
const times = (m, v) => [0, 1, 2, 3].map((r) => m[r] * v[0] + m[4 + r] * v[1] + m[8 + r] * v[2] + m[12 + r] * v[3]);
const point = (x, y) => { const v = times(f.inverse, [x, y, 0, 1]); return times(f.world, v.map((a) => a / v[3])).slice(0, 2); };
const inside = ([x, y], p) => p.reduce((odd, [bx, by], k) => { const [ax, ay] = p.at(k - 1); return (ay > y) !== (by > y) && x < ax + ((bx - ax) * (y - ay)) / (by - ay) ? !odd : odd; }, false);
const hit = (x, y) => { const at = point(x, y); return placed.some((p) => inside(at, p)); };
const image = await pixels(page);
let wrong = 0, body = 0;
for (let j = 3; j < image.h; j += 5)
  for (let i = 3; i < image.w; i += 5) {
    const at = (dx, dy) => hit((2 * (i + 0.5 + dx)) / image.w - 1, (2 * (j + 0.5 + dy)) / image.h - 1), expected = at(0, 0);
    if ([[2, 0], [-2, 0], [0, 2], [0, -2]].some(([dx, dy]) => at(dx, dy) !== expected)) continue; // an outline
    body += expected;
    wrong += expected !== image.bytes[4 * (j * image.w + i) + 3] > 128;
  }
check("there is much to see", body > 300, `: ${body}`);
same("silhouette: points that are wrong", wrong, 0);

// The layer asks for the sides, and tells how many there are.
await page.evaluate(() => [...document.querySelectorAll("#layers label")].find((l) => l.textContent.includes("triangulation")).querySelector("input").click());
let note = "";
for (let k = 0; k < 100 && !/sides of triangles/.test(note); k++) {
  await new Promise((done) => setTimeout(done, 100));
  note = await page.evaluate(() => document.getElementById("layer-note").textContent);
}
check("the layer tells what it shows", /^[0-9]+ sides of triangles/.test(note), `: ${note}`);
quiet(page);
await page.done();
await finish();
