// Paper 4's figure with the real viewer: nbs³ hard balls in a cube, a frame every 3 units of time, and
// how much of 1/20 s each stage of a frame takes: the collisions and motion (t12), handing the frame
// over to the page (t23: read from the trajectory, made a message, sent, decoded), and drawing it
// (t34: buffers filled, drawn, and waited for until the pixels can be read). Chromium without a
// graphics card, 600 × 600 pixels as in the paper.
//   bench/viewer/stages.mjs [PROGRAM] [FOLDER]     writes stages.csv and stages.svg there
//   NBS="2 3 4"     sizes (" ": none, the figure is drawn anew); FRAMES=30 of each; WEB_MODULES, CHROMIUM as for tests/web
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, resolve } from "node:path";

const jostle = resolve(process.argv[2] ?? "build/release/jostle"), folder = resolve(process.argv[3] ?? "out/viewer-stages");
const { chromium } = createRequire(`${process.env.WEB_MODULES ?? `${dirname(jostle)}/web/node_modules`}/`)("playwright-core");
const sizes = (process.env.NBS ?? "2 3 4 5 6 7 8 9 10 11 13 16 20 25 30 35 40 45 50").split(" ").map(Number).filter(Boolean);
const frames = +(process.env.FRAMES ?? 30), edge = 400, budget = 0.05; // seconds of a frame
mkdirSync(folder, { recursive: true });
process.chdir(folder);

function simulate(nbs) {
  const radius = edge / ((30 * Math.PI) ** (1 / 3) * nbs), box = `{lo: [0, 0, 0], hi: [${edge}, ${edge}, ${edge}]}`;
  writeFileSync("cube.yaml", `title: nbs = ${nbs}
materials: {ball: {density: 1, restitution: 1}}
box: ${box}
walls: {cube: {box: ${box}}}
bodies: [{radius: ${radius}, velocity_spread: ${Math.sqrt(1 / 3)}, lattice: {kind: cubic, spacing: ${edge / nbs}, region: ${box}}}]
engine: hard
duration: ${3 * frames}
output: {trajectory: 3}
`);
  const run = spawnSync(jostle, ["run", "cube.yaml", "--out", "run", "--force", "--json"], { encoding: "utf8" });
  if (run.status !== 0) throw new Error(run.stderr);
  const told = JSON.parse(run.stdout);
  if (told.bodies !== nbs ** 3) throw new Error(`${told.bodies} balls instead of ${nbs ** 3}`);
  return { physics: told.stages.events.seconds / frames, collisions: told.events / frames };
}

async function look(browser) {
  const child = spawn(jostle, ["view", "run"], { stdio: ["ignore", "pipe", "ignore"] });
  const url = await new Promise((done) => child.stdout.once("data", (text) => done(`${text}`.trim())));
  const page = await browser.newPage({ viewport: { width: 600, height: 600 }, reducedMotion: "reduce" });
  await page.goto(url);
  while (!(await page.evaluate(() => !!window.jostle?.state.frame && window.jostle.stage.draws > 0))) await new Promise((r) => setTimeout(r, 50));
  const times = await page.evaluate(async (n) => {
    const { timeline, stage } = window.jostle, show = timeline.show, gl = stage.renderer.getContext(), out = [];
    const pixel = new Uint8Array(4);
    for (let k = 0; k <= n; k++) {
      while (timeline.waiting !== null) await new Promise((r) => setTimeout(r, 1));
      out.push(await new Promise((done) => {
        const asked = performance.now();
        timeline.show = (frame) => {
          const came = performance.now();
          stage.asked = true; // drawn here, not again at the next refresh
          show(frame);
          stage.draw();
          gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
          done([(came - asked) / 1000, (performance.now() - came) / 1000]);
        };
        timeline.ask(k);
      }));
    }
    return out.slice(1); // the first one makes buffers and shaders
  }, frames);
  await page.close();
  child.kill("SIGINT");
  const middle = (c) => times.map((t) => t[c]).sort((a, b) => a - b)[times.length >> 1];
  return { hand: middle(0), draw: middle(1) };
}

// ---- the figure: both axes logarithmic
const stages = [["physics", "t12: collisions and motion", "#0072b2"], ["hand", "t23: to the page", "#009e73"], ["draw", "t34: drawing", "#d55e00"]];
const paper = { 4: [0.16, 2.44], 5: [0.08, 3.48], 6: [0.32, 4.84], 7: [0.76, 6.32], 8: [1.8, 8.36], 9: [5.12, 12.12], 10: [8.96, 15.24], 11: [22.72, 18.4] };

