import { createInterface } from 'node:readline/promises';
import { counted, type Run } from './command.js';
import { FLAG, readSubcommand, TEXT } from './read-arguments.js';
import { withStore } from './store/running-service.js';
import { withQuery } from './store/store-routes.js';

const OPTIONS = { issuer: TEXT, host: TEXT, port: TEXT } as const;
const FORMS = {
  export: { operands: ['<sub>'], options: OPTIONS },
  erase: { operands: ['<sub>'], options: { ...OPTIONS, json: FLAG } },
} as const;

interface Erasure {
  readonly user: string;
  readonly issuer: string;
  readonly memberships: number;
  readonly auditRecords: number;
}

/** `users`: what is kept of one end user, given out or erased. */
export const users: Run = async (argv, environment, { print }) => {
  const words = readSubcommand('users', argv, FORMS);
  const { issuer } = words.values;
  const path = `/users/${encodeURIComponent(words.operands[0]!)}`;
  return withStore(words.values, environment, async (store) => {
    if (words.name === 'export') {
      const document = await store.read('GET', withQuery(`${path}/export`, { issuer }));
      for await (const line of createInterface({ input: document })) print(line);
    } else {
      const answer = await store.ask('DELETE', withQuery(path, { issuer }));
      const erasure = (await answer.json()) as Erasure;
      print(words.values.json ? JSON.stringify(erasure) : sentenceOf(erasure));
    }
    return 0;
  });
};

function sentenceOf({ user, issuer, memberships, auditRecords }: Erasure): string {
  const outcome = memberships + auditRecords > 0 ? 'is erased' : 'is not known';
  return `${user} of ${issuer} ${outcome}: ${counted(memberships, 'membership')} removed, ${counted(auditRecords, 'audit record')} unlinked, tokens and limits dropped on every replica.`;
}
