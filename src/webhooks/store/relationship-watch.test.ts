import { pino } from 'pino';
import type { Database } from '../../storage/database.js';
import type { EventNotices } from './event-notices.js';
import { RelationshipWatch } from './relationship-watch.js';

test('what a start finds was there before, also for a look that begins while the first is under way', async () => {
  const answers = [Promise.withResolvers<object[]>(), Promise.withResolvers<object[]>()];
  let looks = 0;
  const database = { query: () => answers[looks++]!.promise } as unknown as Database;
  const notices = { listenToRelationships: (onChange: () => void) => onChange() } as EventNotices;
  const drops: unknown[] = [];
  const tokens = { dropHirers: (...drop: unknown[]) => void drops.push(drop) };
  const log = pino({ level: 'silent' });
  const watch = new RelationshipWatch(database, notices, tokens, { forget: () => undefined }, log);
  const started = watch.onApplicationBootstrap();
  for (const { resolve } of answers) resolve([{ hirer_id: 'h1', changed_at: 1_000, place: 7 }]);
  await started;
  await watch.onApplicationShutdown();
  expect(drops).toEqual([
    [['h1'], 1_000],
    [['h1'], 1_000],
  ]);
});
