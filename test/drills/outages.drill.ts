import { OUTAGES, suffer } from '../ops/outages.js';
import { serverOf } from '../support/programs.js';

// All outages on servers, each alone and in pairs.

beforeAll(() => [serverOf('TEST_DATABASE_URL'), serverOf('TEST_REDIS_URL')]);

const names = Object.keys(OUTAGES);
/** While the upstream limits tokens, nobody asks the issuer for what it is asked with. */
const UNSEEN = 'limit of the upstream, issuer';
const pairs = names.flatMap((first, index) => names.slice(index + 1).map((second) => [first, second]));
const cases = [...names.map((name) => [name]), ...pairs].filter((which) => which.join(', ') !== UNSEEN);

test.each(cases.map((which) => ({ which, title: which.join(', ') })))('$title', ({ which }) =>
  suffer(...which),
);
