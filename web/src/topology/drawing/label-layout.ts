/** Chooses labels by rank, so that none overlap. */

export type Label = {
  readonly node: number
  readonly x: number
  readonly y: number
  readonly width: number
  /** The alternative start of the label. */
  readonly otherX?: number
  /** Higher ranks come first. */
  readonly rank: number
}

const HEIGHT = 16
/** The gap between labels. */
const GAP = 4
/** The cell size of the grid that finds overlaps. */
const CELL = 64

/** `x` is the start of the text, and `y` its middle. Obstacles are drawn in any case, and no label covers them. */
export const cullLabels = <L extends Label>(labels: readonly L[], obstacles: readonly Label[] = []): L[] => {
  const taken = new Map<string, Label[]>()
  const listCells = ({ x, y, width }: Label): string[] => {
    const cells: string[] = []
    for (let column = Math.floor((x - GAP) / CELL); column <= Math.floor((x + width) / CELL); column++)
      for (let row = Math.floor((y - HEIGHT) / CELL); row <= Math.floor((y + HEIGHT) / CELL); row++)
        cells.push(`${column} ${row}`)
    return cells
  }
  const take = (label: Label): void => {
    for (const cell of listCells(label)) {
      const known = taken.get(cell)
      if (known) known.push(label)
      else taken.set(cell, [label])
    }
  }
  const isOver = (a: Label, b: Label): boolean =>
    a.x - GAP < b.x + b.width && b.x - GAP < a.x + a.width && Math.abs(a.y - b.y) < HEIGHT
  const isTaken = (label: Label): boolean =>
    listCells(label).some((cell) => taken.get(cell)?.some((other) => isOver(label, other)))
  for (const obstacle of obstacles) take(obstacle)
  return labels
    .toSorted((a, b) => b.rank - a.rank || a.node - b.node)
    .flatMap((label) => {
      const places = label.otherX === undefined ? [label.x] : [label.x, label.otherX]
      const fitting = places.map((x) => ({ ...label, x })).find((one) => !isTaken(one))
      if (!fitting) return []
      take(fitting)
      return [fitting]
    })
}
