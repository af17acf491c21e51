/** A slash stands in some of OpenSSL's. */
const CODE = /^[A-Z][A-Z0-9_/]{1,60}$/;

/** The code of an error or of its causes, such as `ECONNREFUSED` or `CERT_HAS_EXPIRED`; texts may quote what was sent. */
export function causeCode(cause: unknown): string | undefined {
  for (let error = cause; error instanceof Error; error = error.cause) {
    const { code } = error as NodeJS.ErrnoException;
    if (typeof code === 'string' && CODE.test(code)) return code;
  }
  return undefined;
}
