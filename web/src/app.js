// The viewer: what comes over the link is shown on the stage; what hands do goes to the timeline, the
// stage, or the run. `window.jostle` is the state that tests (and curious people) look at.
import "./app.css";
import { Controls } from "./controls.js";
import { Gallery } from "./gallery.js";
import { Link } from "./link.js";
import { KIND, sample, WANT } from "./protocol.js";
import { Plots, short } from "./plots.js";
import { Solids } from "./solids.js";
import { Stage } from "./stage.js";
import { Timeline } from "./timeline.js";
import { colourOf, css, kinds } from "./palette.js";
import { Layers, layers as layerList } from "./layers.js";
import { savePicture, Recorder } from "./record.js";

const $ = (id) => document.getElementById(id);
const state = {
  connected: false, hello: null, status: null, frame: null, bodies: null, walls: null, detail: null,
  colour: "speed", range: [0, 1], autoRange: true, pick: null, other: null, frames: 0, problems: [],
};
const stage = new Stage($("view"));
const timeline = new Timeline({ request: (k) => link.say(`frame ${k}`), show: showFrame });
const plots = new Plots($("plots"), goToTime);
const layers = new Layers(stage, $("layer-note"));
const controls = new Controls(stage, (line) => link.say(line), () => state.frame);
const gallery = new Gallery((line) => link.say(line));
const recorder = new Recorder($("view"), (on) => $("webm").classList.toggle("on", on));
const units = { speed: "speed", force: "force on a body", contacts: "contacts", spin: "rate of rotation", size: "radius", material: "material", id: "id" };

// ---- what comes in

const link = new Link({
  open() {
    state.connected = true;
    link.say("got"); // frames are paced from the first one on
    sayWants();
    if (state.pick !== null) sayPick();
    showState();
  },
  close() {
    state.connected = false;
    timeline.lost();
    showState();
  },
  hello(message) {
    const again = state.hello && state.hello.file === message.file && state.hello.mode === message.mode;
    state.hello = message;
    state.status = null;
    document.title = message.mode === "gallery" ? "jostle" : `${message.title} – jostle`;
    $("title").textContent = message.title;
    gallery.start(message);
    if (message.mode === "gallery") return showState();
    stage.setDimension(message.dim);
    $("clip-axis").querySelector("[value=z]").hidden = message.dim === 2;
    $("run-section").hidden = message.mode !== "live";
    controls.start(message);
    if (!again) {
      plots.start(message.series);
      fillMeasures(message.series);
    }
    $("plots-section").hidden = !message.series.length;
    state.fitted = again && state.fitted;
    measureRoom(); // the camera may be another one now
    timeline.start(message.mode === "live", message.frames ?? 0);
    if (!again && !matchMedia("(prefers-reduced-motion: reduce)").matches) timeline.playing = true;
    showState();
  },
  status(message) {
    showStages(message, state.status);
    state.status = message;
    controls.show(message.controls);
    showState();
  },
  gallery(message) {
    gallery.show(message);
  },
  detail(message) {
    state.detail = message;
    layersDue = layersDue || layers.on.has("features");
    showBody();
  },
  next(message) {
    state.next = message;
    layersDue = true;
  },
  binary(message) {
    if (message.kind === KIND.bodies) state.bodies = message;
    if (message.kind === KIND.walls) state.walls = message;
    if (message.kind === KIND.rows) {
      plots.receive(message);
      plotsDue = true;
    }
    if (message.kind === KIND.lines) {
      state.lines = message;
      layersDue = true;
    }
    if (message.kind !== KIND.frame) return;
    requestAnimationFrame(() => link.say("got")); // after it was drawn: no more than two are on their way
    if (message.bodies !== state.bodies?.serial || message.walls !== state.walls?.serial) return;
    message.bodyInfo = state.bodies;
    message.wallInfo = state.walls;
    timeline.receive(message);
  },
});

// ---- a frame

let plotsDue = true, layersDue = false, layersDrawn = 0;

// Layers that this kind of run has nothing for are not offered.
function offerLayers(frame) {
  const { mode, engine } = state.hello;
  document.getElementById("layer-triangulation").parentElement.hidden = !frame.bodyInfo.outline;
  document.getElementById("layer-events").parentElement.hidden = mode !== "live" || engine !== "hard";
}

