import { serverAudits } from 'graphql-http';
import { startPlayground, type Playground } from '../../playground/src/playground.js';

const JSON_ONLY =
  'interface.md 4.1: answers are application/json, whatever else is accepted; a switch changes it';
const NO_GET = 'interface.md 4.1 knows POST only';

/** Audits of graphql-http that the playground does not pass, and why. All are SHOULD or MAY. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  '22EB': JSON_ONLY,
  '51FE': JSON_ONLY,
  '556A': JSON_ONLY,
  '74FF': JSON_ONLY,
  '865D': JSON_ONLY,
  '86EE': JSON_ONLY,
  '5A70': NO_GET,
  '6A70': NO_GET,
  D6D5: NO_GET,
};

describe('the audits of graphql-http', () => {
  let playground: Playground;
  beforeAll(async () => {
    playground = await startPlayground({ port: 0 });
  });
  afterAll(() => playground.close());

  test('pass, but for the exceptions listed with their reasons', async () => {
    const audits = serverAudits({ url: () => `${playground.upstreamUrl}/graphql`, fetchFn: fetch });
    expect(audits.length).toBeGreaterThan(50);
    const failed: string[] = [];
    for (const audit of audits) {
      const result = await audit.fn();
      if (result.status === 'ok') continue;
      expect(audit.name).not.toMatch(/^MUST/);
      failed.push(audit.id);
    }
    expect(failed.sort()).toEqual(Object.keys(EXCEPTIONS).sort());
  });
});
