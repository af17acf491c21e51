import { OUTAGES, suffer } from './outages.js';

/** A few pairs; the drill of outages has every one, on servers. */
const SUFFERED: readonly (readonly string[])[] = [
  ...Object.keys(OUTAGES)
    .filter((name) => name !== 'Redis' || process.env['TEST_REDIS_URL'])
    .map((name) => [name]),
  ['event sink', 'upstream'],
  ['upstream', 'membership service'],
  ['issuer', 'identity provider'],
];

test.each(SUFFERED.map((names) => ({ names, title: names.join(' and ') })))(
  'while $title fails, nobody else is blamed, and with the first success it is over',
  ({ names }) => suffer(...names),
);
