// `jostle view`: the page shows the frame that was asked for, where and as it should be.
import { check, differing, eventually, finish, near, openPage, pixels, quiet, readDump, runJostle, same, serve, until } from "./support.mjs";

const here = new URL(".", import.meta.url).pathname;
runJostle("run", `${here}scene.yaml`, "--out", "run", "--quiet");
const dump = readDump("run/dump.lammpstrj");
const served = await serve("view", "run");
const page = await openPage(served.url);
const state = (f, arg) => page.evaluate(f, arg);
const frame = () => state(() => {
  const { frame, hello } = window.jostle.state;
  return { index: frame.index, step: frame.step, time: frame.time, origin: frame.origin, position: [...frame.position], id: [...frame.bodyInfo.id], radius: [...frame.bodyInfo.radius], frames: hello.frames };
});
const shown = (k) => until(page, (n) => window.jostle.state.frame.index === n, k);
const set = (id, value, event = "change") => state(([i, v, e]) => {
  const el = document.getElementById(i);
  if (typeof v === "boolean") el.checked = v;
  else el.value = v;
  el.dispatchEvent(new Event(e));
}, [id, value, event]);

// Every frame is the run's, scrubbed to in any order.
same("title", await page.textContent("#title"), "Viewer test");
same("frames", (await frame()).frames, dump.length);
for (const k of [0, 7, 30, 3, 29, 15]) {
  await set("scrub", k, "input");
  await shown(k);
  const f = await frame();
  same(`step of frame ${k}`, f.step, dump[k].step);
  same(`bodies of frame ${k}`, f.id.length, dump[k].bodies.size);
  let worst = 0;
  f.id.forEach((id, i) => {
    const b = dump[k].bodies.get(id + 1) ?? dump[k].bodies.get(id);
    [b.x, b.y, b.z].forEach((v, a) => (worst = Math.max(worst, Math.abs(f.position[3 * i + a] + f.origin[a] - v))));
    worst = Math.max(worst, Math.abs(f.radius[i] - b.radius));
  });
  check(`positions of frame ${k}`, worst < 3e-8, `: off by ${worst}`);
}

// The picture: bodies alone, against rays cast here.
for (const id of ["show-walls", "show-box"]) await set(id, false);
const camera = await state(() => {
  const { camera } = window.jostle.stage;
  camera.updateMatrixWorld();
  return { world: camera.matrixWorld.toArray(), inverse: camera.projectionMatrixInverse.toArray() };
});
const times = (m, v) => [0, 1, 2, 3].map((r) => m[r] * v[0] + m[4 + r] * v[1] + m[8 + r] * v[2] + m[12 + r] * v[3]);
const unproject = (x, y, z) => {
  const v = times(camera.inverse, [x, y, z, 1]);
  return times(camera.world, [v[0] / v[3], v[1] / v[3], v[2] / v[3], 1]);
};
function hits(f, x, y) {
  const a = unproject(x, y, -1), b = unproject(x, y, 1), d = [0, 1, 2].map((k) => b[k] - a[k]), l = Math.hypot(...d);
  let nearest = Infinity, who = -1, margin = Infinity;
  f.id.forEach((id, i) => {
    const c = [0, 1, 2].map((k) => a[k] - f.position[3 * i + k]), s = (c[0] * d[0] + c[1] * d[1] + c[2] * d[2]) / l;
    const off = Math.sqrt(Math.max(0, c[0] ** 2 + c[1] ** 2 + c[2] ** 2 - s * s)) - f.radius[i];
    margin = Math.min(margin, Math.abs(off));
    if (off < 0 && -s - Math.sqrt(f.radius[i] ** 2 - (off + f.radius[i]) ** 2) < nearest) (nearest = -s - Math.sqrt(f.radius[i] ** 2 - (off + f.radius[i]) ** 2)), (who = id);
  });
  return { who, margin };
}
const f = await frame(), image = await pixels(page);
let body = 0, back = 0, wrong = 0;
for (let j = 2; j < image.h; j += 2)
  for (let i = 2; i < image.w; i += 2) {
    const { who, margin } = hits(f, (2 * (i + 0.5)) / image.w - 1, (2 * (j + 0.5)) / image.h - 1);
    if (margin < 4e-4) continue; // about a pixel from an outline
    const drawn = image.bytes[4 * (j * image.w + i) + 3] > 128;
    wrong += drawn !== who >= 0;
    if (who >= 0) body++;
    else back++;
  }
