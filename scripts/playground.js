import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/**
 * `npm run playground`: builds and starts a playground. A control command reaches a running one and builds nothing: that
 * would take the files away from the service or playground that is running from them.
 */
const [command] = process.argv.slice(2);
const starts = command === undefined || command.startsWith('--');
if (starts || !existsSync(new URL('../playground/dist/main.js', import.meta.url))) {
  execFileSync('npm', ['run', '--silent', 'build', '--workspace=playground'], { stdio: 'inherit' });
}
await import('../playground/dist/main.js');
