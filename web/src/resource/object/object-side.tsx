/** The right column of the overview of an object: the objects that it names or that name it, and its last changes. */
import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link, type LinkProps } from '@tanstack/react-router'
import { type ReactNode, Suspense, useEffect, useState } from 'react'
import { send } from '../../api/client.ts'
import { contracts, type HistoryEntry } from '../../api/contracts.ts'
import type { ObjectKind } from '../../history/queries.ts'
import { formatCount } from '../../ui/format.ts'
import { Card, Skeleton, TimeAgo } from '../../ui/primitives.tsx'
import { formatEntry } from './entry-text.ts'
import css from './object.module.css'

export type RelatedItem = {
  readonly key: string
  readonly link: ReactNode
  /** One word or two: `datacenter`, `contained by`. */
  readonly why: string
}

export const relate = (link: LinkProps, name: string, why: string): RelatedItem => ({
  key: `${why} ${name}`,
  link: (
    <Link {...link} className="link">
      {name}
    </Link>
  ),
  why,
})

const MOST_RELATED = 10
const LAST = 3
/** Delay of the last changes, so that they do not compete with the object. */
const QUIET_MS = 500

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

const Related = ({ items }: { readonly items: readonly RelatedItem[] | undefined }) => (
  <Card title="Related">
    {!items && <Skeleton />}
    {items?.length === 0 && <p className="muted">It names no other object, and none names it.</p>}
    <ul className={css.list}>
      {items?.slice(0, MOST_RELATED).map(({ key, link, why }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: one object may be related twice
        <li key={`${index} ${key}`}>
          <Suspense>{link}</Suspense> <span className="muted">{why}</span>
        </li>
      ))}
    </ul>
    {items && items.length > MOST_RELATED && (
      <p className="muted">and {formatCount(items.length - MOST_RELATED)} others</p>
    )}
  </Card>
)

type ChangesProps = { readonly kind: ObjectKind; readonly id: string }

const LastChanges = ({ kind, id }: ChangesProps) => {
  const [isQuiet, setQuiet] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setQuiet(true), QUIET_MS)
    return () => clearTimeout(timer)
  }, [])
  const { data, error } = useQuery({ ...lastChangesQuery(kind, id), enabled: isQuiet })
  return (
    <Card title="Last changes">
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
    </Card>
  )
}

/** @param related undefined while they are loaded */
export const ObjectSide = ({ related, ...of }: ChangesProps & { related: readonly RelatedItem[] | undefined }) => (
  <div className={css.side}>
    <Related items={related} />
    <LastChanges {...of} />
  </div>
)
