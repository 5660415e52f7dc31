/** The front and the rear of a rack side by side, with the devices in no unit. */
import { useNavigate } from '@tanstack/react-router'
import type { PointerEvent, ReactNode } from 'react'
import { StatusBadge } from '../devices/columns.tsx'
import { useProposing } from '../proposals/known-proposals.ts'
import { usePermit } from '../shell/me.ts'
import { usePageSearch } from '../table/list-search.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/primitives.tsx'
import { RowLink } from '../ui/row-link.tsx'
import css from './elevation.module.css'
import { FaceView, formatCell } from './face-view.tsx'
import { type Cell, type Elevation, FACES, type Face, findObstacle, type Mounted, toSpot } from './geometry.ts'
import { formatNewPosition } from './new-position.ts'
import { Legend } from './patterns.tsx'
import { formatPosition } from './position-text.ts'
import { useDrag } from './use-drag.ts'
import { type Move, type Moving, useMove } from './use-move.ts'
import { useRackKeys } from './use-rack-keys.ts'

const moveText = (elevation: Elevation, { device, target }: Move): string => {
  if (!target) return `Moving ${device.name}`
  const blocker = findObstacle(elevation, device, target)
  const place = formatPosition({ ...toSpot(device, target), face: target.face })
  return `Moving ${device.name} to ${place}${blocker ? `, where ${blocker.name} is` : ''}`
}

const MOVE_KEYS: readonly (readonly [string, string])[] = [
  ['↑ ↓', 'unit'],
  ['⇧', 'half'],
  ['← →', 'slot, face'],
  ['↵', 'place'],
  ['Esc', 'cancel'],
]

const MoveLine = ({ elevation, moving, move }: { elevation: Elevation; moving: Moving; move: Move }) => {
  const { label } = useProposing('devices:update')
  return (
    <>
      <span role="status">{moveText(elevation, move)}</span>
      <span className={css.keys}>
        {MOVE_KEYS.map(([key, text]) => (
          <span key={key}>
            <kbd>{key}</kbd> {text}
          </span>
        ))}
      </span>
      <span className={css.tools}>
        <Button look="primary" onClick={() => moving.drop(move)} disabled={moving.isSaving || !move.target}>
          {label('Place here')}
        </Button>
        <Button onClick={moving.cancel}>Cancel</Button>
      </span>
    </>
  )
}

type CellLineProps = {
  readonly cell: Cell
  readonly face: Face
  readonly blocked: { readonly create: string | undefined; readonly update: string | undefined }
  readonly onOpen: () => void
  readonly onPlace: () => void
  readonly onMove: (device: Mounted) => void
  readonly onTakeOut: (device: Mounted) => void
}

const CellLine = ({ cell, face, blocked, onOpen, onPlace, onMove, onTakeOut }: CellLineProps) => {
  const { device } = cell
  return (
    <>
      <span role="status">{formatCell(cell, face)}</span>
      <span className={css.tools}>
        {device ? (
          <>
            <Button onClick={onOpen}>Open</Button>
            <Button onClick={() => onMove(device)} blocked={blocked.update}>
              Move<kbd>m</kbd>
            </Button>
            <Button onClick={() => onTakeOut(device)} blocked={blocked.update}>
              Take out
            </Button>
          </>
        ) : (
          <>
            <Button onClick={onPlace} blocked={blocked.update}>
              Place a device
            </Button>
            <Button onClick={onOpen} blocked={blocked.create}>
              New device here
            </Button>
          </>
        )}
      </span>
    </>
  )
}

type UnplacedProps = {
  readonly devices: readonly Mounted[]
  readonly blocked: string | undefined
  readonly onPlace: (device: Mounted) => void
  readonly onGrab: ((event: PointerEvent, device: Mounted) => void) | undefined
}

const Unplaced = ({ devices, blocked, onPlace, onGrab }: UnplacedProps) => (
  <div data-unplaced="" className={css.unplaced}>
    <Card title="In no unit">
      {devices.length === 0 && <p className="muted">Every device of this rack is in a unit.</p>}
      <ul>
        {devices.map((device) => (
          <li key={device.device_id} className={css.unplacedOne} onPointerDown={(event) => onGrab?.(event, device)}>
            <span className={css.unplacedName}>
              <RowLink to="devices" id={device.device_id}>
                {device.name}
              </RowLink>
              <span className="muted">
                {[`${device.height} U`, device.power_w !== null && `${device.power_w} W`].filter(Boolean).join(' · ')}
              </span>
            </span>
            <StatusBadge status={device.status} />
            <Button
              onClick={() => onPlace(device)}
              blocked={blocked ?? (device.height === 0 ? 'A device of height 0 goes in no unit' : undefined)}
              aria-label={`Place ${device.name}`}
            >
              Place
            </Button>
          </li>
        ))}
      </ul>
    </Card>
  </div>
)

type Props = {
  readonly elevation: Elevation
  /** Below the legend and the devices in no unit. */
  readonly side: ReactNode
}

export const ElevationTab = ({ elevation, side }: Props) => {
  const { may, blocked } = usePermit()
  const navigate = useNavigate()
  const { set } = usePageSearch()
  const moving = useMove(elevation.rack.id)
  const mayMove = may('devices:update')
  const mayCreate = may('devices:create')
  const open = ({ device, position, slot, height }: Cell, face: Face) => {
    if (device) void navigate({ to: '/devices/$id', params: { id: device.device_id } })
    else if (mayCreate) void set({ new: formatNewPosition({ face, position, slot, height }) })
  }
  const { grids, cells, face, cell, onKey, begin, onFocus } = useRackKeys({ elevation, moving, mayMove, open })
  const { onGrab, isDragEnd } = useDrag(elevation, moving)
  const { move } = moving
  return (
    <div className={css.elevation}>
      <div className={css.line}>
        {move ? (
          <MoveLine elevation={elevation} moving={moving} move={move} />
        ) : (
          cell && (
            <CellLine
              cell={cell}
              face={face}
              blocked={{ create: blocked('devices:create'), update: blocked('devices:update') }}
              onOpen={() => open(cell, face)}
              onPlace={() => void set({ place: formatNewPosition({ ...cell, face }) })}
              onMove={begin}
              onTakeOut={moving.takeOut}
            />
          )
        )}
      </div>
      <div className={css.scroll}>
        <div className={css.faces}>
          {FACES.map((one) => (
            <FaceView
              key={one}
              elevation={elevation}
              face={one}
              cells={cells[one]}
              current={one === face && !move ? cell?.key : undefined}
              grid={grids[one]}
              move={move}
              mayCreate={mayCreate}
              mayPlace={mayMove}
              onKey={onKey}
              onFocus={() => onFocus(one)}
              onGrab={mayMove ? onGrab : undefined}
              isDragEnd={isDragEnd}
            />
          ))}
          <div className={css.side}>
            <Legend />
            <Unplaced
              devices={elevation.unplaced}
              blocked={blocked('devices:update')}
              onPlace={begin}
              onGrab={mayMove ? onGrab : undefined}
            />
            {side}
          </div>
        </div>
      </div>
    </div>
  )
}
