/** Many blocks as a picture: a row for each block of 256, a dot for each address. */
import { useEffect, useRef, useState } from 'react'
import { useStore } from '../api/store.ts'
import { preferences } from '../shell/preferences.ts'
import { cx } from '../ui/cx.ts'
import { type AddressMap, BLOCK, STATES } from './address-map.ts'
import css from './addresses.module.css'

type Rgba = readonly [number, number, number, number]

/** Returns a color of the style sheet as numbers: a canvas is the one that can tell. */
const readColour = (className: string | undefined): Rgba => {
  const probe = document.createElement('i')
  probe.className = className ?? ''
  document.body.append(probe)
  const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true })
  const colour = getComputedStyle(probe).backgroundColor
  probe.remove()
  if (!context) return [0, 0, 0, 0]
  context.fillStyle = colour
  context.fillRect(0, 0, 1, 1)
  const [red = 0, green = 0, blue = 0, alpha = 0] = context.getImageData(0, 0, 1, 1).data
  return [red, green, blue, alpha]
}

const draw = (canvas: HTMLCanvasElement, { states, blocks }: AddressMap): void => {
  const context = canvas.getContext('2d')
  if (!context) return
  const colours: readonly Rgba[] = STATES.map((state) => (state === 'outside' ? [0, 0, 0, 0] : readColour(css[state])))
  const image = context.createImageData(BLOCK, blocks)
  for (let i = 0; i < states.length; i++) image.data.set(colours[states[i] ?? 0] ?? [0, 0, 0, 0], i * 4)
  context.putImageData(image, 0, 0)
}

/** Counts up when the system turns dark or light. */
const useSystemTheme = (): number => {
  const [turns, setTurns] = useState(0)
  useEffect(() => {
    const query = matchMedia('(prefers-color-scheme: dark)')
    const listener = () => setTurns((old) => old + 1)
    query.addEventListener('change', listener)
    return () => query.removeEventListener('change', listener)
  }, [])
  return turns
}

/** High enough to be hit, and no higher than the picture of a /16. */
const computeHeight = (blocks: number): number => Math.min(512, Math.max(64, blocks * 12))

type Props = { readonly map: AddressMap; readonly block: number; readonly onPick: (index: number) => void }

export const OverviewMap = ({ map, block, onPick }: Props) => {
  const canvas = useRef<HTMLCanvasElement>(null)
  const { theme } = useStore(preferences)
  const turns = useSystemTheme()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the colors depend on the theme
  useEffect(() => {
    if (canvas.current) draw(canvas.current, map)
  }, [map, theme, turns])
  const height = computeHeight(map.blocks)
  const rowPx = height / map.blocks
  const pick = (event: React.MouseEvent<HTMLCanvasElement>) => {
    const box = event.currentTarget.getBoundingClientRect()
    const row = Math.floor(((event.clientY - box.top) / box.height) * map.blocks)
    const column = Math.floor(((event.clientX - box.left) / box.width) * BLOCK)
    onPick(Math.min(map.blocks - 1, row) * BLOCK + Math.min(BLOCK - 1, column))
  }
  const frameTop = Math.min(height - 6, Math.max(0, block * rowPx + rowPx / 2 - Math.max(6, rowPx) / 2))
  return (
    <div className={cx(css.overview)} style={{ height }}>
      {/* biome-ignore lint/a11y/noAriaHiddenOnFocusable: only for the pointer; the grid beside it is for keys and screen readers */}
      <canvas ref={canvas} width={BLOCK} height={map.blocks} onClick={pick} aria-hidden="true" />
      <span className={css.frame} style={{ top: frameTop, height: Math.max(6, rowPx) }} />
    </div>
  )
}
