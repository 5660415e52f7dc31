/** The newest changes, for the overview. */
import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api } from '../../api/client.ts'
import { formatExactMoment } from '../../ui/format.ts'
import css from '../history.module.css'
import { formatActor } from '../labels.ts'
import { ChangeSentence } from './change-sentence.tsx'
import { UndoCell } from './undo-cell.tsx'

const COUNT = 8

/** Returns the time of a change of today, and else its day. */
const formatWhen = (at: string): string => {
  const [day, time = ''] = formatExactMoment(at).split(' ')
  return day === formatExactMoment(new Date().toISOString()).split(' ')[0] ? time.slice(0, 5) : (day ?? '').slice(5)
}

const recentQuery = queryOptions({ queryKey: ['history', 'recent'], queryFn: () => api.history.list({ limit: COUNT }) })

export const RecentChanges = () => {
  const { data, error } = useQuery(recentQuery)
  if (!data) return error ? <p className="muted">{error.message}</p> : null
  if (data.length === 0) return <p className="muted">Nothing has been changed yet.</p>
  return (
    <ul>
      {data.map((change) => (
        <li key={change.id} className={css.recent}>
          <Link to="/history/$id" params={{ id: change.id }} className="mono">
            <time dateTime={change.at}>{formatWhen(change.at)}</time>
          </Link>
          <span className="truncate">{formatActor(change)}</span>
          <ChangeSentence change={change} />
          <UndoCell change={change} />
        </li>
      ))}
    </ul>
  )
}
