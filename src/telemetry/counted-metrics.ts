/** The values of a metric's labels. */
type Labels<L extends string> = Readonly<Partial<Record<L, string>>>;

/** A count that only rises. */
export interface Count<L extends string> {
  /** @throws TypeError for a label that the metric does not have; RangeError if `times` is negative or no number */
  inc(labels: Labels<L>, times?: number): void;
}

/** A distribution of durations. */
export interface Durations<L extends string> {
  /** @throws TypeError for a label that the metric does not have; RangeError if `seconds` is no finite number */
  observe(labels: Labels<L>, seconds: number): void;
}

/** One sample of a metric; histograms name theirs with `_bucket`, `_sum` and `_count`. */
export interface Sample {
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/** A level of the tree of series: one for each value of a label, undefined where it is left out. The last has the series. */
interface Branch<S> {
  series?: S;
  readonly branches: Map<string | undefined, Branch<S>>;
}

/**
 * What a metric has counted for each combination of label values that came up. It is found through Maps, one level for
 * each label, because a text as key would have to be put together for every observation (ADR 0004).
 */
class SeriesByLabels<L extends string, S> {
  /** In the order in which they came up. */
  readonly all: S[] = [];
  private readonly root: Branch<S> = { branches: new Map() };
  private readonly known: ReadonlySet<string>;

  /** @param create the series of a combination that has not come up so far; without labels there is one from the start */
  constructor(
    private readonly names: readonly L[],
    private readonly create: (labels: Readonly<Record<string, string>>) => S,
  ) {
    this.known = new Set(names);
    if (names.length === 0) this.of({} as Labels<L>);
  }

  /** @throws TypeError for a label that the metric does not have */
  of(labels: Labels<L>): S {
    for (const name in labels) {
      if (!this.known.has(name)) {
        throw new TypeError(`label "${name}" is not one of: ${this.names.join(', ')}`);
      }
    }
    let branch = this.root;
    for (const name of this.names) {
      let next = branch.branches.get(labels[name]);
      if (next === undefined) branch.branches.set(labels[name], (next = { branches: new Map() }));
      branch = next;
    }
    return (branch.series ??= this.add(labels));
  }

  private add(labels: Labels<L>): S {
    const series = this.create({ ...labels } as Record<string, string>);
    this.all.push(series);
    return series;
  }
}

/** A metric that counts at once, with the members that the registry of prom-client reads. */
abstract class CountedMetric {
  abstract readonly type: 'counter' | 'histogram';

  constructor(
    readonly name: string,
    readonly help: string,
  ) {}

  abstract get values(): readonly Sample[];

  async get(): Promise<Pick<this, 'name' | 'help' | 'type' | 'values'>> {
    const { name, help, type, values } = this;
    return { name, help, type, values };
  }
}

interface Total {
  readonly labels: Sample['labels'];
  value: number;
}

/** A counter of the registry. */
export class CounterMetric<L extends string> extends CountedMetric implements Count<L> {
  readonly type = 'counter';
  private readonly totals;

  constructor(name: string, help: string, labelNames: readonly L[]) {
    super(name, help);
    this.totals = new SeriesByLabels<L, Total>(labelNames, (labels) => ({ labels, value: 0 }));
  }

  inc(labels: Labels<L>, times = 1): void {
    if (!(times >= 0 && times < Infinity)) throw new RangeError(`${this.name} cannot rise by ${times}`);
    this.totals.of(labels).value += times;
  }

  override get values(): readonly Sample[] {
    return this.totals.all.map(({ labels, value }) => ({ labels, value }));
  }
}

interface Distribution {
  readonly labels: Sample['labels'];
  /** Observations in each bucket and in none below it; the last are above every bound. */
  readonly counts: number[];
  sum: number;
}

/** A histogram of the registry. */
export class HistogramMetric<L extends string> extends CountedMetric implements Durations<L> {
  readonly type = 'histogram';
  private readonly distributions;

  /** @param bounds of the buckets, ascending */
  constructor(
    name: string,
    help: string,
    labelNames: readonly L[],
    private readonly bounds: readonly number[],
  ) {
    super(name, help);
    this.distributions = new SeriesByLabels<L, Distribution>(labelNames, (labels) => ({
      labels,
      counts: [...bounds, Infinity].map(() => 0),
      sum: 0,
    }));
  }

  observe(labels: Labels<L>, seconds: number): void {
    if (!Number.isFinite(seconds)) throw new RangeError(`${this.name} cannot observe ${seconds}`);
    const distribution = this.distributions.of(labels);
    let bucket = 0;
    while (bucket < this.bounds.length && seconds > this.bounds[bucket]!) bucket += 1;
    distribution.counts[bucket]! += 1;
    distribution.sum += seconds;
  }

  override get values(): readonly Sample[] {
    return this.distributions.all.flatMap((distribution) => this.samplesOf(distribution));
  }

  /** Buckets are cumulative: each has all observations up to its bound. */
  private samplesOf({ labels, counts, sum }: Distribution): Sample[] {
    let count = 0;
    const buckets = counts.map((inBucket, index) => ({
      metricName: `${this.name}_bucket`,
      labels: { le: this.bounds[index] ?? '+Inf', ...labels },
      value: (count += inBucket),
    }));
    return [
      ...buckets,
      { metricName: `${this.name}_sum`, labels, value: sum },
      { metricName: `${this.name}_count`, labels, value: count },
    ];
  }
}
