// `jostle run --view`: the page follows the run, looks back, pauses it and takes single steps.
import { check, finish, openPage, pixels, differing, quiet, runJostle, same, serve, until } from "./support.mjs";

const here = new URL(".", import.meta.url).pathname;
const alone = JSON.parse(runJostle("run", `${here}scene.yaml`, "--out", "alone", "--json"));
const served = await serve("run", `${here}scene.yaml`, "--out", "watched", "--json", "--view-pause", "--view-keep");
const page = await openPage(served.url);
const state = (f, arg) => page.evaluate(f, arg);
// The status tells where the run stands; the frame of that moment must come, however slow the page is.
const standsAt = (who, step) => until(who, (n) => {
  const { status, frame } = window.jostle.state;
  return status?.state === "paused" && status.count === n && frame?.step === n;
}, step);

// From the first step on. Output is due every 40 steps: a hundred of them go across it.
await standsAt(page, 0);
await page.click("#run-step");
await standsAt(page, 1);
await state(() => {
  document.getElementById("run-step").click();
  document.getElementById("run-step").click();
});
await standsAt(page, 3);
await state(() => (document.getElementById("run-steps").value = 100));
await page.click("#run-step");
await standsAt(page, 103);
check("stages are shown", (await page.locator(".stage").count()) >= 5);
check("frames are kept", (await state(() => window.jostle.timeline.kept.length)) >= 3);
await page.click("#run-pause"); // goes on
await until(page, () => window.jostle.state.status.state === "complete" && window.jostle.state.frame.step === window.jostle.state.status.count);
same("the end", await state(() => window.jostle.state.frame.step), 6000);
await until(page, () => window.jostle.plots.rows.length >= 151);
same("all rows of measures", await state(() => window.jostle.plots.rows.length), 151);

// Picking in a live run tells contacts.
const id = await state(() => {
  const { frame } = window.jostle.state;
  let best = 0;
  for (let i = 0; i < frame.n; i++) if (frame.position[3 * i + 2] > frame.position[3 * best + 2]) best = i;
  window.jostle.choose(frame.bodyInfo.id[best]);
  return frame.bodyInfo.id[best];
});
await until(page, (n) => window.jostle.state.detail?.bodies.some((b) => b.id === n && b.there && Array.isArray(b.contacts)), id);
same("the body is named", (await page.textContent("#body-id")).trim(), String(id));
const before = await pixels(page);
await state(() => window.jostle.choose(null));
check("it was marked", differing(before, await pixels(page)) > 3);

// Looking back, and to the end again.
await page.keyboard.press("Home");
await until(page, () => window.jostle.state.frame === window.jostle.timeline.kept[0]);
same("the first frame that came", await state(() => window.jostle.state.frame.step), 0);
await page.keyboard.press("End");
await until(page, () => window.jostle.timeline.follow);
same("live again", await state(() => window.jostle.state.frame.step), 6000);
quiet(page);
await page.done();
served.child.kill("SIGINT");
await served.ended;
const watched = JSON.parse(served.said.split("\n").find((l) => l.startsWith("{")));
same("the same bits as unwatched", watched.state_hash, alone.state_hash);

// A run that is in full swing, and would be for hours: paused anywhere, it stands still there.
const long = await serve("run", `${here}scene.yaml`, "--out", "long", "--view", "--threads", "1", "--set", "duration=1e5 s", "--set", "output.trajectory=1e4 s", "--set", "output.dump=1e4 s");
const other = await openPage(long.url);
const looked = await other.evaluate(() => window.jostle.state.frame.step);
await until(other, (n) => window.jostle.state.frame.step > n, looked);
await other.click("#run-pause");
await until(other, () => window.jostle.state.status?.state === "paused");
const start = await other.evaluate(() => window.jostle.state.status.count);
await standsAt(other, start);
check("it had begun", start > 0);
await other.evaluate(() => (document.getElementById("run-steps").value = 57));
await other.click("#run-step");
await standsAt(other, start + 57);
await other.evaluate(() => (document.getElementById("run-steps").value = 1e12)); // can be paused before they are taken
await other.click("#run-step");
await until(other, (n) => window.jostle.state.frame.step > n && window.jostle.state.status.state === "running", start + 57);
await other.click("#run-pause");
await until(other, (n) => {
  const { status, frame } = window.jostle.state;
  return status.state === "paused" && status.count > n && frame.step === status.count;
}, start + 57);
await other.click("#run-pause");
await until(other, () => window.jostle.state.status.state === "running");
quiet(other);
long.child.kill("SIGINT");
await long.ended;
await other.done();
await finish();
