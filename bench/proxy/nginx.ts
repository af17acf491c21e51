import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServerProcess } from '../server-process.js';

/** nginx with `proxy_pass` in one process, the floor at all; undefined where there is no nginx. */
export async function startNginx(port: number, upstream: string): Promise<ServerProcess | undefined> {
  if (spawnSync('nginx', ['-v']).error) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'bff-nginx-'));
  const file = join(folder, 'nginx.conf');
  writeFileSync(
    file,
    `master_process off; daemon off; pid ${folder}/pid; error_log stderr crit; events {}
http { access_log off; upstream origin { server ${new URL(upstream).host}; keepalive 64; }
  server { listen 127.0.0.1:${port} reuseport; location / { proxy_pass http://origin; proxy_http_version 1.1; proxy_set_header Connection ""; } } }`,
  );
  const child = spawn('nginx', ['-c', file, '-p', folder], { stdio: 'ignore' });
  await new Promise((resolve) => setTimeout(resolve, 500));
  return { pid: Number(readFileSync(join(folder, 'pid'), 'utf8')), stop: () => child.kill('SIGKILL') };
}
