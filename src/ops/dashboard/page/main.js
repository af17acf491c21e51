import { followAddress } from './addresses.js';
import { showAttention } from './attention.js';
import { Audit } from './audit.js';
import { Charts } from './charts.js';
import { byId } from './dom.js';
import { EventPage } from './event.js';
import { Events } from './events.js';
import { showRefusals } from './refusals.js';
import { Relationships } from './relationships.js';
import { Replicas } from './replicas.js';
import { learnOutcomes } from './samples.js';
import { follow, startSession } from './session.js';
import { Status } from './status.js';
import { startTheme } from './theme.js';

const LISTS_EVERY_MS = 15_000;

/** @import { Attention } from './attention.js' */
/** @import { Replica } from './replicas.js' */
/** @import { Outcome, Sample } from './samples.js' */
/** @import { OverallState, Readiness } from './status.js' */

/**
 * The first message of the feed.
 * @typedef {{ shown: string, replicas: Replica[], replica: string, startedAt: number, version: string, limitsMs: Record<string, number>, intervalMs: number, bucketsSeconds: number[],
 *   outcomes: Record<string, Outcome>, samples: Sample[], state: OverallState, readiness: Readiness, attention: Attention[] }} History
 */

/** @type {Sample[]} */
let samples = [];
let samplesMax = 900;
/** @type {Charts | undefined} */
let charts;
/** @type {AbortController | undefined} */
let watching;
const status = new Status();
const replicas = new Replicas(watch);
const eventPage = new EventPage();
const lists = { audit: new Audit(), events: new Events(), relationships: new Relationships() };

function loadLists() {
  for (const list of Object.values(lists)) void list.load();
}

/**
 * Shows the place that the address names: the page of an event, or a list with its filters.
 * @param {import('./addresses.js').Place} place
 */
function goTo(place) {
  const isEvent = 'event' in place;
  byId('event').hidden = !isEvent;
  byId('overview').hidden = isEvent;
  if (isEvent) {
    scrollTo(0, 0);
    void eventPage.open(place.event);
    return;
  }
  eventPage.close();
  if (place.list === 'audit' && Object.keys(place.filter).length > 0) {
    void lists.audit.pick(place.filter);
  } else if (place.list === 'events' && Object.keys(place.filter).length > 0) {
    void lists.events.pick(place.filter);
  } else {
    document.getElementById(place.list)?.scrollIntoView();
  }
}

function show() {
  charts?.draw(samples);
  status.showSamples(samples);
  showRefusals(samples, (outcome) => lists.audit.pick({ outcome }));
}

/** @param {History} history */
function begin(history) {
  byId('content').hidden = false;
  learnOutcomes(history.outcomes);
  const isFirst = charts === undefined;
  charts ??= new Charts(history.bucketsSeconds);
  replicas.choose(history.shown, history.replicas);
  charts.mark(history.replicas.map(toMark));
  samples = history.samples;
  samplesMax = Math.round((30 * 60_000) / history.intervalMs);
  status.introduce(history);
  status.showState(history.state, history.readiness);
  showAttention(history.attention);
  show();
  loadLists();
  if (isFirst) followAddress(goTo);
}

/**
 * The sample is that of a replica as it is known by now, which may replace the one before, or null.
 * @param {{ sample: Sample | null, state: OverallState, readiness: Readiness, attention: Attention[], replicas: Replica[] }} message
 */
function add({ sample, state, readiness, attention, replicas: listed }) {
  if (sample) samples = [...samples.filter(({ time }) => time < sample.time), sample].slice(-samplesMax);
  replicas.show(listed);
  charts?.mark(listed.map(toMark));
  status.showState(state, readiness);
  showAttention(attention);
  show();
}

/**
 * Follows the figures of a replica or of `all`, in place of those before.
 * @param {string} [which] this replica without it
 */
function watch(which) {
  watching?.abort();
  watching = new AbortController();
  void follow(
    `/dashboard/feed${which === undefined ? '' : `?replica=${encodeURIComponent(which)}`}`,
    (event, data) => {
      byId('offline').hidden = true;
      if (event === 'history') begin(data);
      else add(data);
    },
    () => {
      status.showInterrupted();
      byId('offline').hidden = byId('content').hidden;
    },
    watching.signal,
  );
}

/**
 * @param {Replica} replica
 * @param {number} _index
 * @param {readonly Replica[]} all
 */
function toMark({ name, version, startedAt }, _index, all) {
  return { time: startedAt, text: `start of ${all.length > 1 ? `${name}, ` : ''}${version}` };
}

startTheme(byId('theme'), () => charts?.repaint());
startSession(() => loadLists());
setInterval(() => {
  if (!byId('content').hidden && document.visibilityState === 'visible') void lists.relationships.load();
}, LISTS_EVERY_MS);
watch();
