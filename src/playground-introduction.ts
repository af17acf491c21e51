import type { Playground } from './playground/playground.js';
import type { Service } from './service.js';

const DEMO_TOKEN_SECONDS = 43_200;

/** What the terminal shows in playground mode: what to open, and a command that gets a browser token. */
export async function introducePlayground(service: Service, playground: Playground): Promise<string> {
  const { users, hirers } = playground.demo;
  const user = users[0]!;
  const hirer = hirers[0]!;
  const token = await playground.signIn(user.subject, { expiresInSeconds: DEMO_TOKEN_SECONDS });
  const body = JSON.stringify({ hirerId: hirer.hirerId, scope: 'query:organizations' });
  const curl =
    `curl -sS ${service.publicUrl}/auth/token -H 'Authorization: Bearer ${token}'` +
    ` -H 'Content-Type: application/json' -d '${body}'`;
  return `
  Partner BFF, playground mode: an emulated upstream, no account needed.

    demo page    ${service.publicUrl}/
    ops          ${service.opsUrl}/
    upstream     ${playground.upstreamUrl}/graphql  (emulated)

  Get a browser token for ${user.name} at ${hirer.name}:

${curl}

`;
}
