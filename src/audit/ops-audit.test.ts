import { BffError } from '../errors/bff-error.js';
import { StoreError } from '../errors/store-error.js';
import type { AuditRecord } from './audit-record.js';
import { OpsAudit } from './ops-audit.js';

const BY = { requestId: 'id', actor: 'anna', address: '127.0.0.1' };
const ACTION = { action: 'log.level', subject: 'debug' };
const RECORD = { ...BY, ...ACTION, time: 1_000 };

let records: AuditRecord[];
let audit: OpsAudit;
beforeEach(() => {
  records = [];
  audit = new OpsAudit({ record: (record) => void records.push(record) }, () => 1_000);
});

test('what is done leaves one record and gives its result, also without a promise', async () => {
  expect(await audit.perform(ACTION, BY, () => 7)).toBe(7);
  expect(await audit.perform(ACTION, BY, async () => 8)).toBe(8);
  expect(records).toEqual(Array(2).fill({ ...RECORD, outcome: 'ok' }));
});

test.each([
  ['a refusal', new BffError('not_found'), 'not_found'],
  ['a store that is down', new StoreError('database', 'gone'), 'unavailable'],
  ['a fault of ours', new TypeError('undefined is not a function'), 'internal_error'],
])(
  'what fails by %s leaves one record with the code, and fails all the same',
  async (_why, fault, outcome) => {
    const fail = (): never => {
      throw fault;
    };
    await expect(audit.perform(ACTION, BY, fail)).rejects.toBe(fault);
    await expect(audit.perform(ACTION, BY, async () => fail())).rejects.toBe(fault);
    expect(records).toEqual(Array(2).fill({ ...RECORD, outcome }));
  },
);

test('the result can say what was done', async () => {
  await audit.perform(
    ACTION,
    BY,
    () => ['a', 'b'],
    (all) => all.map((hirerId) => ({ ...ACTION, hirerId })),
  );
  expect(records.map(({ hirerId, outcome }) => [hirerId, outcome])).toEqual([
    ['a', 'ok'],
    ['b', 'ok'],
  ]);
});
