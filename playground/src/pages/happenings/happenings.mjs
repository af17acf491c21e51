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
 * Adds a line to the log.
 * @param {string} what
 * @param {unknown} detail
 * @param {boolean} [isFault]
 */
function note(what, detail, isFault = false) {
  const line = document.createElement('li');
  const code = document.createElement('code');
  code.textContent = typeof detail === 'string' ? detail : JSON.stringify(detail);
  line.append(`${what}: `, code);
  line.classList.toggle('fault', isFault);
  find('#log').prepend(line);
}

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
 * Does something, notes how it ended and shows the new state.
 * @param {string} what
 * @param {() => Promise<unknown>} run
 */
async function act(what, run) {
  try {
    note(what, await run());
  } catch (error) {
    note(what, error instanceof Error ? error.message : String(error), true);
  }
  await refresh();
}

/** The values of a form, without empty fields. */
function valuesOf(/** @type {SubmitEvent} */ event) {
  event.preventDefault();
  const form = new FormData(/** @type {HTMLFormElement} */ (event.target));
  return Object.fromEntries([...form].filter(([, value]) => value !== ''));
}

find('#application').addEventListener('submit', (event) => {
  const wish = valuesOf(/** @type {SubmitEvent} */ (event));
  void act('A candidate applied', () => call('applications', wish));
});
find('#event').addEventListener('submit', (event) => {
  const wish = valuesOf(/** @type {SubmitEvent} */ (event));
  void act('An event happened', () => call('events', wish));
});
for (const button of document.querySelectorAll('[data-days]')) {
  const days = Number(button.getAttribute('data-days'));
  button.addEventListener('click', () => {
    void act(button.textContent, () => call('clock', { advanceDays: days }));
  });
}
find('#reset').addEventListener('click', () => {
  void act('Back to now', () => call('clock', undefined, 'DELETE'));
});
void refresh();
