import { OUTAGES, suffer } from '../ops/outages.js';

// All outages on servers, each alone and with each that comes after it.

const names = Object.keys(OUTAGES);

test.each(names.map((name, index) => ({ name, later: names.slice(index + 1) })))(
  '$name, alone and in pairs',
  ({ name, later }) => suffer(name, ...later),
);
