import { OUTAGES, suffer } from './outages.js';

/** Each alone and with the next; the drill of outages has every pair, on servers. */
const names = Object.keys(OUTAGES).filter((name) => name !== 'Redis' || process.env['TEST_REDIS_URL']);

test.each(names.map((name, index) => ({ name, next: names[index + 1] })))(
  'while $name fails, alone and with $next, nobody else is blamed, and with the first success it is over',
  ({ name, next }) => suffer(name, ...(next === undefined ? [] : [next])),
);
