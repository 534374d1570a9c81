// Many bodies: frames come packed, and look like exact ones; picking still tells exact numbers; a live
// run goes on showing itself while one is picked.
import { check, differing, finish, near, openPage, pixels, quiet, same, serve, until } from "./support.mjs";

const here = new URL(".", import.meta.url).pathname;
const served = await serve("run", `${here}many.yaml`, "--out", "run", "--view-pause", "--threads", "1");
const page = await openPage(served.url, { width: 900, height: 420 });
for (const id of ["show-walls", "show-box"]) await page.evaluate((i) => document.getElementById(i).click(), id);
const state = (f, arg) => page.evaluate(f, arg);
await state(() => document.getElementById("run-steps").value = 300);
await until(page, () => window.jostle.state.status?.state === "paused");
await page.click("#run-step");
await until(page, () => window.jostle.state.status.state === "paused" && window.jostle.state.status.count === 300 && window.jostle.state.frame.step === 300);
check("there are many", (await state(() => window.jostle.state.frame.n)) >= 20000);
check("they come packed", await state(() => !!window.jostle.state.frame.packed));
const size = await state(() => [window.jostle.state.frame.bytes, window.jostle.state.frame.n]);
check("in 8 bytes each", size[0] < 8 * size[1] + 400, `: ${size[0] / size[1]}`);
await state(() => { // near enough to see each of them
  const { stage } = window.jostle;
  stage.look(-90, 0);
  stage.camera.position.lerp(stage.controls.target, 0.8);
  stage.controls.update();
});
const numbers = () => state(() => {
  const { frame } = window.jostle.state;
  return { x: [...frame.position], v: [...frame.speed], r: [...frame.bodyInfo.radius] };
});
const packed = await numbers(), looks = await pixels(page);

// Exactly, as layers want it.
await state(() => window.jostle.link.say("want 129"));
await until(page, () => !window.jostle.state.frame.packed);
const exact = await numbers(), exactLooks = await pixels(page);
const least = Math.min(...exact.r), most = Math.max(...exact.v);
const off = exact.x.reduce((w, v, k) => Math.max(w, Math.abs(v - packed.x[k])), 0);
check("positions are off by no more than a hundredth of the smallest radius", off > 0 && off <= 0.0101 * least, `: ${off / least}`);
const wrong = exact.v.reduce((w, v, k) => Math.max(w, Math.abs(v - packed.v[k]) / Math.max(v, 1e-6 * most)), 0);
check("speeds by 1/2000 of their size", wrong > 0 && wrong <= 1 / 2000, `: ${wrong}`);
check("something is seen", looks.bytes.some((b, k) => k % 4 === 3 && b > 128));
// Edges are smoothed in steps of a quarter: a hair's breadth may be one step there.
const seen = (p, k) => p.bytes[4 * k + 3] > 100, count = looks.w * looks.h;
let outline = 0, shade = 0;
for (let k = 0; k < count; k++) (outline += seen(looks, k) !== seen(exactLooks, k)), (shade += Math.abs(looks.bytes[4 * k] - exactLooks.bytes[4 * k]) / count);
check("the pictures are the same", outline < 0.004 * count && shade < 0.5, `: ${outline} of ${count} pixels are not covered alike, ${shade} shades apart`);

// Other quantities, packed, and those that are not of frames.
await state(() => window.jostle.link.say("want 1"));
await until(page, () => !!window.jostle.state.frame.packed);
let before = await pixels(page);
for (const name of ["force", "contacts", "spin", "size", "material", "id", "speed"]) {
  await state((n) => { const s = document.getElementById("colour"); s.value = n; s.dispatchEvent(new Event("change")); }, name);
  await until(page, (n) => ["size", "material", "id"].includes(n) || !!window.jostle.state.frame[n], name);
  check(`${name} comes packed`, await state(() => !!window.jostle.state.frame.packed));
  const now = await pixels(page);
  check(`colour by ${name} changes the picture`, differing(before, now) > 2000, `: ${differing(before, now)}`);
  before = now;
}

// A body that is picked: exact numbers; and the run goes on.
const [i, px, py] = await state(() => {
  const { stage, state: { frame } } = window.jostle, x = frame.position;
  let best = 0; // the nearest one to the camera
  const c = stage.camera.position, d = (k) => (x[3 * k] - c.x) ** 2 + (x[3 * k + 1] - c.y) ** 2 + (x[3 * k + 2] - c.z) ** 2;
  for (let k = 0; k < frame.n; k++) if (d(k) < d(best)) best = k;
  return [best, ...stage.project(x[3 * best], x[3 * best + 1], x[3 * best + 2])];
});
await page.mouse.click(px, py);
await until(page, () => window.jostle.state.detail?.bodies.length === 1);
const told = await state(() => ({ pick: window.jostle.state.pick, id: window.jostle.state.frame.bodyInfo.id.indexOf(window.jostle.state.pick), b: window.jostle.state.detail.bodies[0], o: window.jostle.state.frame.origin }));
same("the body under the hand", told.id, i);
[0, 1, 2].forEach((a) => near("told where it is", told.b.x[a] - told.o[a], exact.x[3 * i + a], 2e-8));
await page.click("#run-pause");
const frames = await state(() => window.jostle.state.frames);
await until(page, (n) => window.jostle.state.frames > n + 5 && window.jostle.state.detail.time > 3.2e-3, frames);
check("the picked body is told of while it goes on", await state(() => window.jostle.state.detail.bodies[0].id === window.jostle.state.pick));
quiet(page);
served.child.kill("SIGINT");
await served.ended;
await page.done();
await finish();
