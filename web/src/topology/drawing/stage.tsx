/** A canvas that is moved by dragging, wheel, pinch, and keys that its user defines. */
import { type PointerEvent, type Ref, useEffect, useImperativeHandle, useLayoutEffect, useRef } from 'react'
import { useHotkeys } from '../../shell/hotkeys.ts'
import css from '../topology.module.css'
import {
  type Camera,
  centerOn,
  computeFit,
  type FitOptions,
  findNode,
  getPoint,
  type Point,
  type Positions,
  type Size,
  zoomAt,
} from './camera.ts'

export type StageHandle = { readonly fit: () => void; readonly zoomTo: (index: number) => void }

export type Frame = {
  readonly context: CanvasRenderingContext2D
  readonly camera: Camera
  readonly size: Size
  readonly positions: Positions
}

type Props = {
  readonly ref: Ref<StageHandle>
  readonly label: string
  /** The id of the element that describes the current node. */
  readonly noteId: string
  readonly positions: Positions
  /** A new key means a new drawing, which is fitted to the canvas. */
  readonly pictureKey: string | number
  readonly fitting: FitOptions
  readonly paint: (frame: Frame) => void
  /** @param isAdding with the Shift key */
  readonly onPick: (index: number, isAdding: boolean) => void
  readonly onOpen: (index: number) => void
  readonly onHover: (index: number) => void
}

/** The hit radius of a pointer and of a finger, in pixels. */
const REACH = { mouse: 14, touch: 26 }
/** How far a press may move and still be a click. */
const SLIP = 4
const MOVE_MS = 320
const CLOSE_ZOOM = 1.6

const isCalm = (): boolean => matchMedia('(prefers-reduced-motion: reduce)').matches

const mix = (a: number, b: number, share: number): number => a + (b - a) * share

