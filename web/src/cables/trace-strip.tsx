/** The path of a port as a strip: devices as boxes, cables as lines between them. Below each other on a phone. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { traceQuery } from '../ports/queries.ts'
import { Skeleton } from '../ui/primitives.tsx'
import { Failure } from '../ui/states.tsx'
import { useNarrow } from '../ui/use-narrow.ts'
import css from './cables.module.css'
import type { Trace } from './fields.ts'
import type { TracedCable } from './trace.ts'
import {
  BOX,
  type Box,
  computeLayout,
  cutText,
  formatFacts,
  formatPorts,
  formatSummary,
  type Line,
  listStops,
  type Stop,
} from './trace.ts'

/** The widths of letters, in pixels. */
const LETTER = { bold: 7.2, mono: 6.8, small: 6.1 }
const PADDING = 12

type StopProps = { readonly stop: Stop; readonly box: Box; readonly isHere: boolean }

const StopBox = ({ stop, box: { x, y }, isHere }: StopProps) => {
  const { device_id, device } = stop
  const ports = formatPorts(stop)
  const portId = (stop.in ?? stop.out)?.port_id ?? ''
  const room = BOX.width - 2 * PADDING
  return (
    <g transform={`translate(${x} ${y})`} className={css.stop} data-here={isHere || undefined}>
      <rect width={BOX.width} height={BOX.height} rx={6} />
      <Link to="/devices/$id" params={{ id: device_id }} search={{ tab: 'ports' }} aria-label={`Device ${device}`}>
        <title>{device}</title>
        <text x={PADDING} y={22} className={css.device}>
          {cutText(device, room, LETTER.bold)}
        </text>
      </Link>
      <Link to="/ports/$id" params={{ id: portId }} aria-label={`Port ${ports} of ${device}`}>
        <title>{ports}</title>
        <text x={PADDING} y={40} className={css.port}>
          {cutText(ports, room, LETTER.mono)}
        </text>
      </Link>
    </g>
  )
}

type CableProps = { readonly cable: TracedCable; readonly line: Line; readonly isVertical: boolean }

const CableLine = ({ cable, line, isVertical }: CableProps) => {
  const { id, label, status } = cable
  const facts = formatFacts(cable)
  const middle = { x: (line.x1 + line.x2) / 2, y: (line.y1 + line.y2) / 2 }
  const room = isVertical ? BOX.width : line.x2 - line.x1 - PADDING
  const at = isVertical
    ? ({ x: middle.x + 14, anchor: 'start' } as const)
    : ({ x: middle.x, anchor: 'middle' } as const)
  const name = label || (facts === '' ? 'cable' : facts)
  const below = label === '' ? '' : facts
  const more = [below, ...(status === 'connected' ? [] : [status])].filter((text) => text !== '').join(' · ')
  return (
    <g className={css.cable} data-status={status}>
      <line {...line} />
      <Link to="/cables" search={{ edit: id }} aria-label={`Cable ${[name, more].join(' ').trim()}`}>
        <title>{[label, facts, status].filter((text) => text !== '').join(' · ')}</title>
        <text x={at.x} y={isVertical ? middle.y - 3 : middle.y - 8} textAnchor={at.anchor} className={css.name}>
          {cutText(name, room, LETTER.small)}
        </text>
      </Link>
      <text x={at.x} y={isVertical ? middle.y + 13 : middle.y + 18} textAnchor={at.anchor}>
        {cutText(more, room, LETTER.small)}
      </text>
    </g>
  )
}

type StripProps = { readonly trace: Trace; readonly portId: string; readonly isVertical: boolean }

export const Strip = ({ trace, portId, isVertical }: StripProps) => {
  const stops = listStops(trace)
  const { width, height, boxes, lines } = computeLayout(stops.length, isVertical)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard
    <section className={css.scroll} aria-label="Path" tabIndex={0}>
      <svg width={width} height={height} className={css.strip} role="group" aria-label={formatSummary(trace)}>
        {trace.hops.map(({ cable }, at) => {
          const line = lines[at]
          return line && <CableLine key={cable.id} cable={cable} line={line} isVertical={isVertical} />
        })}
        {stops.map((stop, at) => {
          const box = boxes[at]
          const isHere = [stop.in, stop.out].some((end) => end?.port_id === portId)
          // A loop comes back to its first device.
          const key = `${stop.in?.port_id} ${stop.in?.side} ${stop.out?.port_id}`
          return box && <StopBox key={key} stop={stop} box={box} isHere={isHere} />
        })}
      </svg>
    </section>
  )
}

type Props = {
  readonly portId: string
  /** In a panel, which is as narrow as a phone. */
  readonly isVertical?: boolean
  /** In the place of a path without cables. */
  readonly none: string
}

export const PortPath = ({ portId, isVertical = false, none }: Props) => {
  const isNarrow = useNarrow()
  const { data, error, refetch } = useQuery(traceQuery(portId))
  if (!data) return error ? <Failure error={error} onRetry={() => void refetch()} /> : <Skeleton />
  if (data.hops.length === 0) return <p className="muted">{none}</p>
  return (
    <>
      <p className={css.summary}>{formatSummary(data)}.</p>
      <Strip trace={data} portId={portId} isVertical={isVertical || isNarrow} />
    </>
  )
}
