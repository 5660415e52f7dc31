/** One face of a rack as a drawing: units, devices and free places, which arrow keys move between. */
import { Link } from '@tanstack/react-router'
import { type KeyboardEvent, type PointerEvent, type RefObject, useEffect, useRef } from 'react'
import { cx } from '../ui/cx.ts'
import css from './elevation.module.css'
import {
  type Cell,
  cellId,
  computeBox,
  computeUnitsAbove,
  type Elevation,
  type Face,
  findObstacle,
  GUTTER,
  type Mounted,
  toSpot,
  UNIT,
  WIDTH,
} from './geometry.ts'
import { formatNewPosition } from './new-position.ts'
import { getPatternUrl, Patterns } from './patterns.tsx'
import { formatPosition, formatUnits } from './position-text.ts'
import type { Move } from './use-move.ts'

/** The rough width of a letter of the labels, in pixels. */
const LETTER = 6.6

export const limitText = (text: string, width: number): string => {
  const letters = [...text]
  const most = Math.max(1, Math.floor(width / LETTER))
  return letters.length <= most ? text : `${letters.slice(0, most - 1).join('')}…`
}

export const formatCell = ({ device, ...spot }: Cell, face: Face): string =>
  device === undefined
    ? `${formatPosition({ ...spot, face })}: free`
    : [
        `${formatPosition({ ...spot, face: device.face })}: ${device.name}`,
        device.status,
        ...(device.make_model === '' ? [] : [device.make_model]),
      ].join(', ')

/** The name, and beside it the model where there is room. */
const Labels = ({ device, width, height }: { device: Mounted; width: number; height: number }) => {
  const name = limitText(device.name, width - 16)
  const left = width - 30 - [...name].length * LETTER
  const model = device.make_model
  return (
    <>
      <text x={8} y={height / 2} className={css.name}>
        {name}
      </text>
      {model !== '' && [...model].length * LETTER < left && (
        <text x={width - 8} y={height / 2} className={css.model}>
          {model}
        </text>
      )}
    </>
  )
}

type DeviceProps = {
  readonly device: Mounted
  readonly face: Face
  readonly width: number
  readonly height: number
}

export const DeviceShape = ({ device, face, width, height }: DeviceProps) => (
  <>
    <title>{[device.name, device.make_model, device.status].filter((text) => text !== '').join(', ')}</title>
    <rect
      x={1}
      y={1}
      width={width - 2}
      height={height - 2}
      rx={3}
      className={cx(css.device, device.face !== face && css.behind)}
      data-status={device.status}
      fill={getPatternUrl(device.status, face)}
    />
    <Labels device={device} width={width} height={height} />
  </>
)

type FaceProps = {
  readonly elevation: Elevation
  readonly face: Face
  readonly cells: readonly Cell[]
  /** The key of the current cell, on the face that has it. */
  readonly current: string | undefined
  readonly grid: RefObject<HTMLDivElement | null>
  readonly move: Move | undefined
  readonly mayCreate: boolean
  readonly mayPlace: boolean
  readonly onKey: (event: KeyboardEvent) => void
  readonly onFocus: () => void
  readonly onGrab: ((event: PointerEvent, device: Mounted) => void) | undefined
  /** Returns true for the click that ends a drag. */
  readonly isDragEnd: () => boolean
}

const Ghost = ({ elevation, face, move }: Pick<FaceProps, 'elevation' | 'face'> & { readonly move: Move }) => {
  const { device, target } = move
  const shape = useRef<SVGSVGElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another target is another place
  useEffect(() => {
    shape.current?.scrollIntoView({ block: 'nearest' })
  }, [target])
  if (target?.face !== face) return null
  const { x, y, width, height } = computeBox(elevation.rack, face, toSpot(device, target))
  const isBlocked = move.refusal !== undefined || findObstacle(elevation, device, target) !== undefined
  return (
    <svg
      ref={shape}
      x={x}
      y={y}
      width={width}
      height={height}
      aria-hidden="true"
      className={css.ghost}
      data-blocked={isBlocked}
    >
      <rect x={1.5} y={1.5} width={width - 3} height={height - 3} rx={3} />
      <text x={8} y={height / 2} className={css.name}>
        {limitText(device.name, width - 16)}
      </text>
    </svg>
  )
}