function showFrame(frame) {
  const { bodyInfo, wallInfo } = frame, before = state.frame;
  state.frame = frame;
  state.frames++;
  stage.solids.show(frame, bodyInfo);
  if (stage.shownWalls !== wallInfo.serial || before?.origin.some((v, k) => v !== frame.origin[k])) {
    stage.shownWalls = wallInfo.serial;
    stage.setWalls(wallInfo.triangles, frame.origin);
  }
  if (before?.bodyInfo !== bodyInfo) offerLayers(frame);
  if (!state.fitted) fit(frame);
  paint();
  markPick();
  layersDue = true;
  $("scrub").max = timeline.last;
  $("scrub").value = timeline.at;
  showClock();
  plotsDue = true;
  stage.ask();
}

function values(frame, quantity) {
  switch (quantity) {
    case "size": return frame.bodyInfo.radius;
    case "material": return (frame.bodyInfo.materials ??= Float32Array.from(frame.bodyInfo.material));
    case "id": return (frame.bodyInfo.ids ??= Float32Array.from(frame.bodyInfo.id));
    case "contacts": return frame.contacts && Float32Array.from(frame.contacts);
    default: return frame[quantity];
  }
}

// Colours end where all but one in a hundred values lie below: a few bodies in free fall do not take
// them from the rest. The range follows slowly, so that nothing flickers, and stays while the same moment is drawn again.
function findRange(frame) {
  const step = Math.max(1, Math.floor(frame.n / 4000)), info = { size: "radius", id: "id" }[state.colour];
  const some = info ? sample({ ...frame.bodyInfo, n: frame.n }, info, step).sort() : sample(frame, state.colour, step).sort();
  if (!some.length) return [0, 1];
  if (info) return [some[0], some.at(-1)];
  const top = state.colour === "contacts" ? some.at(-1) : some[Math.floor(0.99 * (some.length - 1))];
  // From one frame to the next; someone who jumps wants to see what is there.
  const before = state.rangeAt ?? { index: -9 }, next = Math.abs(frame.index - before.index) <= 1;
  const kept = frame.step === before.step ? 1 : timeline.playing ? 0.95 : 0.5;
  const old = next && state.rangeOf === state.colour ? state.range[1] : 0;
  state.rangeAt = { index: frame.index, step: frame.step };
  return [0, Math.max(top, kept * old) || 1];
}

function paint() {
  const { frame } = state;
  if (!frame) return;
  const categorical = state.colour === "material";
  const v = () => values(frame, state.colour) ?? new Float32Array(frame.n);
  if (state.autoRange && !categorical) state.range = findRange(frame);
  state.rangeOf = state.colour;
  stage.bodies.show(frame, Solids.spheres(frame.bodyInfo), v, { range: state.range, categorical, name: state.colour });
  stage.solids.colour(v);
  showLegend(categorical);
  stage.ask();
}

// All bodies that are in the box, and the walls.
function fit(frame = state.frame) {
  if (!frame) return;
  const { has_box, lo: boxLo, hi: boxHi, dim } = state.hello, o = frame.origin;
  const lo = [Infinity, Infinity, Infinity], hi = [-Infinity, -Infinity, -Infinity];
  const widen = (x, y, z, r) => [x, y, z].forEach((v, a) => ((lo[a] = Math.min(lo[a], v - r)), (hi[a] = Math.max(hi[a], v + r))));
  const { triangles } = frame.wallInfo, x = frame.position, r = frame.bodyInfo.radius;
  for (let k = 0; k < triangles.length; k += 3) if (dim === 3 || k % 9 < 6) widen(triangles[k] - o[0], triangles[k + 1] - o[1], triangles[k + 2] - o[2], 0);
  for (let i = 0; i < frame.n; i++) {
    const p = [x[3 * i], x[3 * i + 1], x[3 * i + 2]];
    const edge = (a) => boxHi[a] - boxLo[a];
    const out = has_box && p.some((v, a) => a < dim && (v < -0.05 * edge(a) || v > 1.05 * edge(a)));
    if (!out) widen(...p, r[i]);
  }
  // The box belongs to it, unless it is far larger.
  const wide = (a) => (a < dim && has_box ? boxHi[a] - boxLo[a] : 0);
  if (has_box && [0, 1, 2].every((a) => wide(a) <= 2.5 * Math.max(hi[a] - lo[a], 1e-300))) widen(0, 0, 0, 0), widen(wide(0), wide(1), wide(2), 0);
  if (!(hi[0] > lo[0])) for (let a = 0; a < 3; a++) (lo[a] = 0), (hi[a] = has_box ? boxHi[a] - boxLo[a] : 1);
  stage.setBounds(lo, hi);
  stage.setBox(has_box ? boxLo : null, boxHi, o);
  stage.look(-60, 20);
  stage.moved = false;
  state.fitted = true;
}

