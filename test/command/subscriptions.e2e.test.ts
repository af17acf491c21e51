/* eslint-disable max-lines -- one command, each of its words on the same upstream */
import { freePort } from '../support/machine.js';
import type { Environment } from '../../src/config/load-config.js';
import type { CommandFault } from '../../src/command/command.js';
import { subscriptions } from '../../src/command/subscriptions/subscriptions.js';
import { useStack } from '../support/start-stack.js';
import { until } from '../support/until.js';

const [NEW_SECRET, OLD_SECRET] = ['the-new-secret-of-webhooks', 'the-old-secret-of-webhooks'] as const;
const BANKSIA = 'seekAnzPublicTest:organization:seek:93WyyF1h';
const POSTED = 'PositionProfilePosted';
const CREATED = 'CandidateApplicationCreated';

const stack = useStack(
  { WEBHOOK_SECRETS: `${NEW_SECRET},${OLD_SECRET}` },
  { switches: { mutations: 'stateful' }, delivery: { retryDelaysMs: [], changeDelayMs: 50 } },
);
beforeEach(() => {
  const { subscriptions, replays, requests } = stack.playground.webhooks;
  subscriptions.clear();
  replays.clear();
  requests.length = 0;
  stack.playground.faults.clear();
});

interface Result {
  readonly exitCode: number;
  readonly lines: readonly string[];
  readonly warnings: string;
}

/** Runs the command with the settings of the running service. */
async function run(
  argv: readonly string[],
  overrides: Environment = {},
  now: () => number = Date.now,
): Promise<Result> {
  const [lines, warnings]: [string[], string[]] = [[], []];
  const scheme = { EVENTS_SCHEME_ID: 'seekAnzPublicTest' };
  const environment = { ...stack.environment, ...scheme, OPS_PORT: new URL(stack.opsUrl).port, ...overrides };
  const output = {
    print: (line: string) => void lines.push(line),
    warn: (line: string) => void warnings.push(line),
  };
  const exitCode = await subscriptions(argv, environment, output, now).catch((fault: CommandFault) => {
    output.warn(fault.message);
    return fault.exitCode;
  });
  return { exitCode, lines, warnings: warnings.join('\n') };
}

const words = ({ lines }: Result): string[] => lines.map((line) => line.split('\t')[0]!);
const receiver = (): string => `${stack.url}/webhooks`;
const ensure = (...more: string[]): Promise<Result> =>
  run(['ensure', '--url', receiver(), '--types', `${POSTED},${CREATED}`, ...more]);
const kept = () => [...stack.playground.webhooks.subscriptions.values()];