/** Beside the place: below it, or above it in the lower half. */
const Refusal = ({ elevation, face, move }: Pick<FaceProps, 'elevation' | 'face'> & { readonly move: Move }) => {
  const { device, target, refusal } = move
  if (target?.face !== face || refusal === undefined) return null
  const { y, height } = computeBox(elevation.rack, face, toSpot(device, target))
  const whole = elevation.rack.height * UNIT
  const at = y > whole / 2 ? { bottom: whole - y + 4 } : { top: y + height + 4 }
  return (
    <p role="alert" className={css.refusal} style={{ ...at, left: GUTTER, width: WIDTH }}>
      {refusal}
    </p>
  )
}

const CellShape = ({ cell, ...props }: FaceProps & { readonly cell: Cell }) => {
  const { elevation, face, move, mayCreate, mayPlace, onGrab, isDragEnd } = props
  const { device, position, slot, height } = cell
  const box = computeBox(elevation.rack, face, cell)
  const isMoved = device !== undefined && device.device_id === move?.device.device_id
  const shape = device ? (
    <DeviceShape device={device} face={face} width={box.width} height={box.height} />
  ) : (
    <>
      <rect x={1} y={1} width={box.width - 2} height={box.height - 2} rx={3} className={css.free} />
      {mayCreate && (
        <text x={8} y={box.height / 2} className={css.begin}>
          {box.width > WIDTH / 2 ? '+ New device' : '+ New'}
        </text>
      )}
    </>
  )
  return (
    <svg {...box} role="presentation" className={cx(css.cell, isMoved && css.moved)}>
      {device ? (
        <Link
          to="/devices/$id"
          params={{ id: device.device_id }}
          tabIndex={-1}
          draggable={false}
          onPointerDown={(event: PointerEvent) => onGrab?.(event, device)}
          onClick={(event) => isDragEnd() && event.preventDefault()}
        >
          {shape}
        </Link>
      ) : mayCreate ? (
        <Link
          to="."
          search={(old: object) => ({ ...old, new: formatNewPosition({ face, position, slot, height }) })}
          tabIndex={-1}
          draggable={false}
        >
          {shape}
        </Link>
      ) : (
        shape
      )}
      {device === undefined && mayPlace && (
        <Link
          to="."
          search={(old: object) => ({ ...old, place: formatNewPosition({ face, position, slot, height }) })}
          tabIndex={-1}
          draggable={false}
          className={css.place}
        >
          <rect x={box.width / 2} y={0} width={box.width / 2} height={box.height} />
          <text x={box.width - 8} y={box.height / 2} className={css.begin}>
            {box.width > WIDTH / 2 ? 'Place a device' : 'Place'}
          </text>
        </Link>
      )}
      {cell.key === props.current && (
        <rect x={1} y={1} width={box.width - 2} height={box.height - 2} rx={3} className={css.current} />
      )}
    </svg>
  )
}

export const FaceView = (props: FaceProps) => {
  const { elevation, face, cells, current, grid, move, onKey, onFocus } = props
  const { rack } = elevation
  const [width, height] = [GUTTER + WIDTH + 1, rack.height * UNIT]
  return (
    <section className={css.face}>
      <h3>{face === 'front' ? 'Front' : 'Rear'}</h3>
      <div
        ref={grid}
        role="grid"
        tabIndex={0}
        className={css.grid}
        aria-label={`${face === 'front' ? 'Front' : 'Rear'} of ${rack.name}`}
        aria-activedescendant={current === undefined ? undefined : cellId(face, { key: current })}
        onKeyDown={onKey}
        onFocus={onFocus}
        data-face={face}
      >
        <svg
          role="presentation"
          width={width}
          height={height}
          viewBox={`0 0 ${width} ${height}`}
          className={css.drawing}
        >
          <Patterns face={face} />
          <rect x={GUTTER} y={0} width={WIDTH} height={height} className={css.frame} />
          <g>
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
          </g>
          {cells.map((cell) => (
            <g key={cell.key} role="row">
              <g
                id={cellId(face, cell)}
                role="gridcell"
                aria-label={formatCell(cell, face)}
                aria-selected={cell.key === current}
              >
                <CellShape {...props} cell={cell} />
              </g>
            </g>
          ))}
          {move && <Ghost elevation={elevation} face={face} move={move} />}
        </svg>
        {move && <Refusal elevation={elevation} face={face} move={move} />}
      </div>
      <span className="sr">{formatUnits({ position: rack.first_unit, height: rack.height })}</span>
    </section>
  )
}
