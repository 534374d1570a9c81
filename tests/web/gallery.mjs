// The start page: every scene with its picture and its line; a click runs one, and the browser goes to
// its page; the way back leads to the gallery; the gallery's end is the end of what it started.
import { existsSync, readdirSync } from "node:fs";
import { check, finish, openPage, pixels, quiet, runJostle, same, serve, until } from "./support.mjs";

const { scenes } = JSON.parse(runJostle("demo", "--list", "--json"));
const served = await serve("demo", "--view", "--threads", "1");
const page = await openPage(served.url, { ready: () => window.jostle?.state.hello?.mode === "gallery" });
same("a card for each scene", await page.locator(".scene").count(), scenes.length);
let pictures = 0;
for (const { name, title } of scenes) {
  same(`the line of ${name}`, await page.textContent(`#scene-${name} span`), title);
  if (!(await page.evaluate((n) => window.jostle.state.hello.scenes.find((s) => s.name === n).picture, name))) continue;
  pictures++;
  await until(page, (n) => document.querySelector(`#scene-${n} img`).complete, name);
  check(`the picture of ${name}`, (await page.evaluate((n) => document.querySelector(`#scene-${n} img`).naturalWidth, name)) >= 240);
}
check("pictures of nearly all", pictures >= 14, pictures);
check("nothing of a run is shown", await page.evaluate(() => !document.getElementById("gallery").hidden && getComputedStyle(document.querySelector("footer")).display === "none"));
if (process.env.WEB_SCREENSHOTS) await page.screenshot({ path: `${process.env.WEB_SCREENSHOTS}/viewer-gallery.png` });

// Unknown names are refused.
await page.evaluate(() => window.jostle.link.say("run start ../secret"));
await until(page, () => window.jostle.gallery.refusals === 1);

await page.click("#scene-gas");
for (const end = Date.now() + 60000; page.url() === `${served.url}` && Date.now() < end; ) await new Promise((r) => setTimeout(r, 50));
check("another page", page.url() !== served.url, page.url());
await until(page, () => !!window.jostle?.state.frame && window.jostle.stage.draws > 0);
same("it is the scene", await page.evaluate(() => window.jostle.state.hello.mode), "live");
check("with its bodies", (await page.evaluate(() => window.jostle.state.frame.n)) > 100);
const shown = await pixels(page);
let lit = 0;
for (let k = 0; k < shown.bytes.length; k += 4) lit += shown.bytes[k + 3] > 200;
check("they are drawn", lit > 0.02 * shown.w * shown.h, lit);
check("in a folder of its own", existsSync("gas-out"));
await page.goBack();
await until(page, () => window.jostle?.state.hello?.mode === "gallery" && window.jostle.gallery.runs !== undefined);
page.heard = page.heard.filter((m) => !/ERR_CONNECTION_REFUSED/.test(m)); // the run may be over by now, and its page looks for it
quiet(page);
await page.done();
served.child.kill("SIGTERM");
await served.ended;
check("the run was told to end and left its checkpoint", readdirSync("gas-out").includes("checkpoint.h5"));
await finish();