export const Stage = (props: Props) => {
  const { ref, label, noteId, positions, pictureKey, fitting } = props
  const canvas = useRef<HTMLCanvasElement>(null)
  const latest = useRef(props)
  latest.current = props
  // State that changes with each frame stays outside of React.
  const live = useRef({
    size: { width: 0, height: 0 },
    camera: { x: 0, y: 0, zoom: 1 },
    shown: positions,
    isMoved: false,
    frame: 0,
    move: undefined as { from: Positions; camera: Camera; startMs: number } | undefined,
    pointers: new Map<number, Point>(),
    slid: 0,
  }).current

  const computeWholeCamera = (): Camera => computeFit(latest.current.positions, live.size, latest.current.fitting)

  const render = (): void => {
    live.frame = 0
    const element = canvas.current
    const context = element?.getContext('2d')
    if (!element || !context || live.size.width === 0) return
    if (live.move) {
      const { from, camera, startMs } = live.move
      const done = Math.min(1, (performance.now() - startMs) / MOVE_MS)
      const share = 1 - (1 - done) ** 3
      const { positions: target } = latest.current
      live.shown = done === 1 ? target : target.map((value, at) => mix(from[at] ?? value, value, share))
      if (!live.isMoved) {
        const whole = computeWholeCamera()
        live.camera = {
          x: mix(camera.x, whole.x, share),
          y: mix(camera.y, whole.y, share),
          zoom: mix(camera.zoom, whole.zoom, share),
        }
      }
      if (done === 1) live.move = undefined
      else request()
    }
    const ratio = devicePixelRatio
    const [width, height] = [Math.round(live.size.width * ratio), Math.round(live.size.height * ratio)]
    if (element.width !== width || element.height !== height) [element.width, element.height] = [width, height]
    context.setTransform(ratio, 0, 0, ratio, 0, 0)
    context.clearRect(0, 0, live.size.width, live.size.height)
    latest.current.paint({ context, camera: live.camera, size: live.size, positions: live.shown })
  }
  const request = (): void => {
    live.frame ||= requestAnimationFrame(render)
  }

  const showAll = (): void => {
    live.isMoved = false
    live.camera = computeWholeCamera()
    request()
  }

  const zoomBy = (factor: number, at: Point = { x: live.size.width / 2, y: live.size.height / 2 }): void => {
    live.isMoved = true
    live.camera = zoomAt(live.camera, at, factor)
    request()
  }

  useHotkeys({ '+': () => zoomBy(1.3), '=': () => zoomBy(1.3), '-': () => zoomBy(1 / 1.3) })

  useImperativeHandle(ref, () => ({
    fit: showAll,
    zoomTo: (index) => {
      live.isMoved = true
      live.camera = centerOn(getPoint(live.shown, index), live.size, Math.max(live.camera.zoom, CLOSE_ZOOM))
      request()
    },
  }))

  // biome-ignore lint/correctness/useExhaustiveDependencies: another picture is shown whole and at once
  useLayoutEffect(() => {
    live.shown = positions
    live.move = undefined
    showAll()
  }, [pictureKey])

  // biome-ignore lint/correctness/useExhaustiveDependencies: new places of the same things are moved to
  useLayoutEffect(() => {
    if (live.shown === positions) return
    if (isCalm() || live.shown.length !== positions.length) {
      live.shown = positions
      if (!live.isMoved) live.camera = computeWholeCamera()
    } else live.move = { from: live.shown, camera: live.camera, startMs: performance.now() }
    request()
  }, [positions])

  const roomKey = JSON.stringify(fitting)
  // biome-ignore lint/correctness/useExhaustiveDependencies: more or less room is room for the whole picture
  useLayoutEffect(() => {
    if (!live.isMoved) showAll()
  }, [roomKey])

  // Before the first frame, so that it has the picture.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, for as long as the canvas is there
  useLayoutEffect(() => {
    const element = canvas.current
    if (!element) return
    const observer = new ResizeObserver(([entry]) => {
      const { width = 0, height = 0 } = entry?.contentRect ?? {}
      live.size = { width, height }
      if (!live.isMoved) live.camera = computeWholeCamera()
      render()
    })
    observer.observe(element)
    // React's listener is passive, so it can't prevent scrolling.
    const onWheel = (event: WheelEvent) => {
      event.preventDefault()
      zoomBy(Math.exp(-event.deltaY / 500), { x: event.offsetX, y: event.offsetY })
    }
    element.addEventListener('wheel', onWheel, { passive: false })
    return () => {
      observer.disconnect()
      element.removeEventListener('wheel', onWheel)
      cancelAnimationFrame(live.frame)
      live.frame = 0
    }
  }, [])

  // Redraws after every render: colors, the selection or names may have changed.
  useEffect(request)

  const toPoint = (event: PointerEvent): Point => {
    const box = event.currentTarget.getBoundingClientRect()
    return { x: event.clientX - box.left, y: event.clientY - box.top }
  }
  const findNodeAt = (event: PointerEvent): number => {
    const reach = event.pointerType === 'touch' ? REACH.touch : REACH.mouse
    return findNode(live.shown, live.camera, { at: toPoint(event), reach })
  }
  const spread = (): number => {
    const [a, b] = [...live.pointers.values()]
    return a && b ? Math.hypot(a.x - b.x, a.y - b.y) : 0
  }
  const onDown = (event: PointerEvent<HTMLCanvasElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId)
    live.pointers.set(event.pointerId, toPoint(event))
    live.slid = live.pointers.size > 1 ? SLIP + 1 : 0
  }
  const onMove = (event: PointerEvent<HTMLCanvasElement>) => {
    const before = live.pointers.get(event.pointerId)
    if (!before) return latest.current.onHover(findNodeAt(event))
    const now = toPoint(event)
    const wide = spread()
    live.pointers.set(event.pointerId, now)
    live.slid += Math.hypot(now.x - before.x, now.y - before.y)
    if (live.pointers.size > 1) return zoomBy(wide > 0 ? spread() / wide : 1, now)
    if (live.slid <= SLIP) return
    live.isMoved = true
    live.camera = { ...live.camera, x: live.camera.x + now.x - before.x, y: live.camera.y + now.y - before.y }
    request()
  }
  const onUp = (event: PointerEvent<HTMLCanvasElement>) => {
    if (!live.pointers.delete(event.pointerId) || live.slid > SLIP) return
    const index = findNodeAt(event)
    if (index !== -1) latest.current.onPick(index, event.shiftKey)
  }
  return (
    // biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: a picture that takes the arrow keys itself
    <canvas
      ref={canvas}
      className={css.canvas}
      role="application"
      aria-label={label}
      aria-describedby={noteId}
      tabIndex={0}
      onPointerDown={onDown}
      onPointerMove={onMove}
      onPointerUp={onUp}
      onPointerCancel={(event) => live.pointers.delete(event.pointerId)}
      onPointerLeave={() => latest.current.onHover(-1)}
      onDoubleClick={(event) => {
        const box = event.currentTarget.getBoundingClientRect()
        const at = { x: event.clientX - box.left, y: event.clientY - box.top }
        const index = findNode(live.shown, live.camera, { at, reach: REACH.mouse })
        if (index !== -1) latest.current.onOpen(index)
      }}
    />
  )
}
