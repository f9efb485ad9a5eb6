// SPDX-License-Identifier: Apache-2.0
// The panel of recordings: a list, which is kept up to date, and downloads.
import { by, make, rounded } from './dom.js';
import { on, rig, say } from './rig.js';

const AGAIN_MS = 1000; // until a file that has begun or ended is on the disk
let recorded = '';

on('recordings', ({ files, why, left_out: leftOut }) => {
  const none = rig.status?.recording?.active ? `none is complete yet; ${rig.status.recording.file} is being recorded` : 'none yet';
  by('recordings-why').textContent = why ?? (leftOut > 0 ? `${leftOut} older ones are not listed` : files.length > 0 ? '' : none);
  by('recordings').replaceChildren(...files.map(({ name, bytes, time }) => {
    const item = make('li', '');
    make('b', name, item);
    make('span', `${rounded(bytes / 1e6, 3)} MB, ${new Date(time * 1000).toLocaleString()}`, item);
    make('button', 'Download', item, { ariaLabel: `download ${name}`, onclick: () => say({ op: 'download', name }) });
    return item;
  }));
});

on('download', ({ address, name }) => make('a', '', null, { href: address, download: name }).click());

on('status', ({ recording }) => {
  const now = `${recording?.active} ${recording?.file}`;
  if (now === recorded) return;
  recorded = now;
  say({ op: 'recordings' });
  setTimeout(() => say({ op: 'recordings' }), AGAIN_MS);
});
on('role', () => say({ op: 'recordings' }));
by('recordings-again').onclick = () => say({ op: 'recordings' });
