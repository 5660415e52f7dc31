/** All devices as dots, grouped by datacenter. */
import { useId, useMemo, useRef, useState } from 'react'
import { type Brief, STATES } from '../devices/window/messages.ts'
import { useHotkeys } from '../shell/hotkeys.ts'
import { formatCount, plural } from '../ui/format.ts'
import { useNarrow } from '../ui/use-narrow.ts'
import { getPoint, type Point, toScreen } from './drawing/camera.ts'
import { type Colours, useColours } from './drawing/colours.ts'
import { type Frame, Stage, type StageHandle } from './drawing/stage.tsx'
import { DOT, type OverviewPlan, planOverview, STEP } from './overview.ts'
import css from './topology.module.css'

const ROOM = { top: 76, right: 32, bottom: 56, left: 32 }
const NARROW_ROOM = { top: 88, right: 20, bottom: 64, left: 20 }
const MAX_ZOOM = 2
/** The height of the name above a block. */
const HEAD = 12

/** By status. Decommissioned devices, the last ones, are hollow. */
const FILLS: readonly (keyof Colours)[] = ['ip-used', 'line-strong', 'warn-fill', 'muted']
const HOLLOW = STATES.indexOf('decommissioned')
/** A smaller dot has no room for a hole. */
const MIN_HOLLOW_PX = 4

export const placeText = (name: string): string => (name === '' ? 'No datacenter' : name)

type Scene = { readonly plan: OverviewPlan; readonly brief: Brief; readonly current: number; readonly hovered: number }

const paintOverview = ({ context, camera, size, positions }: Frame, colours: Colours, scene: Scene): void => {
  const { plan, brief, current, hovered } = scene
  const dot = Math.max(0.8, DOT * camera.zoom)
  for (const [state, fill] of FILLS.entries()) {
    context.fillStyle = colours[fill]
    context.strokeStyle = colours[fill]
    context.lineWidth = 1.5
    const isHollow = state === HOLLOW && dot >= MIN_HOLLOW_PX
    for (let device = 0; device < brief.ids.length; device++) {
      if (brief.states[device] !== state) continue
      const x = (positions[device * 2] ?? 0) * camera.zoom + camera.x
      const y = (positions[device * 2 + 1] ?? 0) * camera.zoom + camera.y
      if (x < -dot || y < -dot || x > size.width + dot || y > size.height + dot) continue
      if (isHollow) context.strokeRect(x - dot / 2 + 0.75, y - dot / 2 + 0.75, dot - 1.5, dot - 1.5)
      else context.fillRect(x - dot / 2, y - dot / 2, dot, dot)
    }
  }
  context.textBaseline = 'bottom'
  for (const { place, count: total, x, y, width } of plan.blocks) {
    const at = toScreen(camera, { x: x - STEP / 2, y: y - STEP })
    const room = width * camera.zoom
    context.font = '600 12px Inter, sans-serif'
    const name = placeText(brief.placeNames[place] ?? '')
    context.fillStyle = colours.text
    context.fillText(name, at.x, at.y + HEAD - 8)
    const taken = context.measureText(name).width + 8
    context.font = '12px Inter, sans-serif'
    context.fillStyle = colours.muted
    if (taken + context.measureText(formatCount(total)).width < room)
      context.fillText(formatCount(total), at.x + taken, at.y + HEAD - 8)
  }
  for (const [device, colour] of [
    [hovered, colours.muted],
    [current, colours.text],
  ] as const) {
    if (device < 0) continue
    const { x, y } = toScreen(camera, getPoint(positions, device))
    const side = dot + 6
    context.strokeStyle = colour
    context.lineWidth = 2
    context.strokeRect(x - side / 2, y - side / 2, side, side)
    context.font = '600 12px Inter, sans-serif'
    context.textBaseline = 'middle'
    context.lineWidth = 4
    context.strokeStyle = colours.sunken
    const text = brief.names[device] ?? ''
    const left = Math.min(x + side / 2 + 6, size.width - context.measureText(text).width - 8)
    context.strokeText(text, left, y)
    context.fillStyle = colours.text
    context.fillText(text, left, y)
  }
}

