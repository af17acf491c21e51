import { BANKSIA, NUSANTARA, startProxyStack, type ProxyStack } from './proxy-stack.js';
import { startScriptedUpstream, type ScriptedUpstream } from './scripted-upstream.js';

const SECRET = 'secret of another hirer';
const silent = { candidate: { person: { name: { formattedName: SECRET } }, profiles: [] } };
const of = (hirerId: string) => ({
  createDateTime: `of ${hirerId}`,
  associatedPositionProfile: { positionOrganizations: [{ id: { value: hirerId } }] },
});

let stack: ProxyStack;
let upstream: ScriptedUpstream;
beforeAll(async () => {
  upstream = await startScriptedUpstream();
  stack = await startProxyStack({ UPSTREAM_URL: upstream.url });
});
afterAll(async () => {
  await stack.close();
  await upstream.server.close();
});

/** What Amelia sees of a profile for one of her hirers, where the upstream answers so. */
async function shownTo(hirerId: string, candidateProfile: unknown): Promise<string> {
  upstream.script = () => JSON.stringify({ data: { candidateProfile } });
  const call = { documentId: 'CandidateProfile', variables: { id: 'p' } };
  return (await stack.ask(call, { 'x-hirer-id': hirerId })).text;
}

describe.each([
  [BANKSIA, NUSANTARA],
  [NUSANTARA, BANKSIA],
])('an upstream that breaks its schema shows %s nothing of another', (own, other) => {
  test.each([
    ['a list, one silent about its hirer', [of(own), silent], 'FORBIDDEN'],
    ['a list, the first silent about its hirer', [silent, of(own)], 'FORBIDDEN'],
    ['a list, one of another hirer', [of(own), { ...silent, ...of(other) }], 'FORBIDDEN'],
    ['a text', SECRET, 'UPSTREAM_ERROR'],
    ['an object with a text for the candidate', { ...of(own), candidate: SECRET }, 'UPSTREAM_ERROR'],
    [
      'an object with another for the URL of an attachment',
      { ...of(own), attachments: [{ url: { x: SECRET } }] },
      'UPSTREAM_ERROR',
    ],
  ])('in the place of an object: %s', async (_, answered, code) => {
    const shown = await shownTo(own, answered);
    expect(shown).toContain(code);
    expect(shown).not.toContain(SECRET);
    expect(shown).not.toContain(`of ${other}`);
  });

  test('its own object is shown to each in turn', async () => {
    expect(await shownTo(own, of(own))).toContain(`of ${own}`);
    expect(await shownTo(other, of(own))).toContain('FORBIDDEN');
  });
});

test('an answer that cannot be shown is not kept in the place of the next one', async () => {
  const call = { documentId: 'Currencies', variables: { usageTypeCode: 'Remuneration' } };
  upstream.script = () => '{"data":{"currencies":["broken"]}}';
  expect((await stack.ask(call)).text).toContain('UPSTREAM_ERROR');
  upstream.script = () => '{"data":{"currencies":[{"code":"AUD"}]}}';
  const mended = (await stack.ask(call)).text;
  upstream.script = () => '{"data":{"currencies":[{"code":"NZD"}]}}';
  expect([mended, (await stack.ask(call)).text]).toEqual(Array(2).fill(expect.stringContaining('AUD')));
});
