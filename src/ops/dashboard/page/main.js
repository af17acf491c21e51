import { followAddress } from './addresses.js';
import { Audit } from './audit.js';
import { Charts } from './charts.js';
import { showConditions } from './conditions.js';
import { byId, make } from './dom.js';
import { EventPage } from './event.js';
import { Events } from './events.js';
import { Memberships } from './memberships.js';
import { poll, startSession } from './session.js';
import { Status } from './status.js';

const FIGURES_EVERY_MS = 5_000;

/** @import { ConditionView } from '../../../telemetry/conditions/conditions.js' */
/** @import { Sample } from './samples.js' */
/** @import { Readiness } from './status.js' */

/**
 * The answer of `/dashboard/figures`.
 * @typedef {{ replica: string, version: string, startedAt: number, bucketsSeconds: number[], outcomes: string[], readiness: Readiness, conditions: ConditionView[], samples: Sample[] }} Figures
 */

/** @type {Charts | undefined} */
let charts;
const status = new Status();
const eventPage = new EventPage();
const lists = { audit: new Audit(), events: new Events(), memberships: new Memberships() };

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
  const list = Object.hasOwn(lists, place.list)
    ? lists[/** @type {keyof typeof lists} */ (place.list)]
    : undefined;
  if (list) void list.pick(place.filter);
  else document.getElementById(place.list)?.scrollIntoView();
}

/** @param {Figures} figures */
function show(figures) {
  const { samples, conditions, outcomes } = figures;
  const isFirst = charts === undefined;
  byId('content').hidden = false;
  byId('offline').hidden = true;
  charts ??= new Charts(figures.bucketsSeconds);
  status.show(figures);
  showConditions(conditions);
  charts.draw(samples);
  if (!isFirst) return;
  byId('outcomes').replaceChildren(...outcomes.map((value) => make('option', { value })));
  loadLists();
  followAddress(goTo);
}

function showInterrupted() {
  status.showInterrupted();
  byId('offline').hidden = byId('content').hidden;
}

startSession(() => loadLists());
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => charts?.repaint());
void poll('/dashboard/figures', FIGURES_EVERY_MS, show, showInterrupted);
