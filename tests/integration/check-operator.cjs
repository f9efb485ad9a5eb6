// SPDX-License-Identifier: Apache-2.0
// The operator's page in a real browser: node check-operator.cjs URL-TO-OPERATE URL-TO-LOOK MODEL PAGE [FOLDER]
// PAGE: of linkage view --html, which is opened as a file;  FOLDER: for pictures.
// It prints what it has done; between "ready to lose the daemon" and a line on its standard input the daemon ends, and
// before the next line another one answers. Where the packages are is in NODE_PATH.
const assert = require('assert');
const path = require('path');
const readline = require('readline');
const { chromium } = require('playwright-core');

const [url, look, model, offline, folder] = process.argv.slice(2);
const PATIENCE = { timeout: 60000 }; // ms, that only what is broken takes
const lines = readline.createInterface({ input: process.stdin })[Symbol.asyncIterator]();

/* a page without a word of complaint in its console, and the addresses that it asks */
async function make(browser, options = {}) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
  page.setDefaultTimeout(PATIENCE.timeout);
  page.asked = [];
  page.on('request', (request) => page.asked.push(request.url()));
  page.on('pageerror', (error) => { console.error(error); process.exit(1); });
  page.on('console', (message) => { if (message.type() === 'error') { console.error(message.text()); process.exit(1); } });
  return page;
}

