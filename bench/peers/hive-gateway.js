import { createServer } from 'node:http';
import { createGatewayRuntime } from '@graphql-hive/gateway-runtime';

/** Hive Gateway in proxy mode, logging off; the schema is given so that nothing is introspected. */
const gateway = createGatewayRuntime({
  proxy: { endpoint: `${process.env.UPSTREAM}/graphql` },
  schema: /* GraphQL */ `
    type Query {
      locations(ids: [String!]!): [Location!]!
    }
    type Location {
      id: ObjectIdentifier!
      contextualName: String!
    }
    type ObjectIdentifier {
      value: String!
    }
  `,
  logging: false,
  maskedErrors: false,
});
createServer(gateway).listen(Number(process.env.PORT), '127.0.0.1');
