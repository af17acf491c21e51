import { Background } from './background.js';
import { PlaygroundClock } from './playground-clock.js';

const DAY_MS = 86_400_000;

describe('PlaygroundClock', () => {
  const failures: [string, unknown][] = [];
  const background = new Background((...failure) => failures.push(failure));
  beforeEach(() => {
    failures.length = 0;
  });

  test('runs what becomes due in order when it is moved, each at its own time', () => {
    const clock = new PlaygroundClock(() => 0, background);
    const seen: [string, number][] = [];
    const note = (name: string) => () => seen.push([name, clock.now()]);
    clock.at(30 * DAY_MS, note('thirtieth'));
    clock.at(DAY_MS, () => {
      note('first')();
      clock.after(DAY_MS, note('planned on the way'));
    });
    clock.at(31 * DAY_MS, note('beyond'));
    clock.advance(30 * DAY_MS);
    expect(seen).toEqual([
      ['first', DAY_MS],
      ['planned on the way', 2 * DAY_MS],
      ['thirtieth', 30 * DAY_MS],
    ]);
    expect([clock.now(), clock.skewedByMs]).toEqual([30 * DAY_MS, 30 * DAY_MS]);
    clock.close();
  });

  test('runs nothing that is cancelled, nor anything earlier when it is moved back', () => {
    const clock = new PlaygroundClock(() => 0, background);
    const seen: string[] = [];
    const cancel = clock.at(10, () => seen.push('cancelled'));
    clock.at(20, () => seen.push('kept'));
    cancel();
    clock.skew(-100);
    clock.skew(15);
    expect(seen).toEqual([]);
    clock.skew(20);
    expect(seen).toEqual(['kept']);
  });

  test('runs by itself when the time comes, but never within the call that schedules it', async () => {
    const clock = new PlaygroundClock(Date.now, background);
    let isDone = false;
    const done = new Promise<void>((resolve) => {
      clock.after(0, () => {
        isDone = true;
        resolve();
      });
    });
    expect(isDone).toBe(false);
    // The clock's timer keeps no process alive; this one does while the test waits.
    const alive = setInterval(() => undefined, 1_000);
    await done;
    clearInterval(alive);
  });

  test('reports a task that fails, and runs the others in the same turn', () => {
    const clock = new PlaygroundClock(() => 0, background);
    const seen: number[] = [];
    clock.at(1, () => {
      throw new Error('planned');
    });
    clock.at(2, () => seen.push(clock.now()));
    clock.skew(5);
    expect(failures).toEqual([['a task of the clock', new Error('planned')]]);
    expect(seen).toEqual([2]);
    expect(clock.now()).toBe(5);
    clock.close();
  });
});