async function open(browser, address, options = {}) {
  const page = await make(browser, options);
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
  const before = await page.evaluate(() => ({ place: linkage.view.bodies[0].position.toArray(), n: linkage.page.plots[0].values.length }));
  const slider = page.locator('#inputs input[type=range]').first();
  assert(await slider.isDisabled(), 'a slider moves what nobody has claimed');
  await page.click('#inputs button:not(:disabled)', PATIENCE);
  await page.waitForFunction(() => document.querySelector('#inputs tr').cells[1].textContent === 'this gateway', null, PATIENCE);
  await slider.focus();
  await page.keyboard.press('End');
  await page.waitForFunction(() => Number(document.querySelector('#inputs tr').cells[3].textContent) === 10, null, PATIENCE);
  await page.waitForFunction(({ place, n }) => {
    const { page: rig, view } = linkage;
    const [plot] = rig.plots;
    return plot.values.length > n && Math.abs(plot.shown[1].at(-1)) > 0.01 && view.frames > 3
      && view.bodies[0].position.toArray().some((value, i) => Math.abs(value - place[i]) > 0.01);
  }, before, PATIENCE);
  const drawn = await page.evaluate(() => {
    const { view } = linkage;
    view.draw(true);
    const gl = view.renderer.getContext();
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

/* what the curve has, and how many samples there are */
const curve = (page) => page.evaluate(() => {
  const [plot] = linkage.page.plots;
  return { data: plot.shown, n: plot.values.length, title: plot.title.textContent, at: plot.at };
});

/* so many pictures of the browser */
const frames = (page, n) => page.evaluate(async (count) => {
  for (let i = 0; i < count; i++) await new Promise((done) => { requestAnimationFrame(done); });
}, n);

/* a frozen curve stands still and loses nothing; the cursor says time, value and unit, by pointer and by keys */
async function freeze(page) {
  await page.click('#freeze');
  await frames(page, 2);
  const before = await curve(page);
  assert.match(before.title, /^angle {2}[-0-9.]+ rad$/);
  await page.waitForFunction((n) => linkage.page.plots[0].values.length > n + 20, before.n, PATIENCE);
  await frames(page, 2);
  assert.deepStrictEqual((await curve(page)).data, before.data, 'a frozen curve moves');
  const { width, height } = await page.locator('.plot .curve').first().boundingBox();
  await page.locator('.plot .curve').first().hover({ position: { x: 0.93 * width, y: height / 2 } }); // a second ago
  await page.waitForFunction(() => linkage.page.plots[0].title.textContent.includes(' at -'), null, PATIENCE);
  const { at, title, data: [times, values] } = await curve(page);
  assert(at >= 10 && at < times.length - 10, `the cursor is at ${at} of ${times.length}`);
  const said = title.match(/^angle {2}(\S+) rad {2}at (\S+) s$/);
  assert.strictEqual(said[1], String(Number(values[at].toPrecision(4))));
  assert.strictEqual(said[2], (times[at] - times.at(-1)).toFixed(2));
  await page.focus('.plot .curve');
  for (const [key, wanted] of [['ArrowLeft', at - 1], ['Shift+ArrowRight', at + 9], ['End', times.length - 1], ['Home', 0], ['Escape', null]]) {
    await page.keyboard.press(key);
    assert.strictEqual((await curve(page)).at, wanted, `the cursor after ${key}`);
  }
  assert.strictEqual((await curve(page)).title, before.title);
  await page.click('#freeze');
  await page.waitForFunction((end) => linkage.page.plots[0].end > end, before.data[0].at(-1), PATIENCE);
  const after = await curve(page);
  const steps = after.data[0].slice(1).map((time, i) => time - after.data[0][i]);
  assert(after.data[0].at(-1) > before.data[0].at(-1) && Math.max(...steps) < 5, 'what came meanwhile is lost');
  console.log('frozen');
}

/* curves have the colours of the page, in the light and in the dark */
async function dye(page) {
  for (const [colorScheme, accent] of [['dark', [109, 179, 255]], ['light', [10, 99, 194]]]) {
    await page.emulateMedia({ colorScheme });
    await page.waitForFunction((color) => {
      const ctx = linkage.page.plots[0].chart.hidden_ctx_;
      const { data } = ctx.getImageData(0, 0, ctx.canvas.width, ctx.canvas.height);
      let n = 0;
      for (let i = 0; i < data.length; i += 4) n += data[i + 3] === 255 && color.every((value, k) => Math.abs(value - data[i + k]) < 3);
      return n > 20;
    }, accent, PATIENCE);
  }
  console.log('dyed');
}

/* another model frees what the one before had on the graphics processor; a removed curve is gone */
async function change(page) {
  const counts = await page.evaluate(() => {
    const { view } = linkage;
    const shape = { body: 0, to: -1, name: '', spring: true, position: [0, 0, 0], orientation: [1, 0, 0, 0], size: [1, 1, 1], points: [] };
    const colors = [[1, 0, 0, 1], [0, 0, 1, 0.5]];
    const points = [[0, 0, 0], [1, 1, 1]];
    const shapes = ['box', 'sphere', 'cylinder', 'line', 'span'].flatMap((kind) => colors.map((color) => ({ ...shape, kind, color, points })));
    const { scene } = view;
    const found = Array.from({ length: 20 }, () => {
      view.show({ size: 1, up: [0, 0, 1], bodies: ['x'], poses: [0, 0, 0, 1, 0, 0, 0], joints: [], shapes });
      view.overlay = [{ points, color: colors[0] }];
      view.draw(true);
      const { memory, programs } = view.renderer.info;
      return [memory.geometries, memory.textures, programs.length];
    });
    view.show(null);
    view.draw(true);
    const left = view.renderer.info.memory.geometries;
    view.show(scene);
    return { found, left };
  });
  assert(counts.found[0][0] >= 8, 'nothing was drawn');
  assert.deepStrictEqual(counts.found.at(-1), counts.found[0], 'models leave something behind');
  assert.strictEqual(counts.left, 3, 'of no model there are the three forms alone');
  const n = () => page.evaluate(() => { // curves of the page, and those that share its cursor
    const { plots } = linkage.page;
    return [plots.length, plots[0].constructor.all.size];
  });
  const [plots] = await n();
  await page.selectOption('#channel', { index: 3 });
  assert.deepStrictEqual(await n(), [plots + 1, plots + 1]);
  await page.click('.plot:last-child button');
  assert.deepStrictEqual(await n(), [plots, plots]);
  console.log('changed');
}

/* a build without the libraries: the page says so, and has the newest values */
async function without(browser) {
  const page = await make(browser);
  await page.route('**/pictures.js', (route) => route.fulfill({ path: path.join(__dirname, '../../tools/gateway/page/without/pictures.js') }));
  await page.goto(look);
  for (const id of ['no-view', 'no-plots']) await page.waitForFunction((name) => document.getElementById(name).textContent.includes('libjs-three'), id, PATIENCE);
  await page.waitForFunction(() => /^angle {2}-?[0-9.]+ rad$/.test(document.querySelector('.plot p')?.textContent), null, PATIENCE);
  assert(await page.isHidden('#view'));
  await page.close();
  console.log('without');
}

/* nothing is cut off: on a narrow screen the sliders are there, on a wide one the cards fill the rows */
async function fit(page) {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.evaluate(() => { // a deadline missed by an hour, after a year
    const cycle = { time: Date.now() / 1e3, cause: 'late wake-up and long step', woken_ns: 3.6e12, ended_ns: 3.7e12, step: 31536000000 };
    linkage.page.socket.onmessage({ data: JSON.stringify({ op: 'missed', cycles: [cycle] }) });
  });
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
  const band = await second.evaluate(() => document.getElementById('band').getBoundingClientRect().height);
  assert(band <= 150, `the band takes ${band} of a window of 300 px`);
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
  const page = await make(browser, { viewport: { width: 640, height: 400 } });
  await page.goto(`file://${offline}`);
  await page.waitForFunction(() => linkage.view.frames > 0, null, PATIENCE);
  const before = await page.evaluate(() => Array.from(linkage.view.poses));
  for (const id of ['bodies', 'centres', 'frames', 'joints']) await page.check(`#${id}`);
  assert(await page.evaluate(() => linkage.view.overlay.length) > 3);
  await page.focus('#time');
  await page.keyboard.press('End');
  await page.waitForFunction(() => document.getElementById('now').textContent === 't = 0.500 s', null, PATIENCE);
  await page.waitForFunction((poses) => linkage.view.frames > 1 && linkage.view.poses.some((value, i) => Math.abs(value - poses[i]) > 0.01), before, PATIENCE);
  await frames(page, 3); // what was changed is drawn
  const still = await page.evaluate(() => linkage.view.frames);
  await frames(page, 10);
  assert.strictEqual(await page.evaluate(() => linkage.view.frames), still, 'it draws what is as before');
  await page.focus('#view');
  await page.keyboard.press('ArrowLeft');
  await page.waitForFunction((n) => linkage.view.frames > n, still, PATIENCE);
  assert.deepStrictEqual(page.asked, [`file://${offline}`]);
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
  await freeze(page);
  await dye(page);
  await change(page);
  await without(browser);
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
  assert.deepStrictEqual(page.asked.filter((address) => !address.startsWith(new URL(url).origin)), []);
  await browser.close();
  process.exit(0);
})().catch((error) => { console.error(error); process.exit(1); });
