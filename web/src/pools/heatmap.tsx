/** Every address of a pool: a picture of all blocks, and the one that is looked at as a grid. */
import { Link } from '@tanstack/react-router'
import { ChevronDown, ChevronUp } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { cx } from '../ui/cx.ts'
import { formatCount } from '../ui/format.ts'
import { type AddressMap, BLOCK, findFirstInteresting, getState } from './address-map.ts'
import css from './heatmap.module.css'
import { OverviewMap } from './overview-map.tsx'

const ROW = 16
const COLUMNS = Array.from({ length: ROW }, (_, column) => column)

const STEPS: Readonly<Record<string, number>> = {
  ArrowRight: 1,
  ArrowLeft: -1,
  ArrowDown: ROW,
  ArrowUp: -ROW,
  PageDown: BLOCK,
  PageUp: -BLOCK,
}

const WORDS = { outside: 'outside of the pool', available: 'free', used: 'used', reserved: 'reserved' }

const Legend = () => (
  <div className={css.legend}>
    <span>
      <i className={css.used} />
      Used
    </span>
    <span>
      <i className={css.reserved} />
      Reserved
    </span>
    <span>
      <i className={css.available} />
      Free
    </span>
    <span className={cx(css.keysHint, 'muted')}>Arrows move, PgUp and PgDn change the block.</span>
  </div>
)

/** Returns the rows of a block in which the pool has anything. */
const listRows = (map: AddressMap, start: number): readonly number[] => {
  const isUsed = (row: number) =>
    map.states.subarray(start + row * ROW, start + (row + 1) * ROW).some((state) => state !== 0)
  const rows = Array.from({ length: BLOCK / ROW }, (_, row) => row)
  return map.blocks > 1 ? rows : rows.filter(isUsed)
}

type Props = {
  readonly map: AddressMap
  /** The actions for a free address. */
  readonly onFree: (ip: string) => ReactNode
  readonly onReserved: (ip: string) => ReactNode
}

export const Heatmap = ({ map, onFree, onReserved }: Props) => {
  const gridId = useId()
  const [chosen, setChosen] = useState<number>()
  const last = map.states.length - 1
  const index = Math.min(last, chosen ?? findFirstInteresting(map))
  const block = Math.floor(index / BLOCK)
  const start = block * BLOCK
  const state = getState(map, index)
  const ip = map.ipAt(index)
  const deviceId = map.deviceIds.get(index)
  const move = (by: number) => setChosen(Math.max(0, Math.min(last, index + by)))
  const onKey = (event: KeyboardEvent) => {
    const by = STEPS[event.key]
    if (by === undefined) return
    event.preventDefault()
    move(by)
  }
  const cellId = (at: number) => `${gridId}-${at}`
  return (
    <>
      <Legend />
      <div className={css.maps}>
        {map.blocks > 1 && <OverviewMap map={map} block={block} onPick={setChosen} />}
        <div className={css.block}>
          <h3>
            <span className="mono">
              {map.ipAt(start)} – {map.ipAt(start + BLOCK - 1)}
            </span>
            {map.blocks > 1 && (
              <>
                <span className="muted">
                  · block {formatCount(block + 1)} of {formatCount(map.blocks)}
                </span>
                <Button
                  isIcon
                  look="quiet"
                  aria-label="Block before"
                  onClick={() => move(-BLOCK)}
                  disabled={block === 0}
                >
                  <ChevronUp size={15} aria-hidden="true" />
                </Button>
                <Button
                  isIcon
                  look="quiet"
                  aria-label="Next block"
                  onClick={() => move(BLOCK)}
                  disabled={block === map.blocks - 1}
                >
                  <ChevronDown size={15} aria-hidden="true" />
                </Button>
              </>
            )}
          </h3>
          <div
            role="grid"
            className={css.grid}
            tabIndex={0}
            aria-label={`Addresses from ${map.ipAt(start)}`}
            aria-activedescendant={cellId(index)}
            onKeyDown={onKey}
          >
            {listRows(map, start).map((row) => (
              <div key={row} role="row" className="contents">
                {COLUMNS.map((column) => {
                  const at = start + row * ROW + column
                  const cellState = getState(map, at)
                  return (
                    // biome-ignore lint/a11y/useKeyWithClickEvents: keys are for the grid, which has the focus
                    <div
                      key={at}
                      id={cellId(at)}
                      role="gridcell"
                      className={css.cell}
                      data-state={cellState}
                      aria-selected={at === index}
                      aria-label={`${map.ipAt(at)}: ${WORDS[cellState]}`}
                      onClick={() => setChosen(at)}
                    >
                      {map.shortAt(at)}
                    </div>
                  )
                })}
              </div>
            ))}
          </div>
          <div className={css.current}>
            <span role="status">
              <b className="mono">{ip}</b> is {WORDS[state]}
            </span>
            {state === 'available' && onFree(ip)}
            {state === 'reserved' && onReserved(ip)}
            {deviceId !== undefined && (
              <Link to="/devices/$id" params={{ id: deviceId }} className="link">
                Open its device
              </Link>
            )}
          </div>
        </div>
      </div>
    </>
  )
}
