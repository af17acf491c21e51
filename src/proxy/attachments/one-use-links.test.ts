import { anEndUser } from '../../../test/support/parts.js';
import { RequestContext } from '../../http/request-context.js';
import type { OneTimeValues } from '../../storage/one-time-values.js';
import type { Attachments } from './attachments.js';
import { OneUseLinks } from './one-use-links.js';

const SECRETS = { current: { SEALING_KEY: ['eG7Wq1Xo5Bi9Vt3Ru8Pn2Ck6Dj4Mz0Hs'] } };

test.each([
  ['database', {}],
  ['claim', { access: { hirers: ['seek:org:acme'] } }],
] as const)(
  'with memberships from the %s, what a link keeps of its user has these claims; it lives no longer than its sealed one',
  async (kind, claims) => {
    const kept = new Map<string, Buffer>();
    const values = {
      newKey: (owner: string) => owner,
      put: async (name: string, value: Buffer) => void kept.set(name, value),
      take: async (name: string) => kept.get(name),
    } as unknown as OneTimeValues;
    const attachments = { admit: async () => ({ leftMs: 20_500 }) } as unknown as Attachments;
    const config = { HIRER_ACCESS: kind, HIRER_ACCESS_CLAIM: '/access/hirers' };
    const links = new OneUseLinks(attachments, values, SECRETS, config);
    const making = RequestContext.background();
    making.user = anEndUser('ada', {
      email: 'ada@example.test',
      access: { hirers: ['seek:org:acme'], age: 40 },
    });
    const { url, expires_in } = await links.create(Buffer.from('{"path":"/attachments/x"}'), making);
    expect(expires_in).toBe(20); // that of the sealed link
    const using = RequestContext.background();
    expect(await links.use(url.split('/').at(-1)!, using)).toBe('x');
    expect(using.user).toEqual({ ...making.user, claims });
  },
);