function figure(rows) {
  const w = 760, h = 460, left = 70, right = 20, top = 46, bottom = 56, lo = [Math.log10(1.8), -3.2], hi = [Math.log10(56), 4.1];
  const x = (v) => left + ((Math.log10(v) - lo[0]) / (hi[0] - lo[0])) * (w - left - right);
  const y = (v) => h - bottom - ((Math.log10(v) - lo[1]) / (hi[1] - lo[1])) * (h - top - bottom);
  const text = (px, py, s, more = "") => `<text x="${px}" y="${py}" ${more}>${s}</text>`;
  const out = [`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${w} ${h}" font-family="sans-serif" font-size="13" fill="#222">`, `<rect width="${w}" height="${h}" fill="#fff"/>`,
    text(left, 24, "A frame of nbs³ balls in the viewer: per cent of 1/20 s", 'font-size="16"')];
  for (const v of [2, 3, 5, 10, 20, 30, 50]) out.push(`<path d="M${x(v)} ${top}V${h - bottom}" stroke="#e4e4e4"/>`, text(x(v), h - bottom + 18, v, 'text-anchor="middle"'));
  for (const v of [0.001, 0.01, 0.1, 1, 10, 100, 1000, 10000]) out.push(`<path d="M${left} ${y(v)}H${w - right}" stroke="${v === 100 ? "#999" : "#e4e4e4"}"/>`, text(left - 8, y(v) + 4, `${v} %`, 'text-anchor="end"'));
  out.push(text((left + w - right) / 2, h - 14, "nbs (balls along an edge)", 'text-anchor="middle"'));
  stages.forEach(([key, label, colour], k) => {
    const points = rows.map((r) => [x(r.nbs), y((100 * r[key]) / budget)].map((v) => v.toFixed(1)));
    out.push(`<path d="M${points.map((p) => p.join(" ")).join("L")}" fill="none" stroke="${colour}" stroke-width="2"/>`);
    points.forEach((p) => out.push(`<circle cx="${p[0]}" cy="${p[1]}" r="3" fill="${colour}"/>`));
    out.push(`<circle cx="${left + 16}" cy="${top + 16 + 20 * k}" r="4" fill="${colour}"/>`, text(left + 28, top + 20 + 20 * k, label));
  });
  for (const [nbs, both] of Object.entries(paper)) both.forEach((v, k) => out.push(`<circle cx="${x(nbs).toFixed(1)}" cy="${y(v).toFixed(1)}" r="4" fill="none" stroke="${stages[2 * k][2]}" stroke-width="1.5"/>`));
  out.push(`<circle cx="${left + 16}" cy="${top + 76}" r="4" fill="none" stroke="#222"/>`, text(left + 28, top + 80, "the paper's t12 and t34"), "</svg>");
  return out.join("\n");
}

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"] });
// What an earlier call has measured in this folder stays, for sizes that this one leaves out.
const rows = !existsSync("stages.csv") ? [] : readFileSync("stages.csv", "utf8").trim().split("\n").slice(1).map((l) => l.split(",").map(Number))
  .map(([nbs, collisions, physics, hand, draw]) => ({ nbs, collisions, physics, hand, draw })).filter((r) => !sizes.includes(r.nbs));
for (const nbs of sizes) {
  rows.push({ nbs, ...simulate(nbs), ...(await look(browser)) });
  const r = rows.at(-1), share = (v) => `${((100 * v) / budget).toPrecision(3)} %`;
  console.log(`nbs ${nbs}: ${nbs ** 3} balls, ${r.collisions.toFixed(1)} collisions/frame, t12 ${share(r.physics)}, t23 ${share(r.hand)}, t34 ${share(r.draw)}`);
  store();
}
store();
await browser.close();
process.exit(0);

function store() {
  rows.sort((a, b) => a.nbs - b.nbs);
  writeFileSync("stages.csv", ["nbs,collisions,t12,t23,t34", ...rows.map((o) => [o.nbs, o.collisions, o.physics, o.hand, o.draw].join(","))].join("\n") + "\n");
  writeFileSync("stages.svg", figure(rows));
}
