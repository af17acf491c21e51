import { existsSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPlayground, type Playground, type PlaygroundOptions } from '../../playground/src/playground.js';
import { json, startJsonServer, type JsonServer } from '../support/json-server.js';
import { until } from '../support/until.js';
import { ask, BANKSIA } from './client.js';

const DAY_MS = 86_400_000;

describe('a playground that keeps its state', () => {
  let dataDir: string;
  let running: Playground | undefined;
  beforeEach(() => {
    dataDir = join(mkdtempSync(join(tmpdir(), 'playground-')), 'state');
  });
  afterEach(async () => running?.close());

  async function start(options: PlaygroundOptions = {}): Promise<Playground> {
    running = await startPlayground({ port: 0, dataDir, size: 5, ...options });
    return running;
  }
  async function restart(options: PlaygroundOptions = {}): Promise<Playground> {
    await running?.close();
    return start(options);
  }
  const file = () => join(dataDir, 'playground-state.json');

  test('has the same data, events, subscriptions, credentials, switches and time after a restart', async () => {
    const before = await start({ partners: ['zenith'] });
    before.events.emit('HirerRelationshipChanged', { relationships: ['JobPosting'] });
    const { members } = before.partners.list()[1]!.events.emit('CandidateApplicationCreated');
    before.subscribe({ url: 'https://receiver.example/', eventTypeCodes: ['PositionProfilePosted'] });
    before.switches.unknownId = 'NOT_FOUND';
    before.clock.advance(DAY_MS);
    const eventIds = (world: Playground['world']) => world.events.since(0).map(({ id }) => id);
    const ids = eventIds(before.world);

    const after = await restart();
    expect(eventIds(after.world)).toEqual(ids);
    expect(after.world.hirers.get(BANKSIA)?.relationships).toEqual(['JobPosting']);
    expect([...after.webhooks.subscriptions.values()]).toEqual([...before.webhooks.subscriptions.values()]);
    for (const name of ['PARTNER_CLIENT_ID', 'PARTNER_CLIENT_SECRET', 'WEBHOOK_SECRETS']) {
      expect(after.settings[name]).toBe(before.settings[name]);
    }
    expect([after.switches.unknownId, after.clock.skewedByMs]).toEqual(['NOT_FOUND', DAY_MS]);
    const zenith = after.partners.find('zenith');
    expect(zenith?.world().candidateProfiles.has(members['candidateApplicationProfileId'] ?? '')).toBe(true);
  });

  test('goes on where it was: ads are posted and close, and nothing new takes a known identifier', async () => {
    const before = await start({ switches: { postingDelayMs: 3_600_000 } });
    const opening = before.world.openings.values().next().value;
    const [ad] = [...before.world.positionProfiles.values()].filter((profile) => profile.ad !== null);
    if (ad?.ad == null || opening === undefined) throw new Error('There is no ad');
    const endMs = before.clock.now() + DAY_MS;
    const id = 'seekAnzPublicTest:positionProfile:jobAd:kept';
    before.partners.first.ads.post({
      ...ad,
      id,
      openingId: opening.id,
      ad: { ...ad.ad, endMs, processing: 'pending' },
    });
    const made = before.events.emit('CandidateApplicationCreated').members;

    const after = await restart();
    after.clock.advance(2 * DAY_MS);
    const told = after.world.events.since(0).filter(({ members }) => members['positionProfileId'] === id);
    expect(told.map(({ type }) => type)).toEqual(['PositionProfilePosted', 'PositionProfileClosed']);
    const next = after.events.emit('CandidateApplicationCreated').members;
    expect(next['candidateId']).not.toBe(made['candidateId']);
    expect(after.world.candidates.has(made['candidateId'] ?? '')).toBe(true);
  });

  test('writes soon after a change, in a file that only its owner reads', async () => {
    const playground = await start();
    const { id } = playground.events.emit('PositionProfilePosted');
    await until(() => existsSync(file()) && readFileSync(file(), 'utf8').includes(id));
    expect(statSync(file()).mode & 0o777).toBe(0o600);
  });

  describe('with a receiver', () => {
    let receiver: JsonServer;
    beforeEach(async () => {
      receiver = await startJsonServer(json({}, 503));
    });
    afterEach(() => receiver.close());

    const nowMs = Date.now();
    const frozen = { clock: () => nowMs };

    const subscribe = (playground: Playground) =>
      playground.subscribe({ url: receiver.url.href, eventTypeCodes: ['PositionProfilePosted'] });
    const sentIds = () =>
      receiver.received.map(({ body }) => (JSON.parse(body) as { events: { id: string }[] }).events[0]?.id);

    test.each(['keeps its subscription', 'subscribes at each start'])(
      'sends a webhook that waited to be sent again to a receiver that %s, with the retries left',
      async (how) => {
        const delivery = { retryDelaysMs: [1_000, 60_000] };
        const before = await start({ ...frozen, delivery });
        subscribe(before);
        const { id } = before.events.emit('PositionProfilePosted');
        await before.webhooks.settled();

        const after = await restart({ ...frozen, delivery });
        if (how === 'subscribes at each start') subscribe(after);
        after.clock.advance(1_000);
        await after.webhooks.settled();
        expect(sentIds()).toEqual([id, id]);
        receiver.answer = json({});
        after.clock.advance(59_000);
        await after.webhooks.settled();
        expect(sentIds()).toEqual([id, id]);
        after.clock.advance(1_000);
        await after.webhooks.settled();
        expect(sentIds()).toEqual([id, id, id]);

        const last = await restart(frozen);
        last.clock.advance(DAY_MS);
        await last.webhooks.settled();
        expect(sentIds()).toEqual([id, id, id]);
      },
    );

    test('sends what was held back', async () => {
      const before = await start();
      subscribe(before);
      before.webhooks.setMischief({ paused: true });
      const { id } = before.events.emit('PositionProfilePosted');
      await before.webhooks.settled();
      await restart();
      await until(() => sentIds().length > 0);
      expect(sentIds()).toEqual([id]);
    });
  });

  test('does not subscribe a receiver twice that subscribes at each start', async () => {
    const wish = { url: 'https://receiver.example/', eventTypeCodes: ['PositionProfilePosted'] };
    (await start()).subscribe(wish);
    const after = await restart();
    after.subscribe(wish);
    expect(after.webhooks.subscriptions.size).toBe(1);
  });

  test('refuses a file of another version, and leaves it as it is', async () => {
    await start();
    await running?.close();
    running = undefined;
    for (const text of ['{"format":2}', '{"format":']) {
      writeFileSync(file(), text);
      await expect(startPlayground({ port: 0, dataDir })).rejects.toThrow(/not the state of this version/);
      expect(readFileSync(file(), 'utf8')).toBe(text);
    }
  });

  test('keeps nothing unless asked to', async () => {
    const playground = await startPlayground({ port: 0, size: 5 });
    const { id } = playground.events.emit('PositionProfilePosted');
    await playground.close();
    const other = await startPlayground({ port: 0, size: 5 });
    const query = 'query($id: String!) { event(id: $id) { id { value } } }';
    const answer = await ask(other, query, { id });
    await other.close();
    expect(answer.data).toEqual({ event: null });
  });
});
