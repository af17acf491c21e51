import { UserIds } from './user-ids.js';

const KEY = 'a key of thirty-two bytes or more';
const ids = new UserIds(KEY);

describe('pseudonyms', () => {
  test('a user has one, always the same, and it is a UUID', () => {
    const id = ids.of('https://idp.test', 'ada');
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(new UserIds(KEY).of('https://idp.test', 'ada')).toBe(id);
  });

  test('the value is pinned: a change would give every user another identity upstream', () => {
    expect(ids.of('https://idp.test', 'ada')).toBe('3207a15b-6e7c-85fb-8c9e-95976ae22a5f');
  });

  test.each([
    ['another subject', 'https://idp.test', 'bob'],
    ['the subject of another issuer', 'https://other.test', 'ada'],
    ['a border moved', 'https://idp.tes', 'tada'],
    ['an empty issuer', '', 'https://idp.testada'],
    ['an issuer that looks like the encoding', '16:https://idp.test', 'ada'],
  ])('%s has another', (_title, issuer, subject) => {
    expect(ids.of(issuer, subject)).not.toBe(ids.of('https://idp.test', 'ada'));
  });

  test('another key gives another pseudonym', () => {
    expect(new UserIds(`${KEY}!`).of('https://idp.test', 'ada')).not.toBe(ids.of('https://idp.test', 'ada'));
  });
});
