/** The end of every list of changes: since when the history is kept. */
import { useQuery } from '@tanstack/react-query'
import { formatExactMoment, plural } from '../ui/format.ts'
import { extentQuery } from './queries.ts'

export const Begins = () => {
  const { data } = useQuery(extentQuery)
  if (!data) return null
  return (
    <p className="muted">
      History begins on {formatExactMoment(data.begins_at)}. Changes are kept for {plural(data.retention_days, 'day')}.
    </p>
  )
}
