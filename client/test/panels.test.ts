import { BANKSIA, NUSANTARA } from '../../test/proxy/proxy-stack.js';
import { startStack, type Stack } from '../../test/support/start-stack.js';
import type { Bff } from '../src/client.js';
import { Panel, PANEL_SCOPES } from '../src/panels.js';
import { openPage } from './page.js';

const BOTH_ORDERS = [
  [BANKSIA, NUSANTARA],
  [NUSANTARA, BANKSIA],
] as const;

let stack: Stack;
let now: number;
// One for each test: the service, too, remembers for five seconds that it replaced a token.
beforeEach(async () => {
  stack = await startStack();
  now = Date.now();
});
afterEach(() => stack.close());

const openBff = (hirerId: string): Bff => openPage(stack, { hirerId, now: () => now }).bff;
const mints = (): number => stack.playground.calls.list({ route: 'auth-token' }).length;
const granted = (token: string) => {
  const read = stack.playground.tokens.read(`Bearer ${token}`);
  if (!('token' in read) || read.token.kind !== 'browser') return undefined;
  return { hirerId: read.token.hirerId, scopes: [...read.token.scopes].sort().join(' ') };
};
const ended = { code: 'SESSION_ENDED', reason: 'hirer_switched' };

describe('the hirer of a panel', () => {
  test.each(BOTH_ORDERS)('%s stays its own: after a switch to %s it gets no token', async (own, next) => {
    const bff = openBff(own);
    const panel = new Panel(bff, 'adSelection');
    const { getAuthToken } = panel.props;
    expect(granted(await getAuthToken())?.hirerId).toBe(own);
    bff.switchHirer(next);
    await expect(getAuthToken()).rejects.toMatchObject(ended);
    expect(panel.signal.reason).toMatchObject(ended);
    expect(granted(await new Panel(bff, 'adSelection').props.getAuthToken())?.hirerId).toBe(next);
    bff.switchHirer(own);
    await expect(getAuthToken({ refused: true })).rejects.toMatchObject(ended);
  });

  test.each(BOTH_ORDERS)('two panels in one page, %s made before %s', async (first, second) => {
    const bff = openBff(BANKSIA);
    const panels = [first, second].map((hirerId) => new Panel(bff, 'adSelection', { hirerId }));
    const ask = (): Promise<string[]> => Promise.all(panels.map(({ props }) => props.getAuthToken()));
    const tokens = await ask();
    expect(tokens.map((token) => granted(token)?.hirerId)).toEqual([first, second]);
    expect((await ask()).map((token) => granted(token)?.hirerId)).toEqual([first, second]);
    bff.switchHirer(NUSANTARA);
    for (const { props } of panels) await expect(props.getAuthToken()).rejects.toMatchObject(ended);
  });

  test('a switch while its token is on the way gives it none', async () => {
    const bff = openBff(BANKSIA);
    const asked = new Panel(bff, 'adSelection').props.getAuthToken();
    bff.switchHirer(NUSANTARA);
    await expect(asked).rejects.toMatchObject(ended);
  });

  test('after sign-out it gets no token', async () => {
    const bff = openBff(BANKSIA);
    const { props } = new Panel(bff, 'adSelection');
    bff.signOut();
    await expect(props.getAuthToken()).rejects.toMatchObject({ code: 'SESSION_ENDED', reason: 'signed_out' });
  });
});

