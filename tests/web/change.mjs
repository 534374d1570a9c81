// A live run that is changed from the page: every control does what it says, what cannot be is refused
// with a sentence, and `jostle run --replay` repeats the run bit by bit; also when it was stopped and
// resumed in between.
import { readFileSync } from "node:fs";
import { check, differing, finish, near, openPage, pixels, quiet, runJostle, same, serve, until } from "./support.mjs";

const here = new URL(".", import.meta.url).pathname;
const scene = `${here}scene.yaml`;
const served = await serve("run", scene, "--out", "live", "--json", "--threads", "1", "--view-pause");
const page = await openPage(served.url);
const state = (f, arg) => page.evaluate(f, arg);
const now = () => state(() => window.jostle.state.status.controls);
await until(page, () => window.jostle.state.status?.state === "paused");

// Asks for something and waits for the answer: one more change, or one more refusal.
async function ask(act, refused = false) {
  const before = await now();
  await act();
  const count = refused ? before.refusals : before.changes;
  await until(page, ([what, n]) => window.jostle.state.status.controls[what] > n, [refused ? "refusals" : "changes", count]);
  return now();
}
const type = (id, value) => async () => {
  await page.fill(`#${id}`, String(value));
  await page.press(`#${id}`, "Enter");
  await state(() => document.activeElement.blur());
};
const steps = async (n) => {
  const from = await state(() => window.jostle.state.frame.step);
  await page.fill("#run-steps", String(n));
  await page.click("#run-step");
  await until(page, (s) => window.jostle.state.frame.step >= s && window.jostle.state.status.state === "paused", from + n);
};

same("gravity is shown", await page.inputValue("#gravity-z"), "-9.81");
await steps(100);
near("gravity", (await ask(type("gravity-z", -5))).gravity[2], -5, 0);
await page.selectOption("#pair", { label: "grain – heavy" });
near("friction", (await ask(type("friction", 0.1))).contacts[1].friction, 0.1, 0);
near("restitution", (await ask(type("restitution", 0.8))).contacts[1].restitution, 0.8, 0);
near("other pairs stay", (await now()).contacts[0].friction, 0.5, 0);
await page.selectOption("#pair", { label: "grain – grain" });
same("the pair's friction is shown", await page.inputValue("#friction"), "0.5");

// What cannot be.
const answer = await ask(type("restitution", 3), true);
check("a refusal is a sentence", /restitution between 'grain' and 'grain' is 3; it must be above 0 and at most 1/.test(answer.refused), answer.refused);
same("it is on the page", await page.textContent("#change-refused"), answer.refused);
near("and nothing changed", (await now()).contacts[0].restitution, 0.6, 0);
same("the field shows what is", await page.inputValue("#restitution"), "0.6");
await ask(async () => { await page.fill("#restitution", "4"); await page.press("#restitution", "Enter"); }, true);
same("nobody's typing is taken away", await page.inputValue("#restitution"), "4");
await state(() => document.activeElement.blur());
same("once left, the field shows what is", await page.inputValue("#restitution"), "0.6");

// Bodies: above, against one that is clicked, and where there is no room.
const n = await state(() => window.jostle.state.frame.n);
await page.fill("#add-radius", "0.006");
await page.selectOption("#add-material", { label: "heavy" });
const empty = await pixels(page);
await ask(() => page.click("#add-above"));
await until(page, (k) => window.jostle.state.frame.n === k, n + 1);
check("the new body is seen", differing(empty, await pixels(page)) > 20);
const added = await state(() => {
  const { frame } = window.jostle.state, k = frame.n - 1;
  return { id: frame.bodyInfo.id[k], r: frame.bodyInfo.radius[k], material: frame.bodyInfo.material[k], z: frame.position[3 * k + 2] };
});
near("its radius", added.r, 0.006, 1e-8);
same("its material", added.material, 1);
await page.fill("#add-radius", "0.004");
await page.click("#add-click");
const spot = await state(() => { // a body that is seen whole, high up: there is room above it
  const { stage, state: { frame } } = window.jostle, x = frame.position, order = [...Array(frame.n).keys()].sort((i, j) => x[3 * j + 2] - x[3 * i + 2]);
  for (const i of order) {
    const at = stage.project(x[3 * i], x[3 * i + 1], x[3 * i + 2] + 0.5 * frame.bodyInfo.radius[i]);
    if (stage.pick(...at, frame, frame.bodyInfo.radius) === i) return { i, at, r: frame.bodyInfo.radius[i] };
  }
});
await ask(() => page.mouse.click(...spot.at));
await until(page, (k) => window.jostle.state.frame.n === k, n + 2);
const apart = await state((i) => {
  const { position: x, n: count } = window.jostle.state.frame, a = 3 * (count - 1), b = 3 * i;
  return Math.hypot(x[a] - x[b], x[a + 1] - x[b + 1], x[a + 2] - x[b + 2]);
}, spot.i);
near("it lies against the one that was clicked", apart, spot.r + 0.004, 1e-4);
await page.fill("#add-radius", "0.05");
const no = await ask(() => page.click("#add-above"), true);
check("no room", /there is no room|outside the box/.test(no.refused), no.refused);
same("no body came", await state(() => window.jostle.state.frame.n), n + 2);

// The outlet.
const floor = (await state(() => window.jostle.state.hello.walls)).indexOf("floor");
const shut = await pixels(page);
same("the outlet is open", (await ask(() => page.click(`#wall-${floor}`))).walls[floor], false);
await until(page, (w) => !window.jostle.state.frame.wallInfo.owner.includes(w), floor);
check("its wall has gone from the picture", differing(shut, await pixels(page)) > 100);
check("its button says so", /shut floor/.test(await page.textContent(`#wall-${floor}`)));
await steps(1500); // the first have fallen through
const full = await ask(() => page.click(`#wall-${floor}`), true);
check("it is not shut on bodies", /'floor' cannot be put back: .* in the way/.test(full.refused), full.refused);
await ask(type("gravity-x", 1));
check("changes are told", /^\d+ changes noted in changes.csv; the last: gravity 1 0 -5$/.test(await page.textContent("#change-note")), await page.textContent("#change-note"));
await page.evaluate(() => document.getElementById("change-section").scrollIntoView());
if (process.env.WEB_SCREENSHOTS) await page.screenshot({ path: `${process.env.WEB_SCREENSHOTS}/viewer-change.png` });
quiet(page);
await page.done();

// Stopped here; what was changed goes on with it.
served.child.kill("SIGTERM");
await served.ended;
const rows = readFileSync("live/changes.csv", "utf8").trim().split("\n");
same("all of them are in the file", rows.length, 8);
check("with their steps", rows[1] === "100,0.005,gravity 0 0 -5" && rows.at(-1) === "1600,0.08,gravity 1 0 -5", rows.join(" | "));
const resumed = JSON.parse(runJostle("resume", "live", "--json", "--threads", "2"));
for (const threads of [1, 2]) {
  const again = JSON.parse(runJostle("run", scene, "--out", `again${threads}`, "--json", "--threads", String(threads), "--replay", "live/changes.csv"));
  same(`repeated with ${threads} threads`, again.state_hash, resumed.state_hash);
}
const plain = JSON.parse(runJostle("run", scene, "--out", "plain", "--json"));
check("without them it is another run", plain.state_hash !== resumed.state_hash);
await finish();
