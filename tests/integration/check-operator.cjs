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
  for (const answer of answers) await page.click(`dialog[open] #ask-${answer}`, PATIENCE);
}

async function ride(page) {
  await state(page, 'ready');
  await page.waitForSelector('[data-op=load]:not(:disabled)', { state: 'attached', ...PATIENCE });
  await page.setInputFiles('#file', model);
  await page.click('dialog[open] #ask-yes', PATIENCE);
  await page.waitForFunction(() => linkage.rig.model?.name === 'driven' && document.getElementById('answer').dataset.ok === 'true',
    null, PATIENCE);
  await page.uncheck('#degraded');
  await arm(page);
  await press(page, 'start', 'no');
  await state(page, 'armed');
  await press(page, 'start', 'yes');
  await state(page, 'running');
  console.log('running');
}

/* what is degraded is refused at first, and its remedy is a button; a proof that others disturb is asked for again */
async function arm(page) {
  while (await page.textContent('#state') !== 'armed') {
    await press(page, 'arm');
    await page.waitForFunction(() => !document.getElementById('arm-degraded').hidden || linkage.rig.status.state === 'arming'
      || linkage.rig.status.proof?.progress === 1, null, PATIENCE);
    if (await page.isVisible('#arm-degraded')) await page.click('#arm-degraded');
    await page.waitForFunction(() => linkage.rig.status.proof?.progress === 1 && linkage.rig.status.state !== 'arming', null, PATIENCE);
    await page.waitForTimeout(500);
  }
}

