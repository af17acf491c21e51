import supertest from 'supertest';
import type { ConditionName } from '../../src/telemetry/conditions/condition-table.js';
import { Conditions, type ConditionView } from '../../src/telemetry/conditions/conditions.js';
import type { Stack } from '../support/start-stack.js';
import { until } from '../support/until.js';

/** What is wrong now; figures are looked at first rather than within ten seconds. */
export async function active({ opsUrl, service }: Stack): Promise<ConditionView[]> {
  await service.app.get(Conditions).look();
  const { body } = await supertest(opsUrl).get('/conditions');
  return (body.items as ConditionView[]).filter((view) => view.active);
}

/** Waits until these are wrong, and nothing else is. */
export async function only(stack: Stack, ...names: readonly ConditionName[]): Promise<void> {
  let found: string[] = [];
  const isSo = async (): Promise<boolean> => {
    found = (await active(stack)).map(({ name }) => name).sort();
    return found.join() === [...names].sort().join();
  };
  await until(isSo, 20_000).catch(() => expect(found).toEqual([...names].sort()));
}
