import type { Playground } from 'partner-bff-playground';
import type { Service } from '../service.js';

const DEMO_TOKEN_HOURS = 12;

/** The text on the terminal in playground mode: addresses to open, and a one-line command that gets a browser token. */
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
  The Partner BFF is running in playground mode. Issuer and upstream are emulated, so you need no account.

    Start here    ${service.publicUrl}/
    Dashboard     ${service.opsUrl}/
    Playground    ${playground.upstreamUrl}/  (the emulated upstream: operations, calls, events)

  Or paste this command. ${user.name} requests a browser token for ${hirer.name}:

${curl}

  Its end-user token is valid for ${DEMO_TOKEN_HOURS} hours, or until you stop the service with Ctrl+C.

`;
}