// What the panel and the bars leave of the page.
function measureRoom() {
  const narrow = innerWidth <= 760, panel = $("panel");
  const right = !narrow && !panel.hidden ? innerWidth - panel.getBoundingClientRect().left : 0;
  const below = narrow && !panel.hidden ? innerHeight - panel.getBoundingClientRect().top : innerHeight - $("transport").getBoundingClientRect().top;
  const above = narrow ? document.querySelector("header").getBoundingClientRect().bottom : 60;
  stage.setFree([0, above, right, below + 6]);
}

// ---- words

function showState() {
  const { connected, hello, status } = state, dot = $("dot");
  let text = "connecting", kind = "";
  if (!connected && hello) [text, kind] = ["connection lost; trying again", "lost"];
  else if (hello?.mode === "gallery") text = "every scene that comes along";
  else if (hello?.mode === "replay") text = `${hello.frames} frames · ${hello.file.split("/").slice(-2).join("/")}`;
  else if (hello) {
    text = status ? status.state : "running";
    kind = text === "running" ? "running" : text === "blew up" || text === "failed" ? "bad" : "";
    if (status) text += ` · ${Math.floor(100 * Math.min(1, status.share))} % · ${short(status.rate / 1e6)} M ${status.rate_unit}/s`;
  }
  if (!connected && hello?.mode === "live" && ["complete", "interrupted"].includes(status?.state)) text = `${status.state}; the program has ended`;
  $("state").textContent = text;
  dot.className = `dot ${kind}`;
  const paused = status?.state === "paused";
  $("run-pause").textContent = paused ? "Continue run" : "Pause run";
  $("run-step").disabled = !paused;
  $("run-pause").disabled = !connected || !["running", "paused"].includes(status?.state ?? "running");
}

function showClock() {
  const { frame } = state;
  $("clock").innerHTML = "";
  const time = document.createElement("b");
  time.textContent = `t = ${short(frame.time)}`;
  const where = timeline.live ? (timeline.follow ? "live" : `${timeline.at + 1} of ${timeline.count}`) : `${frame.index} of ${timeline.last}`;
  const rest = document.createElement("span");
  rest.textContent = ` · ${where}`;
  $("clock").append(time, rest);
  $("play").classList.toggle("playing", timeline.playing);
}

function showLegend(categorical) {
  $("legend").hidden = false;
  $("legend-name").textContent = units[state.colour];
  $("legend-bar").hidden = $("legend-ends").hidden = categorical;
  $("legend-ends").style.display = $("legend-bar").style.display = categorical ? "none" : "";
  $("legend-kinds").replaceChildren();
  if (categorical) {
    state.hello.materials.forEach((name, k) => {
      const label = document.createElement("span"), spot = document.createElement("i");
      spot.style.background = css(kinds[k % kinds.length]);
      label.append(spot, name);
      $("legend-kinds").append(label);
    });
    return;
  }
  const g = $("legend-bar").getContext("2d");
  for (let k = 0; k < 220; k++) {
    g.fillStyle = css(colourOf(k / 219));
    g.fillRect(k, 0, 1, 12);
  }
  $("legend-lo").textContent = short(state.range[0]);
  $("legend-hi").textContent = short(state.range[1]);
  if (state.autoRange) [$("range-lo").value, $("range-hi").value] = state.range.map((v) => +v.toPrecision(4));
}

