import { byId, call } from './control.mjs';
import { h, timeOf } from './dom.mjs';

/** How often, and how many times, the page looks for the webhook of an event. */
const LOOK_MS = 500;
const LOOKS_MAX = 30;

/** Makes the forms cause events, and tells what became of each. */
export function startHappenings() {
  const [application, event] = [byId('application'), byId('event')];
  application.addEventListener('submit', (submit) => {
    const wish = valuesOf(submit);
    const ad = labelOf(application.elements.positionProfileId);
    void act(async () => {
      const { eventId } = await call('applications', wish);
      return { text: `${wish['name'] ?? 'A candidate'} applied: ${ad}.`, eventId };
    });
  });
  event.addEventListener('submit', (submit) => {
    const wish = valuesOf(submit);
    const hirer = labelOf(event.elements.hirerId);
    void act(async () => {
      const { eventIds } = await call('events', wish);
      return { text: `${wish['type']} at ${hirer}.`, eventId: eventIds[0] };
    });
  });
  for (const button of document.querySelectorAll('[data-hours]')) {
    const hours = Number(button.getAttribute('data-hours'));
    button.addEventListener('click', () => {
      void act(async () => {
        await (hours === 0
          ? call('clock', undefined, 'DELETE')
          : call('clock', { advanceMs: hours * 3_600_000 }));
        return { text: `The clock was moved: ${String(button.textContent).toLowerCase()}.` };
      });
    });
  }
  document.addEventListener('tab', () => void refresh());
  void refresh();
}

/**
 * Does something, says how it ended and shows the new state.
 * @param {() => Promise<{ text: string, eventId?: string }>} run
 */
async function act(run) {
  try {
    const { text, eventId } = await run();
    const line = note(text);
    if (eventId !== undefined) void followWebhook(line, eventId);
  } catch (error) {
    note(/** @type {Error} */ (error).message, true);
  }
  await refresh();
}

/** Offers what there is now; without an answer the forms stay as they are. */
async function refresh() {
  const state = await Promise.all([call('applications'), call('clock')]).catch(() => undefined);
  if (state === undefined) return;
  const [{ ads, hirers, types }, { now }] = state;
  const labels = ads.map(({ positionProfileId: id, hirer, title, location }) => [
    id,
    `${hirer}: ${title}, ${location}`,
  ]);
  offer(
    byId('application').elements.positionProfileId,
    labels.sort(([, a], [, b]) => a.localeCompare(b)),
  );
  byId('no-ads').hidden = ads.length > 0;
  byId('application').hidden = ads.length === 0;
  const { hirerId, type } = byId('event').elements;
  offer(
    hirerId,
    hirers.map((hirer) => [hirer.hirerId, hirer.name]),
  );
  offer(
    type,
    types.map((name) => [name, name]),
  );
  byId('now').textContent = now.replace('T', ' ').slice(0, 16);
}

/** Replaces the options of a select and keeps the choice where it is still offered. */
function offer(
  /** @type {HTMLSelectElement} */ select,
  /** @type {[value: string, label: string][]} */ options,
) {
  const chosen = select.value;
  select.replaceChildren(...options.map(([value, label]) => new Option(label, value)));
  if (options.some(([value]) => value === chosen)) select.value = chosen;
}

const labelOf = (/** @type {HTMLSelectElement} */ select) => select.selectedOptions[0]?.label ?? '';

/**
 * The values of a form, without empty fields.
 * @returns {Record<string, string>}
 */
function valuesOf(/** @type {SubmitEvent} */ event) {
  event.preventDefault();
  const data = new FormData(/** @type {HTMLFormElement} */ (event.target));
  return Object.fromEntries([.../** @type {any} */ (data)].filter(([, value]) => value !== ''));
}

function note(/** @type {string} */ text, isFault = false) {
  const line = h('li', { class: isFault && 'fault' }, h('time.facts', timeOf(new Date())), ' ', text);
  byId('log').prepend(line);
  return line;
}

/**
 * Says beneath a line what became of the webhook of an event: each attempt, and what the receiver answered.
 * @param {HTMLElement} line
 * @param {string} eventId
 */
async function followWebhook(line, eventId) {
  const told = h('small', {});
  line.append(h('br'), told);
  const { subscriptions } = await call('webhooks/subscriptions');
  told.textContent =
    subscriptions.length === 0 ? 'No webhook, because there is no subscription.' : 'No webhook yet.';
  for (let look = 0; look < LOOKS_MAX && subscriptions.length > 0; look += 1) {
    const { requests } = await call(`webhooks/requests?eventId=${encodeURIComponent(eventId)}`);
    if (requests.length > 0) told.textContent = requests.map(sentenceOf).join(' ');
    if (requests.some(({ outcome }) => outcome === 'Success')) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/** @param {{ outcome: string, statusCode: number, latencyMs: number | null }} request */
function sentenceOf({ outcome, statusCode, latencyMs }) {
  const answered = `the receiver answered ${statusCode}`;
  if (outcome === 'Success') {
    return `Its webhook was delivered: ${answered} in ${Math.ceil(latencyMs ?? 0)} ms.`;
  }
  const isRefused = outcome === 'BadResponse';
  return `Its webhook was ${isRefused ? `refused: ${answered}` : 'not answered'}. It is sent again.`;
}
