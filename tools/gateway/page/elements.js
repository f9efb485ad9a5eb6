// SPDX-License-Identifier: Apache-2.0
// Elements of a page. Names and texts come from models and benches, so they are set as text alone, never as HTML.
export const by = (id) => document.getElementById(id);
export const show = (element, shown) => { element.hidden = !shown; };

export function make(tag, text, parent, more = {}) {
  const element = document.createElement(tag);
  element.textContent = text;
  Object.assign(element, more);
  parent?.append(element);
  return element;
}