describe('a token that the upstream refuses', () => {
  test('is replaced when the panel asks again, at most once in five seconds', async () => {
    const { getAuthToken } = new Panel(openBff(BANKSIA), 'adSelection').props;
    const dead = await getAuthToken();
    const before = mints();
    const next = await getAuthToken();
    expect(next).not.toBe(dead);
    expect(granted(next)?.hirerId).toBe(BANKSIA);
    now += 4_999;
    expect(await getAuthToken()).toBe(next);
    expect(mints()).toBe(before + 1);
  });

  test('is replaced however late the panel learns of it', async () => {
    const { getAuthToken } = new Panel(openBff(NUSANTARA), 'adSelection').props;
    const dead = await getAuthToken();
    now += 3_000_000;
    expect(await getAuthToken()).not.toBe(dead);
  });

  test('is replaced once for a panel that asks several times at once', async () => {
    const { getAuthToken } = new Panel(openBff(BANKSIA), 'questionnaire', { scope: 'query:ontologies' })
      .props;
    const first = await Promise.all([getAuthToken(), getAuthToken()]);
    expect(new Set(first).size).toBe(1);
    const before = mints();
    const again = await Promise.all([getAuthToken(), getAuthToken(), getAuthToken()]);
    expect(new Set([...first, ...again]).size).toBe(2);
    expect(mints()).toBe(before + 1);
  });

  test('may be named by the panel, which then counts at any time', async () => {
    const asked: (string | null)[] = [];
    const { bff } = openPage(stack, {
      now: () => now,
      fetch: async (_url, init) => {
        asked.push(new Headers(init?.headers).get('X-Refused-Token'));
        return Response.json({ access_token: `token-${asked.length}`, expires_in: 3_600 });
      },
    });
    const { getAuthToken } = new Panel(bff, 'adSelection').props;
    const tokens = [
      await getAuthToken(),
      await getAuthToken({ refused: true }),
      await getAuthToken({ refused: true }),
    ];
    expect(tokens).toEqual(['token-1', 'token-2', 'token-3']);
    expect(asked).toEqual([null, 'token-1', 'token-2']);
  });

  test('of one panel is replaced for the next one too, which has asked for nothing yet', async () => {
    const bff = openBff(BANKSIA);
    const [one, other] = [new Panel(bff, 'adSelection'), new Panel(bff, 'adSelection')];
    const dead = await one.props.getAuthToken();
    const next = await one.props.getAuthToken();
    expect(next).not.toBe(dead);
    expect(await other.props.getAuthToken()).toBe(next);
  });
});

test('a panel that asks more often than tokens may be minted keeps its last one', async () => {
  let answers = 0;
  const { bff } = openPage(stack, {
    now: () => now,
    fetch: async () =>
      (answers += 1) === 1
        ? Response.json({ access_token: 'token-1', expires_in: 3_600 })
        : Response.json({ code: 'rate_limited', detail: 'Too many.' }, { status: 429 }),
  });
  const { getAuthToken } = new Panel(bff, 'adSelection').props;
  expect([await getAuthToken(), await getAuthToken()]).toEqual(['token-1', 'token-1']);
  await expect(getAuthToken({ refused: true })).rejects.toMatchObject({ code: 'RATE_LIMITED' });
});

describe('scopes', () => {
  test.each(Object.entries(PANEL_SCOPES))('of the panel %s open what it is built on', async (name, scope) => {
    const allowed = await startStack({ ALLOWED_SCOPES: scope });
    const { bff } = openPage(allowed, { scope: 'query:organizations' });
    const token = await new Panel(bff, name as keyof typeof PANEL_SCOPES).props.getAuthToken();
    const read = allowed.playground.tokens.read(`Bearer ${token}`);
    expect(read).toMatchObject({ token: { scopes: new Set(scope.split(' ')) } });
    await allowed.close();
  });

  test('of a panel that is not known are named by the page', async () => {
    const bff = openBff(BANKSIA);
    const panel = new Panel(bff, 'adPerformance', { scope: 'query:ontologies' });
    expect(granted(await panel.props.getAuthToken())?.scopes).toBe('query:ontologies');
    expect(() => new Panel(bff, 'adPerformance' as 'adSelection')).toThrow(
      'The panel adPerformance needs a scope.',
    );
    expect(() => new Panel(bff, 'constructor' as 'adSelection')).toThrow(
      'The panel constructor needs a scope.',
    );
  });

  test('without a hirer there is no panel', () => {
    const { bff } = openPage(stack);
    bff.switchHirer(undefined);
    expect(() => new Panel(bff, 'adSelection')).toThrow('A panel needs a hirerId.');
  });
});

describe('the language of a panel', () => {
  test.each([
    ['id-ID', 'id-ID'],
    ['th', 'th-TH'],
    ['en-US, th', 'en-AU'],
    ['fr, id;q=0.5, th;q=0.8', 'th-TH'],
    ['th;q=0, id-ID', 'id-ID'],
    ['fr-FR', 'en-AU'],
    ['*', 'en-AU'],
    ['', 'en-AU'],
  ])('%j is the locale %s', (language, locale) => {
    const { bff } = openPage(stack, { language });
    expect(new Panel(bff, 'adSelection').props.locale).toBe(locale);
  });

  test('follows a change, and is left to the browser where the page names none', () => {
    const { bff } = openPage(stack);
    const panel = new Panel(bff, 'adSelection');
    expect(panel.props).not.toHaveProperty('locale');
    bff.language = 'th-TH';
    expect(panel.props.locale).toBe('th-TH');
  });
});
