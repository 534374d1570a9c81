// The layers that show an engine at work: the calendar of hard balls, the closest features of two bodies
// with their Voronoi regions; and what a body of a stored run touches.
import { check, differing, finish, near, openPage, pixels, quiet, readDump, runJostle, same, serve, until } from "./support.mjs";

const here = new URL(".", import.meta.url).pathname;

// ---- hard balls: the next events, and gravity that is changed
{
  const served = await serve("run", `${here}balls.yaml`, "--out", "balls", "--json", "--view-pause");
  const page = await openPage(served.url), state = (f, arg) => page.evaluate(f, arg);
  await until(page, () => window.jostle.state.status?.state === "paused");
  const bare = await pixels(page);
  await page.check("#layer-events");
  await until(page, () => window.jostle.state.next?.index === window.jostle.state.frame.index && window.jostle.layers.shown.has("events"));
  await until(page, () => /^\d+ events to come: /.test(document.getElementById("layer-note").textContent));
  check("the events are drawn", differing(bare, await pixels(page)) > 200);
  const { events } = await state(() => window.jostle.state.next);
  same("a dozen of them", events.length, 12);
  check("in their order", events.every((e, k) => e.in >= 0 && (k === 0 || e.in >= events[k - 1].in)));
  if (process.env.WEB_SCREENSHOTS) await page.screenshot({ path: `${process.env.WEB_SCREENSHOTS}/viewer-events.png` });
  let planned = 0;
  for (let k = 0; k < 5; k++) { // one event at a time: it is the one that was first, unless a ball came to another cell
    const before = await state(() => ({ time: window.jostle.state.frame.time, step: window.jostle.state.frame.step, first: window.jostle.state.next.events[0].in }));
    await page.click("#run-step");
    await until(page, (s) => window.jostle.state.frame.step === s && window.jostle.state.next?.index === window.jostle.state.frame.index, before.step + 1);
    const after = await state(() => window.jostle.state.frame.time);
    check("not later than planned", after - before.time <= before.first + 1e-12, `${after - before.time} ${before.first}`);
    planned += Math.abs(after - before.time - before.first) < 1e-12;
  }
  check("as planned", planned >= 3, planned);
  await page.fill("#gravity-z", "-4");
  await page.press("#gravity-z", "Enter");
  await until(page, () => window.jostle.state.status.controls.gravity[2] === -4);
  check("hard balls cannot be added", await state(() => document.getElementById("add-rows").hidden));
  await page.click("#run-pause");
  await until(page, () => window.jostle.state.status.state === "complete");
  quiet(page);
  await page.done();
  await served.ended;
  const live = JSON.parse(served.said.split("\n").find((l) => l.startsWith("{")));
  const again = JSON.parse(runJostle("run", `${here}balls.yaml`, "--out", "balls-again", "--json", "--replay", "balls/changes.csv"));
  same("hard balls, repeated", again.state_hash, live.state_hash);
}

// ---- closest features, in a stored run of polyhedra
{
  runJostle("run", `${here}solids.yaml`, "--out", "solids", "--quiet");
  const served = await serve("view", "solids"), page = await openPage(served.url), state = (f, arg) => page.evaluate(f, arg);
  await page.keyboard.press("End");
  await until(page, () => window.jostle.state.frame.index === window.jostle.timeline.last);
  const [a, b] = await state(() => { // the two polyhedra whose spheres are nearest
    const { frame } = window.jostle.state, { id, radius, shape } = frame.bodyInfo, x = frame.position;
    let best = Infinity, found;
    for (let i = 0; i < frame.n; i++) for (let j = 0; j < i; j++) {
      if (shape[i] === 0xffffffff || shape[j] === 0xffffffff) continue;
      const d = Math.hypot(x[3 * i] - x[3 * j], x[3 * i + 1] - x[3 * j + 1], x[3 * i + 2] - x[3 * j + 2]) - radius[i] - radius[j];
      if (d < best) (best = d), (found = [id[j], id[i]]);
    }
    return found;
  });
  await page.check("#layer-features");
  const bare = await pixels(page);
  await state(([one, other]) => window.jostle.choose(one, other), [a, b]);
  await until(page, (n) => window.jostle.state.detail?.pairs?.some((p) => p.a === n && p.there && p.sides), a);
  await until(page, () => / of the walk$/.test(document.getElementById("layer-note").textContent));
  const pair = await state(() => window.jostle.state.detail.pairs[0]);
  same("of the two", `${pair.a} ${pair.b}`, `${a} ${b}`);
  const apart = Math.hypot(...pair.on_a.map((v, k) => v - pair.on_b[k]));
  near("the points are as far apart as it says", apart, Math.abs(pair.distance), 1e-9);
  check("features of each", pair.sides.every((s) => ["vertex", "edge", "face"].includes(s.feature) && s.region.length >= 9 && s.region.length % 9 === 0));
  check("the regions are drawn", differing(bare, await pixels(page)) > 100);
  if (process.env.WEB_SCREENSHOTS) {
    await state(() => {
      const { stage, state: { frame, pick } } = window.jostle, k = 3 * frame.bodyInfo.id.indexOf(pick), p = [0, 1, 2].map((c) => frame.position[k + c]);
      stage.setBounds(p.map((v) => v - 0.06), p.map((v) => v + 0.06));
      stage.look(-60, 20);
    });
    await page.screenshot({ path: `${process.env.WEB_SCREENSHOTS}/viewer-features.png` });
  }
  await page.uncheck("#layer-features");
  same("and gone", await state(() => window.jostle.layers.shown.has("features")), false);
  quiet(page);
  await page.done();
}

// ---- what a body touches, in a stored run
{
  runJostle("run", `${here}scene.yaml`, "--out", "stored", "--quiet", "--set", "duration=0.14 s");
  const dump = readDump("stored/dump.lammpstrj"), last = [...dump.at(-1).bodies.values()].map((b) => ({ ...b, id: b.id - 1 })); // a dump counts from 1
  const touches = (p, q) => p.id !== q.id && (p.radius + q.radius) ** 2 >= (p.x - q.x) ** 2 + (p.y - q.y) ** 2 + (p.z - q.z) ** 2;
  const most = last.map((p) => ({ p, with: last.filter((q) => touches(p, q)).map((q) => q.id) })).sort((p, q) => q.with.length - p.with.length)[0];
  const low = last.reduce((p, q) => (q.z - q.radius < p.z - p.radius ? q : p)); // lies on the floor
  const served = await serve("view", "stored"), page = await openPage(served.url), state = (f, arg) => page.evaluate(f, arg);
  await page.keyboard.press("End");
  await until(page, () => window.jostle.state.frame.index === window.jostle.timeline.last);
  const contacts = async (id) => {
    await state((n) => window.jostle.choose(n), id);
    await until(page, (n) => window.jostle.state.detail?.time === window.jostle.state.frame.time && window.jostle.state.detail.bodies.some((b) => b.id === n && Array.isArray(b.contacts)), id);
    return (await state(() => window.jostle.state.detail)).bodies[0].contacts;
  };
  const found = await contacts(most.p.id), bodies = found.filter((c) => c.body !== undefined).map((c) => c.body).sort((p, q) => p - q);
  check("it touches some", most.with.length >= 2, most.with.length);
  same("those that the dump says", bodies.join(), most.with.sort((p, q) => p - q).join());
  same("they are listed", await page.locator("#body-contacts tr").count(), found.length);
  check("with their depth", found.every((c) => c.overlap >= 0));
  check("and walls", (await contacts(low.id)).some((c) => c.wall !== undefined));
  quiet(page);
  await page.done();
}
await finish();
