/** The values of a metric's labels. */
export type Labels<L extends string> = Readonly<Partial<Record<L, string>>>;

/**
 * What a metric has counted for each combination of label values that came up. It is found through Maps, one level for
 * each label, because a text as key would have to be put together for every observation (ADR 0004).
 */
export class SeriesByLabels<L extends string, S> {
  private readonly series: S[] = [];
  private readonly root = new Branch<S>();
  private readonly known: ReadonlySet<string>;

  /** @param create the series of a combination that has not come up so far; without labels there is one from the start */
  constructor(
    private readonly names: readonly L[],
    private readonly create: (labels: Readonly<Record<string, string>>) => S,
  ) {
    this.known = new Set(names);
    if (names.length === 0) this.of({} as Labels<L>);
  }

  /** In the order in which they came up. */
  get all(): readonly S[] {
    return this.series;
  }

  /** @throws TypeError for a label that the metric does not have */
  of(labels: Labels<L>): S {
    for (const name in labels) {
      if (!this.known.has(name)) {
        throw new TypeError(`label "${name}" is not one of: ${this.names.join(', ')}`);
      }
    }
    let branch = this.root;
    for (const name of this.names) branch = branch.to(labels[name]);
    return (branch.series ??= this.add(labels));
  }

  private add(labels: Labels<L>): S {
    const series = this.create({ ...labels } as Record<string, string>);
    this.series.push(series);
    return series;
  }
}

/** A level of the tree; the last one has the series. */
class Branch<S> {
  series: S | undefined;
  private readonly branches = new Map<string | undefined, Branch<S>>();

  /** The next level, for a label's value; undefined if the label is left out. */
  to(value: string | undefined): Branch<S> {
    const known = this.branches.get(value);
    if (known) return known;
    const branch = new Branch<S>();
    this.branches.set(value, branch);
    return branch;
  }
}
