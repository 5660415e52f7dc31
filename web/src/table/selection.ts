/** The rows of a table that are selected. */
export type Selection = {
  readonly ids: Pick<ReadonlySet<string>, 'size' | 'has'>
  readonly toggle: (position: number, isRange: boolean) => void
  readonly toggleAll: () => void
}
