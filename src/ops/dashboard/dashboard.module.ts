import { Module } from '@nestjs/common';
import { DashboardController } from './dashboard.ops.controller.js';
import { FigureRing } from './figure-ring.js';

/**
 * Dashboard: what this process did in the last half hour, and the page that shows it. It knows other modules only by
 * their metrics, the conditions, and the ops routes that the page calls. Its routes are on the ops listener.
 */
@Module({ controllers: [DashboardController], providers: [FigureRing] })
export class DashboardModule {}
