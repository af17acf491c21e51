import { BANKSIA, useScriptedStack } from './proxy-stack.js';

const OWNED = { positionProfile: { positionOrganizations: [{ id: { value: BANKSIA } }] } };

const { upstream, stack } = useScriptedStack({ RATE_LIMIT_REQUESTS_PER_MINUTE: '25' });
beforeAll(async () => {
  upstream.script = () => JSON.stringify({ data: OWNED });
});

const preview = async (objects: number): Promise<number> => {
  const profileId = Array.from({ length: objects }, (_, index) => `profile-${index}`);
  const variables = { positionProfile: { profileId } };
  return (await stack.ask({ documentId: 'PositionProfilePreview', variables })).status;
};

test('each object that a guard proves beyond its first counts in the request limit', async () => {
  expect([await preview(1), await preview(10), await preview(10)]).toEqual([200, 200, 200]);
  const before = upstream.executed.length;
  expect(await preview(10)).toBe(429);
  expect(upstream.executed.length).toBe(before);
});
