import { byId, call } from './control.mjs';
import { h, timeOf } from './dom.mjs';

/** Makes the forms cause events, and tells of each. */
export function startHappenings() {
  const [application, event] = [byId('application'), byId('event')];
  application.addEventListener('submit', (submit) => {
    const wish = valuesOf(submit);
    const ad = labelOf(application.elements.positionProfileId);
    void act(async () => {
      await call('applications', wish);
      return `${wish['name'] ?? 'A candidate'} applied: ${ad}.`;
    });
  });
  event.addEventListener('submit', (submit) => {
    const wish = valuesOf(submit);
    const hirer = labelOf(event.elements.hirerId);
    void act(async () => {
      await call('events', wish);
      return `${wish['type']} at ${hirer}.`;
    });
  });
  for (const button of document.querySelectorAll('[data-hours]')) {
    const hours = Number(button.getAttribute('data-hours'));
    button.addEventListener('click', () => {
      void act(async () => {
        await (hours === 0
          ? call('clock', undefined, 'DELETE')
          : call('clock', { advanceMs: hours * 3_600_000 }));
        return `The clock was moved: ${String(button.textContent).toLowerCase()}.`;
      });
    });
  }
  document.addEventListener('tab', () => void refresh());
  void refresh();
}

/**
 * Does something, says how it ended and shows the new state.
 * @param {() => Promise<string>} run
 */
async function act(run) {
  try {
    note(await run());
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
}
