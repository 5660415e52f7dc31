/** Every address of a network or a pool: a picture of all blocks, and the one that is looked at as a grid. */
import { Link } from '@tanstack/react-router'
import { ChevronDown, ChevronUp } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { cx } from '../ui/cx.ts'
import { formatCount } from '../ui/format.ts'
import { type AddressMap, BLOCK, findFirstInteresting, getState, listPoolEdges, ROW } from './address-map.ts'
import css from './addresses.module.css'
import { OverviewMap } from './overview-map.tsx'

const COLUMNS = Array.from({ length: ROW }, (_, column) => column)

const STEPS: Readonly<Record<string, number>> = {
  ArrowRight: 1,
  ArrowLeft: -1,
  ArrowDown: ROW,
  ArrowUp: -ROW,
  PageDown: BLOCK,
  PageUp: -BLOCK,
}

const formatState = (map: AddressMap, index: number, noun: string): string => {
  const state = getState(map, index)
  if (state === 'outside') return `outside of the ${noun}`
  if (state === 'nested') return 'of a nested network'
  const pool = map.findPool(index)
  return `${state === 'available' ? 'free' : state}${pool ? `, in the pool ${pool.name}` : ''}`
}

type LegendProps = { readonly hasNested: boolean; readonly hasPools: boolean }

const Legend = ({ hasNested, hasPools }: LegendProps) => {
  const shown = [
    [css.used, 'Used'],
    [css.reserved, 'Reserved'],
    [css.available, 'Free'],
    ...(hasNested ? [[css.nested, 'Nested network']] : []),
    ...(hasPools ? [[css.outlined, 'Pool']] : []),
  ]
  return (
    <div className={css.legend}>
      {shown.map(([color, text]) => (
        <span key={text}>
          <i className={color} />
          {text}
        </span>
      ))}
      <span className={cx(css.keysHint, 'muted')}>Arrows move, PgUp and PgDn change the block.</span>
    </div>
  )
}

/** Returns the rows of a block with addresses of the map. */
const listRows = (map: AddressMap, start: number): readonly number[] => {
  const isUsed = (row: number) =>
    map.states.subarray(start + row * ROW, start + (row + 1) * ROW).some((state) => state !== 0)
  const rows = Array.from({ length: BLOCK / ROW }, (_, row) => row)
  return map.blocks > 1 ? rows : rows.filter(isUsed)
}

type Props = {
  readonly map: AddressMap
  readonly noun: 'network' | 'pool'
  /** Pools are outlined. */
  readonly hasPools: boolean
  /** Gives a free address away; undefined where the user may not. */
  readonly onUse: ((ip: string) => void) | undefined
  readonly onReserved: (ip: string) => ReactNode
}

export const AddressGrid = ({ map, noun, hasPools, onUse, onReserved }: Props) => {
  const gridId = useId()
  const [chosen, setChosen] = useState<number>()
  const last = map.states.length - 1
  const index = Math.min(last, chosen ?? findFirstInteresting(map))
  const block = Math.floor(index / BLOCK)
  const start = block * BLOCK
  const state = getState(map, index)
  const ip = map.ipAt(index)
  const deviceId = map.deviceIds.get(index)
  const networkId = map.networkIds.get(index)
  const pool = map.findPool(index)
  const move = (by: number) => setChosen(Math.max(0, Math.min(last, index + by)))
  const canUse = onUse !== undefined && state === 'available'
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && canUse) {
      // Enter would press the button of the dialog that opens.
      event.preventDefault()
      onUse(ip)
      return
    }
    const by = STEPS[event.key]
    if (by === undefined) return
    event.preventDefault()
    move(by)
  }
  const cellId = (at: number) => `${gridId}-${at}`
  return (
    <>
      <Legend hasNested={map.networkIds.size > 0} hasPools={hasPools} />
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
                      data-nested={map.networkIds.has(at) || undefined}
                      data-edges={listPoolEdges(map, at) || undefined}
                      aria-selected={at === index}
                      aria-label={`${map.ipAt(at)}: ${formatState(map, at, noun)}`}
                      onClick={() => {
                        setChosen(at)
                        if (cellState === 'available') onUse?.(map.ipAt(at))
                      }}
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
              <b className="mono">{ip}</b> is {formatState(map, index, noun)}
            </span>
            {canUse && <Button onClick={() => onUse(ip)}>Use {ip}</Button>}
            {state === 'reserved' && onReserved(ip)}
            {deviceId !== undefined && (
              <Link to="/devices/$id" params={{ id: deviceId }} className="link">
                Open its device
              </Link>
            )}
            {networkId !== undefined && (
              <Link to="/networks/$id" params={{ id: networkId }} className="link">
                Open its network
              </Link>
            )}
            {noun === 'network' && pool && (
              <Link to="/pools/$id" params={{ id: pool.id }} className="link">
                Open its pool
              </Link>
            )}
          </div>
        </div>
      </div>
    </>
  )
}
