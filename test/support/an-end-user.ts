import type { EndUser } from '../../src/http/end-user.js';

/** An end user for tests of what comes after authentication. */
export function anEndUser(
  subject: string,
  claims: Record<string, unknown> = {},
  issuer = 'https://idp.test',
): EndUser {
  return { issuer, subject, userId: `user-id-of-${subject}`, claims, expiresAt: 4_000_000_000_000 };
}
