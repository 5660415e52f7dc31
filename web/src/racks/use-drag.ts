/** Drags a device to another place with the mouse. Fingers scroll, and move devices by the buttons. */
import { type PointerEvent as ReactPointerEvent, useEffect, useRef } from 'react'
import { computeTarget, computeUnitsAbove, type Elevation, FACES, type Mounted, type Target, UNIT } from './geometry.ts'
import type { Moving } from './use-move.ts'

/** A shorter way is a click. */
const LEAST_PIXELS = 4

type Grab = {
  readonly device: Mounted
  readonly x: number
  readonly y: number
  /** Where the device is held, in units below its top. */
  readonly grabbed: number
  isMoving: boolean
}

const getFaceBox = (name: (typeof FACES)[number]): DOMRect | undefined =>
  document.querySelector(`[data-face=${name}]`)?.getBoundingClientRect()

const isOver = (box: DOMRect, { clientX, clientY }: PointerEvent): boolean =>
  clientX >= box.left && clientX <= box.right && clientY >= box.top && clientY <= box.bottom

/** Finds the target under the pointer: of a face, `none` beside the units, undefined elsewhere. */
const findTarget = (event: PointerEvent, { rack }: Elevation, grab: Grab): Target | 'none' | undefined => {
  for (const face of FACES) {
    const box = getFaceBox(face)
    if (box && isOver(box, event)) {
      const point = { x: event.clientX - box.left, y: event.clientY - box.top }
      return computeTarget(rack, grab.device, { face, point, grabbed: grab.grabbed })
    }
  }
  const unplaced = document.querySelector('[data-unplaced]')?.getBoundingClientRect()
  return unplaced && isOver(unplaced, event) ? 'none' : undefined
}

export const useDrag = (elevation: Elevation, moving: Moving) => {
  const grab = useRef<Grab>(undefined)
  const wasDrag = useRef(false)
  const latest = useRef({ elevation, moving })
  latest.current = { elevation, moving }
  useEffect(() => {
    const onMove = (event: PointerEvent) => {
      const held = grab.current
      if (!held) return
      if (!held.isMoving && Math.hypot(event.clientX - held.x, event.clientY - held.y) < LEAST_PIXELS) return
      const { elevation: shown, moving: by } = latest.current
      const target = findTarget(event, shown, held)
      if (!held.isMoving) by.begin(held.device, undefined)
      held.isMoving = true
      by.aim(target === 'none' ? undefined : target)
    }
    const onUp = (event: PointerEvent) => {
      const held = grab.current
      grab.current = undefined
      wasDrag.current = held?.isMoving ?? false
      // The click follows at once, or never.
      setTimeout(() => {
        wasDrag.current = false
      })
      if (!held?.isMoving) return
      const { elevation: shown, moving: by } = latest.current
      const target = findTarget(event, shown, held)
      if (target === undefined) by.cancel()
      else by.drop({ device: held.device, target: target === 'none' ? undefined : target })
    }
    const end = () => {
      if (grab.current?.isMoving) latest.current.moving.cancel()
      grab.current = undefined
    }
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      end()
      // A refused place stays until it is left.
      if (!latest.current.moving.isSaving) latest.current.moving.cancel()
    }
    document.addEventListener('pointermove', onMove)
    document.addEventListener('pointerup', onUp)
    document.addEventListener('pointercancel', end)
    document.addEventListener('keydown', onKey)
    return () => {
      document.removeEventListener('pointermove', onMove)
      document.removeEventListener('pointerup', onUp)
      document.removeEventListener('pointercancel', end)
      document.removeEventListener('keydown', onKey)
    }
  }, [])
  const onGrab = (event: ReactPointerEvent, device: Mounted) => {
    if (event.button !== 0 || event.pointerType === 'touch' || event.ctrlKey || event.metaKey || event.shiftKey) return
    const { rack } = elevation
    const box = getFaceBox('front')
    const above = device.position === null ? 0 : computeUnitsAbove(rack, { ...device, position: device.position })
    const grabbed = device.position === null || !box ? 0.5 : (event.clientY - box.top) / UNIT - above
    grab.current = { device, x: event.clientX, y: event.clientY, grabbed, isMoving: false }
  }
  return { onGrab, isDragEnd: () => wasDrag.current }
}
