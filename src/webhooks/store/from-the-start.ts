/** Queues an event as if it had never been delivered; reports on a delivery under way change nothing any more. */
export const FROM_THE_START = `state = 'pending', attempts = 0, schedule_start = 0, recoveries = 0, done = '',
  lease = lease + 1`;
