// SPDX-License-Identifier: Apache-2.0
// The panel of events: the same again is counted, not listed again; filtered by level and by words.
import { by, clock, make, show, write } from './dom.js';
import { on, rig } from './rig.js';

const KEPT = 200;
const [WARNING, ERROR] = [3, 4];
const NAMES = { [WARNING]: 'warning', [ERROR]: 'error' };
const groups = new Map(); // by what they have in common: { key, level, name, text, id, time, n, item }
let unread = 0;

const keyOf = ({ level, name, id, text }) => [level, name, id, text.replace(/[\d.]+/g, '#')].join('|');

function fits({ level, name, text }) {
  const words = by('events-search').value.toLowerCase().split(/\s+/).filter(Boolean);
  return level >= Number(by('events-level').value) && words.every((word) => `${name} ${text}`.toLowerCase().includes(word));
}

function makeItem(group) {
  const item = make('li', '');
  item.dataset.level = group.level;
  const head = make('div', '', item);
  group.clock = make('time', '', head);
  if (NAMES[group.level]) make('b', NAMES[group.level], head);
  group.count = make('span', '', head, { className: 'count' });
  group.words = make('span', '', head);
  const remedy = group.level >= WARNING && rig.remedies[group.id];
  if (remedy) make('small', remedy.remedy, item);
  return item;
}

function draw(group) {
  write(group.clock, clock(group.time));
  write(group.count, `${group.n}×`);
  show(group.count, group.n > 1);
  write(group.words, `${group.name}: ${group.text}${group.id ? ` (${group.id})` : ''}`);
  show(group.item, fits(group));
}

function drawUnread() {
  const seen = !by('events-panel').hidden;
  if (seen) unread = 0;
  show(by('events-count'), unread > 0);
  write(by('events-count'), unread > 99 ? '99+' : unread);
}

on('event', (event) => {
  const key = keyOf(event);
  const group = groups.get(key) ?? { n: 0 };
  Object.assign(group, event, { n: group.n + 1 });
  group.item ??= makeItem(group);
  groups.delete(key); // the newest is the last of the map
  groups.set(key, group);
  by('events').prepend(group.item);
  draw(group);
  for (const [oldest, { item }] of groups) {
    if (groups.size <= KEPT) break;
    item.remove();
    groups.delete(oldest);
  }
  if (event.level >= WARNING) unread++;
  drawUnread();
});

on('open', () => { // the gateway tells the last events again
  groups.clear();
  by('events').replaceChildren();
  unread = 0;
});

for (const [id, kind] of [['events-level', 'onchange'], ['events-search', 'oninput']]) {
  by(id)[kind] = () => { for (const group of groups.values()) show(group.item, fits(group)); };
}
by('events-clear').onclick = () => {
  groups.clear();
  by('events').replaceChildren();
};
export { drawUnread };
