/** The oldest Node.js that runs the service; `engines` in package.json says the same. */
export const NODE_MIN = '24.16';

/**
 * Why a version of Node.js, as in `process.versions.node`, cannot run the service, or undefined if it can. An older
 * version has to read this file: keep it free of imports and of newer syntax.
 */
export function nodeFault(version: string): string | undefined {
  const [major, minor] = numbersOf(version);
  const [majorMin, minorMin] = numbersOf(NODE_MIN);
  const isRecent = major! > majorMin! || (major === majorMin && minor! >= minorMin!);
  if (isRecent) return undefined;
  return `The service needs Node.js ${NODE_MIN} or later; this is ${version}.`;
}

function numbersOf(version: string): number[] {
  return version.split('.').map(Number);
}
