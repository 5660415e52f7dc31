/** The current item of the inbox, the selection, and the keys of both. */
import { useEffect, useRef, useState } from 'react'
import { useHotkeys } from '../../shell/hotkeys.ts'
import type { InboxItem } from '../shapes.ts'

const NOTHING: ReadonlySet<string> = new Set()

type Options = {
  readonly items: readonly InboxItem[]
  readonly onOpen: (item: InboxItem) => void
  readonly onDocument: ((items: readonly InboxItem[]) => void) | undefined
  /** Ignores items, or restores ignored ones. */
  readonly onIgnore: ((items: readonly InboxItem[]) => void) | undefined
}

export const useInboxKeys = ({ items, onOpen, onDocument, onIgnore }: Options) => {
  const [cursor, setCursor] = useState(-1)
  const [selected, setSelected] = useState(NOTHING)
  const list = useRef<HTMLUListElement>(null)
  const anchor = useRef(0)
  const at = Math.min(cursor, items.length - 1)
  const current = items[at]
  const chosen = items.filter(({ id }) => selected.has(id))

  const move = (to: number) => setCursor(Math.max(0, Math.min(items.length - 1, to)))
  const toggle = (index: number, isRange: boolean) => {
    const [from = index, to = index] = isRange ? [anchor.current, index].sort((a, b) => a - b) : [index, index]
    anchor.current = index
    const ids = items.slice(from, to + 1).map(({ id }) => id)
    setSelected((old) => {
      const [only] = ids
      if (!isRange && only !== undefined && old.has(only)) return new Set([...old].filter((id) => id !== only))
      return new Set([...old, ...ids])
    })
  }
  const clear = () => setSelected(NOTHING)
  /** Applies to the selection, or to the current item without one. */
  const on = (action: ((items: readonly InboxItem[]) => void) | undefined) => () => {
    const wanted = chosen.length > 0 ? chosen : current ? [current] : []
    if (wanted.length === 0) return
    action?.(wanted)
    clear()
  }
  useHotkeys({
    j: () => move(at + 1),
    ArrowDown: () => move(at + 1),
    k: () => move(at - 1),
    ArrowUp: () => move(at - 1),
    Home: () => move(0),
    End: () => move(items.length - 1),
    Enter: () => current && onOpen(current),
    o: () => current && onOpen(current),
    ...(onDocument || onIgnore
      ? { x: () => at >= 0 && toggle(at, false), 'Shift+x': () => at >= 0 && toggle(at, true) }
      : {}),
    ...(onDocument ? { a: on(onDocument) } : {}),
    ...(onIgnore ? { i: on(onIgnore) } : {}),
    Escape: clear,
  })
  const currentId = current?.id
  useEffect(() => {
    // After a decision, the next item gets the focus.
    if (currentId === undefined) return
    const element = [...(list.current?.children ?? [])].find((one) => one.getAttribute('data-item') === currentId)
    if (!(element instanceof HTMLElement) || element.contains(document.activeElement)) return
    if (document.querySelector('[data-layer]') !== null) return
    element.focus({ preventScroll: true })
    element.scrollIntoView({ block: 'nearest' })
  }, [currentId])
  return {
    list,
    cursor: at,
    setCursor,
    selected,
    chosen,
    toggle,
    clear,
    selectAll: () => setSelected(new Set(items.map(({ id }) => id))),
  }
}
