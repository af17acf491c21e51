import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, statSync, watch, writeFileSync } from 'node:fs';
import { cp, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort, programOf } from '../support/machine.js';
import type { Service } from '../../src/service.js';
import type { Json } from '../support/start-stack.js';
import { runCommand } from '../support/start-process.js';
import { testDatabases } from '../support/test-database.js';
import { get, HIRER, useStore } from './store-setup.js';

describe.each(testDatabases())('a copy of the store in $name', ({ open, isServer }) => {
  const store = useStore({ open, isServer });

  const contentOf = async (service: Service): Promise<Json> => ({
    events: await get(service, '/events'),
    memberships: await get(service, '/memberships'),
    audit: await get(service, '/audit?action=membership.grant'),
  });
  const expectRestored = async (save: () => unknown, restore: () => unknown): Promise<void> => {
    let service = await store.start();
    await store.deliverEvent(service);
    await store.run('memberships', 'add', 'amelia', HIRER);
    const before = await contentOf(service);
    await save();
    await store.run('memberships', 'add', 'noah', HIRER);
    await service.close();
    await restore();
    service = await store.start();
    expect(await contentOf(service)).toEqual(before);
    await store.run('memberships', 'add', 'noah', HIRER);
    expect((await get(service, '/audit?action=membership.grant')).items).toHaveLength(2);
    await service.close();
  };

  if (isServer) {
    test('is made by pg_dump beside a running service, and restored, as docs/operate.md says', async () => {
      for (const tool of ['pg_dump', 'pg_restore']) programOf(tool, 'postgresql-client');
      const lines = [...readFileSync('docs/operate.md', 'utf8').matchAll(/^pg_(?:dump|restore) .*$/gm)];
      expect(lines).toHaveLength(2);
      const runLine = (line: string) =>
        execFileSync('sh', ['-c', line], {
          cwd: store.folder,
          env: { ...process.env, ...store.environment },
        });
      await expectRestored(
        () => runLine(lines[0]![0]),
        () => runLine(lines[1]![0]),
      );
    });

    test('is not made by the command: the tool of the server is named, and the exit code is not 0', async () => {
      const { code, out, err } = await store.try('backup', join(store.folder, 'copy'));
      expect({ code, out }).toEqual({ code: 1, out: '' });
      expect(err).toMatch(/PostgreSQL: use pg_dump, as docs\/operate\.md says/);
    });
  } else {
    test('is made in a new file, beside a running service and while none runs, and restored by it', async () => {
      await store.bothWays(async (way) => {
        const copy = join(store.folder, `${way}.copy`);
        await store.run('memberships', 'add', way, HIRER);
        expect(await store.run('backup', copy)).toMatch(/^.*\.copy: \d{5,} bytes written\.\n$/);
        expect(statSync(copy).mode & 0o777).toBe(0o600);
        const before = readFileSync(copy);
        const { code, err } = await store.try('backup', copy);
        expect([code, err]).toEqual([1, expect.stringContaining('already exists and was not changed')]);
        expect(readFileSync(copy).equals(before)).toBe(true);
        await store.run('memberships', 'remove', way, HIRER);
        const restored = join(store.folder, `${way} restored`);
        await mkdir(restored);
        await cp(copy, join(restored, 'bff.sqlite'));
        const other = { ...store.environment, DATA_DIR: restored, OPS_PORT: String(await freePort()) };
        expect((await runCommand(['memberships', 'list'], other)).out).toContain(
          `${way}\t${HIRER}\tmember\t`,
        );
      });
      expect(await readdir(store.environment['DATA_DIR']!)).toEqual(['bff.sqlite']);
    });

    test('is restored as docs/operate.md says: stop, put the copy in its place, start', async () => {
      const copy = join(store.folder, 'copy');
      const data = store.environment['DATA_DIR']!;
      await expectRestored(
        () => store.run('backup', copy),
        async () => {
          for (const name of ['bff.sqlite-wal', 'bff.sqlite-shm']) rmSync(join(data, name), { force: true });
          await cp(copy, join(data, 'bff.sqlite'));
        },
      );
    });

    test('that was killed leaves nothing after the next one, which removes no other file', async () => {
      const data = store.environment['DATA_DIR']!;
      await mkdir(data);
      for (const end of ['', '-journal']) writeFileSync(join(data, `bff.sqlite-backup${end}`), '');
      const mine = join(data, 'backup.sqlite');
      await store.run('backup', mine);
      await store.run('backup', join(store.folder, 'copy'));
      expect(await readdir(data)).toEqual(['backup.sqlite', 'bff.sqlite']);
      expect(statSync(mine).size).toBeGreaterThan(0);
    });

    test('that cannot take its name leaves no file under it', async () => {
      const copy = join(store.folder, 'copy');
      const watcher = watch(store.folder, (_event, name) => {
        if (name?.endsWith('.partial')) rmSync(join(store.folder, name), { force: true });
      });
      const { code, err } = await store.try('backup', copy);
      watcher.close();
      expect([code, err]).toEqual([1, expect.stringMatching(/copy cannot be written: ENOENT\.$/m)]);
      expect(await readdir(store.folder)).toEqual(['data']);
    });

    test('is made past a file that somebody put where the copy may be made, and readable by its owner alone', async () => {
      const copy = join(store.folder, 'copy');
      writeFileSync(`${copy}.partial`, 'of somebody', { mode: 0o644 });
      await store.run('backup', copy);
      expect(readFileSync(`${copy}.partial`, 'utf8')).toBe('of somebody');
      expect(statSync(copy).mode & 0o777).toBe(0o600);
      expect((await readdir(store.folder)).sort()).toEqual(['copy', 'copy.partial', 'data']);
    });
  }
});
