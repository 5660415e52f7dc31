/** The overview: totals, the fullest networks and pools, items that need attention, and recent changes. */
import { useQuery } from '@tanstack/react-query'
import { Link, Navigate } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { AppError } from '../../../src/contract/errors.ts'
import type { Dashboard } from '../api/contracts.ts'
import { dashboardQuery } from '../api/queries.ts'
import { Caller } from '../audit/caller.tsx'
import { ObjectName } from '../audit/object-name.tsx'
import { useMe, usePermit } from '../shell/me.ts'
import { Hints, PageBody, PageHead } from '../shell/page.tsx'
import { formatCount, formatMoment } from '../ui/format.ts'
import { Badge, Card, Figure, Meter, Skeleton } from '../ui/primitives.tsx'
import { formatSoon } from '../ui/soon-text.ts'
import { Failure } from '../ui/states.tsx'
import css from './overview.module.css'

/** Not in the first file, which has a limited size. */
const Attention = lazy(async () => ({ default: (await import('./attention.tsx')).Attention }))

const Start = lazy(async () => ({ default: (await import('../start/start.tsx')).Start }))

type FigureLinkProps = {
  readonly to: '/devices' | '/networks' | '/pools' | '/datacenters'
  readonly label: string
  /** Null if the caller may not read the number. */
  readonly value: number | null | undefined
}

const FigureLink = ({ to, label, value }: FigureLinkProps) =>
  value === null ? null : (
    <Link to={to}>
      <Figure label={label}>{value === undefined ? <Skeleton width="40%" /> : formatCount(value)}</Figure>
    </Link>
  )

type FullestProps = {
  readonly title: string
  readonly to: '/networks/$id' | '/pools/$id'
  readonly rows: Dashboard['fullest_pools'] | undefined
  readonly empty: string
}

const Fullest = ({ title, to, rows, empty }: FullestProps) =>
  rows === null ? null : (
    <Card title={title}>
      {!rows && <Skeleton />}
      {rows?.length === 0 && <p className="muted">{empty}</p>}
      <ul>
        {rows?.map(({ id, name, utilization, days_to_full }) => (
          <li key={id} className={css.fill}>
            <Link to={to} params={{ id }} className="truncate">
              {name}
            </Link>
            <span className={css.soon}>{formatSoon(days_to_full)}</span>
            <Meter value={utilization} label={`${name} in use`} />
          </li>
        ))}
      </ul>
    </Card>
  )

type Entry = NonNullable<Dashboard['changes']>[number]

const Change = ({ entry }: { readonly entry: Entry }) => {
  return (
    <li className={css.change}>
      <time dateTime={entry.timestamp} className="mono muted">
        {formatMoment(entry.timestamp)}
      </time>
      <b className="truncate">
        <Caller entry={entry} />
      </b>
      <span className="truncate">
        {entry.action} {entry.resource} <ObjectName entry={entry} />{' '}
        {entry.status === 'failure' && <Badge tone="bad">refused</Badge>}
      </span>
    </li>
  )
}

const Changes = ({ changes }: { readonly changes: readonly Entry[] | undefined }) => (
  <Card title="Recent changes">
    {!changes && <Skeleton />}
    {changes?.length === 0 && <p className="muted">No changes are recorded.</p>}
    <ul>
      {changes?.map((entry) => (
        <Change key={entry.id} entry={entry} />
      ))}
    </ul>
  </Card>
)

export const OverviewPage = () => {
  const { may } = usePermit()
  const { is_scoped = false } = useMe()
  const isAllowed = may('dashboard:read')
  const { data, error, refetch } = useQuery({ ...dashboardQuery, enabled: isAllowed })
  const denied = isAllowed ? undefined : new AppError('FORBIDDEN', 'This needs the permission dashboard:read')
  const failure = denied ?? (data ? null : error)
  const isEmpty = data && may('networks:create') && !(data.devices || data.networks || data.datacenters)
  const isDemo = data?.fullest_pools?.some(({ id }) => id.startsWith('demo-'))
  // The overview is of the whole estate.
  if (denied && is_scoped && may('devices:list')) return <Navigate to="/devices" replace />
  return (
    <>
      <PageHead title="Overview" />
      {failure ? (
        <Failure error={failure} onRetry={() => void refetch()} />
      ) : (
        <PageBody>
          <Suspense>{data && (isDemo || !data.devices) && <Start dashboard={data} isEmpty={isEmpty} />}</Suspense>
          {!isEmpty && (
            <>
              <div className={css.figures}>
                <FigureLink to="/devices" label="Devices" value={data?.devices} />
                <FigureLink to="/networks" label="Networks" value={data?.networks} />
                <FigureLink to="/pools" label="Pools" value={data?.pools} />
                <FigureLink to="/datacenters" label="Datacenters" value={data?.datacenters} />
              </div>
              <div className={css.two}>
                <Fullest
                  title="Fullest networks"
                  to="/networks/$id"
                  rows={data?.fullest_networks}
                  empty="No network has an address in use."
                />
                <Fullest title="Fullest pools" to="/pools/$id" rows={data?.fullest_pools} empty="There is no pool." />
              </div>
              <Suspense>{data && <Attention dashboard={data} />}</Suspense>
              {data?.changes !== null && <Changes changes={data?.changes} />}
            </>
          )}
        </PageBody>
      )}
      <Hints
        hints={[
          [['g', 'd'], 'devices'],
          [['g', 'n'], 'networks'],
          [['?'], 'all shortcuts'],
        ]}
      />
    </>
  )
}
