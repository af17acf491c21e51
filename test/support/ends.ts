type End = () => unknown;

const ofSuite: End[] = [];
const ofTest: End[] = [];
let begun = ofSuite;

/**
 * Ends something after the test that has begun it, passed or not, or after the last test where a suite has; the newest is
 * ended first. A test that fails leaves nothing that keeps its worker alive.
 * @param end does nothing where the test has ended it before
 */
export function endsByItself(end: End): void {
  begun.push(end);
}

/** Ends after the last test what a test has begun for those after it, too. */
export function endsWithSuite(end: End): void {
  ofSuite.push(end);
}

/** For the runtime of tests, before the hooks of a suite are known: the function that it returns adds the last ones. */
export function watchSuite(): () => void {
  beforeEach(() => void (begun = ofTest));
  return () => {
    afterEach(() => {
      begun = ofSuite;
      return endAll(ofTest);
    });
    afterAll(() => endAll(ofSuite));
  };
}

async function endAll(list: End[]): Promise<void> {
  const newest = list.pop();
  if (!newest) return;
  try {
    await newest();
  } finally {
    await endAll(list);
  }
}