describe('ensure', () => {
  test('creates signed subscriptions whose webhooks the service accepts, and does nothing the second time', async () => {
    expect(words(await ensure())).toEqual(['created', 'created']);
    expect(kept().map(({ eventTypeCode, url, hirerId }) => [eventTypeCode, url, hirerId])).toEqual([
      [POSTED, receiver(), null],
      [CREATED, receiver(), null],
    ]);
    const { id } = stack.playground.events.emit(POSTED);
    await until(async () => (await fetch(`${stack.opsUrl}/events/${id}`)).status === 200);
    const before = JSON.stringify(kept());
    expect(words(await ensure())).toEqual(['unchanged', 'unchanged']);
    expect(JSON.stringify(kept())).toBe(before);
  });

  test.each([
    ['types', ['--types', ' , ']],
    ['hirer', ['--types', POSTED, '--hirer', '']],
  ])('without a word for its %s changes nothing, and says so', async (_what, words_) => {
    expect((await run(['ensure', '--url', receiver(), ...words_])).exitCode).toBe(2);
    expect(kept()).toEqual([]);
  });

  test('keeps the subscriptions of one hirer and of every hirer apart', async () => {
    await ensure();
    expect(words(await ensure('--hirer', BANKSIA))).toEqual(['created', 'created']);
    expect(kept().map(({ hirerId }) => hirerId)).toEqual([null, null, BANKSIA, BANKSIA]);
    expect(words(await ensure())).toEqual(['unchanged', 'unchanged']);
    expect(words(await ensure('--hirer', BANKSIA))).toEqual(['unchanged', 'unchanged']);
  });

  test('leaves those to other URLs alone, unless they are to be moved', async () => {
    const other = 'https://staging.partner.example/webhooks';
    await run(['ensure', '--url', other, '--types', POSTED]);
    const [{ id }] = kept() as [ReturnType<typeof kept>[number]];
    expect(words(await ensure())).toEqual(['created', 'created']);
    expect(kept().find((one) => one.id === id)?.url).toBe(other);
    const moved = 'https://live.partner.example/webhooks';
    const move = ['ensure', '--url', moved, '--types', POSTED, '--from', other];
    expect(words(await run(move))).toEqual(['moved']);
    expect(kept().find((one) => one.id === id)?.url).toBe(moved);
    expect(words(await run(move))).toEqual(['unchanged']);
  });

  test('signs what is unsigned', async () => {
    stack.playground.webhooks.subscribeTo({ url: receiver(), eventTypeCodes: [POSTED] });
    expect(words(await ensure())).toEqual(['signed', 'created']);
    expect(words(await ensure())).toEqual(['unchanged', 'unchanged']);
  });

  const somewhere = ['--url', 'https://a.example/w', '--types', POSTED];
  test.each([
    ['without a secret', somewhere, { WEBHOOK_SECRETS: '' }, 'WEBHOOK_SECRETS'],
    ['without a URL', ['--types', POSTED], {}, '--url'],
    ['with a URL that is none', ['--url', 'here', '--types', POSTED], {}, '--url'],
    ['without a scheme', somewhere, { EVENTS_SCHEME_ID: '' }, '--scheme'],
    ['with an option that there is not', ['--uri', 'x'], {}, '--uri'],
  ])('refuses to run %s, naming it', async (_name, argv, overrides, named) => {
    const { exitCode, warnings } = await run(['ensure', ...argv], overrides);
    expect([exitCode, warnings]).toEqual([2, expect.stringContaining(named)]);
    expect(kept()).toEqual([]);
  });

  test('passes on what the upstream refuses, and shows no secret', async () => {
    const argv = ['ensure', '--url', 'http://partner.example/w', '--types', POSTED];
    const { exitCode, lines, warnings } = await run(argv);
    expect([exitCode, warnings]).toEqual([1, expect.stringContaining('BAD_USER_INPUT')]);
    expect([...lines, warnings].join()).not.toContain(NEW_SECRET);
  });

  test('shows no secret though the upstream quotes the variables, as GraphQL servers do', async () => {
    const secret = 'a "quoted" \\ secret of webhooks';
    const { PARTNER_CLIENT_SECRET: clientSecret } = stack.environment;
    const message = `Variable "$input" got invalid value {secret: ${JSON.stringify(secret)}} ${secret} ${clientSecret}`;
    const body = JSON.stringify({ errors: [{ message }] });
    const fault = { status: 400, contentType: 'application/json', body };
    stack.playground.faults.add({ route: 'graphql', after: 1, ...fault });
    const { exitCode, lines, warnings } = await run(['ensure', '--url', receiver(), '--types', POSTED], {
      WEBHOOK_SECRETS: secret,
    });
    expect([exitCode, lines]).toEqual([1, []]);
    expect(warnings).toContain('got invalid value {secret: "[redacted]"} [redacted] [redacted]');
  });
});

test('list shows no secret though the upstream quotes it as data', async () => {
  const { PARTNER_CLIENT_SECRET: secret } = stack.environment;
  const node = {
    id: { value: 'subscription' },
    eventTypeCode: CREATED,
    url: `https://partner.example/${secret}`,
  };
  const webhookSubscriptions = { edges: [{ node }], pageInfo: { hasNextPage: false } };
  const body = JSON.stringify({ data: { webhookSubscriptions } });
  stack.playground.faults.add({ route: 'graphql', status: 200, contentType: 'application/json', body });
  const { lines } = await run(['list']);
  expect(lines.join()).toContain('https://partner.example/[redacted]');
});

