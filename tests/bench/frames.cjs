// SPDX-License-Identifier: Apache-2.0
// How fast the operator's page draws, and how large it is: node frames.cjs URL, with playwright-core in NODE_PATH.
const { chromium } = require('playwright-core');

/* in the page: frames in 5 s, and what a picture and its plots cost, in ms */
async function measure() {
  const { view, plots } = linkage;
  const [frames, began] = [view.frames, performance.now()];
  await new Promise((done) => { setTimeout(done, 5000); });
  const rate = 1000 * (view.frames - frames) / (performance.now() - began);
  const costs = Array.from({ length: 200 }, () => {
    const start = performance.now();
    view.draw(true);
    for (const plot of plots.list) plot.draw();
    return performance.now() - start;
  }).sort((a, b) => a - b);
  return [rate, costs[0], costs[100]];
}

(async () => {
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium',
    args: ['--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--no-sandbox'] });
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  const began = Date.now();
  await page.goto(process.argv[2]);
  await page.waitForFunction(() => window.linkage?.view.frames > 2);
  const seen = Date.now() - began;
  await page.waitForTimeout(3000);
  const bytes = await page.evaluate(() => ['navigation', 'resource'].flatMap((kind) => performance.getEntriesByType(kind))
    .reduce((sum, entry) => sum + entry.decodedBodySize, 0));
  const [rate, least, median] = await page.evaluate(measure);
  console.log(`page: ${bytes} bytes, seen after ${seen} ms; ${rate.toFixed(1)} pictures a second without a graphics processor, `
    + `${least.toFixed(2)} ms of script each (least), ${median.toFixed(2)} (median)`);
  await browser.close();
})();
