import { Tokens } from './tokens.js';

describe('Tokens', () => {
  test('lets a token live for its seconds and not a millisecond longer', () => {
    let nowMs = 1_000;
    const tokens = new Tokens(() => nowMs);
    const header = `Bearer ${tokens.issuePartner(10)}`;
    nowMs = 10_999;
    expect(tokens.read(header).state).toBe('valid');
    nowMs = 11_000;
    expect(tokens.read(header).state).toBe('expired');
  });

  test.each([
    [undefined, 'none'],
    ['', 'unknown'],
    ['Basic eA==', 'unknown'],
    ['Bearer ', 'unknown'],
    ['Bearer nobody', 'unknown'],
  ])('reads the header %j as %s', (header, state) => {
    expect(new Tokens(() => 0).read(header).state).toBe(state);
  });

  test('takes the scheme in any case, and expires and revokes by kind and hirer', () => {
    const tokens = new Tokens(() => 0);
    const grant = { scopes: new Set<string>(), userId: '1' };
    const [a, b] = ['a', 'b'].map((hirerId) => `bearer ${tokens.issueBrowser({ ...grant, hirerId }, 10)}`);
    const partner = `BEARER ${tokens.issuePartner(10)}`;
    expect([tokens.expire({ hirerId: 'a' }), tokens.revoke({ kind: 'browser', hirerId: 'b' })]).toEqual([
      1, 1,
    ]);
    expect([a, b, partner].map((header) => tokens.read(header).state)).toEqual([
      'expired',
      'unknown',
      'valid',
    ]);
  });
});
