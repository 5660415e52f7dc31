/** The last changes of an object without a history, from the audit log. */
import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api } from '../api/client.ts'
import css from '../resource/object/object.module.css'
import { Skeleton, TimeAgo } from '../ui/primitives.tsx'

const LAST = 3
const WORDS: Readonly<Record<string, string>> = { create: 'created', update: 'changed', delete: 'deleted' }

const lastEntriesQuery = (resource: string, id: string) =>
  queryOptions({
    queryKey: ['audit', 'last', resource, id],
    queryFn: () => api.audit.list({ resource, resource_id: id, status: 'success', limit: LAST }),
    staleTime: 0,
  })

type Props = { readonly resource: string; readonly id: string }

export const LastEntries = ({ resource, id }: Props) => {
  const { data, error } = useQuery(lastEntriesQuery(resource, id))
  return (
    <>
      {!data && !error && <Skeleton />}
      {!data && error && <p className="muted">They could not be loaded.</p>}
      {data?.length === 0 && <p className="muted">The audit log has no change of it.</p>}
      <ul className={css.list}>
        {data?.map((entry) => (
          <li key={entry.id}>
            <Link to="/audit" search={{ entry: entry.id, resource, resource_id: id }} className="link">
              {WORDS[entry.action] ?? entry.action}
            </Link>{' '}
            <span className="muted">
              {entry.username} <TimeAgo at={entry.timestamp} />
            </span>
          </li>
        ))}
      </ul>
    </>
  )
}
