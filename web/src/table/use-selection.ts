/** The selected rows of a table: a set of ids, so that it means the same rows whatever the filter becomes. */
import { useRef, useState } from 'react'
import type { Selection } from './selection.ts'
import type { TableView } from './view.ts'

const NOTHING: ReadonlySet<string> = new Set()

export type Selecting = Selection & {
  readonly ids: ReadonlySet<string>
  readonly clear: () => void
  readonly set: (ids: Iterable<string>) => void
}

export const useSelection = <Row>(view: TableView<Row> | undefined): Selecting => {
  const [ids, setIds] = useState(NOTHING)
  const anchor = useRef(0)
  const latest = useRef({ view, ids })
  latest.current = { view, ids }
  // The same functions at every render, so that rows that did not change are not drawn again.
  const [actions] = useState(() => {
    const add = (wanted: readonly string[]) => setIds((old) => new Set([...old, ...wanted]))
    return {
      toggle: (position: number, isRange: boolean) => {
        const { view: current } = latest.current
        const [from, to] = isRange ? [anchor.current, position].sort((a, b) => a - b) : [position, position]
        anchor.current = position
        void current?.idsOf(from ?? position, (to ?? position) + 1).then((found) => {
          const [only] = found
          if (isRange) return add(found)
          setIds(
            (old) =>
              new Set(only !== undefined && old.has(only) ? [...old].filter((id) => id !== only) : [...old, ...found]),
          )
        })
      },
      toggleAll: () => {
        const { view: current, ids: selected } = latest.current
        if (!current) return
        if (selected.size > 0) setIds(NOTHING)
        else void current.idsOf(0, current.count).then((found) => setIds(new Set(found)))
      },
      clear: () => setIds(NOTHING),
      set: (wanted: Iterable<string>) => setIds(new Set(wanted)),
    }
  })
  return { ids, ...actions }
}
