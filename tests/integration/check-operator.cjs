// SPDX-License-Identifier: Apache-2.0
// The operator's page in a real browser: node check-operator.cjs URL-TO-OPERATE URL-TO-LOOK MODEL PAGE [FOLDER]
// PAGE: of linkage view --html, which is opened as a file;  FOLDER: for pictures.
// It prints what it has done; between "ready to lose the daemon" and a line on its standard input the daemon ends, and
// before the next line another one answers. Where the packages are is in NODE_PATH.
const assert = require('assert');
const readline = require('readline');
const { chromium } = require('playwright-core');

const [url, look, model, offline, folder] = process.argv.slice(2);
const PATIENCE = { timeout: 60000 }; // ms, that only what is broken takes
const lines = readline.createInterface({ input: process.stdin })[Symbol.asyncIterator]();

async function open(browser, address, options = {}) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
  page.setDefaultTimeout(PATIENCE.timeout);
  page.on('pageerror', (error) => { console.error(error); process.exit(1); });
  await page.goto(address);
  await page.waitForSelector('#rig:not([hidden])', PATIENCE);
  assert.strictEqual(new URL(page.url()).hash, '', 'the token stays in the address');
  return page;
}

const state = (page, word) => page.waitForFunction((w) => document.getElementById('state').textContent === w, word, PATIENCE);

async function press(page, op, ...answers) {
  await page.waitForSelector(`[data-op=${op}]:not(:disabled)`, PATIENCE);
  await page.click(`[data-op=${op}]`);
  for (const answer of answers) await page.click(`dialog[open] button[value=${answer}]`, PATIENCE);
}

async function ride(page) {
  await state(page, 'ready');
  await page.waitForSelector('[data-op=load]:not(:disabled)', PATIENCE);
  await page.setInputFiles('#file', model);
  await page.click('dialog[open] button[value=yes]', PATIENCE);
  await page.waitForFunction(() => linkage.page.model?.name === 'driven' && document.getElementById('answer').dataset.ok === 'true', null, PATIENCE);
  await page.check('#degraded');
  while (await page.textContent('#state') !== 'armed') { // a proof that others disturb is asked for again
    await press(page, 'arm');
    await page.waitForFunction(() => linkage.page.status.proof?.progress === 1 && linkage.page.status.state !== 'arming');
    await page.waitForTimeout(500);
  }
  await press(page, 'start', 'no');
  await state(page, 'armed');
  await press(page, 'start', 'yes');
  await state(page, 'running');
  console.log('running');
}

