import { createRequire } from 'node:module';
import type * as Graphql from 'graphql';
import type * as Yoga from 'graphql-yoga';

/**
 * The packages of GraphQL, each loaded by `require`. `graphql` is published in two builds, whose schemas do not work
 * with each other, and which of them an `import` gets depends on the test runner or bundler: Vitest gives a linked
 * package another one than `graphql-yoga`. `require` gives all of them the same.
 */
const require = createRequire(import.meta.url);

/** Functions that build, check and walk schemas and documents. */
export const graphql = require('graphql') as typeof Graphql;
/** The GraphQL endpoint. */
export const yoga = require('graphql-yoga') as typeof Yoga;
