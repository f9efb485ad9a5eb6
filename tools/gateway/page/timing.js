// SPDX-License-Identifier: Apache-2.0
// The panel of timing: wake-up and step against the period, and deadlines that were missed, over time and one by one.
import { by, clock, duration, make, rowOf, show, write } from './dom.js';
import { now } from './plots.js';
import { on, rig } from './rig.js';

const STRIP_S = 300;
let missed = [];

/** a bar from 0 to the period or to the longest time, whichever is more */
function drawBar(name, durations, period, limit) {
  const end = 1.04 * Math.max(period, durations.max_ns);
  const look = durations.p99_ns >= period ? 'bad' : durations.max_ns >= period ? 'warn' : 'good';
  const row = make('div', '', by('bars'), { className: 'bar' });
  make('b', name, row);
  const [half, most, longest] = [durations.p50_ns, durations.p99_ns, durations.max_ns].map(duration);
  make('span', `half below ${half}, 99 % below ${most}, longest ${longest}`, row);
  const track = make('div', '', row, { className: 'track' });
  track.dataset.look = look;
  const place = (className, value) => { make('i', '', track, { className }).style.width = `${Math.min(100 * value / end, 100)}%`; };
  place('max', durations.max_ns);
  place('p99', durations.p99_ns);
  const line = (className, value, title) => { make('em', '', track, { className, title }).style.left = `${100 * value / end}%`; };
  line('period', period, 'the period');
  if (limit) line('limit', limit * period, 'the limit of the proof');
}

function drawTimes(status) {
  by('bars').replaceChildren();
  const there = Boolean(status.wakeup && status.compute && status.period_ns);
  write(by('deadlines'), there ? `period ${duration(status.period_ns)}, the upright line. Missed deadlines ${status.overruns}, `
    + `late wake-ups ${status.late_wakeups}, long steps ${status.long_computations}, grid points skipped ${status.skipped}.`
    : 'Nothing has run yet.');
  if (!there) return;
  drawBar('Wake-up', status.wakeup, status.period_ns);
  drawBar('Step', status.compute, status.period_ns, status.proof?.share_limit);
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
on('missed', ({ cycles }) => {
  missed = cycles;
  drawMissed();
});
setInterval(() => { if (missed.length > 0) drawStrip(); }, 1000);