function showStages(now, before) {
  const spent = now.stages.map((s, k) => s.seconds - (before?.stages?.[k]?.seconds ?? 0));
  const use = spent.some((v) => v > 0) ? spent : now.stages.map((s) => s.seconds), all = use.reduce((a, b) => a + b, 0) || 1;
  $("rate").textContent = `${short(now.rate / 1e6)} million ${now.rate_unit} a second${now.search ? `, neighbours by ${now.search}` : ""}; ${short(now.bytes / 1e6)} MB`;
  $("stages").replaceChildren(...now.stages.map((s, k) => {
    const row = document.createElement("div"), bar = document.createElement("i"), share = document.createElement("b");
    row.className = "stage";
    bar.style.width = `${(100 * use[k]) / all}%`;
    share.textContent = `${Math.round((100 * use[k]) / all)} %`;
    row.append(s.name, bar, share);
    row.title = `${short(s.seconds)} s so far`;
    return row;
  }));
  $("alarms").replaceChildren(...now.alarms.map((a) => {
    const box = document.createElement("div");
    box.className = "alarm";
    box.textContent = `${a.kind}, t = ${short(a.time)}${a.count > 1 ? `, ${a.count} times` : ""}: ${a.text}`;
    return box;
  }));
}

// ---- the body that was picked

function sayPick() {
  link.say(`pick ${state.pick ?? "none"}${state.pick !== null && state.other !== null ? ` ${state.other}` : ""}`);
}

// With another one: the two are looked at together.
function choose(id, other = null) {
  state.pick = id;
  state.other = other;
  state.detail = null;
  sayPick();
  markPick();
  showBody();
  timeline.refresh();
}

function markPick() {
  const { frame, pick } = state;
  const k = pick === null || !frame ? -1 : frame.bodyInfo.id.indexOf(pick);
  stage.bodies.material.uniforms.chosen.value = k;
  stage.ask();
  if (k >= 0 && !state.detail) showBody();
}

function fillTable(table, rows) {
  table.replaceChildren(...rows.map(([name, value, click]) => {
    const tr = document.createElement("tr"), a = document.createElement("td"), b = document.createElement("td");
    a.textContent = name;
    b.textContent = value;
    tr.append(a, b);
    if (click) tr.addEventListener("click", click);
    return tr;
  }));
}

function showBody() {
  const { pick, frame, detail, hello } = state;
  $("body-section").hidden = pick === null;
  if (pick === null) return;
  $("body-id").textContent = pick;
  const b = detail?.bodies.find((one) => one.id === pick), v3 = (v) => v.slice(0, hello.dim).map(short).join(", ");
  if (b && !b.there) return fillTable($("body-table"), [["it has left", ""]]), fillTable($("body-contacts"), []);
  if (!b) return;
  const rows = [["position", v3(b.x)], ["velocity", v3(b.v)], ["speed", short(Math.hypot(...b.v))], ["spin", b.w.map(short).join(", ")],
    ["radius", short(b.r)], ["mass", short(b.mass)], ["material", hello.materials[b.material] ?? b.material]];
  if (b.force) rows.push(["force", v3(b.force)]);
  if (b.touching !== undefined) rows.push(["touches", String(b.touching)]);
  if (b.fixed) rows.push(["fixed", "yes"]);
  fillTable($("body-table"), rows);
  fillTable($("body-contacts"), (b.contacts ?? []).map((c) => [
    c.wall !== undefined ? `wall ${hello.walls?.[c.wall] || c.wall}` : `body ${c.body}`,
    c.normal_force === undefined ? `${short(c.overlap)} deep` : `${short(c.normal_force)} N${c.sliding ? ", slides" : ""}`, c.body !== undefined && (() => choose(c.body))]));
}

// ---- hands

function goToTime(time) {
  const last = timeline.last;
  if (timeline.live) {
    let best = 0;
    timeline.kept.forEach((f, k) => (Math.abs(f.time - time) < Math.abs(timeline.kept[best].time - time)) && (best = k));
    timeline.play(false);
    return timeline.go(best), showClock();
  }
  const { begin, until } = state.hello;
  timeline.play(false);
  timeline.go(Math.round(((time - begin) / Math.max(until - begin, 1e-300)) * last));
}

