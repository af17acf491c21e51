import { readFileSync } from 'node:fs';
import supertest from 'supertest';
import { parse } from 'yaml';
import { TOKEN_FAULTS } from '../../src/auth/token-fault.js';
import { ERROR_CODES } from '../../src/errors/error-codes.js';
import { CONDITIONS } from '../../src/telemetry/conditions/condition-table.js';
import { startStack } from '../support/start-stack.js';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly summary: string; readonly runbook_url: string };
}

const RULES: readonly Rule[] = parse(readFileSync('deploy/prometheus/alerts.yml', 'utf8')).groups[0].rules;
const RULE_TESTS: readonly { readonly name: string }[] = parse(
  readFileSync('deploy/prometheus/alerts.test.yml', 'utf8'),
).tests;
const RUNBOOK = readFileSync('docs/runbook.md', 'utf8');
const headings = [...RUNBOOK.matchAll(/^### (.+)$/gm)].map(([, heading]) => heading!.replaceAll('`', ''));

/** The text of one heading. */
function entry(heading: string): string {
  return RUNBOOK.replaceAll('`', '').split(`### ${heading}\n`)[1]!.split('\n#')[0]!;
}

describe('the runbook', () => {
  test.each([...RULES.map(({ alert }) => alert), ...Object.keys(ERROR_CODES)])(
    'has cause, checks and action for %s',
    (name) => {
      expect(headings.filter((heading) => heading === name)).toHaveLength(1);
      for (const part of ['Cause.', 'Checks.', 'Action.']) expect(entry(name)).toContain(part);
    },
  );

  test.each(Object.keys(CONDITIONS))('has cause, checks and action for the condition %s', (name) => {
    expect(headings.filter((heading) => heading === name)).toHaveLength(1);
    for (const part of ['Cause.', 'Checks.', 'Action.']) expect(entry(name)).toContain(part);
  });

  test('names no alert and no code that there is not', () => {
    const known = new Set([...RULES.map(({ alert }) => alert), ...Object.keys(ERROR_CODES)]);
    const named = headings.filter((heading) => /^Bff|_/.test(heading));
    expect(named.filter((heading) => !known.has(heading))).toEqual([]);
    for (const [alert] of RUNBOOK.matchAll(/Bff[A-Z]\w+/g)) expect(known).toContain(alert);
  });

  test('explains each reason for which a token is refused, and no other', () => {
    const explained = [...entry('unauthenticated').matchAll(/^\| (\w+) +\|/gm)].map(([, word]) => word);
    expect(explained).toEqual(['reason', ...TOKEN_FAULTS]);
  });
});

describe('alert rules', () => {
  test.each(RULES)('$alert leads to its heading, and is tested to fire and to stay silent', (rule) => {
    expect(rule.annotations.runbook_url).toMatch(
      new RegExp(`/docs/runbook\\.md#${rule.alert.toLowerCase()}$`),
    );
    expect(RULE_TESTS.map(({ name }) => name)).toEqual(
      expect.arrayContaining([`${rule.alert} fires`, `${rule.alert} is silent`]),
    );
  });

  test('rules and Grafana dashboard ask for metrics that the service has, and the dashboard shows all of its own', async () => {
    const stack = await startStack({
      WEBHOOK_SECRETS: 'a-secret-of-the-alert-test',
      REDIS_URL: 'redis://127.0.0.1:9',
    });
    const { text } = await supertest(stack.opsUrl).get('/metrics');
    await stack.close();
    const known = [...text.matchAll(/^# HELP (\S+)/gm)].map(([, name]) => name!);
    const shown = metricsIn(readFileSync('deploy/grafana/partner-bff.json', 'utf8'));
    const asked = [...shown, ...RULES.flatMap(({ expr }) => metricsIn(expr))];
    expect(asked.filter((name) => !known.includes(name))).toEqual([]);
    expect(known.filter((name) => name.startsWith('bff_') && !shown.includes(name))).toEqual([]);
  });
});

/** The metrics that PromQL names, without the suffixes of histograms. */
function metricsIn(source: string): string[] {
  const names = source.match(/\b(bff|nodejs|process)_\w+/g) ?? [];
  return names.map((name) => name.replace(/_(bucket|count|sum)$/, ''));
}
