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
/** Fire for whichever condition is active; its name is the heading. */
const OF_CONDITIONS: readonly string[] = ['BffPage', 'BffTicket'];
const RUNBOOK = readFileSync('docs/runbook.md', 'utf8');
const headings = [...RUNBOOK.matchAll(/^### (.+)$/gm)].map(([, heading]) => heading!.replaceAll('`', ''));

/** The text of one heading. */
function entry(heading: string): string {
  return RUNBOOK.replaceAll('`', '').split(`### ${heading}\n`)[1]!.split('\n#')[0]!;
}

describe('the runbook', () => {
  test('has one heading for each condition and each alert of its own, a row for each error code, and none for others', () => {
    const own = RULES.map(({ alert }) => alert).filter((alert) => !OF_CONDITIONS.includes(alert));
    const names = [...own, ...Object.keys(CONDITIONS), 'unauthenticated'];
    const named = headings.filter((heading) => /^(Bff\w+|[a-z_-]+)$/.test(heading));
    expect(named.sort()).toEqual(names.sort());
    const [, codes] = RUNBOOK.split('## Error codes\n');
    const rows = [...codes!.split('\n#')[0]!.matchAll(/^\| `(\w+)` +\|/gm)].map(([, code]) => code);
    expect(rows.sort()).toEqual(Object.keys(ERROR_CODES).sort());
  });

  test('explains each reason for which a token is refused, and no other', () => {
    const explained = [...entry('unauthenticated').matchAll(/^\| (\w+) +\|/gm)].map(([, word]) => word);
    expect(explained).toEqual(['reason', ...TOKEN_FAULTS]);
  });
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
    await stack.close();
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
