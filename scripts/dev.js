import { execFileSync } from 'node:child_process';

/** `npm run dev`: builds and starts the service. Node's watch mode runs it again after each change of a source file. */
execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' });
await import('../dist/main.js');
