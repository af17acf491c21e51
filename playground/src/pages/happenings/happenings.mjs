/** Finds an element that the page is known to have. */
const find = (/** @type {string} */ selector) =>
  /** @type {HTMLElement} */ (document.querySelector(selector));

/**
 * Calls a control route and returns its answer.
 * @param {string} control
 * @param {object} [body] sent as JSON; without it the route is read
 * @param {string} [method]
 */
async function call(control, body, method = body === undefined ? 'GET' : 'POST') {
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(`/playground/${control}`, {
    method,
    ...(body !== undefined && { headers, body: JSON.stringify(body) }),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.message);
  return answer;
}

/**
 * Adds a sentence to the log, and returns the line.
 * @param {string} text
 * @param {boolean} [isFault]
 */
function note(text, isFault = false) {
  const line = document.createElement('li');
  line.textContent = text;
  line.classList.toggle('fault', isFault);
  find('#log').prepend(line);
  return line;
}

/** How often, and how many times, the page looks for the webhook of an event. */
const LOOK_MS = 500;
const LOOKS_MAX = 30;

/**
 * Says beneath a line what became of the webhook of an event: each attempt, and what the receiver answered.
 * @param {HTMLElement} line
 * @param {string} eventId
 */
async function followWebhook(line, eventId) {
  const told = document.createElement('small');
  line.append(document.createElement('br'), told);
  const { subscriptions } = await call('webhooks/subscriptions');
  told.textContent = subscriptions.length === 0 ? 'No webhook: nobody has subscribed.' : 'No webhook yet.';
  for (let look = 0; look < LOOKS_MAX && subscriptions.length > 0; look += 1) {
    const { requests } = await call('webhooks/requests');
    const own = requests.filter(({ attempts }) => attempts.some((attempt) => attempt.eventId === eventId));
    if (own.length > 0) told.textContent = own.map(sentenceOf).join(' ');
    if (own.some(({ outcome }) => outcome === 'Success')) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/** @param {{ outcome: string, statusCode: number, latencyMs: number | null }} request */
function sentenceOf({ outcome, statusCode, latencyMs }) {
  switch (outcome) {
    case 'Success':
      return `Its webhook was delivered: the receiver answered ${statusCode} in ${Math.ceil(latencyMs ?? 0)} ms.`;
    case 'BadResponse':
      return `Its webhook was refused: the receiver answered ${statusCode}. It is sent again.`;
    case 'RequestTimeout':
      return 'Its webhook was not answered in time. It is sent again.';
    default:
      return 'Its webhook has no valid address.';
  }
}

/** What each type of event tells about a hirer. */
const SENTENCES = {
  CandidateApplicationCreated: (hirer) => `A candidate applied to ${hirer}.`,
  CandidateProfilePurchased: (hirer) => `${hirer} purchased a candidate’s profile.`,
  HirerRelationshipChanged: (hirer) => `The relationship with ${hirer} changed.`,
  PositionProfilePosted: (hirer) => `An ad of ${hirer} was posted.`,
  PositionProfileUpdated: (hirer) => `An ad of ${hirer} was changed.`,
  PositionProfileClosed: (hirer) => `An ad of ${hirer} was closed.`,
  PositionNotPosted: (hirer) => `An ad of ${hirer} could not be posted.`,
};

/** The text of the option that is chosen. */
const chosen = (/** @type {string} */ selector) =>
  /** @type {HTMLSelectElement} */ (find(selector)).selectedOptions[0]?.label ?? '';

/**
 * Replaces the options of a select and keeps the choice where it is still offered.
 * @param {string} selector
 * @param {{ value: string, label: string }[]} options
 */
function offer(selector, options) {
  const select = /** @type {HTMLSelectElement} */ (find(selector));
  const chosen = select.value;
  select.replaceChildren(...options.map(({ value, label }) => new Option(label, value)));
  if (options.some(({ value }) => value === chosen)) select.value = chosen;
}

async function refresh() {
  const { ads, hirers, types } = await call('applications');
  offer(
    '[name=positionProfileId]',
    ads.map((ad) => ({ value: ad.positionProfileId, label: `${ad.title}, ${ad.hirer}` })),
  );
  find('#no-ads').hidden = ads.length > 0;
  find('#application').hidden = ads.length === 0;
  offer(
    '[name=hirerId]',
    hirers.map(({ hirerId, name }) => ({ value: hirerId, label: name })),
  );
  offer(
    '[name=type]',
    types.map((type) => ({ value: type, label: type })),
  );
  const { now } = await call('clock');
  find('#now').textContent = now.replace('T', ' ').slice(0, 16);
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
    note(error instanceof Error ? error.message : String(error), true);
  }
  await refresh();
}

/**
 * The values of a form, without empty fields.
 * @returns {Record<string, string>}
 */
function valuesOf(/** @type {SubmitEvent} */ event) {
  event.preventDefault();
  const form = new FormData(/** @type {HTMLFormElement} */ (event.target));
  return Object.fromEntries(
    [...form].flatMap(([name, value]) => (typeof value === 'string' && value !== '' ? [[name, value]] : [])),
  );
}

find('#application').addEventListener('submit', (event) => {
  const wish = valuesOf(/** @type {SubmitEvent} */ (event));
  const ad = chosen('[name=positionProfileId]');
  void act(async () => {
    const { eventId } = await call('applications', wish);
    return { text: `${wish.name ?? 'A candidate'} applied: ${ad}.`, eventId };
  });
});
find('#event').addEventListener('submit', (event) => {
  const wish = valuesOf(/** @type {SubmitEvent} */ (event));
  const hirer = chosen('[name=hirerId]');
  void act(async () => {
    const { eventIds } = await call('events', wish);
    return { text: SENTENCES[wish.type]?.(hirer) ?? `${wish.type}: ${hirer}.`, eventId: eventIds[0] };
  });
});
for (const button of document.querySelectorAll('[data-days]')) {
  const days = Number(button.getAttribute('data-days'));
  button.addEventListener('click', () => {
    void act(async () => {
      await call('clock', { advanceDays: days });
      return { text: `The clock was moved: ${button.textContent.toLowerCase()}.` };
    });
  });
}
find('#reset').addEventListener('click', () => {
  void act(async () => {
    await call('clock', undefined, 'DELETE');
    return { text: 'The clock was moved: back to now.' };
  });
});
void refresh();
