/** The sizes of labels, and of the pages that they are printed on. Pure. */

export type Size = {
  readonly id: string
  readonly text: string
  /** Of one label, in mm. */
  readonly width: number
  readonly height: number
  /** A sheet with several labels: its columns and rows, and its size in mm. */
  readonly sheet?: { readonly columns: number; readonly rows: number; readonly width: number; readonly height: number }
}

/** A tape has a height; the length of its labels is fixed, as printers cut it. */
export const SIZES: readonly Size[] = [
  { id: '62x29', text: '62 x 29 mm', width: 62, height: 29 },
  { id: '57x32', text: '57 x 32 mm', width: 57, height: 32 },
  { id: 'tape', text: '12 mm tape', width: 50, height: 12 },
  {
    id: 'a4',
    text: 'A4, 3 x 8',
    width: 70,
    height: 37,
    sheet: { columns: 3, rows: 8, width: 210, height: 297 },
  },
]

const LEAST_MM = 8
const MOST_MM = 300

/**
 * Reads a size that the user has typed.
 * @example parseSize('40 x 20') // { id: 'own', text: '40 x 20 mm', width: 40, height: 20 }
 * @returns undefined for another text, and for a side below 8 or above 300 mm
 */
export const parseSize = (text: string): Size | undefined => {
  const [, w = '', h = ''] =
    /^\s*(\d{1,3}(?:[.,]\d)?)\s*(?:mm)?\s*[x×*]\s*(\d{1,3}(?:[.,]\d)?)\s*(?:mm)?\s*$/i.exec(text) ?? []
  const [width, height] = [w, h].map((side) => Number(side.replace(',', '.'))) as [number, number]
  if ([width, height].some((side) => !(side >= LEAST_MM && side <= MOST_MM))) return undefined
  return { id: 'own', text: `${width} x ${height} mm`, width, height }
}

/** Returns the rule for the size of the printed page (CSS Paged Media 3, section 7.1). */
export const toPageRule = ({ width, height, sheet }: Size): string =>
  `@page{size:${sheet?.width ?? width}mm ${sheet?.height ?? height}mm;margin:0}`

/** Splits labels into the pages that they are printed on. */
export const splitIntoPages = <T>(labels: readonly T[], { sheet }: Size): T[][] => {
  const count = sheet ? sheet.columns * sheet.rows : 1
  return Array.from({ length: Math.ceil(labels.length / count) }, (_, at) => labels.slice(at * count, (at + 1) * count))
}
