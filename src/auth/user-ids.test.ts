import { UserIds } from './user-ids.js';

const KEY = 'a key of thirty-two bytes or more';
const idsOf = (key: string) => new UserIds({ USER_ID_KEY: [key] });
const ids = idsOf(KEY);

describe('pseudonyms', () => {
  test('a user always has the same one, a UUID: a change would give every user a new identity upstream', () => {
    expect(ids.of('https://idp.test', 'ada')).toBe('3207a15b-6e7c-85fb-8c9e-95976ae22a5f');
  });

  test.each([
    ['another subject', 'https://idp.test', 'bob'],
    ['the subject of another issuer', 'https://other.test', 'ada'],
    ['a moved boundary', 'https://idp.tes', 'tada'],
    ['an empty issuer', '', 'https://idp.testada'],
    ['an issuer that looks like the encoding', '16:https://idp.test', 'ada'],
  ])('%s has another', (_title, issuer, subject) => {
    expect(ids.of(issuer, subject)).not.toBe(ids.of('https://idp.test', 'ada'));
  });

  test('another key gives another pseudonym', () => {
    expect(idsOf(`${KEY}!`).of('https://idp.test', 'ada')).not.toBe(ids.of('https://idp.test', 'ada'));
  });
});
