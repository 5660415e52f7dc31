/** The newest changes, for the overview. */
import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api } from '../../api/client.ts'
import { undoing } from '../../shell/palette-state.ts'
import css from '../history.module.css'
import { formatActor, formatWhen } from '../labels.ts'
import { ChangeSentence } from './change-sentence.tsx'
import { UndoCell } from './undo-cell.tsx'

const COUNT = 8

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
          <UndoCell changes={[change]} onUndo={() => undoing.set(change.id)} />
        </li>
      ))}
    </ul>
  )
}