/* a slider to its end: the input acts, an output follows, and the picture moves */
async function slide(page) {
  const before = await page.evaluate(() => ({ poses: Array.from(linkage.view.poses), n: linkage.page.plots[0].values.length }));
  const slider = page.locator('#inputs input[type=range]').first();
  assert(await slider.isDisabled(), 'a slider moves what nobody has claimed');
  await page.click('#inputs button:not(:disabled)', PATIENCE);
  await page.waitForFunction(() => document.querySelector('#inputs tr').cells[1].textContent === 'this gateway', null, PATIENCE);
  await slider.focus();
  await page.keyboard.press('End');
  await page.waitForFunction(() => Number(document.querySelector('#inputs tr').cells[3].textContent) === 10, null, PATIENCE);
  await page.waitForFunction(({ poses, n }) => {
    const { page: rig, view } = linkage;
    const [plot] = rig.plots;
    return plot.values.length > n && Math.abs(plot.values.at(-1)) > 0.01 && view.frames > 3
      && view.poses.some((value, i) => Math.abs(value - poses[i]) > 0.01);
  }, before, PATIENCE);
  const drawn = await page.evaluate(() => {
    const { view } = linkage;
    view.draw(true);
    const { gl } = view;
    const pixels = new Uint8Array(4 * gl.drawingBufferWidth * gl.drawingBufferHeight);
    gl.readPixels(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    return pixels.reduce((n, value, i) => n + (i % 4 === 3 && value > 0), 0);
  });
  assert(drawn > 200, `${drawn} pixels of a mechanism`);
  await page.waitForFunction(() => linkage.page.plots[0].values.at(-1) > 7, null, PATIENCE); // a whole turn
  const pin = () => page.evaluate(() => linkage.view.project([0, 0, 0]).map(Math.round));
  const stood = await pin();
  await page.waitForFunction((n) => linkage.view.frames > n + 3, await page.evaluate(() => linkage.view.frames), PATIENCE);
  assert.deepStrictEqual(await pin(), stood, 'the picture of what turns on its place wanders');
  console.log('moved');
}

/* nothing is cut off: on a narrow screen the sliders are there, on a wide one the cards fill the rows */
async function fit(page) {
  await page.setViewportSize({ width: 390, height: 844 });
  const cut = await page.evaluate(() => [document.documentElement, ...document.querySelectorAll('main .scroll')]
    .filter((box) => box.scrollWidth > box.clientWidth).map((box) => box.querySelector('tbody')?.id ?? box.tagName));
  assert.deepStrictEqual(cut, [], 'wider than a narrow screen');
  await page.setViewportSize({ width: 1280, height: 900 });
  const edges = await page.evaluate(() => ['main', 'section[aria-labelledby=h-events]']
    .map((name) => Math.round(document.querySelector(name).getBoundingClientRect().right)));
  assert(edges[0] - edges[1] < 20, `the last card ends at ${edges[1]} of ${edges[0]}`);
  assert.strictEqual(await page.textContent('#recordings-why'), 'none yet');
  console.log('fits');
}

async function others(browser, page) {
  const small = { viewport: { width: 400, height: 300 } };
  const second = await open(browser, url, small);
  await second.waitForFunction(() => document.getElementById('answer').textContent.includes('another page has the controls'), null, PATIENCE);
  assert(await second.isDisabled('[data-op=stop]'), 'the second operator could stop the run');
  const looker = await open(browser, look, small);
  assert(await looker.isHidden('#controls-take') && await looker.isDisabled('[data-op=stop]'));
  await page.click('#controls-give');
  await page.waitForSelector('#controls-take:not([hidden])', PATIENCE);
  await second.click('#controls-take');
  await second.waitForSelector('[data-op=pause]:not(:disabled)', PATIENCE);
  await second.close();
  await page.click('#controls-take');
  await page.waitForSelector('[data-op=pause]:not(:disabled)', PATIENCE);
  await looker.close();
  const stranger = await browser.newPage();
  stranger.setDefaultTimeout(PATIENCE.timeout);
  await stranger.goto(`${new URL(url).origin}/#${'0'.repeat(32)}`);
  await stranger.waitForFunction(() => document.getElementById('login-answer').textContent.includes('no token'), null, PATIENCE);
  assert(await stranger.isHidden('#rig'));
  await stranger.close();
  console.log('refused politely');
}

async function lose(page) {
  console.log('ready to lose the daemon');
  await lines.next();
  await page.waitForSelector('body.stale', PATIENCE);
  await state(page, 'no news');
  console.log('stale');
  await lines.next();
  await page.waitForSelector('body:not(.stale)', PATIENCE);
  await state(page, 'ready');
  console.log('back');
}

/* a page of linkage view: the time is dragged, the picture moves, nothing is asked of anybody */
async function drag(browser) {
  const page = await browser.newPage({ viewport: { width: 640, height: 400 } });
  page.setDefaultTimeout(PATIENCE.timeout);
  const asked = [];
  page.on('pageerror', (error) => { console.error(error); process.exit(1); });
  page.on('request', (request) => asked.push(request.url()));
  await page.goto(`file://${offline}`);
  const before = await page.evaluate(() => Array.from(linkage.view.poses));
  for (const id of ['bodies', 'centres', 'frames', 'joints']) await page.check(`#${id}`);
  assert(await page.evaluate(() => linkage.view.overlay.length) > 3);
  await page.focus('#time');
  await page.keyboard.press('End');
  await page.waitForFunction(() => document.getElementById('now').textContent === 't = 0.500 s', null, PATIENCE);
  await page.waitForFunction((poses) => linkage.view.frames > 1 && linkage.view.poses.some((value, i) => Math.abs(value - poses[i]) > 0.01), before, PATIENCE);
  assert.deepStrictEqual(asked, [`file://${offline}`]);
  await page.close();
  console.log('dragged');
}

(async () => {
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium',
    args: ['--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--no-sandbox'] });
  await drag(browser);
  const page = await open(browser, url);
  await ride(page);
  await slide(page);
  await fit(page);
  if (folder) {
    for (const [name, scheme, width] of [['light', 'light', 1280], ['dark', 'dark', 1280], ['narrow', 'light', 390]]) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme: scheme });
      await page.waitForTimeout(1500);
      await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
    }
  }
  await page.setViewportSize({ width: 640, height: 400 }); // less to draw for who has no graphics processor
  await others(browser, page);
  await press(page, 'stop', 'yes');
  await state(page, 'armed');
  await press(page, 'reset', 'yes');
  await lose(page);
  await browser.close();
  process.exit(0);
})().catch((error) => { console.error(error); process.exit(1); });
