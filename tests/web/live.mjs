// `jostle run --view`: the page follows the run, looks back, pauses it and takes single steps.
import { check, finish, openPage, pixels, differing, quiet, runJostle, same, serve, until } from "./support.mjs";

const here = new URL(".", import.meta.url).pathname;
const alone = JSON.parse(runJostle("run", `${here}scene.yaml`, "--out", "alone", "--json"));
const served = await serve("run", `${here}scene.yaml`, "--out", "watched", "--json", "--view-wait", "--view-keep", "--set", "duration=0.3 s");
const page = await openPage(served.url);
const state = (f, arg) => page.evaluate(f, arg);
const runState = () => state(() => window.jostle.state.status?.state);
const isIn = (name) => until(page, (n) => window.jostle.state.status?.state === n, name);

// The run may be over before a slow browser has drawn anything; what came is kept.
await until(page, () => !!window.jostle.state.status);
await state(() => {
  const pause = document.getElementById("run-pause"); // a click from outside would wait for it if the run ends now
  if (!pause.disabled) pause.click();
});
await until(page, () => ["paused", "complete"].includes(window.jostle.state.status?.state));
const paused = (await runState()) === "paused";
if (paused) {
  const step = () => state(() => window.jostle.state.frame.step);
  let start = -1; // frames that were on their way come after the word that the run is paused
  for (let now = await step(); now !== start; now = await step()) {
    start = now;
    await new Promise((resolve) => setTimeout(resolve, 1500));
  }
  // Where few steps are left, the run is over before all that were asked for are taken.
  const taken = async (n) => {
    await page.click("#run-step");
    await until(page, (last) => window.jostle.state.frame.step === last || window.jostle.state.status.state === "complete", start + n);
    return (await runState()) === "paused";
  };
  if (await taken(1)) {
    await state(() => (document.getElementById("run-steps").value = 100));
    if (await taken(101)) await page.click("#run-pause");
  }
  check("stages are shown", (await page.locator(".stage").count()) >= 5);
}
await isIn("complete");
await until(page, () => Math.abs(window.jostle.state.frame.time - 0.3) < 1e-9);
same("all rows of measures", await state(() => window.jostle.plots.rows.length), 151);
check("frames are kept", (await state(() => window.jostle.timeline.kept.length)) >= 1);

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
if ((await state(() => window.jostle.timeline.kept.length)) > 2) {
  await page.keyboard.press("Home");
  same("the first frame that came", await state(() => window.jostle.state.frame === window.jostle.timeline.kept[0]), true);
  await page.keyboard.press("End");
  same("live again", await state(() => window.jostle.timeline.follow), true);
}
quiet(page);
await page.done();
served.child.kill("SIGINT");
await served.ended;
const watched = JSON.parse(served.said.split("\n").find((l) => l.startsWith("{")));
same("the same bits as unwatched", watched.state_hash, alone.state_hash);
await finish();
