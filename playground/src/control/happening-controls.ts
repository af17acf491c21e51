import { EVENT_TYPES } from '../data/records.js';
import { NOT_POSTED_REASONS, type NotPostedReason } from '../happenings/ad-lifecycle.js';
import type { ApplicationWish } from '../happenings/applications.js';
import type { Incoming } from '../http/exchange.js';
import type { Partner } from '../partner.js';
import { ControlError, COUNT, readMembers, type Control } from './read-members.js';

/** `applications` and `postings`: what candidates do, and how ads fare. */
export function happeningControls(partner: Partner): Record<string, Control> {
  return {
    applications: { GET: () => choicesOf(partner), POST: (incoming) => applyFor(incoming, partner) },
    postings: { POST: (incoming) => failPostings(incoming, partner) },
  };
}

/** The ads that can be applied for, and the hirers that events can be made for. */
function choicesOf({ applications, world }: Partner): object {
  const hirers = [...world().hirers.values()].map(({ id, name }) => ({ hirerId: id, name }));
  const nameOf = new Map(hirers.map(({ hirerId, name }) => [hirerId, name]));
  const ads = applications.openAds().map(({ id, title, hirerId, locationIds: [locationId = ''] }) => ({
    positionProfileId: id,
    title,
    hirerId,
    hirer: nameOf.get(hirerId),
    location: world().locations.get(locationId)?.contextualName['en-AU'] ?? '',
  }));
  return { ads, hirers, types: EVENT_TYPES };
}

/** Makes a candidate apply for an ad. */
function applyFor(incoming: Incoming, { applications }: Partner): object {
  const wish = readMembers(incoming, {
    positionProfileId: 'string',
    candidateId: 'string',
    name: 'string',
    email: 'string',
    answers: 'object',
    attachments: 'strings',
  });
  if (wish['positionProfileId'] === undefined) throw new ControlError('positionProfileId is required.');
  const { id, members } = applications.apply(wish as unknown as ApplicationWish);
  return { eventId: id, ...members };
}

/** Makes the next ads fail, which ends in PositionNotPosted. */
function failPostings(incoming: Incoming, { ads }: Partner): object {
  const { reason = 'payment', count = 1 } = readMembers(incoming, { reason: 'string', count: COUNT });
  const known = Object.keys(NOT_POSTED_REASONS);
  if (!known.some((name) => name === reason)) throw new ControlError(`reason is one of ${known.join(', ')}.`);
  ads.failNext(Array.from({ length: Number(count) }, () => reason as NotPostedReason));
  return { reason, count };
}
