// Polygons in the viewer: filled where their outlines say, and the layer of their triangulation.
import { readFileSync } from "node:fs";
import { check, eventually, finish, near, openPage, pixels, quiet, runJostle, same, serve, until } from "./support.mjs";

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
await eventually("the layer", async () => /sides of triangles/.test((note = await page.textContent("#layer-note"))));
check("the layer tells what it shows", /^[0-9]+ sides of triangles/.test(note), `: ${note}`);

// Picking: by outlines, not the circles around them.
let mistaken = 0, picked = 0;
for (let j = 70; j < image.h - 90; j += 9) for (let i = 10; i < image.w - 330; i += 9) {
  const at = (dx, dy) => placed.findIndex((p) => inside(point((2 * (i + dx)) / image.w - 1, 1 - (2 * (j + dy)) / image.h), p)), expected = at(0, 0);
  if ([[1, 0], [-1, 0], [0, 1], [0, -1]].some(([dx, dy]) => at(dx, dy) !== expected)) continue;
  const told = await page.evaluate(([x, y]) => window.jostle.stage.pick(x, y, window.jostle.state.frame), [i, j]);
  mistaken += told !== expected;
  picked += told >= 0;
}
check("bodies were picked", picked > 20, `: ${picked}`);
same("the wrong body, or none", mistaken, 0);
quiet(page);
await page.done();

// A live run: event by event, flips flash; changed in every way, and repeated bit by bit.
const live = await serve("run", `${here}polygons.yaml`, "--out", "live", "--json", "--view-pause", "--set", "walls.post={bar: {path: [[-2 cm, -15.6 cm], [2 cm, -15.6 cm]], thickness: 4 mm}}");
const other = await openPage(live.url);
await until(other, () => window.jostle.state.status?.state === "paused");
await other.evaluate(() => document.getElementById("layer-triangulation").click());
await until(other, () => !!window.jostle.state.frame.sideKeys);
const step = async (n) => {
  const from = await other.evaluate(() => window.jostle.state.frame.step);
  await other.evaluate((k) => { document.getElementById("run-steps").value = k; document.getElementById("run-step").click(); }, n);
  await until(other, (s) => window.jostle.state.frame.step >= s && window.jostle.state.status.state === "paused", from + n);
};
let flashes = false;
for (let k = 0; k < 40 && !flashes; k++) {
  await step(1);
  const flip = await other.evaluate(() => window.jostle.state.frame.event?.length === 8);
  if (!flip) continue;
  flashes = true;
  const lines = await other.evaluate(() => { // drawn now, however late it is
    const { layers, state } = window.jostle;
    layers.update(state.frame, { hello: state.hello });
    return layers.texts.get("triangulation");
  });
  check("it was told", /sides of triangles/.test(lines), lines);
}
check("a flip came", flashes);
same("what flips make is new", await other.evaluate(() => {
  const { layers, state } = window.jostle, { frame } = state, fewer = { ...frame, sides: frame.sides.slice(4), sideKeys: frame.sideKeys.slice(1) };
  layers.update(fewer, { hello: state.hello }); // as if the first side had not been there
  layers.update(frame, { hello: state.hello });
  return /, (\d+) of them new by flips/.exec(layers.texts.get("triangulation"))?.[1] >= 1 && layers.moving;
}), true);
const controls = () => other.evaluate(() => window.jostle.state.status.controls);
async function ask(line, refused = false) {
  const before = await controls(), what = refused ? "refusals" : "changes";
  await other.evaluate((l) => window.jostle.link.say(`run change ${l}`), line);
  await until(other, ([w, n]) => window.jostle.state.status.controls[w] > n, [what, before[what]]);
  return controls();
}
same("all can be changed", (await controls()).changeable, 31);
near("gravity", (await ask("gravity 0 -9.81 0")).gravity[1], -9.81, 0);
await step(300);
near("friction", (await ask("friction grain grain 0.3")).contacts[0].friction, 0.3, 0);
near("restitution", (await ask("restitution grain grain 0.5")).contacts[0].restitution, 0.5, 0);
await step(100);
const post = await other.evaluate(() => window.jostle.state.hello.walls.indexOf("post"));
same("a wall is opened", (await ask("wall post open")).walls[post], false);
await step(50);
check("a body that would overlap", /cannot be added/.test((await ask(`add grain 0.15 0 0 0`, true)).refused));
check("the wall around", /around everything/.test((await ask("wall frame open", true)).refused));
const count = await other.evaluate(() => window.jostle.state.frame.n);
const place = await other.evaluate(() => { // where there is room
  const { frame } = window.jostle.state, x = frame.position, r = frame.bodyInfo.radius, o = frame.origin;
  for (let a = -0.145; a < 0.15; a += 0.002) for (let b = 0.145; b > -0.15; b -= 0.002) if ([...r].every((v, i) => Math.hypot(x[3 * i] + o[0] - a, x[3 * i + 1] + o[1] - b) > v + 0.012)) return [a, b];
});
await ask(`add grain 0.01 ${place.join(" ")} 0 moving 0.1 0 0`);
await until(other, (n) => window.jostle.state.frame.n === n, count + 1);
await step(200);
await ask("gravity 1 -4 0");
quiet(other);
await other.evaluate(() => window.jostle.link.say("run go"));
await live.ended;
await other.done();
const watched = JSON.parse(live.said.split("\n").find((l) => l.startsWith("{")));
const again = JSON.parse(runJostle("run", `${here}polygons.yaml`, "--out", "again", "--json", "--replay", "live/changes.csv", "--set", "walls.post={bar: {path: [[-2 cm, -15.6 cm], [2 cm, -15.6 cm]], thickness: 4 mm}}"));
same("repeated, with the same bits", again.state_hash, watched.state_hash);
same("six changes", readFileSync("live/changes.csv", "utf8").trim().split("\n").length, 7);
await finish();
