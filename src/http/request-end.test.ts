import { openLog } from '../telemetry/log.js';
import { Metrics } from '../telemetry/metrics.js';
import { RequestContext } from './request-context.js';
import { observeRequests } from './request-end.js';
import { Conditions } from '../telemetry/conditions/conditions.js';

const ID = '018f2f2e-6c3a-7b1e-8d3c-5a0e4b1c2d3f';

test('the line of a request says what was known when it ended', () => {
  const lines: string[] = [];
  const log = openLog({ LOG_LEVEL: 'info' }, { write: (line) => void lines.push(line) });
  const context = new RequestContext(ID);
  context.notes.hirerId = 'known';
  observeRequests(log, new Metrics(), new Conditions())(context);
  context.notes.hirerId = 'learnt later';
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { requestId: ID, hirerId: 'known' },
  ]);
});
