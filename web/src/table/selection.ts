/** The rows of a table that are selected. */
export type Selection = {
  readonly ids: ReadonlySet<string>
  readonly toggle: (position: number, isRange: boolean) => void
  readonly toggleAll: () => void
}
