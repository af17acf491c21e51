import type { lookup } from 'node:dns';
import { createServer } from 'node:https';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { makeCertificate } from '../../playground/src/http/certificate.js';
import { StoreError } from '../../src/errors/store-error.js';
import { Cancellation } from '../../src/http/request-context.js';
import type { Database } from '../../src/storage/database.js';
import type { ObjectOutcome } from '../../src/webhooks/deliver/read-object.js';
import { portOf } from '../support/machine.js';
import { json } from '../support/json-server.js';
import { testDatabases } from '../support/test-database.js';
import { aDelivery, anObject, SCHEDULE_SECONDS, useDelivery } from './delivery-setup.js';
import { anEvent } from './send-webhook.js';

/** More than is read of the body of an answer. */
const LARGE = Buffer.alloc(3_000_000, ' ');
const resolveToLoopback = ((_name: string, _options: unknown, done: (fault: null, all: unknown) => void) =>
  done(null, [{ address: '127.0.0.1', family: 4 }])) as unknown as typeof lookup;

describe.each(testDatabases())('delivery from $name', ({ open }) => {
  const delivery = useDelivery(open);

  test.each([
    ['is answered 500', 'sink: status 500', undefined],
    ['cannot even be begun', 'sink: it cannot be sent', () => Promise.reject(new Error('no text'))],
  ])('that %s is retried on schedule, and dead after the last attempt', async (_how, lastFailure, fail) => {
    const sink = delivery.openSink();
    if (fail) sink.deliver = fail;
    delivery.server.answer = json({ secret: 'detail' }, 500);
    await delivery.put(anEvent());
    const deliverer = delivery.openDeliverer({ sinks: [sink] });
    await delivery.run(deliverer);
    for (const [index, seconds] of SCHEDULE_SECONDS.entries()) {
      delivery.clock += seconds * 1_000 - 1;
      await delivery.run(deliverer);
      expect(await delivery.list()).toMatchObject([{ state: 'failed', attempts: index + 1, lastFailure }]);
      delivery.clock += 2;
      await delivery.run(deliverer);
    }
    const attempts = SCHEDULE_SECONDS.length + 1;
    expect(await delivery.list()).toMatchObject([{ state: 'dead', attempts, lastFailure }]);
    expect(await delivery.counted.registry.metrics()).toContain(
      'bff_webhook_deliveries_total{outcome="dead"} 1',
    );
    const ids = delivery.deliveredIds();
    expect([ids.length, new Set(ids).size]).toEqual(fail ? [0, 0] : [attempts, 1]);
  });

  const STATUSES = {
    delivered: [200, 201, 202, 204, 299],
    failed: [300, 301, 302, 307, 308, 400, 401, 403, 404, 408, 409, 422, 425, 429, 500, 502, 503, 504],
    dead: [410, 413],
  };
  const ANSWERS = Object.entries(STATUSES).flatMap(([state, all]) =>
    all.map((status) => [status, state] as const),
  );

  test.each(ANSWERS)('that is answered %i is %s, whatever the body', async (status, state) => {
    let requests = 0;
    delivery.server.answer = (_received, response) => {
      requests += 1;
      response.writeHead(status, { location: 'http://169.254.169.254/' }).end(LARGE);
    };
    await delivery.deliver(anEvent());
    expect([await delivery.states(), requests]).toEqual([[state], 1]);
  });

  test('that is too large for the sink comes without its object, which it says, and is dead where that is too large', async () => {
    const sink = delivery.openSink();
    delivery.server.answer = ({ body }, response) =>
      response.writeHead(body.length > 1_000 ? 413 : 200).end();
    const whole = { ...aDelivery('{"id":"e1"}'), object: anObject('x'.repeat(1_000)) };
    expect(await sink.deliver(whole, new Cancellation())).toMatchObject({ kind: 'delivered' });
    expect(JSON.parse(delivery.server.received.at(-1)!.body).data).toEqual({
      id: 'e1',
      objectErrors: [{ code: 'NOT_FOUND' }, { code: 'PAYLOAD_TOO_LARGE' }],
    });
    const large = { ...whole, payload: JSON.stringify({ id: 'e1', note: 'x'.repeat(1_000) }) };
    expect(await sink.deliver(large, new Cancellation())).toMatchObject({
      kind: 'dead',
      reason: 'sink: status 413',
    });
  });

  test('that is too large is still claimed while it is sent without its object', async () => {
    const object = `{"a":"${'x'.repeat(1_000)}"}`;
    const objects = {
      has: () => true,
      fetch: async (): Promise<ObjectOutcome> => {
        delivery.clock += 19_900;
        return { kind: 'settled', object, errors: [] };
      },
    };
    const other = delivery.openDeliverer({ over: delivery.replica(), objects });
    delivery.server.answer = ({ body }, response) => {
      delivery.clock += 1_900; // of the two seconds that the sink has
      if (body.includes(object)) return response.writeHead(413).end();
      return void other.takeDue().then(() => response.end());
    };
    await delivery.put(anEvent());
    await delivery.run(delivery.openDeliverer({ objects }));
    await other.idle();
    expect(delivery.server.received).toHaveLength(2);
  });

  test('keep no longer from the sink than it asked for when the clock is set back an hour', async () => {
    const deliverer = delivery.openDeliverer();
    delivery.server.answer = (_received, response) => response.writeHead(503, { 'retry-after': '10' }).end();
    await delivery.put(anEvent());
    await delivery.run(deliverer);
    delivery.setBackMs = 3_600_000;
    delivery.clock -= 3_600_000;
    delivery.server.answer = json({}, 200);
    const later = anEvent();
    await delivery.put(later);
    delivery.clock += 10_001;
    await delivery.run(deliverer);
    expect(delivery.deliveredIds().at(-1)).toBe(later.id);
  });

  test('that failed before the clock was set back an hour goes out once the sink answers', async () => {
    const deliverer = delivery.openDeliverer();
    delivery.server.answer = json({}, 500);
    const earlier = anEvent();
    await delivery.put(earlier);
    await delivery.run(deliverer);
    delivery.setBackMs = 3_600_000;
    delivery.clock -= 3_600_000;
    delivery.server.answer = json({}, 200);
    await delivery.put(anEvent());
    await delivery.run(deliverer);
    await delivery.run(deliverer);
    expect(await delivery.states()).toEqual(['delivered', 'delivered']);
    expect(delivery.deliveredIds()).toContain(earlier.id);
  });

  describe('over TLS', () => {
    const trusted = getCACertificates('default');
    afterEach(() => setDefaultCACertificates(trusted));

    const OURS = { requestCert: true, maxVersion: 'TLSv1.2' } as const;
    test.each([
      ['shows a certificate that nobody knows', ['localhost'], 0, false, {}, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
      ['shows one of another name', ['other.example'], 0, true, {}, 'ERR_TLS_CERT_ALTNAME_INVALID'],
      ['shows one that has expired', ['localhost'], 4_000, true, {}, 'CERT_HAS_EXPIRED'],
      ['demands one of ours', ['localhost'], 0, true, OURS, 'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE'],
    ])('to a sink that %s fails by that name', async (_what, names, daysAgo, isTrusted, demands, code) => {
      const certificate = await makeCertificate(names, Date.now() - daysAgo * 86_400_000);
      if (isTrusted) setDefaultCACertificates([certificate.cert]);
      const server = createServer({ ...certificate, ...demands }, (_request, response) => response.end());
      const url = new URL(`https://localhost:${await portOf(server)}/`);
      const sink = delivery.openSink({ url });
      expect(await sink.deliver(aDelivery('{}'), new Cancellation())).toMatchObject({
        kind: 'failed',
        reason: `sink: connection (${code})`,
      });
    });
  });

  test('sends nothing else while the sink asks for a pause, nor what was claimed before', async () => {
    const object = Promise.withResolvers<ObjectOutcome>();
    const objects = { has: () => true, fetch: () => object.promise };
    const deliverer = delivery.openDeliverer({ concurrency: 1, objects });
    await delivery.put(...Array.from({ length: 5 }, () => anEvent()));
    for (let turn = 0; turn < 5; turn += 1) await deliverer.takeDue();
    delivery.server.answer = (_received, response) => response.writeHead(429, { 'retry-after': '60' }).end();
    object.resolve({ kind: 'settled', object: undefined, errors: [] });
    await deliverer.idle();
    expect(delivery.server.received).toHaveLength(1);
    expect((await delivery.list()).map(({ attempts }) => attempts).sort()).toEqual([0, 0, 0, 0, 1]);
  });

  test('returns what waited for a free place for too long to the queue, without an attempt', async () => {
    const object = Promise.withResolvers<ObjectOutcome>();
    const objects = { has: () => true, fetch: () => object.promise };
    const deliverer = delivery.openDeliverer({ concurrency: 1, objects });
    await delivery.put(anEvent(), anEvent());
    for (let turn = 0; turn < 5; turn += 1) await deliverer.takeDue();
    delivery.server.answer = (_received, response) => {
      delivery.clock += 60_000;
      response.end();
    };
    object.resolve({ kind: 'settled', object: undefined, errors: [] });
    await deliverer.idle();
    const left = (await delivery.list()).find(({ state }) => state === 'pending')!;
    expect([left.attempts, Date.parse(left.dueAt!) <= delivery.clock]).toEqual([0, true]);
  });

  test('at one replica makes due what failed at another', async () => {
    const [failing, other] = [delivery.openDeliverer(), delivery.openDeliverer({ over: delivery.replica() })];
    for (const replica of [other, failing]) {
      await delivery.put(anEvent());
      await delivery.run(replica); // delivered: neither knows of a failure any more
    }
    delivery.server.answer = json({}, 500);
    await delivery.put(anEvent());
    for (const pauseMs of [0, 7_000]) {
      delivery.clock += pauseMs;
      await delivery.run(failing);
    }
    delivery.server.answer = json({}, 200);
    await delivery.put(anEvent());
    await delivery.runAll(other);
    expect(new Set(await delivery.states())).toEqual(new Set(['delivered']));
  });

  test('of what failed is brought forward once the store can, where it failed as the sink came back', async () => {
    let isBroken = true;
    const { database } = delivery;
    const over = Object.create(database, {
      query: {
        value: (sql: string, parameters: never[]) => {
          if (!isBroken || !sql.includes('recoveries + 1')) return database.query(sql, parameters);
          isBroken = false;
          return Promise.reject(new StoreError('database', 'statement timeout'));
        },
      },
    }) as Database;
    const deliverer = delivery.openDeliverer({ over });
    delivery.server.answer = json({}, 500);
    await delivery.put(anEvent(), anEvent());
    for (const seconds of [0, 6]) {
      delivery.clock += seconds * 1_000;
      await delivery.run(deliverer);
    }
    delivery.server.answer = json({}, 200);
    for (let more = 0; more < 2; more += 1) {
      await delivery.put(anEvent());
      await delivery.run(deliverer);
    }
    await delivery.run(deliverer);
    expect(new Set(await delivery.states())).toEqual(new Set(['delivered']));
    expect(isBroken).toBe(false);
  });

  test('pauses for every event while the sink asks for it', async () => {
    const deliverer = delivery.openDeliverer();
    delivery.server.answer = (_received, response) => response.writeHead(429, { 'retry-after': '90' }).end();
    await delivery.put(anEvent());
    await delivery.run(deliverer);
    delivery.server.answer = json({}, 200);
    await delivery.put(anEvent());
    delivery.clock += 89_000;
    await delivery.run(deliverer);
    expect(delivery.server.received).toHaveLength(1);
    delivery.clock += 1_001;
    await delivery.run(deliverer);
    expect(delivery.server.received).toHaveLength(3);
    expect(await delivery.states()).toEqual(['delivered', 'delivered']);
  });

  test.each([
    'https://10.1.2.3/',
    'https://[fc00::2]/',
    'https://169.254.169.254/',
    'https://inside.example/',
  ])('to %s makes no connection', async (address) => {
    await delivery.deliver(anEvent(), delivery.openSink({ url: new URL(address) }, resolveToLoopback));
    expect((await delivery.list())[0]).toMatchObject({
      state: 'failed',
      lastFailure: 'sink: its address is not allowed',
    });
  });
});