/* a slider to its end: the input acts, an output follows, and the picture moves; a number that is typed acts as well */
async function slide(page) {
  const before = await page.evaluate(() => ({ place: linkage.view.bodies[0].position.toArray(),
    n: linkage.plots.list[0].curves[0].samples.rows.length }));
  const slider = page.locator('#inputs input[type=range]').first();
  assert(await slider.isDisabled(), 'a slider moves what nobody has claimed');
  await page.click('#claim-all', PATIENCE);
  await page.waitForFunction(() => document.querySelector('#inputs .owner').textContent.startsWith('this page'), null, PATIENCE);
  const acts = (value) => page.waitForFunction((wanted) => Number(document.querySelector('#inputs .acting').textContent) === wanted,
    value, PATIENCE);
  await slider.focus();
  await page.keyboard.press('End');
  await acts(10);
  await page.fill('#inputs input[type=number]', '7.25');
  await page.keyboard.press('Enter');
  await acts(7.25);
  await page.fill('#inputs input[type=number]', '99');
  await page.keyboard.press('Enter');
  await acts(10); // its limit
  await page.waitForFunction(({ place, n }) => {
    const { plots: { list: [{ curves: [{ samples }] }] }, view } = linkage;
    return samples.rows.length > n && Math.abs(samples.newest(0)) > 0.01 && view.frames > 3
      && view.bodies[0].position.toArray().some((value, i) => Math.abs(value - place[i]) > 0.01);
  }, before, PATIENCE);
  const drawn = await page.evaluate(() => {
    const { view } = linkage;
    view.draw(true);
    const gl = view.renderer.getContext();
    const pixels = new Uint8Array(4 * gl.drawingBufferWidth * gl.drawingBufferHeight);
    gl.readPixels(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    return pixels.reduce((n, value, i) => n + (i % 4 === 3 && value > 200), 0);
  });
  assert(drawn > 2000, `${drawn} pixels of a mechanism`);
  await page.waitForFunction(() => linkage.plots.list[0].curves[0].samples.newest(0) > 7, null, PATIENCE); // a whole turn
  const pin = () => page.evaluate(() => linkage.view.project([0, 0, 0]).map(Math.round));
  const stands = async () => { // once samples have come of the whole turn
    const stood = await pin();
    await page.waitForFunction((n) => linkage.view.frames > n + 3, await page.evaluate(() => linkage.view.frames), PATIENCE);
    return String(await pin()) === String(stood);
  };
  let tries = 0;
  while (!await stands()) assert(tries++ < 30, 'the picture of what turns on its place wanders');
  console.log('moved');
}

/* a sine acts for as long as it runs */
async function stimulate(page) {
  await page.click('#inputs .open');
  await page.selectOption('#inputs .stimulus select', 'sine');
  const fields = page.locator('#inputs .places input');
  for (const [i, value] of ['1', '3', '2'].entries()) await fields.nth(i).fill(value);
  await page.click('#inputs .stimulus button');
  for (const [sign, least] of [[1, 2.5], [-1, 0.5]]) { // 1 N m and 3 more, 1 N m and 3 less
    await page.waitForFunction(([k, wanted]) => k * Number(document.querySelector('#inputs .acting').textContent) > wanted,
      [sign, least], PATIENCE);
  }
  await page.click('#inputs .stimulus button');
  assert.deepStrictEqual(await page.evaluate(async () => {
    const { readTable } = await import('./stimulus.js');
    return [readTable('t,x\n1,2\n1.5,3\n'), readTable('1,2\n1,3\n'), readTable('nothing')];
  }), [[[0, 2], [0.5, 3]], null, null]);
  await page.click('#inputs .open');
  console.log('stimulated');
}

/* a body is pushed with the mouse for as long as the button is down */
async function push(page) {
  await page.fill('#inputs input[type=number]', '0');
  await page.keyboard.press('Enter');
  const { x, y } = await page.locator('#view').boundingBox();
  const acting = (least, most) => page.waitForFunction(([low, high]) => {
    const size = Math.hypot(...linkage.rig.report.inputs[1].acting);
    return size >= low && size <= high;
  }, [least, most], PATIENCE);
  for (let tries = 0; await page.evaluate(() => linkage.view.controls.enabled); tries++) { // the arm swings
    assert(tries < 100, 'the arm cannot be taken hold of');
    await page.mouse.up();
    const [left, top] = await page.evaluate(() => linkage.view.project(linkage.view.placed(0, [0, 0, 0])));
    await page.mouse.move(x + left, y + top);
    await page.mouse.down();
  }
  await page.mouse.move(x + 20, y + 200, { steps: 4 });
  await acting(1, 50.001 * Math.sqrt(3));
  await page.mouse.up();
  await acting(0, 0);
  assert(await page.evaluate(() => linkage.view.controls.enabled));
  console.log('pushed');
}

/* so many pictures of the browser */
const frames = (page, n) => page.evaluate(async (count) => {
  for (let i = 0; i < count; i++) await new Promise((done) => { requestAnimationFrame(done); });
}, n);

/* what the first plot shows */
const curve = (page) => page.evaluate(() => {
  const [plot] = linkage.plots.list;
  const { samples, index } = plot.curves[0];
  const newest = samples.rows.length - 1;
  return { n: samples.rows.length, range: [...plot.shared.range], at: plot.at, row: samples.before(plot.at ?? 0), newest,
    text: plot.legend.textContent, values: [-1, 0, 1].map((k) => samples.rows[samples.before(plot.at ?? 0) + k]?.[index]) };
});

/* a frozen curve stands still and loses nothing; the cursor says the value and its unit, by pointer and by keys */
async function freeze(page) {
  await page.waitForFunction(() => linkage.plots.list[0].curves[0].samples.rows.length > 120, null, PATIENCE);
  await page.click('#freeze');
  await frames(page, 4);
  const before = await curve(page);
  assert.match(before.text, /^angle-?[0-9.e-]+rad×$/);
  await page.waitForFunction((n) => linkage.plots.list[0].curves[0].samples.rows.length > n + 20, before.n, PATIENCE);
  await frames(page, 4);
  assert.deepStrictEqual((await curve(page)).range, before.range, 'a frozen curve moves');
  const { width, height } = await page.locator('.plot .curve').first().boundingBox();
  await page.locator('.plot .curve').first().hover({ position: { x: 0.93 * width, y: height / 2 } }); // a second ago
  await page.waitForFunction(() => linkage.plots.list[0].at !== null, null, PATIENCE);
  const there = await curve(page);
  assert(there.at > there.range[0] && there.at < there.range[1], `the cursor is at ${there.at}`);
  const said = Number(there.text.match(/^angle(.+)rad×$/)[1]);
  assert(there.values.some((value) => Math.abs(value - said) < 1e-3 * Math.abs(value)), `${said} is none of ${there.values}`);
  await page.focus('.plot .curve');
  for (const [key, by] of [['ArrowLeft', -1], ['Shift+ArrowRight', 10], ['ArrowLeft', -1]]) {
    const { row } = await curve(page);
    await page.keyboard.press(key);
    assert.strictEqual((await curve(page)).row, row + by, `the cursor after ${key}`);
  }
  await page.keyboard.press('Home');
  assert((await curve(page)).at < there.at);
  await page.keyboard.press('Escape');
  assert.strictEqual((await curve(page)).at, null);
  await page.mouse.move(10, 300);
  await page.click('#freeze');
  await page.waitForFunction((end) => linkage.plots.list[0].shared.range[1] > end + 0.3, before.range[1], PATIENCE);
  const steps = await page.evaluate(() => linkage.plots.list[0].curves[0].samples.times.map((time, i, all) => time - (all[i - 1] ?? time)));
  assert(Math.max(...steps) < 5, 'what came meanwhile is lost');
  console.log('frozen');
}

/* a part of the time is dragged out, and a double click brings all back */
async function zoom(page) {
  const { x, y, width, height } = await page.locator('.plot .curve').first().boundingBox();
  const range = () => page.evaluate(() => { const { shared } = linkage.plots.list[0]; return shared.zoomed && shared.zoomed[1] - shared.zoomed[0]; });
  await page.mouse.move(x + 0.5 * width, y + 0.4 * height);
  await page.mouse.down();
  await page.mouse.move(x + 0.75 * width, y + 0.45 * height, { steps: 5 });
  await page.mouse.up();
  const length = await range();
  assert(length > 2.5 && length < 6, `a quarter of 15 s is ${length} s`);
  assert.strictEqual(await page.getAttribute('#freeze', 'aria-pressed'), 'true');
  await frames(page, 6);
  assert.strictEqual(await range(), length);
  await page.mouse.dblclick(x + 0.5 * width, y + 0.4 * height);
  assert.strictEqual(await range(), null);
  assert.strictEqual(await page.getAttribute('#freeze', 'aria-pressed'), 'false');
  await page.mouse.move(10, 300);
  console.log('zoomed');
}

/* curves have the colours of the page, in the light and in the dark */
async function dye(page) {
  for (const [colorScheme, accent] of [['dark', [109, 179, 255]], ['light', [10, 99, 194]]]) {
    await page.emulateMedia({ colorScheme });
    await page.waitForFunction((color) => {
      const ctx = linkage.plots.list[0].chart.hidden_ctx_;
      const { data } = ctx.getImageData(0, 0, ctx.canvas.width, ctx.canvas.height);
      let n = 0;
      for (let i = 0; i < data.length; i += 4) n += data[i + 3] === 255 && color.every((value, k) => Math.abs(value - data[i + k]) < 3);
      return n > 20;
    }, accent, PATIENCE);
  }
  console.log('dyed');
}

/* curves are searched, added to a plot and removed; a layout is kept */
async function arrange(page) {
  const keys = () => page.evaluate(() => linkage.plots.list.map(({ curves }) => curves.map(({ key }) => key)));
  const before = await keys();
  await page.keyboard.press('Escape');
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press('/');
  await page.keyboard.type('motor acting');
  await page.click('#found li:first-child button:first-of-type');
  assert.deepStrictEqual(await keys(), [...before, ['in/motor (acting)']]);
  await page.fill('#search', 'motor comm');
  await page.click('#found li:first-child button:last-of-type');
  assert.deepStrictEqual((await keys()).at(-1), ['in/motor (acting)', 'in/motor (commanded)']);
  await page.fill('#search', 'pose.z');
  await page.click('#found li:first-child button:last-of-type'); // another unit: an axis at the right side
  await page.fill('#search', 'angle');
  await page.click('#found li:first-child button:last-of-type'); // a third one: a plot of its own
  assert.strictEqual((await keys()).length, before.length + 2);
  await page.fill('#search', '');
  await page.keyboard.press('Escape');
  await frames(page, 6);
  await page.waitForFunction(() => { // the slow curve of an input beside the fast one of an output
    const plot = linkage.plots.list.find(({ curves }) => curves.length === 3);
    const ctx = plot.chart.hidden_ctx_;
    const { data } = ctx.getImageData(0, 0, ctx.canvas.width, ctx.canvas.height);
    let n = 0;
    for (let i = 0; i < data.length; i += 4) n += data[i + 3] > 100 && data[i] > 100 && data[i + 2] < 80; // between rows of pixels, too
    return n > 60;
  }, null, PATIENCE);
  const kept = await page.evaluate(() => linkage.kept.read('plots.driven').plots);
  assert.deepStrictEqual(kept, await keys(), 'the browser keeps another layout');
  await page.fill('#search', 'pose.x');
  await page.evaluate(() => { // as a browser tells of a drag
    const dataTransfer = new DataTransfer();
    document.querySelector('#found li').dispatchEvent(new DragEvent('dragstart', { dataTransfer, bubbles: true }));
    const over = new DragEvent('dragover', { dataTransfer, bubbles: true, cancelable: true });
    if (document.querySelector('.plot .curve').dispatchEvent(over)) throw new Error('a plot takes no channel');
    document.querySelector('.plot .curve').dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
  });
  assert.deepStrictEqual((await keys())[0], [...before[0], 'out/pose.x']);
  await page.click('.plot:first-child .chip:last-child button');
  await page.fill('#search', '');
  await page.keyboard.press('Escape');
  await page.click('.plot:last-child .chip button');
  await page.click('.plot:last-child .chip:nth-child(3) button');
  assert.deepStrictEqual((await keys()).at(-1), ['in/motor (acting)', 'in/motor (commanded)']);
  console.log('arranged');
}

/* where nothing came there is a gap, and columns of a picture keep the least and the largest value */
async function reduce(page) {
  const found = await page.evaluate(async () => {
    const { Samples } = await import('./samples.js');
    const samples = new Samples(1, 0.25);
    for (let i = 0; i < 100; i++) if (i < 40 || i >= 60) samples.add(i / 10, [i === 13 ? 50 : i === 14 ? -50 : i]);
    const list = new Array(20).fill(null);
    const all = samples.reduce(0, 0, 1, list);
    return { list: list.map((value) => (Number.isNaN(value) ? 'gap' : value)), all, at: samples.at(0, 2.04) };
  });
  assert.deepStrictEqual(found.all, [-50, 99]);
  assert.deepStrictEqual(found.list.slice(0, 6), [0, 9, 50, -50, 20, 29]);
  assert(found.list.includes('gap') && found.list[8] !== null && found.list[10] === null, `no gap in ${found.list}`);
  assert.strictEqual(found.at, 20);
  console.log('reduced');
}

/* columns of a histogram: within the period, later than the configuration's limit, beyond the period; their colours */
async function count(page) {
  const columns = await page.evaluate(async () => {
    const { columnsOf, countBeyond } = await import('./histogram.js');
    const histogram = { upper_ns: [1000, 10000, 90000, 100000, 110000, 2000000], count: [5, 4, 3, 2, 1, 1], late: 6 };
    return [[...columnsOf(histogram, 1e5, 1)], countBeyond(histogram, 1e5)];
  });
  assert.deepStrictEqual(columns, [[[1, { count: 1, late: 1 }], [0, { count: 3, late: 3 }], [-1, { count: 7, late: 2 }],
    [-2, { count: 5, late: 0 }]], 2]);
  await page.click('[data-tab=timing]');
  await page.waitForSelector('#times figcaption:not(:empty)', PATIENCE);
  const hues = await page.evaluate(() => {
    const uppers = [1e4, 1e5, 1e6, 1e7];
    const kind = { upper_ns: uppers, count: [100, 10, 3, 1], late: 2 };
    linkage.rig.socket.onmessage({ data: JSON.stringify({ op: 'histograms', period_ns: 2e6, wakeup: kind, compute: kind }) });
    const { data } = document.querySelector('#times canvas').getContext('2d').getImageData(0, 0, 2000, 50);
    const seen = new Set();
    for (let i = 0; i < data.length; i += 4) if (data[i + 3] === 255) seen.add([data[i], data[i + 1], data[i + 2]].join());
    return { seen: [...seen], text: document.querySelector('#times figcaption').textContent };
  });
  for (const hue of ['18,112,47', '143,83,0', '179,20,31']) assert(hues.seen.includes(hue), `no column of ${hue} in ${hues.seen.join(' ')}`);
  assert.strictEqual(hues.text, '2 late, 1 longer than the period');
  await page.click('[data-tab=inputs]');
  console.log('counted');
}

/* the hexapod of a platform stands beside the mechanism, and its legs have the colours of the use of their strokes */
async function mount(page) {
  const ring = (radius, angle, z) => [60, 180, 300].flatMap((at) => [-1, 1].flatMap((side) => {
    const turn = at * Math.PI / 180 + side * angle;
    return [radius * Math.cos(turn), radius * Math.sin(turn), z];
  }));
  const platform = { op: 'platform', state: 'following', emergency: false, heard: false, ready: false, limited: 0, cause: '',
    pose: [0, 0, 0.1, 0, 0, 0], feet: ring(1, 0.2, -1.2), joints: ring(0.9, 0.8, 0), low: Array(6).fill(-0.2), high: Array(6).fill(0.2),
    actuators: [0, 0.1, 0.14, 0.19, -0.1999, 0] };
  await page.evaluate((said) => { // the daemon of this test has none, and says so once
    window.hearPlatform = (more) => linkage.rig.socket.onmessage({ data: JSON.stringify({ ...said, ...more }) });
    window.hearPlatform();
  }, platform);
  await page.waitForFunction(() => linkage.view.beside && !linkage.view.beside.to, null, PATIENCE);
  const found = await page.evaluate(() => {
    const { view } = linkage;
    const { beside } = view;
    const edges = view.bounds();
    return { top: beside.top.position.toArray(), colors: beside.legs.map(({ material }) => `#${material.color.getHexString()}`),
      at: beside.legs.map(({ sleeve }) => view.find(...view.project(sleeve.getWorldPosition(sleeve.position.clone()).toArray()))?.shape.text),
      isWithin: beside.corners().every((corner) => corner.toArray().every((value, k) => value >= edges[k][0] && value <= edges[k][1])) };
  });
  assert.deepStrictEqual(found.top, [0, 0, 0.1]);
  assert.strictEqual(found.colors[0], '#0a63c2');
  assert.strictEqual(found.colors[3], '#8f5300');
  assert.strictEqual(found.colors[4], '#b3141f');
  assert(![found.colors[0], found.colors[3]].includes(found.colors[2]), 'a busy leg looks like an idle one');
  assert(found.at.includes('leg 2: 100.0 mm, 50 % of its stroke'), `the legs are ${found.at}`);
  assert(found.isWithin, 'the hexapod is not within what is fitted');
  await page.uncheck('#hexapod-shown');
  assert(await page.evaluate(() => linkage.view.beside === null));
  await page.check('#hexapod-shown');
  await page.evaluate(() => window.hearPlatform({ state: undefined, feet: [], joints: [] }));
  assert(await page.isHidden('#hexapod-box'));
  assert(await page.evaluate(() => linkage.view.beside === null));
  console.log('mounted');
}

/* another model frees what the one before had on the graphics processor; the name of a body is at the pointer */
async function change(page) {
  const counts = await page.evaluate(() => {
    const { view } = linkage;
    const shape = { body: 0, to: -1, part: 'given', name: '', spring: true, position: [0, 0, 0], orientation: [1, 0, 0, 0],
      size: [1, 1, 1], points: [] };
    const colors = [[1, 0, 0, 1], [0, 0, 1, 0.5]];
    const points = [[0, 0, 0], [1, 1, 1]];
    const shapes = ['box', 'sphere', 'cylinder', 'line', 'span'].flatMap((kind) => colors.map((color) => ({ ...shape, kind, color,
      points: kind === 'line' || kind === 'span' ? points : [] })));
    const { scene } = view;
    const found = Array.from({ length: 20 }, () => {
      view.show({ size: 1, up: [0, 0, 1], bodies: ['x'], poses: [0, 0, 0, 1, 0, 0, 0], joints: [], arrows: [], shapes });
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
  assert(counts.found[0][0] >= 10, 'nothing was drawn');
  assert.deepStrictEqual(counts.found.at(-1), counts.found[0], 'models leave something behind');
  assert.strictEqual(counts.left, 5, 'of no model there are the three forms and their edges alone');
  console.log('changed');
}

/* what is drawn at a body has its name, forces are arrows, and inertia is drawn when it is asked for */
async function point(page) {
  const names = await page.evaluate(() => {
    const { view } = linkage;
    const [left, top] = view.project(view.placed(0, [0, 0, 0]));
    return view.find(left, top)?.shape.name;
  });
  assert.strictEqual(names, 'arm');
  const visible = () => page.evaluate(() => linkage.view.shapes.boxes.map(({ visible: shown }) => shown));
  assert((await visible()).every((shown) => !shown));
  await page.check('#boxes');
  assert((await visible()).every((shown) => shown));
  await page.uncheck('#boxes');
  console.log('pointed');
}

/* a build without the libraries: the page says so, and has the newest values */
async function without(browser) {
  const page = await make(browser);
  const file = path.join(__dirname, '../../tools/gateway/page/without/pictures.js');
  await page.route('**/pictures.js', (route) => route.fulfill({ path: file }));
  await page.goto(look);
  for (const id of ['no-view', 'no-plots']) {
    await page.waitForFunction((name) => document.getElementById(name).textContent.includes('libjs-three'), id, PATIENCE);
  }
  await page.waitForFunction(() => /^angle {2}-?[0-9.]+ rad$/.test(document.querySelector('.plot p')?.textContent), null, PATIENCE);
  assert(await page.isHidden('#view'));
  await page.close();
  console.log('without');
}

/* texts that are told from what is behind them by a ratio of less than 4.5, as WCAG 2 counts it; none of what may not be used */
const faint = (page) => page.evaluate(() => {
  const parse = (text) => {
    const numbers = text.match(/[\d.]+/g).map(Number);
    const scale = text.startsWith('color(') ? 255 : 1;
    return [...numbers.slice(0, 3).map((value) => scale * value), numbers[3] ?? 1];
  };
  const linear = (value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  const light = (color) => color.slice(0, 3).map((value) => linear(value / 255))
    .reduce((sum, value, k) => sum + [0.2126, 0.7152, 0.0722][k] * value, 0);
  const behind = (element) => {
    for (let box = element; box; box = box.parentElement) {
      if (getComputedStyle(box).backgroundImage !== 'none') return null; // a gradient, on which no text is small
      const color = parse(getComputedStyle(box).backgroundColor);
      if (color[3] === 1) return color;
    }
    return parse(getComputedStyle(document.body).backgroundColor);
  };
  return [...document.querySelectorAll('body *')].filter((element) => element.checkVisibility() && !element.closest(':disabled')
    && [...element.childNodes].some(({ nodeType, textContent }) => nodeType === 3 && textContent.trim() !== '')).map((element) => {
    const back = behind(element);
    const [one, other] = back ? [light(parse(getComputedStyle(element).color)), light(back)] : [1, 0];
    return { element, ratio: (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05) };
  }).filter(({ ratio }) => ratio < 4.5)
    .map(({ element, ratio }) => `${element.tagName}#${element.id} '${element.textContent.slice(0, 20)}' ${ratio.toFixed(2)}`);
});

/* no text of any panel is cut off, in a wide window and on a phone, in the light and in the dark */
async function fit(page) {
  await page.evaluate(() => { // a deadline missed by an hour, after a year; an event with a word that is long
    const hear = (message) => linkage.rig.socket.onmessage({ data: JSON.stringify(message) });
    const cycle = { time: Date.now() / 1e3, cause: 'late wake-up and long step', woken_ns: 3.6e12, ended_ns: 3.7e12, step: 31536000000 };
    hear({ op: 'missed', cycles: [cycle] });
    const event = { op: 'event', level: 4, name: 'fault', id: 'LK-2004', time: 1e9 };
    for (let i = 0; i < 3; i++) hear({ ...event, text: `${i} ${'longword'.repeat(12)}` });
  });
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme });
    for (const [width, height] of [[1440, 900], [1280, 900], [390, 844]]) {
      await page.setViewportSize({ width, height });
      for (const tab of await page.locator('[role=tab]:not([hidden])').evaluateAll((list) => list.map(({ dataset }) => dataset.tab))) {
        await page.click(`[data-tab=${tab}]`);
        await frames(page, 2);
        const cut = await page.evaluate(() => [...document.querySelectorAll('html, body, body *')].filter((box) => (
          box.checkVisibility() && box.clientWidth > 0 && box.scrollWidth > box.clientWidth + 1 && !box.closest('.curve')
        )).map((box) => `${box.tagName}#${box.id}.${box.className} ${box.scrollWidth} ${box.clientWidth}`));
        assert.deepStrictEqual(await faint(page), [], `faint at ${width} px, ${colorScheme}, panel ${tab}`);
        assert.deepStrictEqual(cut, [], `wider than it may be at ${width} px, ${colorScheme}, panel ${tab}`);
      }
    }
  }
  const count = page.locator('#events li', { hasText: 'longword' }).locator('.count');
  assert.strictEqual(await count.textContent(), '3×', 'the same event is listed again');
  await page.click('[data-tab=events]');
  await page.selectOption('#events-level', '4');
  assert.strictEqual(await page.locator('#events li:not([hidden])').count(), 1);
  await page.selectOption('#events-level', '0');
  await page.click('[data-tab=recordings]');
  assert.strictEqual(await page.textContent('#recordings-why'), 'none yet');
  await page.click('[data-tab=inputs]');
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 1280, height: 900 });
  console.log('fits');
}

/* after a reset nothing of the run is shown as current */
async function rest(page) {
  await press(page, 'stop');
  await state(page, 'armed');
  await press(page, 'reset', 'yes');
  await page.waitForFunction(() => document.getElementById('pose').textContent === 'initial pose', null, PATIENCE);
  await frames(page, 4);
  const { text, place } = await page.evaluate(() => ({ text: linkage.plots.list[0].legend.textContent,
    place: linkage.view.bodies[0].position.toArray() }));
  assert.strictEqual(text, 'angle–rad×');
  assert(Math.abs(place[0] - 0.5) < 1e-9 && Math.abs(place[2]) < 1e-9, `the arm is at ${place}`);
  console.log('at rest');
}

async function others(browser, page) {
  const small = { viewport: { width: 400, height: 300 } };
  const second = await open(browser, url, small);
  await second.waitForFunction(() => document.getElementById('answer-text').textContent.includes('another page has the controls'),
    null, PATIENCE);
  assert(await second.isDisabled('[data-op=stop]'), 'the second operator could stop the run');
  const bar = await second.evaluate(() => document.getElementById('bar').getBoundingClientRect().height);
  assert(bar <= 150, `the bar takes ${bar} of a window of 300 px`);
  const looker = await open(browser, look, small);
  assert(await looker.isHidden('#controls-take') && await looker.isDisabled('[data-op=stop]'));
  await page.click('#menu summary');
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
  await page.evaluate(() => linkage.show(100));
  await page.selectOption('#speed', '0.01'); // slow motion is smooth: between two instants there are other poses
  await page.click('#play');
  const moved = await page.evaluate(async () => {
    const seen = new Set();
    for (let i = 0; i < 12; i++) {
      await new Promise((done) => { requestAnimationFrame(done); });
      seen.add(linkage.view.poses[0]);
    }
    return seen.size;
  });
  assert(moved > 3, `${moved} poses in 12 pictures of slow motion`);
  assert(await page.evaluate(() => Number(document.getElementById('time').value)) < 110, 'slow motion is fast');
  await page.click('#play');
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
  await stimulate(page);
  await push(page);
  await freeze(page);
  await zoom(page);
  await dye(page);
  await arrange(page);
  await reduce(page);
  await count(page);
  await mount(page);
  await point(page);
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
  await rest(page);
  await lose(page);
  assert.deepStrictEqual(page.asked.filter((address) => !address.startsWith(new URL(url).origin)), []);
  await browser.close();
  process.exit(0);
})().catch((error) => { console.error(error); process.exit(1); });
