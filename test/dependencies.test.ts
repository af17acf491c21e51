import { readFileSync } from 'node:fs';

interface Package {
  readonly allowScripts: Record<string, boolean>;
}

interface LockedPackage {
  readonly integrity?: string;
  readonly resolved?: string;
  readonly dev?: boolean;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
}

const LOCK_FILES = ['package-lock.json'];

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Package;

describe('the dependencies', () => {
  test.each(LOCK_FILES)('%s holds the integrity of every package, and no registry', (file) => {
    const packages = lockedPackages(file);
    expect(packages.length).toBeGreaterThan(0);
    expect(packages.filter(([, { integrity }]) => !integrity).map(([name]) => name)).toEqual([]);
    expect(packages.filter(([, { resolved }]) => resolved !== undefined).map(([name]) => name)).toEqual([]);
  });

  test('each install script is decided on, and none is of a runtime dependency', () => {
    const withScript = lockedPackages('package-lock.json').filter(([, entry]) => entry.hasInstallScript);
    const names = withScript.map(([path]) => path.replace(/^.*node_modules\//, ''));
    expect(withScript.filter(([, { dev }]) => !dev)).toEqual([]);
    expect(Object.keys(manifest.allowScripts).sort()).toEqual([...new Set(names)].sort());
  });
});

/** Every package that comes from a registry; the workspaces are folders of this repository. */
function lockedPackages(file: string): [string, LockedPackage][] {
  const { packages } = JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, LockedPackage> };
  return Object.entries(packages).filter(([path, { link }]) => path.includes('node_modules/') && !link);
}
