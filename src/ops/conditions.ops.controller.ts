import { Get } from '@nestjs/common';
import { OpsController } from '../http/ops-controller.js';
import { Conditions, type ConditionView } from '../telemetry/conditions/conditions.js';

/** `GET /conditions`: everything that can be wrong; the active ones first, the worst on top. */
@OpsController('conditions')
export class ConditionsController {
  constructor(private readonly conditions: Conditions) {}

  @Get()
  list(): { items: readonly ConditionView[] } {
    return { items: this.conditions.list() };
  }
}
