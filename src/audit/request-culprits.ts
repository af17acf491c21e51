import { Injectable } from '@nestjs/common';
import { Routes } from '../http/routes.js';
import { Metrics } from '../telemetry/metrics.js';
import { auditedAction } from './audited-action.js';

/** Counts who is to blame for audited requests whose outcome alone does not say so. */
@Injectable()
export class RequestCulprits {
  constructor(routes: Routes, metrics: Metrics) {
    const counter = metrics.counter(
      'bff_request_culprits_total',
      'Requests whose outcome does not say who is to blame (rate_limited, unavailable, errors), by who is. Those for whom it is unknown are left out.',
      ['action', 'outcome', 'culprit'],
    );
    // so that an alert sees the first increase
    for (const action of ['token', 'graphql', 'attachment']) {
      counter.inc({ action, outcome: 'rate_limited', culprit: 'upstream' }, 0);
    }
    routes.listener.onEnd((ended) => {
      const action = auditedAction(ended);
      if (!action) return;
      const { culprits, outcomes } = ended.context;
      culprits.forEach((culprit, index) => {
        if (culprit) counter.inc({ action, outcome: outcomes[index]!, culprit });
      });
    });
  }
}