test('each says what it would do in a dry run, and does nothing', async () => {
  expect(words(await ensure('--dry-run'))).toEqual(['would create', 'would create']);
  expect(kept()).toEqual([]);
  stack.playground.subscribe({ url: receiver(), eventTypeCodes: [POSTED], secret: OLD_SECRET });
  expect(words(await run(['rotate', '--dry-run']))).toEqual(['would set']);
  expect(kept()[0]!.secret).toBe(OLD_SECRET);
  const since = new Date(Date.now() - 86_400_000).toISOString();
  expect(words(await run(['replay', '--since', since, '--dry-run']))).toEqual(['would replay']);
  expect(stack.playground.webhooks.replays.size).toBe(0);
});

test('an answer without the list is reported', async () => {
  const body = '{"data":{"webhookSubscriptions":null}}';
  stack.playground.faults.add({ route: 'graphql', status: 200, contentType: 'application/json', body });
  const { exitCode, warnings } = await run(['list']);
  expect([exitCode, warnings]).toEqual([1, 'The upstream answered without webhookSubscriptions.']);
});

test('list shows each subscription, and those that are chosen', async () => {
  await ensure();
  const { lines } = await run(['list']);
  expect(lines).toEqual([
    expect.stringContaining(`${POSTED}\tevery hirer\tsigned`),
    expect.stringContaining(`${CREATED}\tevery hirer\tsigned`),
  ]);
  expect((await run(['list', '--types', CREATED])).lines).toEqual(lines.slice(1));
  expect(await run(['list', '--hirer', BANKSIA])).toMatchObject({ lines: [], warnings: 'No subscriptions.' });
});

describe('rotate', () => {
  test('has the upstream sign with the first secret', async () => {
    stack.playground.subscribe({ url: receiver(), eventTypeCodes: [POSTED], secret: OLD_SECRET });
    expect(words(await run(['rotate']))[0]).toBe('set');
    await until(() => kept()[0]!.acting.secret === NEW_SECRET);
    expect(kept()[0]!.signingAlgorithmCode).toBe('SeekHmacSha512');
  });

  test('is refused while the service would not know the old secret, unless it is forced', async () => {
    stack.playground.subscribe({ url: receiver(), eventTypeCodes: [POSTED], secret: OLD_SECRET });
    const alone = { WEBHOOK_SECRETS: NEW_SECRET };
    expect(await run(['rotate'], alone)).toMatchObject({ exitCode: 2, lines: [] });
    expect(kept()[0]!.secret).toBe(OLD_SECRET);
    expect((await run(['rotate', '--force'], alone)).exitCode).toBe(0);
    expect(kept()[0]!.secret).toBe(NEW_SECRET);
  });
});

