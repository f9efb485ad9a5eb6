// SPDX-License-Identifier: Apache-2.0
// The panel of plots: the curves, the time window, freezing, and layouts with a name.
import { Plot, missing } from './pictures.js';
import { Board } from './board.js';
import { ask, by, chooseFile, kept, make, saveFile, show, unitOf } from './dom.js';
import { on, rig } from './rig.js';
import { Samples } from './samples.js';

const GAPS_S = { outputs: 0.25, inputs: 1.5 };
const PLOTS = 24; // of a layout
const [DRAW_MS, SELDOM_MS] = [33, 250];
const WINDOWS = [1, 2, 5, 15, 60, 300, 600]; // s

let [outputs, acting, commanded] = [new Samples(0, 1), new Samples(0, 1), new Samples(0, 1)];
let [drawn, clock] = [0, { ahead: (Date.now() - performance.now()) / 1e3, isRough: true }];

const shared = {
  range: [0, 1], now: 0, zoomed: null,
  zoom(range, plot) {
    this.zoomed = range;
    if (range === null && plot) plot.range = null;
    freeze(range !== null);
  },
  point: (time) => plots.point(time),
};
export const plots = Object.assign(new Board(Plot, shared, keep), { frozen: false });

// ---- channels ----

const flatten = (channels, samples, kind, more = '') => (channels ?? []).flatMap((channel) => channel.components.map((component, i) => {
  const name = channel.name + (component ? `.${component}` : '') + more;
  return { key: `${kind}/${name}`, name, unit: unitOf(channel.units[i]), samples, index: channel.offset + i };
}));

/** two outputs that say most at first: single numbers, if there are any */
function pickFirst() {
  const single = (rig.model?.outputs ?? []).filter(({ components }) => components.length === 1).map(({ name }) => `out/${name}`);
  const keys = [...single, ...plots.channels.map(({ key }) => key)];
  return [...new Set(keys)].slice(0, 2).map((key) => [key]);
}

function layoutOf() {
  return { window: Number(by('window').value), plots: plots.list.map(({ curves }) => curves.map(({ key }) => key)) };
}

function keep() {
  if (rig.model) kept.write(`plots.${rig.model.name}`, layoutOf());
}

function arrange(layout) {
  plots.clear();
  if (WINDOWS.includes(layout?.window)) by('window').value = layout.window;
  const known = new Map(plots.channels.map((channel) => [channel.key, channel]));
  const wanted = (Array.isArray(layout?.plots) ? layout.plots : []).filter(Array.isArray).slice(0, PLOTS); // a file may have anything
  for (const [first, ...rest] of wanted.map((keys) => keys.map((key) => known.get(key)).filter(Boolean))) {
    const plot = first ? plots.add([first]) : null;
    for (const curve of rest) if (plot.takes(curve)) plot.setCurves([...plot.curves, curve]);
  }
  show(by('no-plots'), plots.list.length === 0);
}

on('model', () => {
  const { model } = rig;
  const n = (channels) => (channels ?? []).reduce((sum, { components }) => sum + components.length, 0);
  outputs = new Samples(n(model?.outputs), GAPS_S.outputs);
  [acting, commanded] = [0, 1].map(() => new Samples(n(model?.inputs), GAPS_S.inputs));
  plots.channels = [...flatten(model?.outputs, outputs, 'out'), ...flatten(model?.inputs, acting, 'in', ' (acting)'),
    ...flatten(model?.inputs, commanded, 'in', ' (commanded)')];
  shared.zoom(null);
  arrange(kept.read(`plots.${model?.name}`, null) ?? { plots: pickFirst() });
  listLayouts();
  plots.search();
});

// ---- samples ----

/** the time of the samples now [s UTC]: they say it, and between them the page counts */
export const now = () => performance.now() / 1e3 + clock.ahead;

on('outputs', ({ time, values }) => {
  const ahead = time - performance.now() / 1e3;
  clock.ahead = clock.isRough || ahead > clock.ahead || ahead < clock.ahead - 1 ? ahead : clock.ahead; // that of the sample with the shortest delay
  clock.isRough = false;
  outputs.add(time, values);
});
on('inputs', ({ inputs }) => {
  acting.add(now(), inputs.flatMap((input) => input.acting));
  commanded.add(now(), inputs.flatMap((input) => input.commanded));
});

/** later samples belong to another run */
export function endRun() {
  for (const samples of [outputs, acting, commanded]) samples.end();
}

export const newest = (channel, i) => outputs.newest(channel.offset + i);

// ---- time ----

export function freeze(frozen) {
  plots.frozen = frozen;
  if (!frozen) shared.zoomed = null;
  by('freeze').ariaPressed = String(frozen);
  by('freeze').textContent = frozen ? 'Go on' : 'Freeze';
}

by('freeze').onclick = () => freeze(!plots.frozen);
for (const seconds of WINDOWS) make('option', seconds < 60 ? `${seconds} s` : `${seconds / 60} min`, by('window'), { value: seconds });
by('window').value = 15;
by('window').onchange = () => { shared.zoom(null); keep(); };

/** the curves, at most 30 times a second, and as often as they move by about half a pixel; what is frozen is drawn as well, so
 * that it fits its place */
export function drawPlots(ms) {
  const width = Number(by('window').value);
  if (ms - drawn < Math.min(Math.max(width, DRAW_MS), SELDOM_MS)) return;
  drawn = ms;
  if (!plots.frozen) shared.now = outputs.times.at(-1) > now() - 1 ? outputs.times.at(-1) : now();
  shared.range = shared.zoomed ?? [shared.now - width, shared.now];
  for (const plot of plots.list) plot.draw();
}

// ---- layouts ----

const layouts = () => kept.read(`layouts.${rig.model?.name}`, {});

function listLayouts() {
  by('layouts').replaceChildren(make('option', 'Layouts', null, { value: '' }));
  for (const name of Object.keys(layouts())) make('option', name, by('layouts'), { value: `=${name}` });
  for (const [value, text] of [['save', 'Save as…'], ['file', 'Save to a file'], ['open', 'Open a file…'], ['drop', 'Delete…']]) {
    if (value !== 'drop' || Object.keys(layouts()).length > 0) make('option', text, by('layouts'), { value });
  }
}

const actions = {
  async save() {
    const name = await ask('Keep these plots in this browser.', '');
    if (name) kept.write(`layouts.${rig.model?.name}`, { ...layouts(), [name]: layoutOf() });
  },
  file: () => saveFile(`${rig.model?.name ?? 'linkaged'}-layout.json`, JSON.stringify({ model: rig.model?.name, ...layoutOf() }, null, 1)),
  async open() {
    const file = await chooseFile('.json');
    try {
      const layout = file && JSON.parse(file.text);
      if (file && !Array.isArray(layout?.plots)) throw new Error('no layout');
      if (file) arrange(layout);
      keep();
    } catch {
      await ask(`${file.name} is no layout of this page.`);
    }
  },
  async drop() {
    const name = await ask('Delete the layout of this name.', Object.keys(layouts())[0]);
    kept.write(`layouts.${rig.model?.name}`, Object.fromEntries(Object.entries(layouts()).filter(([other]) => other !== name)));
  },
};

by('layouts').onchange = async ({ target }) => {
  const { value } = target;
  target.value = '';
  if (value.startsWith('=')) { arrange(layouts()[value.slice(1)]); keep(); } else await actions[value]?.();
  listLayouts();
};

matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { for (const plot of plots.list) plot.recolor(); });
by('no-plots').textContent = missing || 'No plot: search a channel above.';
