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
    return image === 'logo.svg' ? draw(branding, 240, 240) : draw(branding, 1200, 400);
  },
};

/** The name of the branding on a colour of its hirer. */
function draw({ hirerId, name }: Branding, width: number, height: number): string {
  const size = `width="${String(width)}" height="${String(height)}"`;
  const colour = `hsl(${String(new SeededRandom(hirerId).int(0, 359))} 55% 32%)`;
  const place = `x="50%" y="52%" text-anchor="middle" font-size="${String(width / 16)}"`;
  const text = `<text ${place} font-family="sans-serif" fill="#fff">${escape(name)}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size}><rect ${size} fill="${colour}"/>${text}</svg>`;
}

function escape(text: string): string {
  return text.replace(/[&<>]/g, (mark) => `&#${String(mark.charCodeAt(0))};`);
}
