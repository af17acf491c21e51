import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NUSANTARA, startProxyStack, type ProxyStack } from './proxy-stack.js';

const OPERATIONS = {
  'position-openings.graphql': `query PositionOpenings($hirerId: String!)
    @hirer(variable: "hirerId") @token(use: PARTNER) {
    positionOpenings(hirerId: $hirerId) { edges { cursor } }
  }`,
  'of-admins.graphql': `query OfAdmins($hirerId: String!)
    @hirer(variable: "hirerId") @token(use: PARTNER) @role(any: ["admin"]) {
    positionOpenings(hirerId: $hirerId) { edges { cursor } }
  }`,
  'hirer.graphql': `query OfBrowsers($hirerId: String!) @hirer(variable: "hirerId") @token(use: BROWSER) {
    hiringOrganization(id: $hirerId) { name }
  }`,
};
const variables = { hirerId: NUSANTARA };
const text = (name: string): string =>
  `query ${name}($hirerId: String!) {
    positionOpenings(hirerId: $hirerId) { edges { cursor } }
  }`;

let stack: ProxyStack;
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'operations-'));
  for (const [name, operation] of Object.entries(OPERATIONS)) writeFileSync(join(folder, name), operation);
  stack = await startProxyStack({ OPERATIONS_DIR: folder });
});
afterAll(() => stack.close());

async function refusalOf(body: object): Promise<{ message: string; extensions: { code: string } }> {
  const answer = await stack.ask(body);
  return answer.body.errors[0];
}

describe('a text that needs the partner token', () => {
  test('is refused with the name of the registered operation', async () => {
    const error = await refusalOf({ query: text('PositionOpenings'), variables });
    expect(error.extensions.code).toBe('FORBIDDEN');
    expect(error.message).toBe(
      'This needs a partner token. An operation of this name is registered: ' +
        'send {"documentId": "PositionOpenings"} instead of a text.',
    );
  });

  test('alone in an array, too', async () => {
    const { body } = await stack.ask([
      { query: '{ version }' },
      { query: text('PositionOpenings'), variables },
    ]);
    expect(body[0].errors).toBeUndefined();
    expect(body[1].errors[0].message).toContain('"PositionOpenings"');
  });

  test.each([
    ['of no registered name', 'Unknown'],
    ['of a name that Object knows', '__proto__'],
    ['whose operation is not open to the role', 'OfAdmins'],
    ['whose operation has the browser token', 'OfBrowsers'],
  ])('%s is refused in the words of the upstream', async (_case, name) => {
    expect(await refusalOf({ query: text(name), variables })).toMatchObject({
      message: 'This needs a partner token.',
    });
  });
});

test('another failure of a text of that name stays as the upstream told it, byte for byte', async () => {
  const query = 'query PositionOpenings { self { hirer { name } } nothing }';
  const { text: named } = await stack.ask({ query });
  const { text: unnamed } = await stack.ask({ query: query.replace('PositionOpenings', 'UnknownOpenings0') });
  const plain = (answer: string): string => answer.replace(/"requestLatency":\d+/, '');
  expect(plain(named)).toBe(plain(unnamed));
});
