/** A request with this token, as Node gives it. */
export function bearer(token: string) {
  const authorization = `Bearer ${token}`;
  return { method: 'POST', headers: { authorization }, rawHeaders: ['Authorization', authorization] };
}
