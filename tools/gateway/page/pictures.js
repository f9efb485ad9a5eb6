// SPDX-License-Identifier: Apache-2.0
// What the page draws with: one file of these modules and of dygraphs and three is made by the build. Where these are not,
// it is without/pictures.js, which says so.
export { Hexapod } from './hexapod.js';
export { Plot } from './plot.js';
export { View } from './view.js';
export const missing = '';
