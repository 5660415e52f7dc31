/** The drawing of a graph, its selected node, and the keys that move the selection. */
import { type ReactNode, useEffect, useId, useMemo, useRef, useState } from 'react'
import type { DeviceRow } from '../devices/column-spec.ts'
import { useHotkeys } from '../shell/hotkeys.ts'
import { useNarrow } from '../ui/use-narrow.ts'
import { findTowards, type Point } from './drawing/camera.ts'
import { useColours } from './drawing/colours.ts'
import { paintGraph, type Scene } from './drawing/paint-graph.ts'
import { type Frame, Stage, type StageHandle } from './drawing/stage.tsx'
import { listNeighbours } from './graph.ts'
import { EFFECT_TEXTS, type Mark } from './impact/signs.ts'
import { Inspector } from './inspector.tsx'
import { formatLevel, formatSummary, listTies, ROLE_TEXTS } from './labels.ts'
import { ImpactLegend, Legend } from './legend.tsx'
import { detectRole } from './role.ts'
import type { Placed } from './source.ts'
import css from './topology.module.css'

const DIRECTIONS: Readonly<Record<string, Point>> = {
  ArrowRight: { x: 1, y: 0 },
  ArrowLeft: { x: -1, y: 0 },
  ArrowDown: { x: 0, y: 1 },
  ArrowUp: { x: 0, y: -1 },
}

/** Space for the panel beside the drawing, and for labels to the right of nodes. */
const ROOM = { top: 44, right: 420, bottom: 84, left: 120 }
const NARROW_ROOM = { top: 24, right: 96, bottom: 40, left: 72 }
const MAX_ZOOM = 1.35
/** A small graph fills the picture, so that its names are apart. */
const SMALL = 24
const MAX_ZOOM_OF_SMALL = 2.6

type Selected = { readonly id: string; readonly name: string; readonly onPick: (id: string) => void }

type Props = {
  readonly placed: Placed
  readonly rows: ReadonlyMap<string, DeviceRow>
  /** The places or the names of the devices change by themselves. */
  readonly isBusy: boolean
  readonly onFocus: (id: string) => void
  readonly onOpen: (id: string) => void
  /** Adds a device to the devices that go away, or takes it from them. */
  readonly onToggle: (id: string) => void
  /** Marks the devices of an impact, and shows its panel in the place of the inspector. */
  readonly impact?: {
    readonly marks: ReadonlyMap<string, Mark>
    readonly panel: (selected: Selected) => ReactNode
  }
  /** Passes the actions of the keys to the buttons of the page. */
  readonly tools: (tools: { readonly fit: () => void; readonly zoom: () => void }) => void
}

export const GraphView = ({ placed, rows, isBusy, onFocus, onOpen, onToggle, impact, tools }: Props) => {
  const { graph, positions, view, seq } = placed
  const noteId = useId()
  const stage = useRef<StageHandle>(null)
  const colours = useColours()
  const isNarrow = useNarrow()
  const [choice, setChoice] = useState({ seq, node: 0 })
  const [hovered, setHovered] = useState(-1)
  // After a change of the graph, the focus is selected.
  const selected = choice.seq === seq && choice.node < graph.ids.length ? choice.node : 0
  const select = (node: number) => setChoice({ seq, node })
  // Shows an ellipsis until the names are loaded.
  const names = useMemo(() => graph.ids.map((id) => rows.get(id)?.name ?? (rows.size === 0 ? '…' : id)), [graph, rows])
  const roles = useMemo(
    () =>
      graph.ids.map((id) => {
        const row = rows.get(id)
        return row ? detectRole(row) : 'server'
      }),
    [graph, rows],
  )
  const marks = useMemo(() => impact && graph.ids.map((id) => impact.marks.get(id)), [graph, impact])
  const near = useMemo(() => new Set(listNeighbours(graph, selected)), [graph, selected])
  const zoom = () => stage.current?.zoomTo(selected)
  const fitAll = () => stage.current?.fit()
  useEffect(() => tools({ fit: fitAll, zoom }))
  const move = (key: string) => () => {
    const direction = DIRECTIONS[key]
    if (!direction) return
    const next = findTowards(positions, selected, [...near], direction)
    if (next !== -1) select(next)
  }
  useHotkeys({
    ...Object.fromEntries(Object.keys(DIRECTIONS).map((key) => [key, move(key)])),
    Home: () => select(0),
    Enter: () => onFocus(graph.ids[selected] ?? ''),
    o: () => onOpen(graph.ids[selected] ?? ''),
    f: fitAll,
    z: zoom,
    Escape: () => select(0),
  })
  const paint = ({ context, camera, size, positions: shown }: Frame) => {
    const scene: Scene = {
      graph,
      positions: shown,
      names,
      roles,
      selected,
      hovered: hovered < graph.ids.length ? hovered : -1,
      near,
      marks,
      isLayered: view === 'impact',
      hasFocus: view !== 'switches' && view !== 'affected',
      isNamed: rows.size > 0,
    }
    paintGraph({ context, camera, colours }, scene, size)
  }
  const role = roles[selected] ?? 'server'
  const ties = listTies(graph, selected)
  const summary = formatSummary(graph, view, rows.get(graph.ids[0] ?? '')?.name ?? 'this device')
  const mark = marks?.[selected]
  return (
    <div className={css.split} aria-busy={isBusy}>
      <div className={css.picture}>
        <Stage
          ref={stage}
          label="Graph. Arrow keys move between neighbors, Enter focuses, o opens. The table lists the same."
          noteId={noteId}
          positions={positions}
          pictureKey={seq}
          fitting={{
            room: isNarrow ? NARROW_ROOM : ROOM,
            maxZoom: graph.ids.length > SMALL ? MAX_ZOOM : MAX_ZOOM_OF_SMALL,
          }}
          paint={paint}
          onPick={(node, isAdding) => (isAdding ? onToggle(graph.ids[node] ?? '') : select(node))}
          onOpen={(node) => onFocus(graph.ids[node] ?? '')}
          onHover={setHovered}
        />
        {!impact && <p className={css.summary}>{summary}.</p>}
        {impact ? (
          <ImpactLegend />
        ) : (
          <Legend hasCables={graph.links.some(({ type }) => type === 'cable')} isOfLinks={view === 'switches'} />
        )}
        <p id={noteId} role="status" className="sr">
          {names[selected]}:{' '}
          {[ROLE_TEXTS[role], mark && EFFECT_TEXTS[mark.effect], formatLevel(view, graph.levels[selected] ?? 0)]
            .filter(Boolean)
            .join(', ')}
          .{' '}
          {ties
            .slice(0, 6)
            .map(({ text, node }) => `${text} ${names[node]}`)
            .join(', ')}
          {ties.length > 6 ? ` and ${ties.length - 6} more` : ''}
        </p>
      </div>
      {impact ? (
        impact.panel({
          id: graph.ids[selected] ?? '',
          name: names[selected] ?? '',
          onPick: (id) => {
            const node = graph.ids.indexOf(id)
            if (node !== -1) select(node)
          },
        })
      ) : (
        <Inspector
          graph={graph}
          view={view}
          node={selected}
          names={names}
          role={role}
          row={rows.get(graph.ids[selected] ?? '')}
          onPick={select}
          onFocus={(node) => onFocus(graph.ids[node] ?? '')}
          onRemove={(node) => onToggle(graph.ids[node] ?? '')}
        />
      )}
    </div>
  )
}
