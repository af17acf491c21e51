import { expectShortTurns } from '../../test/support/until.js';
import { KeptPartnerTokens } from './kept-partner-tokens.js';

const TOKEN = 'eyJ0.pArtner/token+1==';
const kept = new KeptPartnerTokens();
kept.keep(TOKEN);

const PERCENT = [...TOKEN].map((one) => `%${one.charCodeAt(0).toString(16)}`).join('');

test.each([
  ['as it stands', `attachment; filename="${TOKEN}.pdf"`],
  ['after a percent sign', `100%${TOKEN}`],
  ['percent-encoded', `attachment; filename*=UTF-8''${encodeURIComponent(TOKEN)}.pdf`],
  ['percent-encoded throughout', `attachment; filename*=UTF-8''${PERCENT}`],
  ['in quoted pairs', `attachment; filename="\\${[...TOKEN].join('\\')}"`],
])('a token is found in a header %s', (_, value) => {
  expect([kept.areInHeader(value), kept.areInHeader(value.slice(0, -20))]).toEqual([true, false]);
});

test.each(['\\/', '\\u0041', '\\n', '\\\\'])(
  'a token is found behind a mebibyte of %s, within 50 ms',
  async (escape) => {
    const text = `{"a":"${escape.repeat(1_048_576 / escape.length)}`;
    expect(kept.areIn(Buffer.from(`${text}${TOKEN.replaceAll('/', '\\/')}"}`))).toBe(true);
    const bytes = Buffer.from(`${text}${TOKEN.slice(1).replaceAll('/', '\\/')}"}`);
    await expectShortTurns(async () => expect(kept.areIn(bytes)).toBe(false));
  },
);