function sayWants() {
  const live = state.hello?.mode === "live";
  const wants = (WANT[state.colour] ?? 0) | (live && layers.on.has("contacts") ? WANT.lines : 0) | (live && layers.on.has("events") ? WANT.next : 0) | (layers.on.has("triangulation") ? WANT.triangulation : 0)
    | (layers.on.size ? WANT.exact : 0); // touching is a matter of the last digits
  link.say(`want ${wants}`);
}

function setColour(name) {
  state.colour = $("colour").value = name;
  sayWants();
  paint();
  timeline.refresh();
}

function fillMeasures(names) {
  const list = $("plot-add");
  list.replaceChildren(list.firstElementChild);
  names.forEach((name, k) => {
    if (k > 0) list.append(new Option(name.replaceAll("_", " "), k));
  });
}

function setTheme(dark) {
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  $("theme").textContent = dark ? "Light" : "Dark";
  stage.setDark(dark);
  plotsDue = true;
  try {
    localStorage.setItem("jostle-theme", dark ? "dark" : "light");
  } catch { /* private windows have none */ }
}

function setClip() {
  stage.clip = { axis: $("clip-axis").value, at: +$("clip-at").value, flip: $("clip-flip").checked };
  $("clip-at").disabled = stage.clip.axis === "none";
  stage.ask();
}

const cycle = (select, by = 1) => {
  const usable = [...select.options].filter((o) => !o.hidden);
  select.value = usable[(usable.findIndex((o) => o.value === select.value) + by + usable.length) % usable.length].value;
  select.dispatchEvent(new Event("change"));
};
const press = (id) => $(id).click();
const toggle = (id) => { $(id).checked = !$(id).checked; $(id).dispatchEvent(new Event("change")); };

$("colour").addEventListener("change", () => setColour($("colour").value));
$("range-auto").addEventListener("change", () => {
  state.autoRange = $("range-auto").checked;
  $("range-row").hidden = state.autoRange;
  paint();
});
for (const id of ["range-lo", "range-hi"]) $(id).addEventListener("input", () => {
  const lo = +$("range-lo").value, hi = +$("range-hi").value;
  if (hi > lo) state.range = [lo, hi];
  paint();
});
for (const id of ["clip-axis", "clip-flip"]) $(id).addEventListener("change", setClip);
$("clip-at").addEventListener("input", setClip);
$("show-bodies").addEventListener("change", (e) => { stage.bodies.mesh.visible = stage.solids.group.visible = e.target.checked; stage.ask(); });
$("show-walls").addEventListener("change", (e) => { stage.walls.visible = e.target.checked; stage.ask(); });
$("show-box").addEventListener("change", (e) => { stage.box.visible = e.target.checked; stage.ask(); });
$("body-clear").addEventListener("click", () => choose(null));
$("plot-add").addEventListener("change", (e) => {
  if (e.target.value) plots.add([+e.target.value]);
  e.target.value = "";
  plotsDue = true;
});
$("play").addEventListener("click", () => { timeline.play(!timeline.playing); if (state.frame) showClock(); });
$("back").addEventListener("click", () => { timeline.play(false); timeline.go(timeline.at - 1); if (state.frame) showClock(); });
$("forward").addEventListener("click", () => { timeline.play(false); timeline.go(timeline.at + 1); if (state.frame) showClock(); });
$("first").addEventListener("click", () => { timeline.play(false); timeline.go(0); if (state.frame) showClock(); });
$("last").addEventListener("click", () => { if (timeline.live) timeline.play(true); else timeline.play(false); timeline.go(timeline.last); if (state.frame) showClock(); });
$("scrub").addEventListener("input", () => { timeline.play(false); timeline.go(+$("scrub").value); if (state.frame) showClock(); });
$("speed").addEventListener("change", () => (timeline.speed = +$("speed").value));
$("fit").addEventListener("click", () => fit());
$("png").addEventListener("click", () => savePicture(stage, state));
$("webm").addEventListener("click", () => recorder.toggle());
$("theme").addEventListener("click", () => setTheme(!stage.dark));
$("help").addEventListener("click", () => $("keys").showModal());
$("toggle").addEventListener("click", () => {
  $("panel").hidden = !$("panel").hidden;
  measureRoom();
  if (!stage.moved) fit();
});
addEventListener("resize", () => {
  measureRoom();
  if (!stage.moved) fit();
});
$("run-pause").addEventListener("click", () => link.say(state.status?.state === "paused" ? "run go" : "run pause"));
$("run-step").addEventListener("click", () => link.say(`run step ${Math.max(1, Math.floor(+$("run-steps").value || 1))}`));
timeline.stopped = () => state.frame && showClock();

