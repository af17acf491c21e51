/** Levenshtein distance. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const substitution = row[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(substitution, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[to.length]!;
}

/** The name that a word is nearest to, at most so many typing errors away. */
export function nearestName(word: string, names: readonly string[], errorsMax: number): string | undefined {
  const ranked = names.map((name) => ({ name, distance: editDistance(word, name) }));
  const [best] = ranked.sort((one, other) => one.distance - other.distance);
  return best !== undefined && best.distance <= errorsMax ? best.name : undefined;
}
