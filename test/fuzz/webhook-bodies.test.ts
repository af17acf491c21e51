import fc from 'fast-check';
import { readWebhookBody } from '../../src/webhooks/webhook-event.js';
import {
  JSON_PIECES,
  anyJsonBytes,
  arrayText,
  awkwardText,
  bytesOf,
  numberText,
  objectLike,
  quoted,
  stringText,
} from './generators/json-texts.js';
import { growsLinearly } from './growth.js';
import { readOrRefuse, target } from './target.js';

const HIRER = 'seekAnzPublicTest:organization:seek:93WyyF1h';
const hirerId = fc.oneof({ weight: 3, arbitrary: fc.constant(HIRER) }, awkwardText);
const bodyBytes = (text: fc.Arbitrary<string>) =>
  fc.oneof({ weight: 4, arbitrary: text.map(bytesOf) }, anyJsonBytes);

const eventText = objectLike({
  id: quoted(fc.oneof(fc.constant('seekAnzPublicTest:event:events:1'), awkwardText)),
  type: quoted(fc.oneof(fc.constant('PositionProfilePosted'), awkwardText)),
  createDateTime: quoted(
    fc.constantFrom('2026-01-02T03:04:05.678Z', '2026-01-02 (\0)', '2026-01-02 (\ud800)', 'soon'),
  ),
  hirerId: quoted(hirerId),
  number: numberText,
});
const webhookText = objectLike({
  events: fc.oneof(
    fc.array(eventText, { maxLength: 3 }).map((events) => `[${events.join(',')}]`),
    arrayText,
    fc.constantFrom('[1.50]', '[{}]', '[[]]'),
  ),
  subscriptionId: stringText,
});

target(
  'webhook bodies',
  {
    'a body is read or refused, and each of its events can be stored and sent on': fc.property(
      bodyBytes(webhookText),
      (bytes) => {
        const body = readOrRefuse(['invalid_request'], () => readWebhookBody(bytes));
        for (const { id, type, hirerId: hirer, createDateTime, payload } of body?.events ?? []) {
          expect(JSON.parse(payload)).toEqual(expect.any(Object));
          expect([id, type, hirer ?? '', createDateTime ?? ''].join('')).not.toMatch(/\p{Cc}|\p{Cs}/u);
        }
      },
    ),
    'events keep every member and number': fc.property(fc.array(eventText, { maxLength: 3 }), (events) => {
      const body = readOrRefuse(['invalid_request'], () =>
        readWebhookBody(Buffer.from(`{"events":[${events.join(',')}]}`)),
      );
      expect(body?.events.map(({ payload }) => JSON.parse(payload))).toEqual(
        events.map((event) => JSON.parse(event)),
      );
    }),
  },
  { growth: growsLinearly(JSON_PIECES, (text) => readWebhookBody(Buffer.from(`{"events":[${text}]}`))) },
);
