import { Component, type ReactNode } from 'react';
import { useTexts } from '../texts.ts';

/** Takes the place of a view that cannot be shown: a part of the page did not arrive, or has a fault. */
export class Boundary extends Component<{ children: ReactNode }> {
  override state = { isBroken: false };

  static getDerivedStateFromError() {
    return { isBroken: true };
  }

  override render() {
    return this.state.isBroken ? <Broken /> : this.props.children;
  }
}

function Broken() {
  const { t } = useTexts();
  return (
    <div role="alert" className="fault">
      <p>{t('broken')}</p>
      <button onClick={() => location.reload()}>{t('loadAgain')}</button>
    </div>
  );
}
