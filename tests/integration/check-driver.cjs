// SPDX-License-Identifier: Apache-2.0
// A driver at the operator's page in a real browser: node check-driver.cjs URL-TO-OPERATE [FOLDER]
// The daemon runs a car. FOLDER: for pictures. Where the packages are is in NODE_PATH.
const assert = require('assert');
const path = require('path');
const { chromium } = require('playwright-core');

const [url, folder] = process.argv.slice(2);
const PATIENCE = { timeout: 60000 }; // ms, that only what is broken takes

async function reach(page, test, value) {
  try {
    await page.waitForFunction(test, value, PATIENCE);
  } catch (error) {
    console.error(await page.evaluate(() => JSON.stringify([linkage.driving, linkage.rig.held, linkage.rig.operates, linkage.cost()])));
    throw error;
  }
}

const picture = async (page, name) => { if (folder) await page.screenshot({ path: path.join(folder, `${name}.png`) }); };

async function open(browser) {
  const page = await browser.newPage({ viewport: folder ? { width: 1280, height: 900 } : { width: 800, height: 600 } }); // drawn without a graphics card
  page.setDefaultTimeout(PATIENCE.timeout);
  for (const kind of ['pageerror', 'crash']) page.on(kind, (error) => { console.error(error); process.exit(1); });
  page.on('console', (message) => { if (message.type() === 'error') { console.error(message.text()); process.exit(1); } });
  await page.addInitScript(() => { // a pad that the test moves
    window.pad = { connected: false, mapping: 'standard', axes: [0, 0, 0, 0], buttons: Array.from({ length: 17 }, () => ({ value: 0 })) };
    navigator.getGamepads = () => [window.pad];
  });
  await page.goto(url);
  await page.waitForSelector('#drive:not([hidden]):not(:disabled)', PATIENCE);
  return page;
}

async function driveByKeys(page) {
  await reach(page, () => linkage.rig.report.inputs[0].bench === 'linkage-driver'); // which gives way
  await page.click('#drive');
  await reach(page, () => ['steer', 'throttle', 'brake'].every((name) => linkage.rig.held.includes(name)));
  console.log('taken');
  await page.keyboard.down('ArrowUp');
  await reach(page, () => linkage.driving.speed > 4 && linkage.driving.throttle === 1);
  const bearing = await page.evaluate(() => linkage.view.heading.toArray());
  await page.keyboard.down('ArrowLeft');
  await reach(page, ([x, y]) => { // the car turns to the left
    const { x: u, y: v } = linkage.view.heading;
    return x * v - y * u > 0.2;
  }, bearing);
  await picture(page, 'drive-keys');
  for (const key of ['ArrowUp', 'ArrowLeft']) await page.keyboard.up(key);
  await reach(page, () => linkage.driving.throttle === 0 && Math.abs(linkage.driving.steer) < 0.01);
  const speed = await page.evaluate(() => linkage.driving.speed);
  await page.keyboard.down('ArrowDown');
  await reach(page, (before) => linkage.driving.speed < before / 2, speed);
  await page.keyboard.up('ArrowDown');
  console.log('driven by keys');
}

async function driveByPad(page) {
  await page.evaluate(() => { window.pad.connected = true; window.pad.buttons[7].value = 0.8; window.pad.axes[0] = 0.6; });
  await reach(page, () => linkage.driving.source === 'gamepad' && linkage.driving.speed > 3 && linkage.driving.steer < 0);
  await reach(page, () => linkage.rig.report.inputs.find(({ channel }) => channel === 'throttle').commanded[0] > 0.79);
  const seen = await page.evaluate(() => { // the car is in the middle of the picture, as wide as a car that is 7 m away
    const { view } = linkage;
    const [x, y] = view.project(view.bodies[view.chased].position.toArray());
    return [x / view.canvas.clientWidth, y / view.canvas.clientHeight];
  });
  assert(Math.abs(seen[0] - 0.5) < 0.2 && seen[1] > 0.3 && seen[1] < 0.9, `the car is seen at ${seen}`);
  await picture(page, 'drive-pad');
  await page.evaluate(() => { window.pad.connected = false; });
  console.log('driven by a pad');
}

async function leave(page) {
  await page.keyboard.press('Escape');
  await reach(page, () => linkage.rig.held.length === 0 && document.getElementById('cockpit').hidden && linkage.view.chased === null);
  await reach(page, () => linkage.rig.report.inputs.every(({ channel, acting }) => channel !== 'throttle' || acting[0] === 0));
  console.log('left');
}

(async () => {
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--use-gl=swiftshader', '--enable-unsafe-swiftshader'] });
  const page = await open(browser);
  await driveByKeys(page);
  await driveByPad(page);
  await leave(page);
  await page.click('#drive');
  await page.keyboard.down('ArrowUp');
  await reach(page, () => linkage.driving.speed > 3 && linkage.driving.throttle === 1);
  await browser.close(); // the car is left
})().catch((error) => { console.error(error); process.exit(1); });
