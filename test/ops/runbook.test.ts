import { readFileSync } from 'node:fs';
import supertest from 'supertest';
import { parse } from 'yaml';
import { CONDITIONS } from '../../src/telemetry/conditions/condition-table.js';
import { startStack } from '../support/start-stack.js';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly summary: string; readonly runbook_url: string };
}

const RULES: readonly Rule[] = parse(readFileSync('deploy/prometheus/alerts.yml', 'utf8')).groups[0].rules;
/** Fire for whichever condition is active; its name is the heading. */
const OF_CONDITIONS: readonly string[] = ['BffPage', 'BffTicket'];
const RUNBOOK = readFileSync('docs/runbook.md', 'utf8');
const headings = [...RUNBOOK.matchAll(/^### (.+)$/gm)].map(([, heading]) => heading!);

test('the runbook has one heading for each condition and each alert of its own, and none for others', () => {
  const own = RULES.map(({ alert }) => alert).filter((alert) => !OF_CONDITIONS.includes(alert));
  expect(headings.toSorted()).toEqual([...own, ...Object.keys(CONDITIONS)].sort());
});

describe('alert rules', () => {
  test.each(RULES)('$alert leads to its heading', ({ alert, annotations }) => {
    const heading = OF_CONDITIONS.includes(alert) ? '{{ $labels.condition }}' : alert.toLowerCase();
    expect(annotations.runbook_url).toMatch(/\/docs\/runbook\.md#/);
    expect(annotations.runbook_url.split('#')[1]).toBe(heading);
  });

  test('rules and Grafana dashboard ask for metrics that the service has', async () => {
    const stack = await startStack({
      WEBHOOK_SECRETS: 'a-secret-of-the-alert-test',
      REDIS_URL: 'redis://127.0.0.1:9',
    });
    const { text } = await supertest(stack.opsUrl).get('/metrics');
    const known = [...text.matchAll(/^# HELP (\S+)/gm)].map(([, name]) => name!);
    const shown = metricsIn(readFileSync('deploy/grafana/partner-bff.json', 'utf8'));
    const asked = [...shown, ...RULES.flatMap(({ expr }) => metricsIn(expr))];
    expect(asked.filter((name) => !known.includes(name))).toEqual([]);
  });
});

/** The metrics that PromQL names, without the suffixes of histograms. */
function metricsIn(source: string): string[] {
  const names = source.match(/\b(bff|nodejs|process)_\w+/g) ?? [];
  return names.map((name) => name.replace(/_(bucket|count|sum)$/, ''));
}
