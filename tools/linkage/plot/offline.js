// SPDX-License-Identifier: Apache-2.0
// The page of linkage plot: the table that it contains (offline.c), drawn by the plots of the operator's page.
import { Board } from '../../gateway/page/board.js';
import { by, show } from '../../gateway/page/elements.js';
import { Plot } from '../../gateway/page/plot.js';
import { Samples } from '../../gateway/page/samples.js';

const [NEARER, STEP] = [0.5, 0.25]; // of the time that is shown: a zoom by a button or a key, a move
const WHEEL = 0.002; // zoom by a pixel of the wheel
const FRAMES = 3; // drawn after a change: the room for labels depends on the labels

/** base64 of doubles, little-endian */
function decode(text) {
  const characters = atob(text);
  const bytes = new Uint8Array(characters.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = characters.charCodeAt(i);
  return new Float64Array(bytes.buffer);
}

/** the columns of a table; a row of NaN is a gap. A column is decoded when it is drawn first */
class Table extends Samples {
  constructor(times, columns) {
    super(columns.length, Infinity);
    Object.assign(this, { times, columns, decoded: [] });
  }

  value(row, index) {
    this.decoded[index] ??= decode(this.columns[index]);
    const value = this.decoded[index][row];
    return Number.isFinite(value) ? value : NaN;
  }

  newest(index) {
    return this.value(this.times.length - 1, index);
  }
}

const data = JSON.parse(by('data').textContent);
const table = new Table(decode(data.times), data.channels.map(({ values }) => values));
const [first, last] = [table.times[0], table.times.at(-1)];
const all = first < last ? [first, last] : [first - 0.5, first + 0.5];
let due = FRAMES;
const change = () => { due = FRAMES; };

const shared = {
  range: all, now: 0,
  zoom(range, plot) {
    this.range = range ?? all;
    if (range === null && plot) plot.range = null;
    change();
  },
  point(time) {
    board.point(time);
    by('now').textContent = time === null ? '' : `t = ${Number(time.toPrecision(7))} s`;
  },
};
const board = new Board(Plot, shared, change);

/** zoom: multiply the length of the visible time range by @factor, with the time @about fixed */
function scale(factor, about = (shared.range[0] + shared.range[1]) / 2) {
  const [from, to] = shared.range.map((time) => about + factor * (time - about));
  const isAll = from <= all[0] && to >= all[1];
  if (isAll || to - from > Number.EPSILON * 1e3 * Math.max(Math.abs(from), Math.abs(to))) shared.zoom(isAll ? null : [from, to]);
}

function shift(way) {
  const by_s = way * (shared.range[1] - shared.range[0]);
  shared.zoom(shared.range.map((time) => time + by_s));
}

function showAll() {
  for (const plot of board.list) plot.range = null;
  shared.zoom(null);
}

const actions = {
  '/': () => by('search').focus(),
  '+': () => scale(NEARER),
  '-': () => scale(1 / NEARER),
  '<': () => shift(-STEP),
  '>': () => shift(STEP),
  0: showAll,
};
for (const [id, key] of [['in', '+'], ['out', '-'], ['back', '<'], ['ahead', '>'], ['all', '0']]) by(id).onclick = actions[key];
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest('input') || !actions[event.key]) return;
  actions[event.key]();
  event.preventDefault();
});
by('plots').addEventListener('wheel', (event) => {
  const plot = board.list.find(({ area }) => area.contains(event.target));
  if (!event.ctrlKey || !plot) return;
  event.preventDefault();
  scale(Math.exp(WHEEL * event.deltaY), plot.chart.toDataXCoord(event.clientX - plot.inner.getBoundingClientRect().left));
}, { passive: false });
for (const kind of ['pointerup', 'pointercancel', 'dblclick', 'resize']) window.addEventListener(kind, change);
new ResizeObserver(change).observe(by('plots'));
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
  for (const plot of board.list) plot.recolor();
  change();
});

/** the curves of a panel; what does not fit goes on in another plot */
function lay(channels) {
  let plot = null;
  for (const channel of channels) {
    if (plot?.takes(channel)) plot.setCurves([...plot.curves, channel]);
    else plot = board.add([channel]);
  }
}

function frame() {
  if (due > 0) {
    due--;
    for (const plot of board.list) plot.draw();
  }
  requestAnimationFrame(frame);
}

by('name').textContent = document.title = data.name;
by('note').textContent = data.note;
show(by('note'), data.note !== '');
board.channels = data.channels.map(({ name, unit }, index) => ({ key: String(index), name, unit, samples: table, index }));
for (const panel of data.panels) lay(panel.map((index) => board.channels[index]));
board.mark(board.list[0] ?? null);
requestAnimationFrame(frame);
window.linkage = { board, shared, table }; // for the browser's console
