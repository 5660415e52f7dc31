/** The signs of an impact in a drawing: colors, shapes and opacity. */
import type { Mark } from '../impact/signs.ts'
import type { Colours } from './colours.ts'

type Signed = { readonly marks?: readonly (Mark | undefined)[] | undefined; readonly selected: number }

/** The opacity of everything that an impact leaves as it is. */
export const FADED = 0.28
/** The opacity of an affected node by its depth; farther ones have the last. */
const DEPTHS = [1, 1, 0.85, 0.7, 0.55] as const

export const EFFECTS = ['failed', 'stops', 'cut_off'] as const satisfies readonly Mark['effect'][]
export const EFFECT_COLOURS: Readonly<Record<Mark['effect'], keyof Colours>> = {
  failed: 'bad-fill',
  stops: 'warn-fill',
  cut_off: 'warn-fill',
}

/** Affected nodes pale with their depth, all others are faded. */
export const getOpacity = ({ marks, selected }: Signed, node: number): number => {
  const mark = marks?.[node]
  if (!marks || node === selected) return 1
  return mark ? (DEPTHS[mark.depth] ?? DEPTHS[4]) : FADED
}

/** Crosses out a device that goes away, so that its color is not its only sign. */
export const paintCross = (
  context: CanvasRenderingContext2D,
  { x, y }: { readonly x: number; readonly y: number },
  radius: number,
  colours: Colours,
): void => {
  const reach = radius + 3
  context.strokeStyle = colours.text
  context.lineWidth = 1.6
  context.beginPath()
  context.moveTo(x - reach, y - reach)
  context.lineTo(x + reach, y + reach)
  context.moveTo(x + reach, y - reach)
  context.lineTo(x - reach, y + reach)
  context.stroke()
}
