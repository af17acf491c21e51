import { openPlayground } from '../support/start-stack.js';
import { request } from 'node:http';
import type { Playground, PlaygroundOptions } from '../../playground/src/playground.js';
import { startJsonServer } from '../support/json-server.js';
import { until } from '../support/until.js';
import { ask, BANKSIA, bearer, partnerToken, post, tokenRequest } from './client.js';

const DAY_MS = 86_400_000;
const OPENINGS = `query ($id: String!) { positionOpenings(hirerId: $id, first: 50) { edges { node { documentId { value } } } } }`;

describe('reset', () => {
  let playground: Playground;

  async function start(options: PlaygroundOptions = {}): Promise<Playground> {
    return (playground = await openPlayground({ size: 3, ...options }));
  }
  /** All that a caller can find out about the data, as text. */
  const dataOf = ({ world, demo }: Playground): string =>
    JSON.stringify({
      demo,
      events: world.events.since(-Infinity),
      hirers: [...world.hirers.values()],
      records: [world.positionProfiles, world.candidateProfiles, world.candidates, world.openings].map(
        (records) => [...records.values()],
      ),
    });

  test('brings back the world as it was after start, with what was seeded at start', async () => {
    await start({
      prepare: (seed) => {
        const { hirerId } = seed.hirer({ name: 'Wattle Cafés' });
        seed.user({ subject: 'jo', hirers: [hirerId] });
        const { positionProfileId } = seed.ad({ hirerId, title: 'Barista' });
        seed.application({ positionProfileId });
      },
      switches: { mutations: 'stateful' },
      webhook: { url: 'https://receiver.example/', eventTypeCodes: ['PositionProfilePosted'] },
      clock: () => 1_790_000_000_000,
    });
    const before = dataOf(playground);
    const { settings } = playground;
    playground.events.emit('CandidateApplicationCreated');
    playground.events.emit('PositionProfileClosed');
    playground.events.emit('HirerRelationshipChanged', { relationships: [] });
    playground.seed.hirer({ name: 'Late & Co' });
    playground.clock.advance(30 * DAY_MS);
    expect(dataOf(playground)).not.toBe(before);

    await playground.reset();

    expect(dataOf(playground)).toBe(before);
    expect(playground.settings).toEqual(settings);
  });

  test('forgets tokens, calls, faults, switches, time and subscriptions; handles taken before serve after it', async () => {
    const { tokens, calls, faults, switches, clock, webhooks, events } = await start({
      switches: { mutations: 'stateful' },
    });
    const token = partnerToken(playground);
    await ask(playground, '{ version }');
    const [firstCall] = calls.list();
    faults.add({ route: 'graphql', status: 503, times: 0 });
    switches.mutations = 'read-only';
    switches.unknownId = 'NOT_FOUND';
    clock.advance(DAY_MS);
    playground.subscribe({ url: 'https://receiver.example/', eventTypeCodes: ['PositionProfilePosted'] });

    await playground.reset();

    expect([calls.list(), faults.list(), tokens.values(), [...webhooks.subscriptions]]).toEqual([
      [],
      [],
      [],
      [],
    ]);
    expect(clock.skewedByMs).toBe(0);
    expect([switches.mutations, switches.unknownId]).toEqual(['stateful', 'null']);
    const refused = await ask(playground, OPENINGS, { id: BANKSIA }, token);
    expect(refused.errors?.map(({ extensions }) => extensions.code)).toEqual(['UNAUTHENTICATED']);
    expect(calls.list()).toHaveLength(1);
    expect(calls.list()[0]!.id).not.toBe(firstCall!.id); // the call log's page knows its rows by their ids
    const { id } = events.emit('CandidateApplicationCreated');
    expect(playground.world.events.get(id)).toBeDefined();
  });

  test('keeps the keys of the identity provider, the credentials and the ports', async () => {
    await start();
    const keys = async () => (await fetch(playground.settings['END_USER_JWKS_URL']!)).json();
    const before = await keys();
    const request = tokenRequest(playground);

    await playground.reset();

    expect(await keys()).toEqual(before);
    expect((await post(playground.settings['ISSUER_TOKEN_URL']!, request)).status).toBe(200);
  });

  test('shows a request that is under way the world it began in, and the next one the new world', async () => {
    await start({ switches: { mutations: 'stateful' } });
    const { hirerId } = playground.seed.hirer({ name: 'Left behind' });
    const { positionProfileId: id } = playground.seed.ad({ hirerId, title: 'Barista' });
    const query = `query ($id: String!) { positionProfile(id: $id) { positionTitle } }`;
    const body = JSON.stringify({ query, variables: { id } });
    const headers = { 'Content-Type': 'application/json', ...bearer(partnerToken(playground)) };
    const answer = new Promise<string>((resolve, reject) => {
      const sent = request(`${playground.upstreamUrl}/graphql`, {
        method: 'POST',
        headers: { ...headers, 'Content-Length': Buffer.byteLength(body), Expect: '100-continue' },
      });
      // The server has begun with the request when it asks for the body.
      sent.once('continue', () => void playground.reset().then(() => sent.end(body)));
      sent.once('response', (response) => {
        let text = '';
        response.on('data', (part: Buffer) => (text += part.toString()));
        response.once('end', () => resolve(text));
      });
      sent.once('error', reject);
      sent.flushHeaders();
    });

    expect(JSON.parse(await answer)).toMatchObject({
      data: { positionProfile: { positionTitle: 'Barista' } },
    });
    expect(playground.calls.list()).toEqual([]);
    expect((await ask(playground, query, { id })).data).toEqual({ positionProfile: null });
  });

  test('breaks off the webhooks of the world before, and sends none of it afterwards', async () => {
    const receiver = await startJsonServer(() => undefined);
    await start();
    playground.subscribe({ url: receiver.url.href, eventTypeCodes: ['CandidateApplicationCreated'] });
    playground.events.emit('CandidateApplicationCreated');
    await until(() => receiver.received.length === 1);

    await playground.reset();
    playground.clock.advance(DAY_MS);

    expect(playground.webhooks.requests).toEqual([]);
    expect(receiver.received).toHaveLength(1);
  });

  test('changes nothing when what is to be prepared cannot be', async () => {
    let isBroken = false;
    await start({ prepare: (seed) => void seed.user({ subject: isBroken ? '' : 'jo', hirers: [] }) });
    const { positionProfileId } = playground.seed.ad({ hirerId: BANKSIA });
    isBroken = true;
    await expect(playground.reset()).rejects.toThrow('seed.user: subject is not blank');
    expect(playground.world.positionProfiles.has(positionProfileId)).toBe(true);
  });
});
