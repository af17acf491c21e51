import type { RouteOptions } from 'fastify';
import { SeededRandom } from '../data/random.js';
import type { Branding } from '../data/records.js';
import { refusal } from '../http/route.js';

/** `GET` of the images of a branding. They need no token, as images of a public ad do not. */
export const imageRoute: RouteOptions = {
  method: ['GET', 'HEAD'],
  url: '/anzPublicTest/brandings/:branding/:image(^logo\\.svg|cover\\.svg$)',
  config: { name: 'images', openToBrowsers: true },
  handler: ({ params, state }, reply) => {
    const { branding: suffix, image } = params as Record<'branding' | 'image', string>;
    const id = `globalPublicTest:advertisementBranding:hirerBranding:${suffix}`;
    const branding = state.world().brandings.get(id);
    if (branding === undefined) throw refusal(404, 'There is no such image.');
    reply.header('Cache-Control', 'public, max-age=3600').type('image/svg+xml; charset=utf-8');
    return image === 'logo.svg' ? drawLogo(branding) : drawCover(branding);
  },
};

/** The initials of the hirer, on a square of its colour. */
function drawLogo({ hirerId, name }: Branding): string {
  const [first = '', second = ''] = name.split(' ');
  const initials = escape(first.charAt(0) + second.charAt(0));
  return svg(240, 240, hirerId, `x="120" y="150" font-size="92" text-anchor="middle"`, initials);
}

/** The name of the branding, on the same colour. */
function drawCover({ hirerId, name }: Branding): string {
  return svg(1200, 400, hirerId, `x="60" y="210" font-size="56"`, escape(name));
}

function svg(width: number, height: number, hirerId: string, place: string, text: string): string {
  const size = `width="${String(width)}" height="${String(height)}"`;
  const colour = `hsl(${String(new SeededRandom(hirerId).int(0, 359))} 55% 32%)`;
  const written = `<text ${place} font-family="sans-serif" fill="#fff">${text}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} viewBox="0 0 ${String(width)} ${String(height)}"><rect ${size} fill="${colour}"/>${written}</svg>`;
}

function escape(text: string): string {
  return text.replace(/[&<>]/g, (mark) => `&#${String(mark.charCodeAt(0))};`);
}