check("silhouette: enough of it", body > 300 && back > 300, `: ${body} and ${back} points`);
same("silhouette: points that are wrong", wrong, 0);

// Picking: the body in front, from the middle of the picture.
let picked = 0, missed = 0;
for (let k = 0; k < 400 && (picked < 4 || missed < 1); k++) {
  const i = 17 + ((k * 137) % (image.w - 360)), j = 90 + ((k * 71) % (image.h - 200)); // clear of bars and panel
  const ray = hits(f, (2 * i) / image.w - 1, 1 - (2 * j) / image.h);
  if (ray.margin < 4e-4 || (ray.who < 0 ? missed >= 1 : picked >= 4)) continue;
  await page.mouse.click(i, j);
  await until(page, (who) => window.jostle.state.pick === who, ray.who < 0 ? null : ray.who);
  same(`picked at ${i}, ${j}`, await state(() => window.jostle.state.pick), ray.who < 0 ? null : ray.who);
  if (ray.who < 0) missed++;
  else picked++;
  if (ray.who < 0) continue;
  await until(page, (who) => window.jostle.state.detail?.bodies[0]?.id === who, ray.who);
  const told = await state(() => window.jostle.state.detail.bodies[0]), b = dump[15].bodies.get(ray.who + 1) ?? dump[15].bodies.get(ray.who);
  near("its height", told.x[2], b.z, 1e-9);
  check("its numbers are shown", (await page.textContent("#body-table")).includes("velocity"));
}
check("bodies were picked, and nothing was", picked === 4 && missed === 1);
await page.keyboard.press("Escape");
same("Escape forgets it", await state(() => window.jostle.state.pick), null);

// Colours: each changes the picture, and says what it shows.
let before = await pixels(page);
for (const name of ["force", "size", "material", "id", "contacts", "spin", "speed"]) {
  await set("colour", name);
  await until(page, (n) => ["size", "material", "id"].includes(n) || !!window.jostle.state.frame[n], name);
  const after = await pixels(page);
  check(`colour by ${name} changes the picture`, differing(before, after) > 500, `: ${differing(before, after)} pixels`);
  check(`the legend of ${name}`, (await page.textContent("#legend")).length > 3);
  if (name === "material") check("materials are named", (await page.textContent("#legend")).includes("heavy"));
  before = after;
}
await set("range-auto", false);
await set("range-hi", 100, "input");
check("a range of one's own", differing(before, await pixels(page)) > 500);
await set("range-auto", true);

// The cut takes bodies away, from either side, and opens some.
const opaque = (p) => { let n = 0; for (let k = 3; k < p.bytes.length; k += 4) n += p.bytes[k] > 128; return n; };
const whole = opaque(await pixels(page));
await set("clip-axis", "z");
await set("clip-at", 0.3, "input");
const lower = opaque(await pixels(page));
await set("clip-flip", true);
const upper = opaque(await pixels(page));
check("the cut", lower < 0.9 * whole && upper < 0.9 * whole && lower + upper > 0.9 * whole, `: ${lower} + ${upper} of ${whole}`);
await set("clip-axis", "none");
same("whole again", opaque(await pixels(page)), whole);

// Walls, box, bodies: switched off and on.
for (const id of ["show-walls", "show-box", "show-bodies"]) {
  const was = await state((i) => document.getElementById(i).checked, id), one = await pixels(page);
  await set(id, !was);
  check(`${id} changes the picture`, differing(one, await pixels(page)) > 100);
  await set(id, was);
}

