import { Injectable } from '@nestjs/common';
import { Metrics } from '../telemetry/metrics.js';

/** The actions of the proxy beyond passing a request on. */
type Intervention =
  | 'renewed'
  | 'retried'
  | 'cached'
  | 'shed'
  | 'user_shed'
  | 'circuit_open'
  | 'owner_refused'
  | 'fields_removed';

/** Counts interventions: `bff_graphql_interventions_total{kind}`. */
@Injectable()
export class Interventions {
  private readonly counter;

  constructor(metrics: Metrics) {
    this.counter = metrics.counter(
      'bff_graphql_interventions_total',
      'What was done besides passing operations on: renewed, retried, cached, shed, user_shed, circuit_open, owner_refused, fields_removed.',
      ['kind'],
    );
  }

  count(kind: Intervention, times = 1): void {
    this.counter.inc({ kind }, times);
  }
}
