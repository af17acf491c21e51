import { ask, bearer, browserToken, CHAO_PHRAYA, partnerToken, UNRELATED, usePlayground } from './client.js';

const PROFILE = 'query($id: String!) { candidateProfile(id: $id) { attachments { url seekRoleCode } } }';
const SCOPE = 'download:candidate-profile-attachments';
const SAMPLES = 'seekAnzPublicTest:candidateProfile:apply:7DtW6Q68gk2R4okNGhvg1Y';

describe('attachments', () => {
  const playground = usePlayground();

  async function urlsOf(id: string): Promise<string[]> {
    const answer = await ask(playground, PROFILE, { id });
    const { candidateProfile } = answer.data as unknown as {
      candidateProfile: { attachments: { url: string }[] };
    };
    return candidateProfile.attachments.map(({ url }) => url);
  }
  /** A file of a hirer. */
  function fileOf(hirerId: string) {
    const { attachments } = playground.world;
    const { id, profileId, fileName } = [...attachments.values()].find((one) => one.hirerId === hirerId)!;
    const last = (text: string) => text.slice(text.lastIndexOf(':') + 1);
    const path = `applications/${last(profileId)}/attachments/${last(id)}`;
    return { fileName, url: `${playground.upstreamUrl}/anzPublicTest/${path}` };
  }
  const get = async (url: string, token: string, method = 'GET') =>
    fetch(url, { method, headers: bearer(token) });

  test('answers HEAD and GET of every format with the four headers and as many bytes as they state', async () => {
    const samples = (await urlsOf(SAMPLES)).slice(0, 4);
    const types = [];
    for (const url of samples) {
      const head = await get(url, partnerToken(playground), 'HEAD');
      const file = await get(url, partnerToken(playground));
      const names = ['content-type', 'content-length', 'content-disposition', 'last-modified'];
      expect(names.map((name) => file.headers.get(name))).toEqual(
        names.map((name) => head.headers.get(name)),
      );
      const bytes = (await file.bytes()).length;
      expect(bytes).toBe(Number(head.headers.get('content-length')));
      types.push([file.headers.get('content-type'), bytes]);
    }
    expect(types).toEqual([
      ['text/plain', 1_000],
      ['application/rtf', 10_000],
      ['application/msword', 1_000_000],
      ['application/msword', 20_000_000],
    ]);
  });

  test('streams a file of 200 MB that begins as a PDF', async () => {
    const url = (await urlsOf(SAMPLES))[4] ?? '';
    const response = await get(url, partnerToken(playground));
    expect([response.headers.get('content-length'), response.headers.get('content-type')]).toEqual([
      '200000000',
      'application/pdf',
    ]);
    const reader = response.body?.getReader();
    const { value } = (await reader?.read()) as { value: Uint8Array };
    expect(Buffer.from(value).toString('latin1')).toMatch(/^%PDF-1\.4/);
    await reader?.cancel();
  });

  test('names files of any language in both forms', async () => {
    const { fileName, url } = fileOf(CHAO_PHRAYA);
    const response = await get(url, partnerToken(playground), 'HEAD');
    const disposition = response.headers.get('content-disposition') ?? '';
    const encoded = /filename\*=UTF-8''(\S+)$/.exec(disposition)?.[1] ?? '';
    expect(decodeURIComponent(encoded)).toBe(fileName);
    expect(disposition).toMatch(/^attachment; filename="[\x20-\x7e]+";/);
  });

  test('takes a partner token, or a browser token of the scope and the hirer', async () => {
    const [url = ''] = await urlsOf(SAMPLES);
    const statuses = [];
    for (const token of [
      partnerToken(playground),
      browserToken(playground, [SCOPE]),
      browserToken(playground, ['query:organizations']),
      browserToken(playground, [SCOPE], CHAO_PHRAYA),
      'nobody',
    ]) {
      statuses.push((await get(url, token, 'HEAD')).status);
    }
    expect(statuses).toEqual([200, 200, 403, 403, 401]);
  });

  test('denies a partner token the files of an unrelated hirer, and answers 404 for unknown ones', async () => {
    expect((await get(fileOf(UNRELATED).url, partnerToken(playground))).status).toBe(403);
    const nothing = `${playground.upstreamUrl}/anzPublicTest/applications/x/attachments/y`;
    expect((await get(nothing, partnerToken(playground))).status).toBe(404);
  });
});
