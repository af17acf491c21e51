import supertest from 'supertest';
import { type Answer, useStack } from '../support/start-stack.js';

const stack = useStack();

async function auditOf(action: string): Promise<any[]> {
  return (await supertest(stack.opsUrl).get(`/audit?action=${action}`)).body.items;
}

describe('log level', () => {
  const set = async (level: unknown): Promise<Answer> =>
    supertest(stack.opsUrl).put('/log-level').send({ level });

  test('changes at run time, and leaves a record', async () => {
    expect((await set('silent')).body).toEqual({ level: 'silent' });
    const before = stack.logText();
    await supertest(stack.opsUrl).get('/livez');
    expect(stack.logText()).toBe(before);
    expect((await set('debug')).body).toEqual({ level: 'debug' });
    expect((await auditOf('log.level')).map(({ subject }) => subject)).toEqual(['debug', 'silent']);
  });
});
