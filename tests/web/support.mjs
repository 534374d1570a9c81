// What the viewer's tests share: jostle as a child, a headless browser, checks that are counted.
import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(`${process.env.WEB_MODULES}/`);
const { chromium } = require("playwright-core");
const jostle = process.env.JOSTLE;
let checks = 0, failures = 0;
// Nothing here counts on how long something takes: everything is waited for, for so long that even a
// slow machine with other work gets there. Only a failure ever takes that time.
export const patience = 240; // seconds
const children = [];

export function check(what, good, more = "") {
  checks++;
  if (good) return;
  failures++;
  console.log(`FAILED: ${what} ${more}`);
}

export const same = (what, a, b) => check(what, Object.is(a, b), `: ${a} is not ${b}`);
export const near = (what, a, b, by) => check(what, Math.abs(a - b) <= by, `: ${a} is not ${b} within ${by}`);

export function runJostle(...args) {
  const done = spawnSync(jostle, args, { encoding: "utf8" });
  if (done.status !== 0) throw new Error(`jostle ${args.join(" ")}: ${done.stderr}`);
  return done.stdout;
}

// A jostle that serves; resolves when it has told its address.
export function serve(...args) {
  const child = spawn(jostle, args, { stdio: ["ignore", "pipe", "pipe"] });
  children.push(child);
  const served = { child, said: "", ended: new Promise((done) => child.on("exit", (code, signal) => done(code ?? signal))) };
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no address: ${served.said}`)), 1000 * patience);
    const hear = (text) => {
      served.said += text;
      const found = /http:\/\/[^\s]+/.exec(served.said);
      if (!found || served.url) return;
      served.url = found[0];
      served.port = +new URL(served.url).port;
      clearTimeout(timer);
      resolve(served);
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.on("exit", () => reject(new Error(`it ended: ${served.said}`)));
  });
}

const drawn = () => !!window.jostle?.state.frame && window.jostle.stage.draws > 0;

export async function openPage(url, { width = 960, height = 600, ready = drawn, ...more } = {}) {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM,
    timeout: 1000 * patience,
    args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
  });
  const context = await browser.newContext({ viewport: { width, height }, reducedMotion: "reduce", acceptDownloads: true, ...more });
  const page = await context.newPage();
  page.setDefaultTimeout(1000 * patience);
  page.heard = [];
  page.on("console", (m) => ["error", "warning"].includes(m.type()) && !/GPU stall|swiftshader|WebGL/i.test(m.text()) && page.heard.push(m.text()));
  page.on("pageerror", (e) => page.heard.push(e.message));
  page.outside = [];
  page.on("request", (r) => {
    const u = new URL(r.url());
    if (u.protocol !== "blob:" && u.protocol !== "data:" && u.hostname !== "127.0.0.1") page.outside.push(r.url());
  });
  page.on("close", () => browser.close());
  if (process.env.SLOWER) await (await context.newCDPSession(page)).send("Emulation.setCPUThrottlingRate", { rate: +process.env.SLOWER });
  await page.goto(url);
  await until(page, ready);
  page.done = () => browser.close();
  return page;
}

// Waits until a question is answered by yes.
export async function eventually(what, question) {
  for (const end = Date.now() + 1000 * patience; ; await new Promise((r) => setTimeout(r, 30))) {
    if (await question()) return;
    if (Date.now() > end) throw new Error(`waited too long for ${what}`);
  }
}

// Waits until a function of the page is true. (Playwright's own waiting compiles text in the page,
// which the page's policy forbids.)
export const until = (page, test, argument) => eventually(test, () => page.evaluate(test, argument));

export function quiet(page) {
  same("messages on the console", page.heard.join(" | "), "");
  same("requests beyond 127.0.0.1", page.outside.join(" | "), "");
}

// The picture as drawn: red, green, blue, alpha of every pixel, rows from the bottom.
export async function pixels(page) {
  const text = await page.evaluate(() => {
    const { stage } = window.jostle, gl = stage.renderer.getContext();
    stage.draw();
    const w = gl.drawingBufferWidth, h = gl.drawingBufferHeight, bytes = new Uint8Array(4 * w * h);
    gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
    let s = "";
    for (let k = 0; k < bytes.length; k += 32768) s += String.fromCharCode(...bytes.subarray(k, k + 32768));
    return [w, h, btoa(s)];
  });
  return { w: text[0], h: text[1], bytes: Buffer.from(text[2], "base64") };
}

export function differing(a, b) {
  let count = 0;
  for (let k = 0; k < a.bytes.length; k += 4) {
    let d = 0;
    for (let c = 0; c < 4; c++) d = Math.max(d, Math.abs(a.bytes[k + c] - b.bytes[k + c]));
    count += d > 12;
  }
  return count;
}

// Frames of a LAMMPS dump: what the run wrote, read without jostle.
export function readDump(path) {
  const frames = [];
  for (const part of readFileSync(path, "utf8").split("ITEM: TIMESTEP\n").slice(1)) {
    const lines = part.split("\n"), at = lines.findIndex((l) => l.startsWith("ITEM: ATOMS"));
    const names = lines[at].split(" ").slice(2), bodies = new Map();
    for (const line of lines.slice(at + 1)) {
      if (!line) continue;
      const v = line.trim().split(/\s+/).map(Number), b = Object.fromEntries(names.map((n, k) => [n, v[k]]));
      bodies.set(b.id, b);
    }
    frames.push({ step: +lines[0], bodies });
  }
  return frames;
}

export async function finish() {
  for (const c of children) if (c.exitCode === null) c.kill("SIGTERM");
  console.log(failures ? `${failures} of ${checks} checks failed` : `${checks} checks passed`);
  process.exit(failures ? 1 : 0);
}

process.on("exit", () => children.forEach((c) => c.exitCode === null && c.kill("SIGKILL")));
