import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { UserBudget } from '../../src/concurrency/user-budget.js';
import { until } from '../support/until.js';
import { NUSANTARA, startScriptedStack, type ProxyStack } from './proxy-stack.js';
import { unauthenticated, type ScriptedUpstream } from '../support/scripted-upstream.js';
import { usePlayground } from '../playground/client.js';

const BODY_LIMIT = 65_536;
const CALLERS = 40;

/** The budgets that the service under test takes from. */
const budgets = new Set<UserBudget>();
const { add } = UserBudget.prototype;

let upstream: ScriptedUpstream;
let stack: ProxyStack;
const playground = usePlayground({ size: 1 });
beforeEach(async () => {
  budgets.clear();
  UserBudget.prototype.add = function (user, amount) {
    if (amount > 0) budgets.add(this);
    add.call(this, user, amount);
  };
  const settings = {
    UPSTREAM_TIMEOUT_MS: '200',
    BODY_LIMIT_BYTES: String(BODY_LIMIT),
    ANSWER_LIMIT_BYTES: '400000',
  };
  ({ upstream, stack } = await startScriptedStack(settings, playground));
});
afterEach(() => {
  UserBudget.prototype.add = add;
});

const QUERY = '{"query":"{ ok }"}';
const MUTATION = '{"query":"mutation { ok }"}';
const ARRAY = `[${QUERY},${MUTATION},${QUERY}]`;
const BODIES = [QUERY, MUTATION, ARRAY, QUERY + ' '.repeat(40_000)];

/**
 * Sends a request and disconnects after some milliseconds, the later half once one of all is under way, having read at
 * most `readMax` bytes.
 */
async function sendAndLeave(body: string, { ms = 0, announced = body.length, readMax = Infinity }) {
  const socket = connect(Number(new URL(stack.url).port), '127.0.0.1');
  let read = 0;
  socket
    .on('error', () => undefined)
    .on('data', (chunk) => {
      read += chunk.length;
      if (read >= readMax) socket.pause();
    });
  socket.write(
    `POST /graphql HTTP/1.1\r\nhost: bff\r\nauthorization: Bearer ${stack.amelia}\r\nx-hirer-id: ${NUSANTARA}\r\n` +
      `content-type: application/json\r\ncontent-length: ${announced}\r\n\r\n${body}`,
  );
  if (ms >= CALLERS / 2) await until(() => budgets.size > 0);
  await delay(ms);
  socket.destroy();
}

const each = (send: (body: string, number: number) => Promise<unknown>): Promise<unknown> =>
  Promise.all(Array.from({ length: CALLERS }, (_, number) => send(BODIES[number % BODIES.length]!, number)));

const large = JSON.stringify({ data: { ok: 'x'.repeat(300_000) } });
const tooLarge = JSON.stringify({ data: { ok: 'x'.repeat(2_000_000) } });

const ENDINGS: Readonly<Record<string, () => Promise<unknown>>> = {
  'an answer': () => each((body) => stack.ask(body)),
  'a refused token': () => {
    upstream.script = () => unauthenticated();
    return each((body) => stack.ask(body));
  },
  'an answer that is not GraphQL': () => {
    upstream.script = () => '"no"';
    return each((body) => stack.ask(body));
  },
  'an answer that is too large': () => {
    upstream.script = () => tooLarge;
    return each((body) => stack.ask(body));
  },
  'a broken connection': () => {
    upstream.before = (_call, response) => Boolean(response.destroy());
    return each((body) => stack.ask(body));
  },
  'a timeout': () => {
    upstream.script = () => 'hang';
    return each((body) => stack.ask(body));
  },
  'a caller that leaves at any moment': () => {
    upstream.script = () => 'hang';
    return each((body, number) => sendAndLeave(body, { ms: number }));
  },
  'a caller that leaves an answer half read': () => {
    upstream.script = () => large;
    return each((body, number) => sendAndLeave(body, { ms: 20 + number, readMax: 1_000 }));
  },
  'a caller that leaves in the middle of a body': () =>
    each((_body, number) => sendAndLeave('x'.repeat(30_000), { ms: number, announced: BODY_LIMIT })),
  'a body that is not JSON': () => each((body) => stack.ask(`${body} x`)),
};

test.each(Object.entries(ENDINGS))('after %s, no user holds a part of any budget', async (_ending, run) => {
  await run();
  expect(budgets.size).toBeGreaterThan(0);
  await until(() => [...budgets].every(({ total }) => total === 0));
});
