// The page itself as the client: browser.mjs ADDRESS. Prints one line of JSON when the run ends.
// WEB_MODULES is where npm put playwright-core (build/release/web/node_modules).
import { createRequire } from "node:module";

const { chromium } = createRequire(`${process.env.WEB_MODULES}/`)("playwright-core");
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
});
const page = await browser.newPage({ viewport: { width: 960, height: 600 } });
await page.goto(process.argv[2]);
let seen = { frames: 0, bytes: 0, begin: 0, now: 0, viewer: 0, over: false };
while (!seen.over) {
  seen = await page.evaluate(() => {
    const { state, link } = window.jostle;
    window.begin ??= performance.now();
    return { frames: state.frames, bytes: state.frame?.bytes ?? 0, begin: window.begin, now: performance.now(), viewer: state.status?.viewer_seconds ?? 0,
      over: !!state.hello && (!state.connected || !["running", "paused"].includes(state.status?.state ?? "running")), received: link.received };
  });
  await new Promise((r) => setTimeout(r, 100));
}
console.log(JSON.stringify({ frames: seen.frames, frame_bytes: seen.bytes, bytes: seen.received, frames_per_second: (1000 * seen.frames) / (seen.now - seen.begin), viewer_seconds: seen.viewer }));
await browser.close();
