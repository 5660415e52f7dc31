/** The right column of the overview of an object: the objects that it names or that name it, and its last changes. */
import { Link, type LinkProps } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense } from 'react'
import { isPast } from '../../api/as-of.ts'
import type { ObjectKind } from '../../history/queries.ts'
import { useQuiet } from '../../live/use-quiet.ts'
import { usePermit } from '../../shell/me.ts'
import { usePageSearch } from '../../table/list-search.ts'
import { formatCount } from '../../ui/format.ts'
import { Card, Skeleton } from '../../ui/primitives.tsx'
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
const LastChanges = lazy(() =>
  import('../../history/sentences/last-changes.tsx').then((module) => ({ default: module.LastChanges })),
)
const LastEntries = lazy(() =>
  import('../../audit/last-entries.tsx').then((module) => ({ default: module.LastEntries })),
)

type RelatedProps = { readonly items: readonly RelatedItem[] | undefined; readonly more: ReactNode }

const Related = ({ items, more }: RelatedProps) => (
  <Card title="Related">
    {!items && <Skeleton />}
    {items?.length === 0 && more === undefined && <p className="muted">It names no other object, and none names it.</p>}
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
    {more}
  </Card>
)

export type SideParts = {
  /** Undefined for an object without a history: its changes are in the audit log. */
  readonly kind?: ObjectKind
  /** The name of the object in the audit log. */
  readonly audited?: string
  /** Undefined while they are loaded; null for an object that names no other. */
  readonly related: readonly RelatedItem[] | undefined | null
  /** Further rows of the same card. */
  readonly more?: ReactNode
}

export const ObjectSide = ({ related, more, kind, audited, id }: SideParts & { readonly id: string }) => {
  const { may } = usePermit()
  // A drawer covers them.
  const isCovered = usePageSearch().search.edit !== undefined
  const isQuiet = useQuiet() && !isCovered
  const waiting = <Skeleton />
  return (
    <div className={css.side}>
      {related !== null && <Related items={related} more={more} />}
      {/* The history is that of the present. */}
      {!isPast() && (kind !== undefined || may('audit:list')) && (
        <Card title="Last changes">
          <Suspense fallback={waiting}>
            {!isQuiet && waiting}
            {isQuiet && kind !== undefined && <LastChanges kind={kind} id={id} />}
            {isQuiet && audited !== undefined && <LastEntries resource={audited} id={id} />}
          </Suspense>
        </Card>
      )}
    </div>
  )
}
