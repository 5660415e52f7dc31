/** The widths of the columns of a grid in CSS. */
import type { Column } from '../column.ts'
import type { Widths } from './look.ts'

const CHECK_PX = 40
/** The smallest part of its width that a column shrinks to. */
const SHRUNK = 0.45
/** Enough for an icon and a few letters. */
const SHRUNK_PX = 56

export type Track = Pick<Column<never>, 'id' | 'width' | 'isHeadHidden'>

type Options = { readonly hasChecks: boolean; readonly isNarrow: boolean; readonly widths: Widths }

const computeMin = ({ width, isHeadHidden }: Track): number =>
  isHeadHidden ? width : Math.min(width, Math.max(SHRUNK_PX, Math.round(width * SHRUNK)))

const buildTrack = (track: Track, { isNarrow, widths }: Options): string => {
  const { id, width, isHeadHidden } = track
  // Buttons do not shrink.
  if (isHeadHidden) return `${width}px`
  if (isNarrow) return `minmax(0, ${width}fr)`
  const chosen = widths[id]
  if (chosen !== undefined) return `minmax(${Math.min(chosen, computeMin(track))}px, ${chosen}px)`
  return `minmax(${computeMin(track)}px, ${width}fr)`
}

/** Returns the columns of the grid: columns without a chosen width share the rest in proportion, and all shrink to fit. */
export const buildTemplate = (columns: readonly Track[], options: Options): string =>
  [...(options.hasChecks ? [`${CHECK_PX}px`] : []), ...columns.map((column) => buildTrack(column, options))].join(' ')

/** Returns the least width of the grid in px: below it, the table scrolls sideways. A narrow one never does. */
export const computeLeast = (columns: readonly Track[], { hasChecks, isNarrow, widths }: Options): number =>
  isNarrow
    ? 0
    : columns.reduce(
        (sum, column) => sum + Math.min(widths[column.id] ?? Number.POSITIVE_INFINITY, computeMin(column)),
        hasChecks ? CHECK_PX : 0,
      )
