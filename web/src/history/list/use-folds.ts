/** The rows of the list of changes, of which some are folded, and which of them are open. */
import { useCallback, useMemo, useState } from 'react'
import type { Change } from '../../api/contracts.ts'
import type { Tree } from '../../table/tree.ts'
import type { TableView } from '../../table/view.ts'
import { type HistoryRow, listRows } from './folds.ts'

/** @param changes the loaded ones */
export const useFolds = (changesView: TableView<Change>, changes: readonly Change[]) => {
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set())
  const rows = useMemo(() => listRows(changes, opened), [changes, opened])
  const view = useMemo((): TableView<HistoryRow> => {
    const count = rows.length + changesView.count - changes.length
    return {
      count,
      total: changesView.total,
      rowAt: (position) => rows[position],
      idsOf: async (from, to) => rows.slice(from, to).map(({ id }) => id),
      ensure: (_, to) => {
        // The next page is asked for once the row that stands for it is drawn: a page may be one row.
        if (to > rows.length) changesView.ensure(0, changesView.count)
      },
    }
  }, [rows, changes, changesView])
  const toggle = useCallback(
    ({ changes: some }: HistoryRow, isExpanded: boolean) =>
      setOpened((old) => {
        const next = new Set(old)
        for (const { id } of some)
          if (isExpanded) next.add(id)
          else next.delete(id)
        return next
      }),
    [],
  )
  const tree: Tree<HistoryRow> = { getLevel: ({ level }) => level, isExpanded: (row) => row.isExpanded, toggle }
  return { view, tree, toggle }
}
