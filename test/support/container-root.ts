import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { installImage } from './container-image.js';
import { instructionsOf, valueOf } from './dockerfile.js';
import type { Program } from './start-process.js';

/** An image with the system that it stands on, and a volume. */
export interface Container {
  readonly root: string;
  /** What the image runs, with other arguments than its own where they are given; in namespaces of its own. */
  program(args?: readonly string[]): Program;
  /** The same for the command of the image's health check. */
  readonly healthCheck: Program;
  remove(): void;
}

const BASE = resolve('node_modules/.cache/image-base');
/** What the runtime image has of Debian 13, besides Node.js. */
const PACKAGES = ['base-files', 'netbase', 'tzdata', 'ca-certificates', 'libc6', 'libgcc-s1', 'libstdc++6'];
/** It has no program of Debian, no shell among them. */
const STRIPPED = [
  'usr/bin',
  'usr/sbin',
  'usr/share/doc',
  'usr/share/man',
  'usr/share/perl5',
  'usr/share/debconf',
];
const ACCOUNTS =
  'root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n';

/**
 * Makes the root file system that a stage of the Dockerfile describes, on packages of Debian, and runs programs in it as
 * an engine does: as the image's user with process 1, on a root that nobody can write to, with a volume and a `/tmp`.
 * The network is the host's. It takes root, `mmdebstrap` and Debian's mirror.
 */
export function makeContainer(target?: string): Container {
  const image = installImage(target);
  const instructions = instructionsOf(target);
  cpSync(baseSystem(), image.root, { recursive: true, verbatimSymlinks: true });
  const [uid, gid] = valueOf(instructions, 'USER').split(':') as [string, string];
  const workdir = valueOf(instructions, 'WORKDIR');
  const given = [image.root, valueOf(instructions, 'VOLUME'), workdir, uid, gid];
  const inside = (...argv: string[]): Program => ({
    node: 'bash',
    args: ['-c', ENGINE, 'engine', ...given, ...argv],
  });
  const entry = JSON.parse(valueOf(instructions, 'ENTRYPOINT')) as string[];
  const own = JSON.parse(valueOf(instructions, 'CMD')) as string[];
  const [, check] = /^HEALTHCHECK .*CMD (\[.*\])$/m.exec(instructions)!;
  return {
    root: image.root,
    program: (args = own) => inside(...entry, ...args),
    healthCheck: inside(...(JSON.parse(check!) as string[])),
    remove: image.remove,
  };
}

/** Passes SIGTERM on to process 1 of the container, and ends as that does. */
const ENGINE = `
unshare --mount --pid --fork --kill-child bash -ec '
  root="$1"; volume="$2"; workdir="$3"; uid="$4"; gid="$5"; shift 5
  mount --make-rprivate /
  mount --bind "$root" "$root"
  mount --bind "$root$volume" "$root$volume"
  mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
  mount -t proc proc "$root/proc"
  mount -o remount,bind,ro "$root"
  exec setpriv --no-new-privs unshare --root="$root" --wd="$workdir" --setgid="$gid" --setuid="$uid" -- "$@"
' engine "$@" &
outer=$!
trap 'kill -TERM $(cat /proc/$outer/task/$outer/children)' TERM
wait $outer; code=$?
while kill -0 $outer 2>/dev/null; do wait $outer; code=$?; done
exit $code`;

function baseSystem(): string {
  if (existsSync(BASE)) return BASE;
  const making = `${BASE}.making`;
  rmSync(making, { recursive: true, force: true });
  const options = ['--variant=extract', `--include=${PACKAGES.join()}`];
  execFileSync('mmdebstrap', [...options, 'trixie', making], { stdio: 'pipe' });
  for (const folder of STRIPPED) rmSync(join(making, folder), { recursive: true, force: true });
  trustAuthorities(making);
  writeFileSync(join(making, 'etc/passwd'), ACCOUNTS);
  cpSync('/etc/hosts', join(making, 'etc/hosts'));
  mkdirSync(join(making, 'home/nonroot'));
  execFileSync('mv', [making, BASE]);
  return BASE;
}

/** As the package does when it is installed. */
function trustAuthorities(root: string): void {
  const folder = join(root, 'usr/share/ca-certificates/mozilla');
  const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  writeFileSync(join(root, 'etc/ssl/certs/ca-certificates.crt'), texts.join(''));
}
