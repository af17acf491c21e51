import { SingleFlight } from './single-flight.js';

test('those who ask for one key at one time share one piece of work, and its failure', async () => {
  const flights = new SingleFlight<number>();
  let runs = 0;
  const work = async (): Promise<number> => (runs += 1);
  expect(await Promise.all([flights.run('a', work), flights.run('a', work), flights.run('b', work)])).toEqual(
    [1, 1, 2],
  );
  const failing = async (): Promise<number> => Promise.reject(new Error('no'));
  const both = await Promise.allSettled([flights.run('a', failing), flights.run('a', work)]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await flights.run('a', work)).toBe(3);
});
