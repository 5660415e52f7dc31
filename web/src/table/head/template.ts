/** The widths of the columns of a grid in CSS. */
import type { Column } from '../column.ts'
import type { Widths } from './look.ts'

const CHECK_PX = 40
/** The smallest part of its width that a column shrinks to. */
const SHRUNK = 0.45
/** The width of a letter of a head, and of all that is beside its text. */
const LETTER_PX = 6.6
const HEAD_PX = 22

export type Track = Pick<Column<never>, 'id' | 'text' | 'width' | 'least' | 'isHeadHidden'>

type Options = { readonly hasChecks: boolean; readonly isNarrow: boolean; readonly widths: Widths }

/** A column stays wide enough to read its head. */
const computeMin = ({ text, width, least = 0, isHeadHidden }: Track): number =>
  isHeadHidden ? width : Math.round(Math.max(least, width * SHRUNK, text.length * LETTER_PX + HEAD_PX))

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
