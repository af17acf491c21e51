import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { hostname } from 'node:os';
import { extname } from 'node:path';
import { Get, Param, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import { BffError } from '../../errors/bff-error.js';
import { OpsController } from '../../http/incoming/listeners-adapter.js';
import { VERSION } from '../../config/version.js';
import { ERROR_CODES } from '../../errors/error-codes.js';
import { Conditions, type ConditionView } from '../../telemetry/conditions/conditions.js';
import { Health, type Readiness } from '../../telemetry/health.js';
import { DURATION_BUCKETS_SECONDS } from '../../telemetry/metrics.js';
import { FigureRing, type DashboardSample } from './dashboard-sampler.js';

/** The page runs only its own files and calls only this listener. */
const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'x-frame-options': 'DENY',
};

const PAGE = new URL('./page/', import.meta.url);
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** The outcomes in the audit trail. */
const OUTCOMES = ['issued', 'ok', 'errors', 'cancelled', 'mixed', ...Object.keys(ERROR_CODES)];

interface DashboardFigures {
  readonly replica: string;
  readonly version: string;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** Upper bounds of the buckets of each latency. */
  readonly bucketsSeconds: readonly number[];
  readonly outcomes: readonly string[];
  readonly readiness: Omit<Readiness, 'ready'>;
  readonly conditions: readonly ConditionView[];
  readonly samples: readonly DashboardSample[];
}

/** The dashboard: a page, its files, and the figures that it asks for every few seconds. */
@OpsController()
export class DashboardController {
  private readonly files = readFiles();

  constructor(
    private readonly ring: FigureRing,
    private readonly conditions: Conditions,
    private readonly health: Health,
  ) {}

  /**
   * `GET /`: the dashboard. Without the ops token it has status 401 and asks for the token.
   * @produces text/html
   */
  @Get()
  @RouteConfig({ signIn: true })
  async page(@Res() reply: FastifyReply): Promise<void> {
    await this.send('index.html', reply.code(reply.request.signedIn ? 200 : 401));
  }

  /** `GET /dashboard/figures`: all that the page shows of this process. */
  @Get('dashboard/figures')
  async figures(): Promise<DashboardFigures> {
    const { startedAt, samples } = this.ring;
    const { status, checks } = await this.health.readiness();
    return {
      replica: hostname(),
      version: VERSION,
      startedAt,
      bucketsSeconds: DURATION_BUCKETS_SECONDS,
      outcomes: OUTCOMES,
      readiness: { status, checks },
      conditions: this.conditions.list(),
      samples,
    };
  }

  /**
   * `GET /dashboard/{file}`: a script, style or image of the dashboard. It is open, since these hold no data and a page
   * cannot send a token for them.
   * @produces text/javascript, text/css, image/svg+xml
   */
  @Get('dashboard/:file')
  @RouteConfig({ open: true })
  async file(@Param('file') name: string, @Res() reply: FastifyReply): Promise<void> {
    await this.send(name, reply);
  }

  private async send(name: string, reply: FastifyReply): Promise<void> {
    const body = this.files.get(name);
    if (!body) throw new BffError('not_found');
    await reply.headers(PAGE_HEADERS).type(TYPES[extname(name)]!).send(body);
  }
}

/**
 * Every file of the page by name; no other can be requested. The chart library comes from its package, and so do the styles
 * before ours.
 */
function readFiles(): ReadonlyMap<string, Buffer> {
  const require = createRequire(import.meta.url);
  const ofCharts = (name: string): Buffer => readFileSync(require.resolve(`uplot/dist/${name}`));
  const names = readdirSync(PAGE).filter((name) => extname(name) in TYPES); // source maps stand beside them
  const files = new Map<string, Buffer>(names.map((name) => [name, readFileSync(new URL(name, PAGE))]));
  files.set('uplot.js', ofCharts('uPlot.esm.js'));
  files.set('dashboard.css', Buffer.concat([ofCharts('uPlot.min.css'), files.get('dashboard.css')!]));
  return files;
}
