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

/** The initials of the hirer, on a square of its colour. */
function drawLogo({ hirerId, name }: Branding): string {
  const [first = '', second = ''] = name.split(' ');
  const text = `<text x="120" y="150" font-family="sans-serif" font-size="92" text-anchor="middle" fill="#fff">${escape(first.charAt(0) + second.charAt(0))}</text>`;
  return svg(240, 240, `<rect width="240" height="240" fill="${colourOf(hirerId)}"/>${text}`);
}

/** The name of the branding, on the same colour. */
function drawCover({ hirerId, name }: Branding): string {
  const text = `<text x="60" y="210" font-family="sans-serif" font-size="56" fill="#fff">${escape(name)}</text>`;
  return svg(1200, 400, `<rect width="1200" height="400" fill="${colourOf(hirerId)}"/>${text}`);
}

function svg(width: number, height: number, content: string): string {
  const size = `width="${String(width)}" height="${String(height)}" viewBox="0 0 ${String(width)} ${String(height)}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size}>${content}</svg>`;
}

function colourOf(hirerId: string): string {
  return `hsl(${String(new SeededRandom(hirerId).int(0, 359))} 55% 32%)`;
}

function escape(text: string): string {
  return text.replace(/[&<>]/g, (mark) => `&#${String(mark.charCodeAt(0))};`);
}
