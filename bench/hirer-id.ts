/** The hirer that the user of the benchmarks belongs to. */
export const HIRER_ID = 'seekAnzPublicTest:organization:seek:93WyyF1h';
