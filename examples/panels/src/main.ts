import { Bff, listHirers } from 'partner-bff-client';
import { Panel } from 'partner-bff-client/panels';

/** The global of the provider's script. */
declare const SeekApi: {
  render(container: HTMLElement, panel: string, props: object): void;
};

const { VITE_SERVICE_URL, VITE_UPSTREAM_URL, VITE_SIGN_IN_URL } = import.meta.env as Record<string, string>;

const bff = new Bff({
  url: VITE_SERVICE_URL!,
  upstreamUrl: VITE_UPSTREAM_URL!,
  language: 'en-AU',
  getUserToken: signIn, // replace it by your own sign-in
});
const hirerChoice = document.querySelector<HTMLSelectElement>('#hirer')!;
const languageChoice = document.querySelector<HTMLSelectElement>('#language')!;

/** Opens a panel for a hirer, and takes it from the page when the user leaves the hirer that is chosen now. */
function openPanel(hirerId: string, name: string): void {
  const panel = new Panel(bff, 'adSelection', { hirerId });
  const section = document.createElement('section');
  const container = document.createElement('div');
  section.append(textElement('h2', name), container);
  document.querySelector('#panels')!.append(section);
  const render = (): void => {
    SeekApi.render(container, 'adSelection', { ...panel.props, positionProfile: positionOf(hirerId) });
  };
  render();
  const stop = bff.onChange(render); // another language is another `locale`
  panel.signal.addEventListener('abort', () => {
    stop();
    section.remove();
  });
}

/** The ad that the products are for; a page of yours knows it. */
function positionOf(hirerId: string): object {
  return {
    positionTitle: 'Back End Developer',
    jobCategories: ['seekAnzPublicTest:jobCategory:seek:2EFstqFvP'],
    positionLocation: ['seekAnzPublicTest:location:seek:2FqwWaaMV'],
    positionOrganizations: [hirerId],
  };
}

async function signIn(): Promise<string> {
  const response = await fetch(VITE_SIGN_IN_URL!, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ subject: 'amelia' }),
  });
  const { access_token } = (await response.json()) as { access_token: string };
  return access_token;
}

function textElement(name: string, text: string): HTMLElement {
  const element = document.createElement(name);
  element.textContent = text;
  return element;
}

async function start(): Promise<void> {
  hirerChoice.addEventListener('change', () => bff.switchHirer(hirerChoice.value));
  languageChoice.addEventListener('change', () => (bff.language = languageChoice.value));
  const hirers = await listHirers(bff);
  for (const { hirerId, name } of hirers) {
    const label = name ?? hirerId;
    hirerChoice.append(new Option(label, hirerId));
    const button = textElement('button', `Show products of ${label}`);
    button.addEventListener('click', () => openPanel(hirerId, label));
    document.querySelector('#open')!.append(button);
  }
  bff.switchHirer(hirers[0]?.hirerId);
}

start().catch((error: unknown) => {
  document.querySelector('#fault')!.textContent = `Is the service running? ${String(error)}`;
});
