import { startCalls } from './calls.mjs';
import { startHappenings } from './happen.mjs';
import { startOperations } from './operations.mjs';
import { startTabs } from './tabs.mjs';

startTabs(/** @type {HTMLElement} */ (document.getElementById('tabs')));
void startOperations();
startCalls();
startHappenings();
