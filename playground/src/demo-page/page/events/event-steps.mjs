/** @import { Hirer, User } from '../sign-in.mjs' */
/** @import { Whereabouts } from '../demo-controls.mjs' */
/** @import { Column, Step } from '../sequence/steps.mjs' */

/**
 * The parties of an event's journey, in the order of their columns.
 * @type {readonly Column[]}
 */
export const EVENT_PARTIES = [
  { name: 'Browser', role: 'the partner’s page' },
  { name: 'BFF', role: 'this service' },
  { name: 'Back end', role: 'your event sink' },
  { name: 'Upstream', role: 'where it happens' },
];
const [BROWSER, BFF, BACK_END, UPSTREAM] = /** @type {const} */ ([0, 1, 2, 3]);
const ID_SHOWN = 8;

/**
 * An event on its way.
 * @typedef {object} Journey
 * @property {User} user
 * @property {Hirer} hirer
 * @property {{eventId: string, type: string}} event
 * @property {Whereabouts} found
 * @property {number} [streamedAfterMs] undefined if the browser has not received it
 * @property {boolean} isOver true if nothing more is waited for
 */

/**
 * The steps that an event has taken so far.
 * @param {Journey} journey
 * @returns {Step[]}
 */
export function eventSteps(journey) {
  return [
    happeningStep(journey),
    ...webhookSteps(journey),
    ...deliverySteps(journey),
    ...streamSteps(journey),
  ];
}

/**
 * The steps when the upstream sends an event that the BFF already has.
 * @param {Whereabouts} found
 * @returns {Step[]}
 */
export function repeatSteps({ requests, deliveries }) {
  const last = requests.at(-1);
  return [
    {
      kind: 'call',
      from: UPSTREAM,
      to: BFF,
      title: 'POST /webhooks',
      detail: 'the same event',
      outcome: String(last?.statusCode),
      tone: last?.statusCode === 204 ? 'good' : 'bad',
      durationMs: last?.latencyMs ?? undefined,
      requestId: last?.requestId,
    },
    {
      kind: 'note',
      at: BFF,
      tone: 'cache',
      title: 'Known by its id',
      lines: [
        `Counted and acknowledged, not stored twice. Deliveries so far: ${deliveries.length}. Within five minutes, it is not sent to the back end or the browser again.`,
      ],
    },
  ];
}

const SECRET_OF_PLAYGROUND =
  'WEBHOOK_SECRETS is not set: only the playground can sign, and to anyone else the route does not exist. With a secret of yours, this answer is 401 invalid_signature.';

/**
 * The steps when a sender does not know the secret.
 * @param {{status: number, durationMs: number, requestId: string, body: {code?: string}}} answer
 * @returns {Step[]}
 */
export function forgerySteps({ status, durationMs, requestId, body }) {
  return [
    {
      kind: 'call',
      from: BROWSER,
      to: BFF,
      title: 'POST /webhooks',
      detail: 'with a made-up signature',
      outcome: `${status} ${body.code ?? ''}`,
      tone: 'bad',
      durationMs,
      requestId,
    },
    {
      kind: 'note',
      at: BFF,
      tone: 'bad',
      title: 'Refused',
      lines: [
        'The signature is checked over the raw bytes first. Without a valid one nothing is parsed or stored.',
        ...(status === 404 ? [SECRET_OF_PLAYGROUND] : []),
      ],
    },
  ];
}

/**
 * @param {Journey} journey
 * @returns {Step}
 */
function happeningStep({ event, hirer }) {
  return {
    kind: 'note',
    at: UPSTREAM,
    title: event.type,
    lines: [`at ${hirer.name}, event …${event.eventId.slice(-ID_SHOWN)}`],
  };
}

/**
 * @param {Journey} journey
 * @returns {Step[]}
 */
function webhookSteps({ found, isOver }) {
  const [request] = found.requests;
  if (request === undefined) {
    return isOver
      ? [
          {
            kind: 'note',
            at: UPSTREAM,
            tone: 'bad',
            title: 'No webhook',
            lines: ['Is the service subscribed?'],
          },
        ]
      : [];
  }
  const isStored = request.statusCode === 204;
  /** @type {Step[]} */
  const steps = [
    {
      kind: 'call',
      from: UPSTREAM,
      to: BFF,
      title: 'POST /webhooks',
      detail: 'signed',
      outcome: String(request.statusCode),
      tone: isStored ? 'good' : 'bad',
      durationMs: request.latencyMs ?? undefined,
      requestId: request.requestId,
    },
  ];
  if (isStored) {
    steps.push({
      kind: 'note',
      at: BFF,
      tone: 'good',
      title: 'Stored, then acknowledged',
      lines: ['The signature is valid. The event was committed before the 204.'],
    });
  }
  return steps;
}

/**
 * @param {Journey} journey
 * @returns {Step[]}
 */
function deliverySteps({ found, isOver }) {
  const [delivery] = found.deliveries;
  if (delivery !== undefined) {
    return [
      {
        kind: 'call',
        from: BFF,
        to: BACK_END,
        title: 'POST to the sink',
        detail: 'Standard Webhooks',
        outcome: delivery.verified ? 'signature valid' : 'signature wrong',
        tone: delivery.verified ? 'good' : 'bad',
      },
    ];
  }
  if (!isOver) return [];
  return [
    {
      kind: 'note',
      at: BFF,
      title: 'Not delivered to the playground',
      lines: [
        'EVENT_SINK_URL names another receiver, or the delivery is pending. The dashboard shows its state.',
      ],
    },
  ];
}

/**
 * @param {Journey} journey
 * @returns {Step[]}
 */
function streamSteps({ user, hirer, streamedAfterMs, isOver }) {
  if (streamedAfterMs !== undefined) {
    return [
      {
        kind: 'reply',
        from: BFF,
        to: BROWSER,
        title: 'GET /events/stream',
        detail: 'after it happened',
        outcome: 'streamed',
        tone: 'good',
        durationMs: streamedAfterMs,
      },
    ];
  }
  if (!isOver) return [];
  return [
    {
      kind: 'note',
      at: BROWSER,
      title: 'Nothing arrives',
      lines: [`${user.name} does not belong to ${hirer.name}, so the open stream does not carry the event.`],
    },
  ];
}
