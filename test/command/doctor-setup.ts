import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../src/config/load-config.js';
import { newFolder } from '../support/machine.js';
import { runCommand } from '../support/start-process.js';
import { useStack } from '../support/start-stack.js';

export interface Finding {
  readonly name: string;
  readonly state: string;
  readonly seen: string;
  readonly todo?: string;
}

/** A service of a suite, and the command `doctor` beside it; one operation, which is compared in a moment. */
export function useDoctor() {
  const folder = newFolder();
  writeFileSync(join(folder, 'version.graphql'), 'query Version { version }');
  const stack = useStack({
    WEBHOOK_SECRETS: 'a-webhook-secret-of-this-suite',
    OPERATIONS_DIR: folder,
    EVENTS_SCHEME_ID: 'seekAnzPublicTest',
  });
  const examine = async (
    overrides: Environment = {},
  ): Promise<{ code: number | undefined; findings: Finding[]; out: string }> => {
    const environment = { ...stack.environment, OPS_PORT: new URL(stack.opsUrl).port, ...overrides };
    const { code, out } = await runCommand(['doctor', '--json'], environment);
    return { code, findings: (JSON.parse(out) as { checks: Finding[] }).checks, out };
  };
  const check = async (name: string, overrides: Environment = {}): Promise<Finding> =>
    found((await examine(overrides)).findings, name);
  return { stack, examine, check };
}

export const found = (findings: readonly Finding[], name: string): Finding =>
  findings.find((one) => one.name === name)!;
