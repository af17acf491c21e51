import { createInterface } from 'node:readline/promises';
import type { Environment } from '../config/load-config.js';
import { Misuse, type Output } from '../ops/subscriptions/command-context.js';
import { FLAG, readArguments, TEXT } from './read-arguments.js';
import { openStore } from './store/open-store.js';
import { withQuery } from './store/store-routes.js';
import { STORE_USAGE, USERS_USAGE } from './usage.js';

const USAGE = USERS_USAGE + STORE_USAGE;

interface Erasure {
  readonly user: string;
  readonly issuer: string;
  readonly memberships: number;
  readonly auditRecords: number;
}

/** `users`: what is kept of one end user, given out or erased. */
export async function users(
  argv: readonly string[],
  environment: Environment,
  { print }: Output,
): Promise<number> {
  const { values, positionals } = readArguments(argv, USAGE, {
    issuer: TEXT,
    host: TEXT,
    port: TEXT,
    json: FLAG,
  });
  const [command, subject, ...others] = positionals;
  const isKnown = command === 'export' || command === 'erase';
  if (!isKnown || !subject || others.length > 0) throw new Misuse(USAGE);
  const { issuer, json, ...place } = values;
  const path = `/users/${encodeURIComponent(subject)}`;
  const store = await openStore(place, environment);
  try {
    if (command === 'export') {
      const document = await store.read('GET', withQuery(`${path}/export`, { issuer }));
      for await (const line of createInterface({ input: document })) print(line);
    } else {
      const answer = await store.ask('DELETE', withQuery(path, { issuer }));
      const erasure = (await answer.json()) as Erasure;
      print(json ? JSON.stringify(erasure) : sentenceOf(erasure));
    }
    return 0;
  } finally {
    await store.close();
  }
}

function sentenceOf({ user, issuer, memberships, auditRecords }: Erasure): string {
  return `${user} of ${issuer} is erased: ${memberships} memberships removed, ${auditRecords} audit records unlinked, tokens and limits dropped on every replica.`;
}
