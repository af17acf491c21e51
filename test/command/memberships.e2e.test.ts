import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newFolder } from '../support/machine.js';
import { runCommand } from '../support/start-process.js';
import { useStack } from '../support/start-stack.js';

const TOKEN = 'an-ops-token-of-enough-length';
const HIRER = 'seek:org:a/b';

const stack = useStack({ OPS_TOKEN: TOKEN });
let folder: string;
beforeAll(() => {
  folder = newFolder();
});

function run(args: readonly string[], environment: Record<string, string> = {}) {
  const env = { OPS_PORT: new URL(stack.opsUrl).port, OPS_TOKEN: TOKEN, ...environment };
  return runCommand(['memberships', ...args], env);
}

test('removing a membership that there is not says so, and exits with 1', async () => {
  await run(['add', 'ada', HIRER]);
  const other = await run(['remove', 'adda', HIRER]);
  expect(other).toMatchObject({ code: 1, out: '' });
  expect(other.err).toMatch(/^adda has no membership of seek:org:a\/b: nothing was removed\./);
  expect(await run(['remove', 'ada', HIRER])).toMatchObject({
    code: 0,
    out: `Removed: ada no longer belongs to ${HIRER}.\n`,
  });
  expect((await run(['remove', 'ada', HIRER])).code).toBe(1);
});

test('adding a membership that there is already changes nothing but its roles', async () => {
  await run(['add', 'grace', HIRER, '--role', 'owner']);
  expect((await run(['add', 'grace', HIRER, '--role', 'owner'])).out).toBe(
    `grace belongs to ${HIRER} as owner.\n`,
  );
  expect((await run(['add', 'grace', HIRER])).out).toBe(`grace belongs to ${HIRER} as member.\n`);
});

describe('an import', () => {
  const importing = async (lines: readonly string[], ...flags: string[]) => {
    const file = join(folder, 'members.csv');
    await writeFile(file, ['user,hirerId,roles', ...lines].join('\n'));
    return run(['import', file, ...flags]);
  };
  const hirerOf = async (...users: string[]): Promise<string[]> => {
    const { out } = await run(['list', '--hirer', 'seek:org:imported', '--json']);
    return (JSON.parse(out) as { user: string }[])
      .map(({ user }) => user)
      .filter((one) => users.includes(one));
  };

  test('says in a dry run what it would change, then changes that and no more', async () => {
    await importing(['rob,seek:org:imported,', 'sue,seek:org:imported,owner'], '--replace');
    const lines = ['sue,seek:org:imported,owner', 'tim,seek:org:imported,'];
    const [dry, real] = [
      '2 rows: 1 would be granted or changed, 1 unchanged; 1 not in the file would be removed.\n',
      '2 rows: 1 granted or changed, 1 unchanged; 1 not in the file removed.\n',
    ];
    expect((await importing(lines, '--replace', '--dry-run')).out).toBe(dry);
    expect(await hirerOf('rob', 'sue', 'tim')).toEqual(['rob', 'sue']);
    expect((await importing(lines, '--replace')).out).toBe(real);
    expect(await hirerOf('rob', 'sue', 'tim')).toEqual(['sue', 'tim']);
  });

  test('of a file that cannot be read says so', async () => {
    expect(await run(['import', folder])).toMatchObject({ code: 2, err: `${folder} cannot be read.\n` });
  });

  test.each([
    [
      'of a bad row',
      ['yan,seek:org:imported,', ',seek:org:imported,'],
      [],
      /members\.csv:\n {2}line 3: must be/,
    ],
    ['that would remove everything', [], ['--replace'], /has no row/],
  ])('changes nothing for a file %s', async (_title, lines, flags, text) => {
    const { code, out, err } = await importing(lines, ...flags);
    expect({ code, out, err }).toMatchObject({ code: 1, out: '', err: expect.stringMatching(text) });
    expect(await hirerOf('sue', 'tim', 'yan')).toEqual(['sue', 'tim']);
  });
});

test('reads the ops token from a file', async () => {
  const file = join(folder, 'token');
  await writeFile(file, `${TOKEN}\n`);
  expect((await run(['list'], { OPS_TOKEN: '', OPS_TOKEN_FILE: file })).code).toBe(0);
});

test.each<[string, string[], Record<string, string>, RegExp]>([
  [
    'a wrong ops token',
    ['list'],
    { OPS_TOKEN: 'an-ops-token-that-is-wrong' },
    /^Refused: the ops token is missing or wrong/,
  ],
  ['a role that is refused', ['add', 'ada', HIRER, '--role', 'a b'], {}, /status 400: [^]*\n {2}roles: /],
  ['a service that does not run', ['list', '--port', '1'], {}, /^No answer from http:\/\/127\.0\.0\.1:1\./],
  [
    'one that is asked over IPv4 though it listens at ::, since many containers have no IPv6 loopback',
    ['list', '--host', '::', '--port', '1'],
    {},
    /^No answer from http:\/\/127\.0\.0\.1:1\./,
  ],
])('%s is reported in one line and exits with 1', async (_title, args, environment, text) => {
  const { code, out, err } = await run(args, environment);
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toMatch(text);
  expect(err).not.toMatch(/\bat .*:\d+|node:internal/);
});

test.each(['Banksia Health', '93WyyF1h', 'seek:', ':org:a', 'seek::a', 'seek:org a'])(
  'the hirer %p, which has not the form of an id, is refused before anything is asked',
  async (hirer) => {
    const { code, out, err } = await run(['add', 'ada', hirer], { OPS_PORT: '1' });
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/^.* is not a whole object identifier, such as .*\. Nothing was changed\.\n$/);
  },
);

test('a file of the ops token that cannot be read is a fault of that setting', async () => {
  const { code, err } = await run(['list'], { OPS_TOKEN: '', OPS_TOKEN_FILE: '/none' });
  expect([code, err]).toEqual([78, expect.stringContaining('OPS_TOKEN_FILE cannot be read (ENOENT)')]);
});
