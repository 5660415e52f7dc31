/** The current row of a table, the keys that move it, and the rows that are selected. */
import { useEffect, useRef, useState } from 'react'
import { type Hotkeys, useHotkeys } from '../shell/hotkeys.ts'
import type { Tree } from './tree.ts'
import type { TableView } from './view.ts'

export type RowActions<Row> = {
  readonly open?: (row: Row) => void
  readonly edit?: ((row: Row) => void) | undefined
  readonly remove?: ((row: Row) => void) | undefined
  readonly copy?: (row: Row) => void
  /** Starts a new object at the current row, if there is one. */
  readonly create?: ((row: Row | undefined) => void) | undefined
  /** Further actions on the current row, by their keys. */
  readonly keys?: Readonly<Record<string, (row: Row) => void>> | undefined
}

type Options<Row> = {
  readonly view: TableView<Row>
  /** Rows that the page keys move by. */
  readonly pageSize: number
  readonly scrollTo: (row: number) => void
  readonly actions: RowActions<Row>
  readonly toggle: ((position: number, isRange: boolean) => void) | undefined
  readonly tree: Tree<Row> | undefined
}

export const useCursor = <Row>({ view, pageSize, scrollTo, actions, toggle, tree }: Options<Row>) => {
  const [cursor, setCursor] = useState(-1)
  const last = view.count - 1
  const move = (to: number) => {
    const next = Math.max(0, Math.min(last, to))
    setCursor(next)
    scrollTo(next)
  }
  const row = cursor === -1 ? undefined : view.rowAt(cursor)
  const onRow = (action: ((row: Row) => void) | undefined) => () => {
    if (row !== undefined) action?.(row)
  }
  const step = (by: number) => () => move(cursor + by)
  const fold = (isExpanded: boolean) => () => {
    if (row !== undefined && tree?.isExpanded(row) === !isExpanded) tree.toggle(row, isExpanded)
  }
  const keys: Hotkeys = {
    ...(tree ? { ArrowRight: fold(true), ArrowLeft: fold(false) } : {}),
    j: step(1),
    ArrowDown: step(1),
    k: step(cursor === -1 ? 0 : -1),
    ArrowUp: step(cursor === -1 ? 0 : -1),
    PageDown: step(pageSize),
    PageUp: step(-pageSize),
    Home: () => move(0),
    End: () => move(last),
    ...(actions.open ? { Enter: onRow(actions.open), o: onRow(actions.open) } : {}),
    ...(actions.edit ? { e: onRow(actions.edit) } : {}),
    ...(actions.remove ? { '#': onRow(actions.remove), Delete: onRow(actions.remove) } : {}),
    ...(actions.copy ? { '.': onRow(actions.copy) } : {}),
    ...(actions.create ? { c: () => actions.create?.(row) } : {}),
    ...Object.fromEntries(Object.entries(actions.keys ?? {}).map(([key, action]) => [key, onRow(action)])),
    ...(toggle
      ? {
          x: () => cursor !== -1 && toggle(cursor, false),
          'Shift+x': () => cursor !== -1 && toggle(cursor, true),
        }
      : {}),
  }
  useHotkeys(keys)
  // Another filter: the current row is another one.
  const shown = useRef(view)
  useEffect(() => {
    if (shown.current.count !== view.count) setCursor((old) => (old > view.count - 1 ? -1 : old))
    shown.current = view
  }, [view])
  return { cursor, setCursor }
}
