import supertest from 'supertest';
import { usePlayground } from './client.js';

describe('the pages of the playground', () => {
  const playground = usePlayground();

  const open = async (path: string) => supertest(playground.upstreamUrl).get(path).set('Accept', 'text/html');

  test('describe every operation, and who may call it', async () => {
    const { body } = await supertest(playground.upstreamUrl).get('/pages/operations.json');
    const { operations } = body as { operations: { name: string; scope: string | null; isOpen: boolean }[] };
    const find = (name: string) => operations.find((one) => one.name === name);
    expect(find('location')).toMatchObject({ kind: 'query', scope: 'query:ontologies', isOpen: false });
    expect(find('candidateProfile')).toMatchObject({ scope: null });
    expect(find('replayWebhookSubscription')).toMatchObject({ kind: 'mutation' });
    expect(find('version')?.isOpen).toBe(true);
  });

  test('show GraphiQL with an example and a token, loading nothing from other hosts', async () => {
    const page = (await open('/graphql?example=location&as=browser')).text;
    expect(page).toContain('query Location($id: String!)');
    expect(page).toMatch(/Authorization[^}]*Bearer [\w-]{40,}/);
    expect(page).not.toMatch(/<(script|link)[^>]+(src|href)="https?:/);
    const anonymous = (await open('/graphql?example=version')).text;
    expect(anonymous).not.toMatch(/Bearer [\w-]{40,}/);
  });

  test('sign in demo users only, with published keys', async () => {
    const { issuerUrl } = playground;
    const signIn = async (subject: string) => supertest(issuerUrl).post('/demo/sign-in').send({ subject });
    expect((await signIn('amelia')).headers['access-control-allow-origin']).toBe('*');
    expect((await signIn('mallory')).status).toBe(404);
    expect(
      playground.demo.users.filter(
        ({ subject }) => !playground.demo.memberships.some((m) => m.subject === subject),
      ),
    ).toHaveLength(1);
  });
});