// Layers: each draws something and says what; those of other kinds of runs (methods.mjs, polygons.mjs) say so.
const elsewhere = ["layer-triangulation", "layer-events", "layer-features"];
for (const name of await state(() => [...document.querySelectorAll("#layers input")].map((i) => i.id))) {
  const one = await pixels(page);
  await set(name, true);
  const drawn = differing(one, await pixels(page));
  check(`${name} draws`, elsewhere.includes(name) ? drawn === 0 : drawn > 100, `: ${drawn} pixels`);
  check(`${name} says what`, (await page.textContent("#layer-note")).length > 10);
  await set(name, false);
}
same("pairs that touch, as brute force finds them", await (async () => {
  await set("layer-contacts", true);
  return +/(\d+) pairs touch/.exec(await page.textContent("#layer-note"))[1];
})(), (() => {
  let n = 0;
  f.id.forEach((_, i) => f.id.forEach((__, j) => (n += i < j && (f.radius[i] + f.radius[j]) ** 2 >= [0, 1, 2].reduce((s, a) => s + (f.position[3 * i + a] - f.position[3 * j + a]) ** 2, 0))));
  return n;
})());
await set("layer-contacts", false);

// The camera.
before = await pixels(page);
await page.mouse.move(60, 300);
await page.mouse.down();
await page.mouse.move(140, 310, { steps: 3 });
await page.mouse.up();
let after = await pixels(page);
check("a drag turns it", differing(before, after) > 500);
await page.mouse.wheel(0, -300);
await eventually("the wheel to come nearer", async () => opaque(await pixels(page)) > 1.1 * opaque(after));
for (const key of ["1", "2", "3", "f"]) {
  before = await pixels(page);
  await page.keyboard.press(key);
  check(`key ${key} looks from elsewhere`, differing(before, await pixels(page)) > 300);
}

// Time: keys, buttons, playing to the end.
await page.keyboard.press("Home");
await shown(0);
await page.keyboard.press("ArrowRight");
await shown(1);
await page.click("#forward");
await shown(2);
await page.keyboard.press("ArrowLeft");
await shown(1);
await set("speed", "10");
await page.keyboard.press(" ");
await until(page, () => !window.jostle.timeline.playing && window.jostle.state.frame.index === 30);
await page.click("#first");
await shown(0);
await page.keyboard.press("End");
await shown(30);

// Measures: all rows are there; a click goes to its time.
same("rows of measures", await state(() => window.jostle.plots.rows.length), 151);
near("the last one's time", await state(() => window.jostle.plots.rows.at(-1)[0]), 0.3, 1e-12);
const chart = page.locator("#plots canvas").first();
await chart.scrollIntoViewIfNeeded();
const box = await chart.boundingBox();
await chart.click({ position: { x: box.width / 2, y: 20 } });
await until(page, () => Math.abs(window.jostle.state.frame.index - 15) <= 1);
await eventually("charts to be drawn", () => chart.evaluate((c) => c.getContext("2d").getImageData(0, 0, c.width, c.height).data.some((v) => v > 0)));
const charts = await page.locator("#plots canvas").count();
await set("plot-add", "14");
same("another measure", await page.locator("#plots canvas").count(), charts + 1);

// Themes, help, panel, pictures.
const theme = () => state(() => document.documentElement.dataset.theme);
const was = await theme();
await page.keyboard.press("d");
check("the theme changes", (await theme()) !== was);
await page.keyboard.press("?");
check("the keys are shown", await page.locator("#keys").isVisible());
await page.keyboard.press("Escape");
await page.click("#toggle");
check("the panel goes", !(await page.locator("#panel").isVisible()));
await page.click("#toggle");
const [picture] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("p")]);
const { readFileSync } = await import("node:fs");
same("a PNG is saved", readFileSync(await picture.path()).subarray(1, 4).toString(), "PNG");
await page.keyboard.press("r");
await eventually("some of a video", async () => { // the camera captures what is drawn anew
  await page.keyboard.press("f");
  return state(() => window.jostle.recorder.size > 0);
});
const [video] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("r")]);
same("a WebM is saved", readFileSync(await video.path()).subarray(0, 4).toString("hex"), "1a45dfa3");

quiet(page);
if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/replay.png` });
await page.done();

// A phone.
const phone = await openPage(served.url, { width: 390, height: 780, hasTouch: true, isMobile: true });
check("the bar fits a phone", await phone.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
if (process.env.SHOTS) await phone.screenshot({ path: `${process.env.SHOTS}/phone.png` });
quiet(phone);
await phone.done();
served.child.kill("SIGINT");
same("Ctrl-C ends it", await served.ended, "SIGINT");
await finish();
