#!/usr/bin/env node
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/**
 * `npx partner-bff` in a clone. npm makes this file executable once, and a build replaces `dist/main.js` at any time.
 */
const folder = new URL('../', import.meta.url);
const main = new URL('dist/main.js', folder);
if (!existsSync(main)) {
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: folder, stdio: ['ignore', 2, 2] });
}
await import(main.href);
