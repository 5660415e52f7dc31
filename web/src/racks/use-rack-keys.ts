/** The keys of the drawing of a rack: they go from cell to cell, open one, and move a device. */
import { type KeyboardEvent, type RefObject, useRef, useState } from 'react'
import {
  type Cell,
  cellId,
  computeBox,
  type Elevation,
  type Face,
  findCellBeside,
  findFirstTarget,
  findSlotBeside,
  getOtherFace,
  limitPosition,
  listCells,
  type Mounted,
  type Step,
  type Target,
} from './geometry.ts'
import type { Moving } from './use-move.ts'

const STEPS: Readonly<Record<string, Step>> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: 'left',
  ArrowRight: 'right',
}

type Current = { readonly face: Face; readonly key: string }
export type Grids = Readonly<Record<Face, RefObject<HTMLDivElement | null>>>

type Options = {
  readonly elevation: Elevation
  readonly moving: Moving
  readonly mayMove: boolean
  readonly open: (cell: Cell, face: Face) => void
}

/** Computes the next target by a key; undefined for another key, or at the edge. */
const computeNextTarget = (
  { rack }: Elevation,
  device: Mounted,
  target: Target,
  event: KeyboardEvent,
): Target | undefined => {
  const isTopDown = rack.numbering === 'top_down'
  const by = event.shiftKey ? 0.5 : 1
  const at = (position: number): Target => ({ ...target, position: limitPosition(rack, device, position) })
  const [up, down] = isTopDown ? [-by, by] : [by, -by]
  const ends = [rack.first_unit, rack.first_unit + rack.height]
  const [bottom = 0, top = 0] = isTopDown ? ends.toReversed() : ends
  // Slots are counted from the left of the front.
  const right = target.face === 'front' ? 1 : -1
  const beside = (step: number): Target => {
    const slot = findSlotBeside(target.slot, step)
    return slot === undefined ? { ...target, face: getOtherFace(target.face) } : { ...target, slot }
  }
  const actions: Readonly<Record<string, () => Target>> = {
    ArrowUp: () => at(target.position + up),
    ArrowDown: () => at(target.position + down),
    ArrowRight: () => beside(right),
    ArrowLeft: () => beside(-right),
    Home: () => at(top),
    End: () => at(bottom),
  }
  return actions[event.key]?.()
}

export const useRackKeys = ({ elevation, moving, mayMove, open }: Options) => {
  const grids: Grids = { front: useRef<HTMLDivElement>(null), rear: useRef<HTMLDivElement>(null) }
  const [chosen, setChosen] = useState<Current>()
  const cells = { front: listCells(elevation, 'front'), rear: listCells(elevation, 'rear') }
  const face = chosen?.face ?? 'front'
  const cell = cells[face].find(({ key }) => key === chosen?.key) ?? cells[face][0]
  const boxAt = (on: Face) => (one: Cell) => computeBox(elevation.rack, on, one)
  const go = (next: Cell, on: Face) => {
    setChosen({ face: on, key: next.key })
    if (on !== face) grids[on].current?.focus({ preventScroll: true })
    document.getElementById(cellId(on, next))?.scrollIntoView({ block: 'nearest' })
  }
  /** Moves to the cell at the same height of the other face. */
  const across = (from: Cell): void => {
    const on = getOtherFace(face)
    const { y } = boxAt(face)(from)
    const near = cells[on].toSorted((a, b) => Math.abs(boxAt(on)(a).y - y) - Math.abs(boxAt(on)(b).y - y))[0]
    if (near) go(near, on)
  }
  const step = (from: Cell, to: Step): void => {
    const next = findCellBeside(cells[face], boxAt(face), from, to)
    if (next) go(next, face)
    else if (to === (face === 'front' ? 'right' : 'left')) across(from)
  }
  const begin = (device: Mounted): void => {
    moving.begin(device, findFirstTarget(elevation, device))
    grids[face].current?.focus({ preventScroll: true })
  }
  const look = (event: KeyboardEvent, at: Cell): boolean => {
    const to = STEPS[event.key]
    const all = cells[face]
    if (to) step(at, to)
    else if (event.key === 'Home' || event.key === 'End') {
      const end = event.key === 'Home' ? all[0] : all.at(-1)
      if (end) go(end, face)
    } else if (event.key === 'Enter') open(at, face)
    else if (event.key === 'm' && at.device && mayMove) begin(at.device)
    else return false
    return true
  }
  const aim = (event: KeyboardEvent): boolean => {
    const { move } = moving
    if (!move || moving.isSaving) return false
    if (event.key === 'Escape') moving.cancel()
    else if (event.key === 'Enter') {
      if (move.target) setChosen({ face: move.target.face, key: move.device.device_id })
      moving.drop(move)
    } else {
      const target = computeNextTarget(
        elevation,
        move.device,
        move.target ?? findFirstTarget(elevation, move.device),
        event,
      )
      if (!target) return false
      moving.aim(target)
    }
    return true
  }
  const onKey = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || !cell) return
    if (moving.move ? aim(event) : look(event, cell)) event.preventDefault()
  }
  return {
    grids,
    cells,
    face,
    cell,
    onKey,
    begin,
    /** The focus comes to a face by Tab or by a click. */
    onFocus: (on: Face) => {
      if (on !== face) setChosen({ face: on, key: '' })
    },
  }
}
