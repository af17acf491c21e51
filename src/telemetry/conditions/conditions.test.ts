import { Conditions } from './conditions.js';

let now: number;
let wallClock: number;
let conditions: Conditions;

beforeEach(() => {
  [now, wallClock] = [0, Date.UTC(2026, 0, 2)];
  conditions = new Conditions(
    () => now,
    () => wallClock,
  );
});

const viewOf = (name: string) => conditions.list().find((view) => view.name === name)!;

test('the active ones come first, the worst on top, with their reasons in the sentence', async () => {
  conditions.figure('events-dead', () => '3 events');
  conditions.figure('database-failing', () => 'no answer');
  await conditions.look();
  const [first, second, third] = conditions.list();
  expect([first!.name, second!.name, third!.active]).toEqual(['database-failing', 'events-dead', false]);
  expect(second!.summary).toMatch(/redelivers them \(3 events\)\.$/);
});

test('figures are looked at every ten seconds, from the start of the service to its stop', async () => {
  jest.useFakeTimers();
  let looks = 0;
  conditions.figure('events-dead', () => void (looks += 1));
  conditions.onApplicationBootstrap();
  await jest.advanceTimersByTimeAsync(20_000);
  await conditions.onApplicationShutdown();
  await jest.advanceTimersByTimeAsync(20_000);
  jest.useRealTimers();
  expect(looks).toBe(2);
});

test('a condition lasts while any of its targets fails, and its end is listed for an hour', () => {
  const [one, other] = ['one', 'other'].map((target) => conditions.calls('deliveries-failing', target));
  expect(conditions.calls('deliveries-failing', 'one')).toBe(one);
  for (const sink of [one!, other!]) for (let index = 0; index < 3; index += 1) sink.failed('status 500');
  wallClock += 1_000;
  one!.succeeded();
  expect(viewOf('deliveries-failing')).toMatchObject({ active: true, since: '2026-01-02T00:00:00.000Z' });
  other!.succeeded();
  const summary = expect.stringMatching(/^Over: deliveries to the event sink are failing/) as string;
  const ended = { active: false, since: null, endedAt: '2026-01-02T00:00:01.000Z', summary };
  expect(viewOf('deliveries-failing')).toMatchObject(ended);
  wallClock -= 86_400_000; // a clock that is set
  now += 3_599_999;
  expect(viewOf('deliveries-failing')).toMatchObject(ended);
  now += 1;
  expect(viewOf('deliveries-failing').endedAt).toBeNull();
  expect(viewOf('deliveries-failing').summary).toMatch(/^Deliveries to the event sink are failing/);
});

test('a figure counts from one look to the next; a look that fails leaves what was last seen', async () => {
  let seen: () => string | undefined = () => 'too old';
  conditions.figure('events-late', () => seen());
  expect(conditions.active()).toEqual([]);
  await conditions.look();
  expect(conditions.active()).toHaveLength(1);
  seen = () => {
    throw new Error('the store is down');
  };
  await conditions.look();
  expect(conditions.active()).toHaveLength(1);
  seen = () => undefined;
  await conditions.look();
  expect(conditions.active()).toEqual([]);
});

test('the log has a line when a condition begins, and one when it ends, however many targets fail', () => {
  const lines: unknown[] = [];
  const line = (level: string) => (fields: object, sentence: string) =>
    void lines.push({ level, ...fields, sentence });
  const log = { error: line('error'), warn: line('warn'), info: line('info') };
  conditions = new Conditions(
    () => now,
    () => wallClock,
    log as never,
  );
  const sinks = ['one', 'other'].map((target) => conditions.calls('deliveries-failing', target));
  for (const sink of sinks) for (let index = 0; index < 4; index += 1) sink.failed('status 500');
  for (const sink of sinks) sink.succeeded();
  expect(lines).toMatchObject([
    {
      level: 'warn',
      condition: 'deliveries-failing',
      sentence: expect.stringContaining('(one: status 500)'),
    },
    { level: 'info', condition: 'deliveries-failing', sentence: expect.stringMatching(/^Over: /) },
  ]);
});
