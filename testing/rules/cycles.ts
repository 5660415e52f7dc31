/** Finds cycles in a graph, such as that of imports. */

/** @returns the nodes from which a path leads back to themselves, sorted */
export const cycles = (edges: readonly (readonly [string, string])[]): string[] => {
  const next = Map.groupBy(edges, ([from]) => from)
  const reached = (start: string): Set<string> => {
    const seen = new Set<string>()
    const visit = (node: string) => {
      for (const [, to] of next.get(node) ?? [])
        if (!seen.has(to)) {
          seen.add(to)
          visit(to)
        }
    }
    visit(start)
    return seen
  }
  return [...next.keys()].filter((node) => reached(node).has(node)).sort()
}
