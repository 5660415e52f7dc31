/** The ports of a device as cells, as they are on its front. Arrow keys move from cell to cell. */
import { type KeyboardEvent, useId, useRef } from 'react'
import type { Port } from './fields.ts'
import { collectGroups, formatPeer, splitName } from './labels.ts'
import css from './ports.module.css'

export type CellState = 'connected' | 'free' | 'disabled'

export const getCellState = ({ enabled, peers = [] }: Pick<Port, 'enabled' | 'peers'>): CellState =>
  peers.length > 0 ? 'connected' : enabled ? 'free' : 'disabled'

/** @example formatCell(port) // 'Gi0/1, connected to web-1 eth0' */
const formatCell = ({ name, enabled, peers = [] }: Port): string => {
  const to = peers.length === 0 ? 'free' : `connected to ${peers.map(formatPeer).join(' and ')}`
  return [name, to, ...(enabled ? [] : ['disabled'])].join(', ')
}

type Point = { readonly x: number; readonly y: number }

const DIRECTIONS: Readonly<Record<string, Point>> = {
  ArrowRight: { x: 1, y: 0 },
  ArrowLeft: { x: -1, y: 0 },
  ArrowDown: { x: 0, y: 1 },
  ArrowUp: { x: 0, y: -1 },
}

const getMiddle = (cell: Element): Point => {
  const { left, top, width, height } = cell.getBoundingClientRect()
  return { x: left + width / 2, y: top + height / 2 }
}

/** Returns the nearest cell above or below; undefined without one. */
const findVertical = (cells: readonly Element[], at: number, way: number): number | undefined => {
  const cell = cells[at]
  if (!cell) return undefined
  const from = getMiddle(cell)
  const found = cells.map((one, index) => {
    const to = getMiddle(one)
    return { index, down: (to.y - from.y) * way, across: Math.abs(to.x - from.x) }
  })
  // A cell of the same row is neither above nor below.
  const rows = found.filter(({ down }) => down > 4)
  return rows.sort((a, b) => a.down - b.down || a.across - b.across)[0]?.index
}

type Props = {
  readonly ports: readonly Port[]
  readonly selected: string | undefined
  readonly onSelect: (id: string) => void
  readonly onOpen: (id: string) => void
}

export const Faceplate = ({ ports, selected, onSelect, onOpen }: Props) => {
  const listId = useId()
  const list = useRef<HTMLDivElement>(null)
  const groups = collectGroups(ports)
  const ordered = groups.flatMap((group) => group.ports)
  const at = ordered.findIndex(({ id }) => id === selected)
  const cellId = (id: string) => `${listId}-${id}`
  const select = (index: number) => {
    const port = ordered[Math.max(0, Math.min(ordered.length - 1, index))]
    if (!port) return
    onSelect(port.id)
    document.getElementById(cellId(port.id))?.scrollIntoView({ block: 'nearest' })
  }
  const move = ({ x, y }: Point) => {
    if (at === -1) return select(0)
    if (x !== 0) return select(at + x)
    const cells = [...(list.current?.querySelectorAll('[role=option]') ?? [])]
    const next = findVertical(cells, at, y)
    if (next !== undefined) select(next)
  }
  const onKey = (event: KeyboardEvent) => {
    const direction = DIRECTIONS[event.key]
    if (direction) move(direction)
    else if (event.key === 'Home') select(0)
    else if (event.key === 'End') select(ordered.length - 1)
    else if (event.key === 'Enter' && selected !== undefined) onOpen(selected)
    else return
    event.preventDefault()
  }
  return (
    <div
      ref={list}
      role="listbox"
      aria-label="Ports"
      tabIndex={0}
      aria-activedescendant={at === -1 ? undefined : cellId(ordered[at]?.id ?? '')}
      className={css.plate}
      onKeyDown={onKey}
    >
      {groups.map(({ prefix, ports: some }) => (
        <div key={prefix} role="group" aria-label={prefix === '' ? 'Other ports' : prefix} className={css.group}>
          <span className={css.prefix} aria-hidden="true">
            {prefix}
          </span>
          <div role="presentation" className={css.cells}>
            {some.map((port) => (
              <div
                key={port.id}
                id={cellId(port.id)}
                role="option"
                tabIndex={-1}
                aria-selected={port.id === selected}
                aria-label={formatCell(port)}
                title={formatCell(port)}
                className={css.cell}
                data-state={getCellState(port)}
                data-kind={port.kind}
                onPointerDown={() => onSelect(port.id)}
                onDoubleClick={() => onOpen(port.id)}
              >
                <span className="truncate">{splitName(port.name).label}</span>
              </div>
            ))}
          </div>
        </div>
      ))}
    </div>
  )
}

const LEGEND: readonly (readonly [CellState, string])[] = [
  ['connected', 'connected'],
  ['free', 'free'],
  ['disabled', 'disabled'],
]

export const FaceplateLegend = () => (
  <ul className={css.legend} aria-label="Legend">
    {LEGEND.map(([state, text]) => (
      <li key={state}>
        <span className={css.sample} data-state={state} aria-hidden="true" />
        {text}
      </li>
    ))}
  </ul>
)
