// Layers in a periodic and sheared box: pairs are those of nearest images, and no line crosses the box.
import { check, finish, openPage, quiet, runJostle, same, serve, until } from "./support.mjs";

const here = new URL(".", import.meta.url).pathname;
runJostle("run", `${here}images.yaml`, "--out", "run", "--quiet");
const served = await serve("view", "run");
const page = await openPage(served.url);
const state = (f, arg) => page.evaluate(f, arg);
await state(() => window.jostle.timeline.go(3));
await until(page, () => window.jostle.state.frame.index === 3);
const f = await state(() => {
  const { frame } = window.jostle.state;
  return { x: [...frame.position], r: [...frame.bodyInfo.radius], box: [...frame.box], origin: frame.origin };
});
check("the box is told, and how far it is sheared", f.box[0] === 1 && Math.abs(f.box[4] - 0.9) < 1e-12 && f.box[9] !== 0, `: ${f.box}`);
const size = [0, 1, 2].map((a) => f.box[3 + a] - f.box[a]);

// Every image around, by hand.
function nearest(i, j) {
  let best = Infinity;
  for (let z = -1; z <= 1; z++) for (let y = -1; y <= 1; y++) for (let x = -2; x <= 2; x++) {
    const d = [0, 1, 2].map((a) => f.x[3 * j + a] - f.x[3 * i + a] + [x, y, z][a] * size[a]);
    best = Math.min(best, Math.hypot(d[0] + y * f.box[9], d[1], d[2]));
  }
  return best;
}
let touching = 0, across = 0;
for (let i = 0; i < f.r.length; i++) for (let j = 0; j < i; j++) {
  const touch = nearest(i, j) <= f.r[i] + f.r[j];
  touching += touch;
  across += touch && Math.hypot(...[0, 1, 2].map((a) => f.x[3 * i + a] - f.x[3 * j + a])) > f.r[i] + f.r[j];
}
check("some touch through the sides", across >= 3, `: ${across} of ${touching}`);
for (const name of ["contacts", "pairs"]) {
  await state((n) => document.getElementById(`layer-${n}`).click(), name);
  await until(page, (n) => window.jostle.layers.texts.has(n), name);
  const [text, longest, lines] = await state((n) => {
    const p = window.jostle.layers.shown.get(n).children[0].geometry.getAttribute("position").array;
    let most = 0;
    for (let k = 0; k < p.length; k += 6) most = Math.max(most, Math.hypot(p[k] - p[k + 3], p[k + 1] - p[k + 4], p[k + 2] - p[k + 5]));
    return [window.jostle.layers.texts.get(n), most, p.length / 6];
  }, name);
  same(`${name}: pairs that touch`, +/(\d+) (pairs )?touch/.exec(text)[1], touching);
  const reach = name === "contacts" ? 2 * Math.max(...f.r) : 0.51 * Math.hypot(...size);
  check(`${name}: no line is longer than that`, longest <= reach * 1.001, `: ${longest} of ${reach}`);
  if (name === "contacts") same("through a side, a line on either", lines, touching + across);
  await state((n) => document.getElementById(`layer-${n}`).click(), name);
}
quiet(page);
if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/images.png` });
await page.done();
await finish();
