import supertest from 'supertest';
import { startIssuer, type Issuer, rsaKeys } from '../support/sign-token.js';
import { askToken, startStack, type Stack } from '../support/start-stack.js';

const SUB = 'ada';
const HIRER = 'seekAnzPublicTest:organization:seek:93WyyF1h';

let issuers: [Issuer, Issuer];
let stack: Stack;
beforeAll(async () => {
  issuers = [await startIssuer('RS256', rsaKeys()), await startIssuer('RS256', rsaKeys())];
  stack = await startStack({
    END_USER_JWKS_URL: undefined,
    END_USER_ISSUER: issuers.map(({ url }) => url).join(','),
    END_USER_AUDIENCE: 'partner-bff',
  });
});

const membership = (issuer?: Issuer): string => {
  const path = `${stack.opsUrl}/memberships/${SUB}/${encodeURIComponent(HIRER)}`;
  return issuer ? `${path}?issuer=${encodeURIComponent(issuer.url)}` : path;
};

/** The status of a browser token for the hirer, asked for by the user of each issuer who has the same `sub`. */
async function statuses(): Promise<number[]> {
  const asked = issuers.map((issuer) => {
    const token = issuer.sign({ sub: SUB, exp: Date.now() / 1000 + 600 });
    return askToken(stack, token, { hirerId: HIRER, scope: 'query:organizations' });
  });
  return (await Promise.all(asked)).map(({ status }) => status);
}

test.each([
  ['first', 0, [200, 403]],
  ['second', 1, [403, 200]],
])(
  'a membership of the %s issuer’s user is none of the other issuer’s, who has the same sub',
  async (_, place, expected) => {
    const url = membership(issuers[place]);
    expect(await statuses()).toEqual([403, 403]);
    expect((await supertest(url).put('')).status).toBe(200);
    expect(await statuses()).toEqual(expected);
    expect((await supertest(membership(issuers[1 - place])).delete('')).status).toBe(204);
    expect(await statuses()).toEqual(expected);
    expect((await supertest(url).delete('')).status).toBe(204);
    expect(await statuses()).toEqual([403, 403]);
  },
);

test('without a name, the first issuer is meant; one that signs nobody in is refused', async () => {
  expect((await supertest(membership()).put('')).status).toBe(200);
  expect(await statuses()).toEqual([200, 403]);
  expect((await supertest(membership()).delete('')).status).toBe(204);
  const other = `${membership()}?issuer=https%3A%2F%2Felsewhere.test`;
  const errors = [{ field: 'issuer', message: 'must be one of END_USER_ISSUER' }];
  expect(await supertest(other).put('')).toMatchObject({ status: 400, body: { errors } });
});

test('the pseudonym of a user is that of the issuer', async () => {
  const find = async (query: Record<string, string>): Promise<string> =>
    (
      await supertest(stack.opsUrl)
        .get('/users')
        .query({ subject: SUB, ...query })
    ).body.user;
  const [first, second] = await Promise.all(issuers.map(({ url }) => find({ issuer: url })));
  expect(second).not.toBe(first);
  expect(await find({})).toBe(first);
});
