import { connect, createServer } from 'node:net';
import { getCACertificates, setDefaultCACertificates, TLSSocket } from 'node:tls';
import { makeCertificate } from '../../playground/src/http/certificate.js';
import { openBroker } from '../../src/webhooks/deliver/sinks/open-sinks.js';
import { portOf, serverOf } from '../support/machine.js';
import { openNats, openRabbitMq } from '../support/test-brokers.js';
import { aSink, useDelivery } from '../webhooks/delivery-setup.js';
import { anEvent } from '../webhooks/send-webhook.js';

const TLS_OFFER = Buffer.from('INFO {"tls_required":true,');

const delivery = useDelivery();
const trusted = getCACertificates('default');
afterEach(() => setDefaultCACertificates(trusted));

/** TLS in front of a broker. NATS greets in the clear, with the offer of TLS; all else is encrypted. */
async function startTls(to: URL, { cert, key }: { cert: string; key: string }): Promise<URL> {
  const server = createServer((client) => {
    const target = connect(Number(to.port), to.hostname);
    for (const socket of [client, target]) socket.on('error', () => undefined);
    client.once('close', () => target.destroy());
    const encrypt = (): void => {
      const plain = new TLSSocket(client, { isServer: true, cert, key });
      plain.on('error', () => target.destroy()).pipe(target);
      target.pipe(plain);
    };
    if (to.protocol !== 'nats:') return encrypt();
    target.once('data', (greeting: Buffer) => {
      client.write(Buffer.concat([TLS_OFFER, greeting.subarray('INFO {'.length)]));
      encrypt();
    });
  });
  const url = new URL(to.href.replace(/^nats:/, 'tls:').replace(/^amqp:/, 'amqps:'));
  url.host = `localhost:${await portOf(server)}`;
  return url;
}

test.each([
  ['NATS', () => openNats(serverOf('TEST_NATS_URL'))],
  ['RabbitMQ', () => openRabbitMq(serverOf('TEST_AMQP_URL'))],
])(
  'events reach %s with TLS, by an authority that the process trusts and by no other',
  async (_name, open) => {
    const [broker, certificate] = [await open(), await makeCertificate(['localhost'], Date.now())];
    const url = await startTls(broker.url, certificate);
    const openSink = () => openBroker({ ...aSink(url), timeoutMs: 5_000 }, delivery.now);
    const [distrusting, trusting] = [await openSink(), await openSink()];
    await delivery.deliver(anEvent(), distrusting);
    expect((await delivery.list())[0]).toMatchObject({
      state: 'failed',
      lastFailure: expect.stringMatching(/^sink: no connection \(DEPTH_ZERO_SELF_SIGNED_CERT\)/),
    });
    setDefaultCACertificates([certificate.cert]);
    delivery.clock += 3_600_000;
    await delivery.run(delivery.openDeliverer({ sinks: [trusting] }));
    expect(await delivery.states()).toEqual(['delivered']);
    expect(await broker.received()).toHaveLength(1);
    await Promise.all([distrusting.close(), trusting.close()]);
  },
);
