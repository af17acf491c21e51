import { readFileSync } from 'node:fs';

interface Package {
  readonly version: string;
  readonly dependencies: Record<string, string>;
  readonly devDependencies: Record<string, string>;
  readonly allowScripts: Record<string, boolean>;
}

interface LockedPackage {
  readonly integrity?: string;
  readonly resolved?: string;
  readonly dev?: boolean;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
}

const LOCK_FILES = ['package-lock.json', 'bench/peers/package-lock.json'];

const manifest = readManifest('package.json');
const playground = readManifest('playground/package.json');
const example = readManifest('examples/frontend/package.json');
const page = readFileSync('docs/dependencies.md', 'utf8');

describe('the dependencies', () => {
  test.each(LOCK_FILES)('%s holds the integrity of every package, and no registry', (file) => {
    const packages = lockedPackages(file);
    expect(packages.length).toBeGreaterThan(0);
    expect(packages.filter(([, { integrity }]) => !integrity).map(([name]) => name)).toEqual([]);
    expect(packages.filter(([, { resolved }]) => resolved !== undefined).map(([name]) => name)).toEqual([]);
  });

  test('each direct dependency is documented, and nothing else', () => {
    expect(documented('At run time')).toEqual(Object.keys(manifest.dependencies));
    expect(documented('Of the playground')).toEqual(Object.keys(playground.dependencies));
    expect(documented('Of the example')).toEqual([
      ...Object.keys(example.dependencies),
      ...Object.keys(example.devDependencies),
    ]);
    expect(documented('For development')).toEqual(Object.keys(manifest.devDependencies));
  });

  test('a package that several use has one range, and all packages have one version', () => {
    const others = { ...playground.dependencies, ...example.dependencies, ...example.devDependencies };
    const differing = Object.entries(others).flatMap(([name, range]) => {
      const own = manifest.dependencies[name] ?? manifest.devDependencies[name];
      return own === undefined || own === range ? [] : [name];
    });
    expect(differing).toEqual([]);
    expect([playground.version, example.version]).toEqual([manifest.version, manifest.version]);
  });

  test('each install script is decided on and documented, and none is of a runtime dependency', () => {
    const withScript = lockedPackages('package-lock.json').filter(([, entry]) => entry.hasInstallScript);
    const names = withScript.map(([path]) => path.replace(/^.*node_modules\//, ''));
    expect(withScript.filter(([, { dev }]) => !dev)).toEqual([]);
    expect(Object.keys(manifest.allowScripts).sort()).toEqual([...new Set(names)].sort());
    expect(documented('Install scripts').sort()).toEqual([...new Set(names)].sort());
  });
});

function readManifest(file: string): Package {
  return JSON.parse(readFileSync(file, 'utf8')) as Package;
}

/** Every package that comes from a registry; the workspaces are folders of this repository. */
function lockedPackages(file: string): [string, LockedPackage][] {
  const { packages } = JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, LockedPackage> };
  return Object.entries(packages).filter(([path, { link }]) => path.includes('node_modules/') && !link);
}

/** The packages of the table under a heading. */
function documented(heading: string): string[] {
  const section = page.split(/^## /m).find((part) => part.startsWith(heading)) ?? '';
  return [...section.matchAll(/^\| `([^`]+)`/gm)].map(([, name]) => name!);
}
