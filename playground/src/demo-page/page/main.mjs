import { startChoices } from './token/choices.mjs';
import { h } from './dom.mjs';
import { startEvents } from './events/events-view.mjs';
import { startExchanges } from './token/exchange-view.mjs';
import { startFaults } from './faults/faults-view.mjs';
import { startProxy } from './proxy/proxy-view.mjs';
import { startTabs } from './tabs.mjs';
import { startTerminal } from './token/terminal.mjs';

/** @import { Config } from './sign-in.mjs' */

/** An element of index.html. */
const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

startTabs(byId('tabs'));
/** @type {Config} */
const config = await (await fetch('/demo/config.json')).json();

const showTerminal = startTerminal(byId('terminal'), config);
const form = /** @type {HTMLFormElement} */ (byId('choices'));
const choices = startChoices(form, config, (choice) => void showTerminal(choice));
startExchanges(byId('exchange'), form, config, choices.read);
void showTerminal(choices.read());
startProxy(/** @type {HTMLFormElement} */ (byId('proxy-choice')), byId('experiments'), config);
startEvents(/** @type {HTMLFormElement} */ (byId('events-choice')), byId('events-stage'), config);
startFaults(/** @type {HTMLFormElement} */ (byId('failures-choice')), byId('scenarios'), config);
byId('ops').append(...opsLinks(config.opsUrl, config.upstreamUrl));

function opsLinks(opsUrl, upstreamUrl) {
  const links = [
    [`${opsUrl}/`, 'Dashboard', 'what the service is doing'],
    [`${opsUrl}/readyz`, 'Health', 'each dependency and its state'],
    [`${opsUrl}/metrics`, 'Metrics', 'for Prometheus'],
    [`${opsUrl}/audit`, 'Audit', 'requests, allowed or refused, by user'],
    [`${upstreamUrl}/`, 'Explorer', 'every operation of the upstream, with an example'],
    [`${upstreamUrl}/calls`, 'Call log', 'requests to the emulated upstream and issuer'],
  ];
  return links.map(([href, name, about]) =>
    h('li', {}, h('a', { href, target: '_blank', rel: 'noopener' }, name), ` ${about}`),
  );
}
