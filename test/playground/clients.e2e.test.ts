import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client/core';
import { cacheExchange, createClient, fetchExchange } from '@urql/core';
import { GraphQLClient } from 'graphql-request';
import { startPlayground, type Playground } from '../../playground/src/playground.js';
import { BANKSIA, bearer, browserToken, CHAO_PHRAYA, MELBOURNE } from './client.js';

const QUERY =
  'query($id: String!) { self { hirer { id { value } name } } location(id: $id) { contextualName } }';
const FOREIGN = 'query($id: String!) { hiringOrganization(id: $id) { name } }';
const EXPECTED = {
  self: { hirer: { id: { value: BANKSIA }, name: 'Banksia Health Group' } },
  location: { contextualName: expect.stringContaining('Melbourne VIC 3000') },
};

describe('unmodified client libraries, with a browser token', () => {
  let playground: Playground;
  let url: string;
  let headers: Record<string, string>;
  beforeAll(async () => {
    playground = await startPlayground({ port: 0 });
    url = `${playground.upstreamUrl}/graphql`;
    headers = bearer(browserToken(playground));
  });
  afterAll(() => playground.close());

  test('serves Apollo Client, which separates data and errors', async () => {
    const client = new ApolloClient({
      link: new HttpLink({ uri: url, headers }),
      cache: new InMemoryCache(),
    });
    const { data } = await client.query({ query: gql(QUERY), variables: { id: MELBOURNE } });
    expect(data).toMatchObject(EXPECTED);
    const refused = await client.query({
      query: gql(FOREIGN),
      variables: { id: CHAO_PHRAYA },
      errorPolicy: 'all',
    });
    expect(JSON.stringify(refused.error)).toContain('FORBIDDEN');
    client.stop();
  });

  test('serves urql, which separates data and errors', async () => {
    const client = createClient({
      url,
      exchanges: [cacheExchange, fetchExchange],
      fetchOptions: { headers },
      preferGetMethod: false,
    });
    const { data } = await client.query(QUERY, { id: MELBOURNE }).toPromise();
    expect(data).toMatchObject(EXPECTED);
    const refused = await client.query(FOREIGN, { id: CHAO_PHRAYA }).toPromise();
    expect(refused.error?.graphQLErrors[0]?.extensions).toMatchObject({ code: 'FORBIDDEN' });
  });

  test('serves graphql-request, which separates data and errors', async () => {
    const client = new GraphQLClient(url, { headers });
    expect(await client.request(QUERY, { id: MELBOURNE })).toMatchObject(EXPECTED);
    await expect(client.request(FOREIGN, { id: CHAO_PHRAYA })).rejects.toMatchObject({
      response: { status: 200, errors: [{ extensions: { code: 'FORBIDDEN' } }] },
    });
  });
});