// A click picks, a drag turns.
let down = null;
$("view").addEventListener("pointerdown", (e) => (down = [e.clientX, e.clientY]));
$("view").addEventListener("pointerup", (e) => {
  if (!down || Math.hypot(e.clientX - down[0], e.clientY - down[1]) > 4 || e.button !== 0 || !state.frame) return;
  if (controls.click(e.clientX, e.clientY)) return;
  const k = stage.pick(e.clientX, e.clientY, state.frame);
  const id = k < 0 ? null : state.frame.bodyInfo.id[k];
  if (e.shiftKey && id !== null && state.pick !== null && id !== state.pick) choose(state.pick, id);
  else choose(id);
});

const keys = {
  " ": () => press("play"), ArrowLeft: () => press("back"), ArrowRight: () => press("forward"), Home: () => press("first"),
  End: () => press("last"), "[": () => cycle($("speed"), -1), "]": () => cycle($("speed")), c: () => cycle($("colour")),
  x: () => cycle($("clip-axis")), w: () => toggle("show-walls"), b: () => toggle("show-box"), f: () => press("fit"),
  1: () => stage.look(-90, 0), 2: () => stage.look(0, 0), 3: () => stage.look(-90, 89.9), p: () => press("png"), r: () => press("webm"),
  d: () => press("theme"), Tab: () => press("toggle"), "?": () => press("help"), Escape: () => choose(null),
};
addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey || $("keys").open || /^(INPUT|SELECT)$/.test(e.target.tagName) && e.target.type !== "checkbox" && e.target.type !== "range") return;
  if (e.shiftKey && e.key === " ") return e.preventDefault(), press("run-pause");
  if (e.shiftKey && e.key === "ArrowRight") return e.preventDefault(), press("run-step");
  const act = keys[e.key.length === 1 ? e.key.toLowerCase() : e.key];
  if (act) e.preventDefault(), act();
});

// Contacts as told belong to one frame of a live run.
const told = () => ({
  status: state.status, hello: state.hello, origin: state.frame?.origin, lines: state.lines?.index === state.frame?.index ? state.lines : null,
  next: state.next?.index === state.frame?.index ? state.next : null,
  pair: state.other === null ? null : state.detail?.pairs?.find((p) => p.a === state.pick && p.b === state.other),
});

for (const [name, label] of layerList) {
  const box = document.createElement("label"), input = document.createElement("input");
  box.className = "check";
  input.type = "checkbox";
  input.id = `layer-${name}`;
  input.addEventListener("change", () => {
    layers.set(name, input.checked, state.frame, told());
    sayWants();
    timeline.refresh();
  });
  box.append(input, label);
  $("layers").append(box);
}

function tick(now) {
  timeline.tick(now);
  if (layersDue && layers.on.size && now - layersDrawn > 120) {
    layersDrawn = now;
    layers.update(state.frame, told());
    layersDue = layers.moving;
  }
  if (plotsDue && state.frame && !$("panel").hidden) {
    plotsDue = false;
    plots.draw(state.frame.time);
  }
  requestAnimationFrame(tick);
}

let stored = null;
try {
  stored = localStorage.getItem("jostle-theme");
} catch { /* private windows have none */ }
setTheme(stored ? stored === "dark" : !matchMedia("(prefers-color-scheme: light)").matches);
if (innerWidth <= 760) $("panel").hidden = true;
measureRoom();
addEventListener("error", (e) => state.problems.push(e.message));
requestAnimationFrame(tick);
window.jostle = { controls, gallery, layers, state, stage, timeline, plots, link, recorder, choose, fit };