describe('replay', () => {
  const since = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString();
  const replays = () => [...stack.playground.webhooks.replays.values()];

  test('has past events delivered again', async () => {
    await ensure();
    const argv = ['replay', '--types', POSTED, '--since', since(30), '--until', since(1)];
    expect(words(await run(argv))).toEqual(['replaying']);
    expect(replays()).toHaveLength(1);
  });

  test('names events for one subscription', async () => {
    await ensure();
    const { id } = stack.playground.events.emit(POSTED);
    expect(words(await run(['replay', '--types', POSTED, '--event', id]))).toEqual(['replaying']);
    expect(replays()).toHaveLength(1);
    expect(await run(['replay', '--event', id])).toMatchObject({ exitCode: 2 });
  });

  test.each([
    ['what the upstream no longer has', ['--since', since(91)], '90 days'],
    ['no time', [], '--since'],
    ['a time that ends before it begins', ['--since', since(1), '--until', since(2)], '--until'],
    ['a time that is none', ['--since', 'yesterday'], '--since'],
    ['101 events', Array.from({ length: 101 }, (_, at) => ['--event', `e${at}`]).flat(), '100'],
    ['delivered events of every hirer', ['--since', since(1), '--delivered'], '--hirer'],
    ['a subscription that there is not', ['--since', since(1), '--url', 'https://none.example/'], 'matches'],
  ])('does not ask for %s', async (_name, argv, named) => {
    await ensure();
    const { exitCode, warnings } = await run(['replay', ...argv]);
    expect([exitCode, warnings]).toEqual([2, expect.stringContaining(named)]);
    expect(replays()).toEqual([]);
  });

  test('refuses the whole request, before any replay, when one subscription cannot be replayed so', async () => {
    await run(['ensure', '--url', receiver(), '--types', POSTED, '--hirer', BANKSIA]);
    await run(['ensure', '--url', receiver(), '--types', CREATED]);
    const { exitCode, warnings } = await run(['replay', '--since', since(30), '--delivered']);
    expect([exitCode, warnings]).toEqual([2, expect.stringContaining('Nothing was replayed')]);
    expect(replays()).toEqual([]);
  });

  test('delivers delivered events of one hirer again', async () => {
    await ensure();
    const argv = ['replay', '--since', since(30), '--delivered', '--hirer', BANKSIA];
    expect(words(await run(argv))).toEqual(['replaying', 'replaying']);
  });
});

describe('requests', () => {
  test('stand beside what was received, and an event that was sent and never received is shown', async () => {
    await run(['ensure', '--url', receiver(), '--types', POSTED]);
    const first = stack.playground.events.emit(POSTED);
    await until(async () => (await fetch(`${stack.opsUrl}/events/${first.id}`)).status === 200);
    await stack.playground.webhooks.settled();
    const complete = await run(['requests']);
    expect(complete).toMatchObject({ exitCode: 0, warnings: '' });
    expect(complete.lines).toEqual([
      expect.stringMatching(/\tSuccess\t204\t1 of 1 event received\t/),
      '1 request with 1 event; 0 events never received.',
    ]);

    const nobody = `http://127.0.0.1:${await freePort()}/webhooks`;
    stack.playground.subscribe({ url: nobody, eventTypeCodes: [CREATED] });
    const lost = stack.playground.events.emit(CREATED);
    await stack.playground.webhooks.settled();
    const { exitCode, lines } = await run(['requests']);
    expect(exitCode).toBe(1);
    expect(lines.slice(1)).toEqual([
      expect.stringMatching(/RequestTimeout\t504\t0 of 1 event received/),
      `never received\t${CREATED}\t${lost.id}`,
      '2 requests with 2 events; 1 event never received.',
    ]);
    const chosen = await run(['requests', '--url', receiver()]);
    expect([chosen.exitCode, chosen.lines]).toEqual([0, complete.lines]);
  });

  test('of this very moment, and of an upstream whose clock is ahead, are shown', async () => {
    await run(['ensure', '--url', receiver(), '--types', POSTED]);
    stack.playground.events.emit(POSTED);
    await stack.playground.webhooks.settled();
    const { createdMs } = stack.playground.webhooks.requests[0]!;
    for (const now of [createdMs, createdMs - 60_000]) {
      const { lines } = await run(['requests'], {}, () => now);
      expect(lines.at(-1)).toBe('1 request with 1 event; 0 events never received.');
    }
    const past = new Date(createdMs).toISOString();
    const { lines } = await run(['requests', '--until', past]);
    expect(lines).toEqual(['0 requests with 0 events; 0 events never received.']);
  });

  test('need the ops listener of the service', async () => {
    await run(['ensure', '--url', receiver(), '--types', POSTED]);
    stack.playground.events.emit(POSTED);
    await stack.playground.webhooks.settled();
    const { exitCode, warnings } = await run(['requests'], { OPS_PORT: String(await freePort()) });
    expect([exitCode, warnings]).toEqual([1, expect.stringContaining('ops listener')]);
  });
});
