/** The last changes of an object, in a few words each. */
import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { send } from '../../api/client.ts'
import { contracts, type HistoryEntry } from '../../api/contracts.ts'
import css from '../../resource/object/object.module.css'
import { Skeleton, TimeAgo } from '../../ui/primitives.tsx'
import type { ObjectKind } from '../queries.ts'
import { formatEntry } from './entry.ts'

const LAST = 3

const lastChangesQuery = (kind: ObjectKind, id: string) =>
  queryOptions({
    queryKey: ['history', kind, id, 'last'],
    queryFn: async () => {
      const response = await send(contracts.histories[kind], { id, limit: LAST })
      // The server returns values of the contract's type.
      return (await response.json()) as readonly HistoryEntry[]
    },
    staleTime: 0,
  })

type Props = { readonly kind: ObjectKind; readonly id: string }

export const LastChanges = ({ kind, id }: Props) => {
  const { data, error } = useQuery(lastChangesQuery(kind, id))
  return (
    <>
      {!data && !error && <Skeleton />}
      {!data && error && <p className="muted">They could not be loaded.</p>}
      {data?.length === 0 && <p className="muted">It has not been changed since the history began.</p>}
      <ul className={css.list}>
        {data?.map((entry) => (
          <li key={`${entry.change_id} ${entry.kind} ${entry.id}`}>
            <Link to="/history/$id" params={{ id: entry.change_id }} className="link">
              {formatEntry(entry, { kind, id })}
            </Link>{' '}
            <span className="muted">
              {entry.username} <TimeAgo at={entry.at} />
            </span>
          </li>
        ))}
      </ul>
    </>
  )
}
