import { startChoices } from './token/choices.mjs';
import { controlAt } from '../../pages/control.mjs';
import { h } from '../../pages/dom.mjs';
import { startEvents } from './events/events-view.mjs';
import { startExchanges } from './token/exchange-view.mjs';
import { startFaults } from './faults/faults-view.mjs';
import { startProxy } from './proxy/proxy-view.mjs';
import { shareChoice } from './shared-choice.mjs';
import { startTabs } from '../../pages/tabs.mjs';

/** @import { Config } from './sign-in.mjs' */

/** Where `npm run example` serves the example frontend. */
const EXAMPLE_ORIGIN = 'http://localhost:5173';

/** An element of index.html. */
const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
const formOf = (id) => /** @type {HTMLFormElement} */ (byId(id));

startTabs(byId('tabs'));
/** @type {Config} */
const config = await (await fetch('/demo/config.json')).json();
controlAt(config.upstreamUrl);

const choices = formOf('choices');
const proxyChoice = formOf('proxy-choice');
const eventsChoice = formOf('events-choice');
const failuresChoice = formOf('failures-choice');

const readChoices = startChoices(choices, config);
startExchanges(byId('exchange'), choices, config, readChoices);
startProxy(proxyChoice, byId('experiments'), config);
startEvents(eventsChoice, byId('events-stage'), config);
startFaults(failuresChoice, byId('scenarios'), config);
shareChoice([choices, proxyChoice, eventsChoice, failuresChoice]);
byId('further').append(...furtherLinks(config.upstreamUrl));
byId('ops').append(...opsLinks(config.opsUrl, config.upstreamUrl));

function furtherLinks(upstreamUrl) {
  const code = (text) => h('code', {}, text);
  return [
    link(`${upstreamUrl}/#happen`, 'Make things happen', 'candidates apply, ads close, time passes'),
    link(
      EXAMPLE_ORIGIN,
      'Example frontend',
      'a hiring product on this service. In the repository, start the service with ',
      code(`CORS_ORIGINS=${EXAMPLE_ORIGIN} npm start`),
      ' and the example with ',
      code('npm run example'),
      '.',
    ),
    h(
      'li',
      {},
      'The documents are files beside the code: ',
      code('docs/quickstart.md'),
      ' says what else to look at, ',
      code('docs/frontends.md'),
      ' how a frontend uses the service, and ',
      code('docs/go-live.md'),
      ' what it takes to leave the playground.',
    ),
  ];
}

function opsLinks(opsUrl, upstreamUrl) {
  return [
    link(`${opsUrl}/`, 'Dashboard', 'what the service is doing'),
    link(`${upstreamUrl}/`, 'Playground', 'every operation of the upstream, with an example'),
    link(`${upstreamUrl}/#calls`, 'Call log', 'requests to the emulated upstream and issuer'),
  ];
}

/** A page to open, and what is there. */
function link(href, name, ...about) {
  return h('li', {}, h('a', { href, target: '_blank', rel: 'noopener' }, name), ' ', about);
}
