/**
 * Makes a tab list work by pointer, arrow keys and address (`#proxy`), following the ARIA pattern for tabs. The document
 * is told of each change (event `tab`).
 * @param {HTMLElement} list
 */
export function startTabs(list) {
  const tabs = /** @type {HTMLElement[]} */ ([...list.querySelectorAll('[role=tab]')]);
  const panelOf = (tab) =>
    /** @type {HTMLElement} */ (document.getElementById(tab.getAttribute('aria-controls')));

  /** @param {HTMLElement | undefined} chosen */
  const select = (chosen) => {
    for (const tab of tabs) {
      tab.setAttribute('aria-selected', String(tab === chosen));
      tab.tabIndex = tab === chosen ? 0 : -1;
      panelOf(tab).hidden = tab !== chosen;
    }
    document.dispatchEvent(new Event('tab'));
  };
  const open = (tab) => {
    select(tab);
    history.replaceState(null, '', `#${panelOf(tab).id}`);
  };
  const fromAddress = () => tabs.find((tab) => `#${panelOf(tab).id}` === location.hash);

  for (const tab of tabs) tab.addEventListener('click', () => open(tab));
  list.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const current = tabs.findIndex((tab) => tab === document.activeElement);
    const next = tabs.at((current + step) % tabs.length);
    if (!next) return;
    next.focus();
    open(next);
  });
  addEventListener('hashchange', () => {
    const tab = fromAddress();
    if (tab === undefined) return;
    select(tab);
    tab.focus();
    scrollTo(0, 0);
  });
  select(fromAddress() ?? tabs[0]);
}
