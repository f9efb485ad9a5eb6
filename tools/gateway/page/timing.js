// SPDX-License-Identifier: Apache-2.0
// The panel of timing: histograms of wake-up and step with the period, and deadlines that were missed, over time and one by one.
import { by, clock, duration, make, rowOf, show, write } from './dom.js';
import { countBeyond, drawHistogram } from './histogram.js';
import { now } from './plots.js';
import { on, rig } from './rig.js';

const STRIP_S = 300;
const LONGEST = 2e10; // ns, of all that is longer
const ROOM = 1.5; // of the shortest and of the longest time, at the sides
const KINDS = { wakeup: { title: 'Wake-up', late: 'late' }, compute: { title: 'Step', late: 'long' } };
let [missed, histograms] = [[], null];

/* the parts of a figure, which are made once */
function figureOf(name) {
  const i = Object.keys(KINDS).indexOf(name);
  const figure = by('times').children[i] ?? make('figure', '', by('times'));
  if (!figure.firstChild) {
    make('b', KINDS[name].title, figure);
    make('span', '', figure);
    make('canvas', '', figure, { role: 'img' });
    make('figcaption', '', figure);
  }
  const [, text, canvas, caption] = figure.children;
  return { text, canvas, caption };
}

function drawTimes(status) {
  const there = Boolean(status.wakeup && status.compute && status.period_ns);
  show(by('times'), there);
  write(by('deadlines'), there ? `period ${duration(status.period_ns)}, the upright line. Missed deadlines ${status.overruns}, `
    + `late wake-ups ${status.late_wakeups}, long steps ${status.long_computations}, grid points skipped ${status.skipped}.`
    : 'Nothing has run yet.');
  for (const name of there ? Object.keys(KINDS) : []) {
    const [half, most, longest] = ['p50_ns', 'p99_ns', 'max_ns'].map((key) => duration(status[name][key]));
    write(figureOf(name).text, `half below ${half}, 99 % below ${most}, longest ${longest}`);
  }
}

function drawHistograms() {
  if (!histograms || by('timing-panel').hidden) return;
  const period = histograms.period_ns;
  for (const [name, { late }] of Object.entries(KINDS)) {
    const { canvas, caption } = figureOf(name);
    const words = `${histograms[name].late} ${late}, ${countBeyond(histograms[name], period)} longer than the period`;
    write(caption, words);
    canvas.setAttribute('aria-label', `histogram: ${words}`);
    drawHistogram(canvas, histograms[name], histograms, period, name === 'compute' && rig.status?.proof?.share_limit);
  }
}

function takeHistograms(said) {
  for (const name of Object.keys(KINDS)) said[name].upper_ns = said[name].upper_ns.map((upper) => Math.min(upper, LONGEST));
  const all = Object.keys(KINDS).flatMap((name) => said[name].upper_ns);
  histograms = said.period_ns > 0 && all.length > 0 ? said : null;
  if (!histograms) return;
  histograms.least = Math.min(...all, said.period_ns) / ROOM;
  histograms.most = Math.max(...all, said.period_ns) * ROOM;
  drawHistograms();
}

function drawStrip() {
  const end = Math.max(now(), ...missed.map(({ time }) => time)); // of the clock that stamps them
  const recent = missed.filter(({ time }) => time > end - STRIP_S);
  show(by('strip-box'), missed.length > 0);
  by('strip').replaceChildren(...recent.map(({ time, cause }) => {
    const mark = make('i', '', null, { title: `${clock(time)}: ${cause}` });
    mark.style.left = `${100 * (time - end + STRIP_S) / STRIP_S}%`;
    return mark;
  }));
}

function drawMissed() {
  const period = rig.status?.period_ns ?? 0;
  show(by('missed-box'), missed.length > 0);
  by('missed').replaceChildren(...missed.map(({ time, cause, woken_ns: woken, ended_ns: ended, step }) => rowOf([clock(time), cause,
    duration(woken), duration(Math.max(ended - period, 0)), step])));
  drawStrip();
}

on('status', (status) => { if (!by('timing-panel').hidden) drawTimes(status); });
on('histograms', takeHistograms);
new ResizeObserver(drawHistograms).observe(by('times'));
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawHistograms);
on('missed', ({ cycles }) => {
  missed = cycles;
  drawMissed();
});
setInterval(() => { if (missed.length > 0) drawStrip(); }, 1000);
