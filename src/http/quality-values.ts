/**
 * The quality of each choice that an `Accept` header names, in small letters, whatever its other parameters (RFC 9110
 * section 12.4.2).
 */
export function readQualities(header: string): ReadonlyMap<string, number> {
  return new Map(
    header.split(',').map((choice) => {
      const [name = '', ...parameters] = choice.toLowerCase().split(';');
      const q = parameters.map((one) => one.trim()).find((one) => one.startsWith('q='));
      return [name.trim(), q === undefined ? 1 : Number(q.slice(2)) || 0];
    }),
  );
}
