import { showAttention } from './attention.js';
import { Audit } from './audit.js';
import { Charts } from './charts.js';
import { byId } from './dom.js';
import { Events } from './events.js';
import { showRefusals } from './refusals.js';
import { Relationships } from './relationships.js';
import { learnOutcomes } from './samples.js';
import { follow, startSession } from './session.js';
import { Status } from './status.js';
import { startTheme } from './theme.js';

const LISTS_EVERY_MS = 15_000;

/** @import { Attention } from './attention.js' */
/** @import { Outcome, Sample } from './samples.js' */
/** @import { OverallState, Readiness } from './status.js' */

/**
 * The first message of the feed.
 * @typedef {{ replica: string, startedAt: number, intervalMs: number, bucketsSeconds: number[],
 *   outcomes: Record<string, Outcome>, samples: Sample[], state: OverallState, readiness: Readiness, attention: Attention[] }} History
 */

/** @type {Sample[]} */
let samples = [];
let samplesMax = 900;
/** @type {Charts | undefined} */
let charts;
const status = new Status();
const lists = { audit: new Audit(), events: new Events(), relationships: new Relationships() };

function loadLists() {
  for (const list of Object.values(lists)) void list.load();
}

function show() {
  charts?.draw(samples);
  status.showSamples(samples);
  showRefusals(samples, (outcome) => lists.audit.pick('outcome', outcome));
}

/** @param {History} history */
function begin(history) {
  byId('content').hidden = false;
  learnOutcomes(history.outcomes);
  charts ??= new Charts(history.bucketsSeconds);
  samples = history.samples;
  samplesMax = Math.round((30 * 60_000) / history.intervalMs);
  status.introduce(history);
  status.showState(history.state, history.readiness);
  showAttention(history.attention);
  show();
  loadLists();
}

/** @param {{ sample: Sample, state: OverallState, readiness: Readiness, attention: Attention[] }} message */
function add({ sample, state, readiness, attention }) {
  samples = [...samples.slice(-samplesMax + 1), sample];
  status.showState(state, readiness);
  showAttention(attention);
  show();
}

startTheme(byId('theme'), () => charts?.repaint());
startSession(() => loadLists());
setInterval(() => {
  if (!byId('content').hidden && document.visibilityState === 'visible') void lists.relationships.load();
}, LISTS_EVERY_MS);
void follow(
  '/dashboard/feed',
  (event, data) => {
    byId('offline').hidden = true;
    if (event === 'history') begin(data);
    else add(data);
  },
  () => {
    status.showInterrupted();
    byId('offline').hidden = byId('content').hidden;
  },
);
