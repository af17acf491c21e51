import { refusalOf } from './check-store.js';

test.each([
  [5, 'in use by another process'],
  [8, 'read-only'],
  [776, 'read-only'], // SQLITE_READONLY_ROLLBACK: an extended code tells its kind in the low byte
  [11, 'damaged'],
  [26, 'damaged'],
  [13, 'cannot be opened (SQLite error 13)'],
])('SQLite result code %i is reported as "%s", by the name of the setting', (errcode, reason) => {
  const { message } = refusalOf(Object.assign(new Error('/a/path'), { errcode }));
  expect(message).toContain('DATA_DIR');
  expect(message).toContain(reason);
  expect(message).not.toContain('/a/path');
});

test('a file that cannot be made is reported by the name of the setting, without its path', () => {
  const { message } = refusalOf(new Error("EACCES: permission denied, open '/a/path'"));
  expect(message).toContain('DATA_DIR cannot be written to (EACCES)');
  expect(message).not.toContain('/a/path');
});
