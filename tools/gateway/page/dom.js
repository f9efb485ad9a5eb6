// SPDX-License-Identifier: Apache-2.0
// What all parts of the operator's page use: elements, numbers as text, questions.
import { by, make, show } from './elements.js';

export { by, make, show };

/** a text that is written only if it is another one, so that nothing is laid out again */
export function write(element, text) {
  if (element.textContent !== String(text)) element.textContent = text;
}

export function rowOf(texts) {
  const row = make('tr', '');
  for (const text of texts) make('td', text, row);
  return row;
}

export const rounded = (value, digits = 5) => (Number.isFinite(value) ? String(Number(value.toPrecision(digits))) : '');
export const unitOf = (unit) => (unit === '1' ? '' : unit);
export const clock = (seconds) => new Date(seconds * 1000).toLocaleTimeString([], { hour12: false });
export const limitsOf = (low, high) => (low === null && high === null ? 'none' : `${rounded(low ?? NaN)} … ${rounded(high ?? NaN)}`);

/** a duration with the unit that fits it */
export function duration(ns) {
  if (ns >= 1e9) return `${rounded(ns / 1e9, 3)} s`;
  return ns >= 1e6 ? `${rounded(ns / 1e6, 3)} ms` : `${rounded(ns / 1e3, 3)} µs`;
}

by('ask-no').onclick = () => by('ask').close('no');
/** Return: a promise of the name, or of true, or of null if the answer is no. @param name of what is asked for; none: yes or no */
export function ask(text, name) {
  by('ask-text').textContent = text;
  show(by('ask-name'), name !== undefined);
  by('ask-value').value = name ?? '';
  by('ask').returnValue = 'no';
  by('ask').showModal();
  return new Promise((done) => {
    by('ask').onclose = () => {
      const yes = by('ask').returnValue === 'yes';
      if (name === undefined) done(yes || null);
      else done(yes ? by('ask-value').value.trim() : null);
    };
  });
}

/** the text of a file that the user chooses. @param accept as of an input element */
export function chooseFile(accept) {
  return new Promise((done) => {
    const input = make('input', '', null, { type: 'file', accept });
    input.onchange = async () => done(input.files[0] ? { name: input.files[0].name, text: await input.files[0].text() } : null);
    input.click();
  });
}

export function saveFile(name, text) {
  const address = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  make('a', '', null, { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

/** what this browser keeps of the page, by name */
export const kept = {
  read(name, otherwise) {
    try {
      return JSON.parse(localStorage.getItem(`linkage.${name}`)) ?? otherwise;
    } catch {
      return otherwise;
    }
  },
  write(name, value) {
    try {
      localStorage.setItem(`linkage.${name}`, JSON.stringify(value));
    } catch { /* a browser that keeps nothing */ }
  },
};
