/** Makes a tab list work by pointer, arrow keys and address (`#proxy`), as the ARIA pattern for tabs has it. */
export function startTabs(list) {
  const tabs = [...list.querySelectorAll('[role=tab]')];
  const panelOf = (tab) => document.getElementById(tab.getAttribute('aria-controls'));

  const select = (chosen) => {
    for (const tab of tabs) {
      tab.setAttribute('aria-selected', String(tab === chosen));
      tab.tabIndex = tab === chosen ? 0 : -1;
      panelOf(tab).hidden = tab !== chosen;
    }
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
    const next = tabs.at((tabs.indexOf(document.activeElement) + step) % tabs.length);
    next.focus();
    open(next);
  });
  addEventListener('hashchange', () => select(fromAddress() ?? tabs[0]));
  select(fromAddress() ?? tabs[0]);
}
