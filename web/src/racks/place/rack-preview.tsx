/** The faces of a rack with devices that are not there yet, as a picture. */
import { useEffect, useRef } from 'react'
import css from '../elevation.module.css'
import { DeviceShape, limitText } from '../face-view.tsx'
import {
  computeBox,
  computeUnitsAbove,
  type Elevation,
  FACES,
  type Face,
  GUTTER,
  isPlaced,
  type Mounted,
  UNIT,
  WIDTH,
} from '../geometry.ts'
import { Patterns } from '../patterns.tsx'
import { formatPosition } from '../position-text.ts'
import own from './place.module.css'

type Props = { readonly elevation: Elevation; readonly added: readonly Mounted[] }

const FaceDrawing = ({ elevation, added, face }: Props & { readonly face: Face }) => {
  const { rack } = elevation
  const [width, height] = [GUTTER + WIDTH + 1, rack.height * UNIT]
  const moved = new Set(added.map(({ device_id }) => device_id))
  const there = elevation[face].filter(isPlaced).filter(({ device_id }) => !moved.has(device_id))
  const shown = added.filter(isPlaced).filter((one) => one.full_depth || one.face === face)
  const name = face === 'front' ? 'Front' : 'Rear'
  const lines = shown.map((one) => `${formatPosition(one)}: ${one.name}`)
  return (
    <svg
      role="img"
      aria-label={`${name} of ${rack.name}. ${lines.join('. ')}`}
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      className={css.drawing}
    >
      <Patterns face={face} />
      <rect x={GUTTER} y={0} width={WIDTH} height={height} className={css.frame} />
      {Array.from({ length: rack.height }, (_, index) => rack.first_unit + index).map((unit) => (
        <text
          key={unit}
          x={GUTTER - 8}
          y={(computeUnitsAbove(rack, { position: unit, height: 1 }) + 0.5) * UNIT}
          className={css.unit}
        >
          {unit}
        </text>
      ))}
      {there.map((device) => {
        const box = computeBox(rack, face, device)
        return (
          <svg key={device.device_id} {...box} role="presentation">
            <DeviceShape device={device} face={face} width={box.width} height={box.height} />
          </svg>
        )
      })}
      {shown.map((device) => {
        const box = computeBox(rack, face, device)
        return (
          <svg key={device.device_id} {...box} role="presentation" className={css.ghost} data-added="">
            <rect x={1.5} y={1.5} width={box.width - 3} height={box.height - 3} rx={3} />
            <text x={8} y={box.height / 2} className={css.name}>
              {limitText(device.name, box.width - 16)}
            </text>
          </svg>
        )
      })}
    </svg>
  )
}

/** Shows the rear as well if only it shows one of the devices. */
export const RackPreview = ({ elevation, added }: Props) => {
  const scroll = useRef<HTMLDivElement>(null)
  const key = added.map(({ position }) => position).join(' ')
  // biome-ignore lint/correctness/useExhaustiveDependencies: other places are shown elsewhere
  useEffect(() => {
    const { current: box } = scroll
    const first = box?.querySelector('[data-added]')
    if (box && first) box.scrollTop += first.getBoundingClientRect().bottom - box.getBoundingClientRect().bottom + UNIT
  }, [key, elevation.rack.id])
  const faces = FACES.filter((face) => face === 'front' || added.some((one) => !one.full_depth && one.face === face))
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
    <section ref={scroll} className={own.preview} tabIndex={0} aria-label="Elevation">
      {faces.map((face) => (
        <FaceDrawing key={face} elevation={elevation} added={added} face={face} />
      ))}
    </section>
  )
}
