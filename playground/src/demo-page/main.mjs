import { byId } from '../pages/control.mjs';
import { startTabs } from '../pages/tabs.mjs';
import { startEvents } from './events.mjs';
import { startFailures } from './failures.mjs';
import { startProxy } from './proxy.mjs';
import { config, startChoice } from './session.mjs';
import { startToken } from './token.mjs';

startTabs(byId('tabs'));
startChoice();
startToken();
startProxy();
startEvents();
startFailures();
for (const link of document.querySelectorAll('[data-at]')) linkTo(/** @type {HTMLAnchorElement} */ (link));

/** Other pages are at addresses of this start: `data-at` names which. */
function linkTo(link) {
  link.href = config[link.dataset.at] + link.getAttribute('href');
}
