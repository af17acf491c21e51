import { openLog } from '../../telemetry/log.js';
import { openDatabase } from '../open-database.js';
import { forwardClock } from './sqlite-database.js';

test('the clock of the embedded database follows the system forward, and goes on where that is set back', () => {
  let [wall, steady] = [1_000_000, 50];
  jest.spyOn(Date, 'now').mockImplementation(() => wall);
  jest.spyOn(performance, 'now').mockImplementation(() => steady);
  const clock = forwardClock();
  expect(clock()).toBe(1_000_000);
  const pass = (ms: number): void => void ([wall, steady] = [wall + ms, steady + ms]);
  pass(10);
  wall -= 3_600_000;
  expect(clock()).toBe(1_000_010);
  pass(10);
  expect(clock()).toBe(1_000_020);
  wall += 7_200_000;
  expect(clock()).toBe(wall);
  jest.restoreAllMocks();
});

test('the embedded database of a service goes by that clock', async () => {
  const wall = jest.spyOn(Date, 'now');
  const database = await openDatabase(
    { DATABASE_URL: undefined, DATA_DIR: ':memory:', playground: false },
    openLog({ LOG_LEVEL: 'silent' }),
  );
  const before = await database.now();
  wall.mockReturnValue(before - 3_600_000);
  expect(await database.now()).toBeGreaterThanOrEqual(before);
  wall.mockRestore();
  await database.close();
});
