/** The rows of a table before they are there, in their real places; for short waits nothing. */
import { useEffect, useState } from 'react'
import { Skeleton } from '../ui/primitives.tsx'
import { useNarrow } from '../ui/use-narrow.ts'
import type { Column } from './column.ts'
import css from './table.module.css'

const AFTER_MS = 150
const ROWS = Array.from({ length: 24 }, (_, index) => index)

export const TableSkeleton = ({ columns }: { readonly columns: readonly Column<never>[] }) => {
  const [isShown, setShown] = useState(false)
  const isNarrow = useNarrow()
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  if (!isShown) return null
  const shown = columns.filter(({ isEssential }) => !isNarrow || isEssential)
  return (
    <div className={css.skeleton} role="status" aria-label="Loading">
      {ROWS.map((row) => (
        <div key={row}>
          {shown.map(({ id, width }) => (
            <span key={id} style={{ flex: width }}>
              <Skeleton />
            </span>
          ))}
        </div>
      ))}
    </div>
  )
}
