// SPDX-License-Identifier: Apache-2.0
// Where the parts of the page are: panels as tabs, and lines between them that can be moved. The browser keeps both.
import { by, kept, show } from './dom.js';
import { drawUnread } from './events.js';
import { on } from './rig.js';
import { hasPlatform } from './platform.js';

const SPLITS = { side: ['--side', 25, 60], plots: ['--plots', 20, 80] }; // of the window [%]: least, most
const STEP = 2; // % of a key
const layout = { tab: 'inputs', side: 42, plots: 52, ...Object(kept.read('panels', {})) };

const tabs = () => [...document.querySelectorAll('[role=tab]')];

function choose(name) {
  layout.tab = name;
  for (const tab of tabs()) {
    const isIt = tab.dataset.tab === name;
    tab.ariaSelected = String(isIt);
    tab.tabIndex = isIt ? 0 : -1;
    show(by(`${tab.dataset.tab}-panel`), isIt);
  }
  kept.write('panels', layout);
  drawUnread();
}

for (const tab of tabs()) {
  tab.onclick = () => choose(tab.dataset.tab);
  tab.onkeydown = ({ key }) => {
    const list = tabs().filter((other) => !other.hidden);
    const next = list[list.indexOf(tab) + ({ ArrowRight: 1, ArrowLeft: -1 }[key] ?? NaN)];
    next?.focus();
    next?.click();
  };
}

/** hide the tabs of functions that the model or the rig does not have */
on('platform', () => {
  show(by('platform-tab'), hasPlatform());
  if (!hasPlatform() && layout.tab === 'platform') choose('inputs');
});

// ---- lines between the parts ----

function split(name, percent) {
  const [property, least, most] = SPLITS[name];
  layout[name] = Math.min(Math.max(percent, least), most);
  document.documentElement.style.setProperty(property, `${layout[name].toFixed(1)}%`);
  by(`split-${name}`).ariaValueNow = layout[name].toFixed(0);
}

for (const name of Object.keys(SPLITS)) {
  const line = by(`split-${name}`);
  line.onpointerdown = ({ pointerId }) => line.setPointerCapture(pointerId);
  line.onpointermove = ({ clientX, clientY, pointerId }) => {
    if (!line.hasPointerCapture(pointerId)) return;
    const box = by('rig').getBoundingClientRect();
    split(name, name === 'side' ? 100 * (box.right - clientX) / box.width : 100 * (clientY - box.top) / box.height);
  };
  line.onpointerup = () => kept.write('panels', layout);
  line.onkeydown = (event) => {
    const by = { ArrowLeft: STEP, ArrowRight: -STEP, ArrowUp: -STEP, ArrowDown: STEP }[event.key];
    if (!by) return;
    split(name, layout[name] + by);
    kept.write('panels', layout);
    event.preventDefault();
  };
  split(name, Number(layout[name]) || SPLITS[name][1]);
}

choose(tabs().some((tab) => tab.dataset.tab === layout.tab && !tab.hidden) ? layout.tab : 'inputs');
