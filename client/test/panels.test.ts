import { startStack, useStack } from '../../test/support/start-stack.js';
import { HIRER_PAIRS } from '../../test/webhooks/send-webhook.js';
import type { Bff } from '../src/client.js';
import { PANEL_SCOPES, panelProps } from '../src/panels.js';
import { hirerOf, openPage } from './page.js';

const stack = useStack();

const openBff = (hirerId: string): Bff => openPage(stack, { hirerId }).bff;
const ended = { code: 'SESSION_ENDED', reason: 'hirer_switched' };

describe('the hirer of a panel', () => {
  test.each(HIRER_PAIRS)('%s stays its own: after a switch to %s it gets no token', async (own, next) => {
    const bff = openBff(own);
    const { getAuthToken } = panelProps(bff, PANEL_SCOPES.adSelection);
    expect(hirerOf(stack, await getAuthToken())).toBe(own);
    bff.switchHirer(next);
    await expect(getAuthToken()).rejects.toMatchObject(ended);
    expect(hirerOf(stack, await panelProps(bff, PANEL_SCOPES.adSelection).getAuthToken())).toBe(next);
    bff.switchHirer(own);
    await expect(getAuthToken()).rejects.toMatchObject(ended);
  });
});

test.each(Object.entries(PANEL_SCOPES))(
  'the scopes of the panel %s open what it is built on',
  async (_name, scope) => {
    const allowed = await startStack({ ALLOWED_SCOPES: scope });
    const { bff } = openPage(allowed, { scope: 'query:organizations' });
    const token = await panelProps(bff, scope).getAuthToken();
    const read = allowed.playground.tokens.read(`Bearer ${token}`);
    expect(read).toMatchObject({ token: { scopes: new Set(scope.split(' ')) } });
  },
);

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
    expect(panelProps(bff, PANEL_SCOPES.adSelection).locale).toBe(locale);
  });

  test('follows a change, and is left to the browser where the page names none', () => {
    const { bff } = openPage(stack);
    expect(panelProps(bff, PANEL_SCOPES.adSelection)).not.toHaveProperty('locale');
    bff.language = 'th-TH';
    expect(panelProps(bff, PANEL_SCOPES.adSelection).locale).toBe('th-TH');
  });
});
