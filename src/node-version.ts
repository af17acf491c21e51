/** The oldest Node.js that runs the service; `engines` in package.json says the same. */
export const NODE_MIN = '24.16';

const WITHOUT_PROGRAM =
  ' The package "node" of this clone, which brings it, was installed without its install script (npm ci --ignore-scripts): run "npm rebuild node", or use another Node.js.';

/**
 * Why a version of Node.js, as in `process.versions.node`, cannot run the service, or undefined if it can. An older
 * version has to read this file: keep it free of imports and of newer syntax.
 * @param isProgramMissing whether the package `node` is installed without its program
 */
export function nodeFault(version: string, isProgramMissing = false): string | undefined {
  const [major, minor] = numbersOf(version);
  const [majorMin, minorMin] = numbersOf(NODE_MIN);
  const isRecent = major! > majorMin! || (major === majorMin && minor! >= minorMin!);
  if (isRecent) return undefined;
  const reason = isProgramMissing ? WITHOUT_PROGRAM : '';
  return `The service needs Node.js ${NODE_MIN} or later; this is ${version}.${reason}`;
}

function numbersOf(version: string): number[] {
  return version.split('.').map(Number);
}
