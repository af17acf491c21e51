import type { Playground } from './playground/playground.js';
import type { Service } from './service.js';

const DEMO_TOKEN_HOURS = 12;

/** What the terminal shows in playground mode: what to open, and a command, in one line, that gets a browser token. */
export async function introducePlayground(service: Service, playground: Playground): Promise<string> {
  const { users, hirers } = playground.demo;
  const user = users[0]!;
  const hirer = hirers[0]!;
  const token = await playground.signIn(user.subject, { expiresInSeconds: DEMO_TOKEN_HOURS * 3_600 });
  const body = JSON.stringify({ hirerId: hirer.hirerId, scope: 'query:organizations' });
  const curl =
    `curl -sS ${service.publicUrl}/auth/token -H 'Authorization: Bearer ${token}'` +
    ` -H 'Content-Type: application/json' -d '${body}'`;
  return `
  The Partner BFF runs in playground mode: issuer and upstream are emulated here, no account is needed.

    Start here    ${service.publicUrl}/
    Operations    ${service.opsUrl}/
    Upstream      ${playground.upstreamUrl}/graphql  (emulated)

  Or paste this. ${user.name} asks for a browser token for ${hirer.name}:

${curl}

  The user's token in it is good for ${DEMO_TOKEN_HOURS} hours, or until you stop the service with Ctrl+C.

`;
}
