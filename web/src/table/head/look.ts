/** The columns of each list and their widths, as the user chose them. The browser remembers them by the name of the list. */
import { createRemembered } from '../../api/remembered.ts'

type Look = {
  /** Ids of columns with commas between them; absent for the default ones. */
  readonly cols?: string | undefined
  /** In pixels, by the ids of the columns. */
  readonly widths?: Widths
}

export type Widths = Readonly<Record<string, number>>

/** A lost border could not be dragged back. */
export const MIN_PX = 40
const MAX_PX = 1200
/** Presses of a key that are no drag. */
export const STEP_PX = 16

const NO_WIDTHS: Widths = {}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const limitWidth = (px: number): number => Math.round(Math.min(MAX_PX, Math.max(MIN_PX, px)))

const parseLook = (stored: unknown): Look => {
  if (!isObject(stored)) return {}
  const { cols, widths } = stored
  const valid = Object.entries(isObject(widths) ? widths : {}).flatMap(([id, px]) =>
    typeof px === 'number' && Number.isFinite(px) ? [[id, limitWidth(px)] as const] : [],
  )
  return { ...(typeof cols === 'string' && { cols }), widths: Object.fromEntries(valid) }
}

export const parseLooks = (stored: unknown): Readonly<Record<string, Look>> =>
  Object.fromEntries(Object.entries(isObject(stored) ? stored : {}).map(([list, look]) => [list, parseLook(look)]))

export const looks = createRemembered('plat.lists', parseLooks)

const change = (list: string, part: Partial<Look>): void =>
  looks.set({ ...looks.get(), [list]: { ...looks.get()[list], ...part } })

/** @param cols undefined for the default ones */
export const setCols = (list: string, cols: string | undefined): void => change(list, { cols })

export const getWidths = (all: Readonly<Record<string, Look>>, list: string): Widths => all[list]?.widths ?? NO_WIDTHS

/** @param px undefined for the default width */
export const setWidth = (list: string, column: string, px: number | undefined): void => {
  const { [column]: _, ...others } = getWidths(looks.get(), list)
  change(list, { widths: px === undefined ? others : { ...others, [column]: limitWidth(px) } })
}
