import { SeededRandom } from '../data/random.js';
import type { Branding } from '../data/records.js';
import { json, type Route } from '../http/exchange.js';
import type { World } from '../data/world.js';

const PATH = /^\/anzPublicTest\/brandings\/(\w+)\/(logo|cover)\.svg$/;

/** `GET` of the images of a branding. They need no token, as images of a public ad do not. */
export function imageRoute(world: () => World): Route {
  return {
    name: 'images',
    path: PATH,
    methods: ['GET', 'HEAD'],
    openToBrowsers: true,
    handle: ({ path }) => {
      const [, suffix = '', kind] = PATH.exec(path) ?? [];
      const id = `globalPublicTest:advertisementBranding:hirerBranding:${suffix}`;
      const branding = world().brandings.get(id);
      if (branding === undefined) return json(404, { message: 'There is no such image.' });
      const headers = {
        'Content-Type': 'image/svg+xml; charset=utf-8',
        'Cache-Control': 'public, max-age=3600',
      };
      return { status: 200, headers, body: kind === 'logo' ? drawLogo(branding) : drawCover(branding) };
    },
  };
}

/** A leaf, a hexagon, a wave and a disc. */
const SHAPES = [
  'M24 216 C24 84 84 24 216 24 C216 156 156 216 24 216Z',
  'M120 20 L207 70 V170 L120 220 L33 170 V70Z',
  'M0 150 Q60 60 120 120 T240 90 V216 A24 24 0 0 1 216 240 H24 A24 24 0 0 1 0 216Z',
  'M120 28 a92 92 0 1 0 0.1 0Z',
] as const;

/** The initials of the hirer before a shape, on a square, both of its own. */
function drawLogo({ hirerId, name }: Branding): string {
  const initials = name
    .split(' ')
    .slice(0, 2)
    .map((word) => word.charAt(0));
  const text = `<text x="120" y="150" font-family="sans-serif" font-size="92" text-anchor="middle" fill="#fff">${escape(initials.join(''))}</text>`;
  const shape = new SeededRandom(hirerId).pick(SHAPES);
  const ground = `<rect width="240" height="240" rx="24" fill="${colourOf(hirerId, 0)}"/>`;
  return svg(240, 240, `${ground}<path d="${shape}" fill="${colourOf(hirerId, 0.4)}"/>${text}`);
}

/** The name of the branding before hills. */
function drawCover({ hirerId, name }: Branding): string {
  const hills =
    `<path d="M0 260 Q240 120 520 240 T1200 200 V400 H0Z" fill="${colourOf(hirerId, 1)}"/>` +
    `<path d="M0 330 Q360 220 700 320 T1200 290 V400 H0Z" fill="${colourOf(hirerId, 0)}"/>`;
  const text = `<text x="60" y="110" font-family="sans-serif" font-size="56" fill="#22303c">${escape(name)}</text>`;
  return svg(1200, 400, `<rect width="1200" height="400" fill="#eef3f6"/>${hills}${text}`);
}

function svg(width: number, height: number, content: string): string {
  const size = `width="${String(width)}" height="${String(height)}" viewBox="0 0 ${String(width)} ${String(height)}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size}>${content}</svg>`;
}

function colourOf(hirerId: string, shade: number): string {
  const hue = new SeededRandom(hirerId).int(0, 359);
  return `hsl(${String(hue)} 55% ${String(32 + shade * 24)}%)`;
}

function escape(text: string): string {
  return text.replace(/[&<>]/g, (mark) => `&#${String(mark.charCodeAt(0))};`);
}