const STEPS: Readonly<Record<string, Point>> = {
  ArrowRight: { x: 1, y: 0 },
  ArrowLeft: { x: -1, y: 0 },
  ArrowDown: { x: 0, y: 1 },
  ArrowUp: { x: 0, y: -1 },
}

type Props = { readonly brief: Brief; readonly onFocus: (id: string) => void }

export const OverviewView = ({ brief, onFocus }: Props) => {
  const noteId = useId()
  const stage = useRef<StageHandle>(null)
  const colours = useColours()
  const isNarrow = useNarrow()
  const [current, setCurrent] = useState(-1)
  const [hovered, setHovered] = useState(-1)
  const plan = useMemo(() => planOverview(brief.places, isNarrow ? 0.6 : 1.7), [brief, isNarrow])
  const at = Math.min(current, brief.ids.length - 1)
  const move = (direction: Point) => () => {
    if (at === -1) return setCurrent(0)
    const here = getPoint(plan.positions, at)
    // Returns the next dot in the same row or column, or across a gap the nearest one in that direction.
    let [best, least] = [-1, Number.POSITIVE_INFINITY]
    for (let device = 0; device < brief.ids.length; device++) {
      const { x, y } = getPoint(plan.positions, device)
      const ahead = (x - here.x) * direction.x + (y - here.y) * direction.y
      const aside = Math.abs((x - here.x) * direction.y) + Math.abs((y - here.y) * direction.x)
      const cost = ahead + aside * 3
      if (ahead > 0 && cost < least) [best, least] = [device, cost]
    }
    if (best !== -1) setCurrent(best)
  }
  const open = () => at !== -1 && onFocus(brief.ids[at] ?? '')
  useHotkeys({
    ...Object.fromEntries(Object.entries(STEPS).map(([key, direction]) => [key, move(direction)])),
    Enter: open,
    f: () => stage.current?.fit(),
    z: () => at !== -1 && stage.current?.zoomTo(at),
    Escape: () => setCurrent(-1),
  })
  const state = STATES[brief.states[at] ?? 0]
  const place = placeText(brief.placeNames[brief.places[at] ?? 0] ?? '')
  return (
    <div className={css.picture}>
      <Stage
        ref={stage}
        label="All devices, by datacenter. Arrow keys move from dot to dot, Enter shows the relationships of a device."
        noteId={noteId}
        positions={plan.positions}
        pictureKey={`${brief.ids.length} ${isNarrow}`}
        fitting={{ room: isNarrow ? NARROW_ROOM : ROOM, maxZoom: MAX_ZOOM }}
        paint={(frame) => paintOverview(frame, colours, { plan, brief, current: at, hovered })}
        onPick={(device) => onFocus(brief.ids[device] ?? '')}
        onOpen={(device) => onFocus(brief.ids[device] ?? '')}
        onHover={setHovered}
      />
      <p className={css.summary}>
        {plural(brief.ids.length, 'device')} in {plural(plan.blocks.length, 'place')}. Choose one to see its
        relationships.
      </p>
      <ul className={css.legend} aria-label="Legend">
        {STATES.map((name, index) => (
          <li key={name}>
            <i
              className={css.dot}
              style={{
                [index === HOLLOW ? 'boxShadow' : 'background']:
                  `${index === HOLLOW ? 'inset 0 0 0 1.5px ' : ''}${colours[FILLS[index] ?? 'text']}`,
              }}
            />
            {name}
          </li>
        ))}
      </ul>
      <p id={noteId} role="status" className="sr">
        {at === -1 ? 'No dot is current.' : `${brief.names[at]}, ${state}, ${place}`}
      </p>
    </div>
  )
}
