import { crc32 } from 'node:zlib';
import { Cancellation } from '../../http/cancellation.js';
import { Coalescer } from './coalescer.js';

interface Work {
  readonly cancellation: Cancellation;
  readonly end: (answer: string) => void;
  readonly fail: (fault: Error) => void;
}

describe('Coalescer', () => {
  let started: Work[];
  let shared: number;
  let coalescer: Coalescer<string>;

  const start = (cancellation: Cancellation): Promise<string> =>
    new Promise((end, fail) => started.push({ cancellation, end, fail }));
  let now: number;
  const join = (body: string, audience = 'one', cancellation = new Cancellation()): Promise<string> => {
    const flight = coalescer.flightFor({ audience, body: Buffer.from(body), deadline: now + 1_000 });
    if (flight.isUnderWay) shared += 1;
    else flight.follow(start(flight.cancellation));
    return flight.join(cancellation);
  };

  beforeEach(() => {
    started = [];
    shared = 0;
    now = 0;
    coalescer = new Coalescer(() => now);
  });

  test('starts equal work once, and gives the answer to all', async () => {
    const both = [join('query'), join('query')];
    started[0]!.end('answer');
    expect(await Promise.all(both)).toEqual(['answer', 'answer']);
    expect([started.length, shared]).toEqual([1, 1]);
  });

  test('gives a failure to all', async () => {
    const both = Promise.allSettled([join('query'), join('query')]);
    started[0]!.fail(new Error('down'));
    expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  test('keeps neither an answer nor a failure', async () => {
    const first = join('query');
    started[0]!.end('old');
    await first;
    const second = join('query');
    started[1]!.end('new');
    expect(await second).toBe('new');
  });

  test('a caller who leaves after the end cancels nothing', async () => {
    const caller = new Cancellation();
    const joined = join('query', 'one', caller);
    started[0]!.end('answer');
    expect(await joined).toBe('answer');
    caller.cancel();
    expect(started[0]!.cancellation.cancelled).toBe(false);
  });

  test('shares nothing between audiences', () => {
    void join('query', 'one');
    void join('query', 'other');
    expect(started).toHaveLength(2);
  });

  test('shares nothing between bodies whose sums are equal by chance', async () => {
    const [one, other] = textsOfEqualSum();
    const answers = [join(one), join(other), join(one), join(other)];
    for (const { end } of started) end(String(started.length));
    expect(started).toHaveLength(3);
    await Promise.all(answers);
    expect(shared).toBe(1);
  });

  test('shares nothing between audiences whose sums are equal by chance', async () => {
    const [one, other] = textsOfEqualSum();
    const answers = [join('query', one), join('query', other)];
    started.forEach(({ end }, place) => end(`answer ${place}`));
    expect(await Promise.all(answers)).toEqual(['answer 0', 'answer 1']);
    expect(shared).toBe(0);
  });

  test('lets one leave alone, and cancels the work with the last', async () => {
    const [first, second] = [new Cancellation(), new Cancellation()];
    const both = Promise.allSettled([join('query', 'one', first), join('query', 'one', second)]);
    first.cancel();
    expect(started[0]!.cancellation.cancelled).toBe(false);
    second.cancel();
    expect(started[0]!.cancellation.cancelled).toBe(true);
    expect(await both).toMatchObject([{ reason: { kind: 'aborted' } }, { reason: { kind: 'aborted' } }]);
  });

  test('lets no request join work that was cancelled', async () => {
    const gone = new Cancellation();
    const left = join('query', 'one', gone);
    gone.cancel();
    await expect(left).rejects.toMatchObject({ kind: 'aborted' });
    const next = join('query');
    started[1]!.end('answer');
    expect(await next).toBe('answer');
  });

  test('lets no request join work that has used up half of its time: work that hangs fails only its members', async () => {
    const first = join('query');
    now = 500;
    const second = join('query');
    now = 501;
    const third = join('query');
    expect(started).toHaveLength(2);
    started[0]!.fail(new Error('too late'));
    await expect(Promise.all([first, second])).rejects.toThrow('too late');
    const fourth = join('query');
    started[1]!.end('answer');
    expect(await Promise.all([third, fourth])).toEqual(['answer', 'answer']);
  });

  test('lets no more than a thousand requests share one piece of work', () => {
    for (let member = 0; member < 1_001; member += 1) void join('query');
    expect([started.length, shared]).toEqual([2, 999]);
  });
});

/** Two texts of one length with the same CRC-32, which have the same one after any other text: a hundred thousand hold some. */
function textsOfEqualSum(): [string, string] {
  const seen = new Map<number, string>();
  for (let number = 0; ; number += 1) {
    const body = `query ${(number * 2_654_435_761).toString(36).padStart(12, '0')}`;
    const known = seen.get(crc32(body));
    if (known !== undefined && known !== body) return [known, body];
    seen.set(crc32(body), body);
  }
}
