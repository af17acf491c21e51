import { OUTAGES, suffer } from '../ops/outages.js';
import { serverOf } from '../support/programs.js';

// All outages on servers, each alone and with each that comes after it.

beforeAll(() => [serverOf('TEST_DATABASE_URL'), serverOf('TEST_REDIS_URL')]);

const names = Object.keys(OUTAGES);

test.concurrent.each(names.map((name, index) => ({ name, later: names.slice(index + 1) })))(
  '$name, alone and in pairs',
  ({ name, later }) => suffer(name, ...later),
);
