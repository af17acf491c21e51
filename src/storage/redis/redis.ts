/**
 * Injection token of the {@link RedisConnection}, undefined without `REDIS_URL`. It stands apart from the class, which
 * loads the driver.
 */
export const REDIS = Symbol('REDIS');
