// SPDX-License-Identifier: Apache-2.0
// The operator's page: its parts, the keys, and the pictures. Nothing is asked of any other server.
import { by, kept } from './dom.js';
import { connect, on, rig } from './rig.js';
import { act } from './status.js';
import { drawPlots, endRun, freeze, plots } from './plots.js';
import { drawView, rest, view } from './mechanism.js';
import { drive, driving } from './drive.js';
import './inputs.js';
import './timing.js';
import './platform.js';
import './events.js';
import './policy.js';
import './recordings.js';
import './panels.js';

const QUIET = ['ready', 'empty', 'loading', 'arming', 'armed', 'paused']; // states in which no samples come
const KEYS = {
  ' ': () => act(rig.status?.state === 'paused' ? 'start' : 'pause'),
  s: () => act('stop'),
  f: () => by('fit').click(),
  '/': () => by('search').focus(),
  z: () => freeze(!plots.frozen),
};
let [before, spent, pictures] = [null, 0, 0];

on('status', (status) => {
  const isOther = before && status.step < before.step; // another run, or another place of it
  if (isOther) endRun();
  if (QUIET.includes(status.state) && (status.step === 0 || isOther)) rest(status.step === 0);
  before = status;
});

on('answer', ({ to, ok }) => { // another place of the run, or of another one
  if (to !== 'restore' || !ok) return;
  endRun();
  rest(false);
});

document.addEventListener('keydown', (event) => {
  const key = event.key.toLowerCase();
  const isTyped = event.target.closest('input, select, textarea, dialog, button, summary, [role=separator]');
  // Stop is only a letter where one writes text
  const isText = event.target.closest('select, textarea, input:not([type=range], [type=checkbox], [type=number])');
  if (event.ctrlKey || event.altKey || event.metaKey || (key === 's' ? isText : isTyped)) return;
  if (!KEYS[key]) return;
  KEYS[key]();
  event.preventDefault();
});

function frame(ms) {
  const began = performance.now();
  drive(ms);
  drawView();
  drawPlots(ms);
  spent += performance.now() - began;
  pictures++;
  requestAnimationFrame(frame);
}

requestAnimationFrame(frame);
fetch('conditions.json').then((answer) => answer.json()).then((list) => { rig.remedies = list; }).finally(connect);
window.linkage = { rig, view, driving, plots, kept, cost: () => ({ ms: spent / pictures, pictures }) }; // for the browser's console
