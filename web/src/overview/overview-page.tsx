/** The overview: totals, the fullest networks and pools, items that need attention, and recent changes. */
import { useQuery } from '@tanstack/react-query'
import { Link, Navigate } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { AppError } from '../../../src/contract/errors.ts'
import type { Dashboard } from '../api/contracts.ts'
import { dashboardQuery } from '../api/queries.ts'
import { useQuiet } from '../live/use-quiet.ts'
import { useMe, usePermit } from '../shell/me.ts'
import { Hints, PageBody, PageHead } from '../shell/page.tsx'
import { formatCount } from '../ui/format.ts'
import { Card, Meter, Skeleton } from '../ui/primitives.tsx'
import { formatSoon } from '../ui/soon-text.ts'
import { Failure } from '../ui/states.tsx'
import { Attention } from './attention.tsx'
import css from './overview.module.css'

/** In the file of the history, which most visits of the overview do not wait for. */
const RecentChanges = lazy(async () => ({
  default: (await import('../history/sentences/recent-changes.tsx')).RecentChanges,
}))

const JoinedCard = lazy(async () => ({ default: (await import('./joined-card.tsx')).JoinedCard }))

const Start = lazy(async () => ({ default: (await import('../start/start.tsx')).Start }))

const TOTALS = [
  ['/devices', 'Devices', 'devices'],
  ['/networks', 'Networks', 'networks'],
  ['/pools', 'Pools', 'pools'],
  ['/datacenters', 'Datacenters', 'datacenters'],
  ['/racks', 'Racks', 'racks'],
] as const

const Totals = ({ data }: { readonly data: Dashboard | undefined }) => (
  <section className={css.totals} aria-label="Totals">
    {TOTALS.map(([to, label, name]) => {
      const value = data?.[name]
      // Null if the user may not read the number.
      if (value === null) return null
      return (
        <Link key={to} to={to}>
          {label} {value === undefined ? <Skeleton width="3em" /> : <b>{formatCount(value)}</b>}
        </Link>
      )
    })}
  </section>
)

type FullestProps = {
  readonly title: string
  readonly to: '/networks/$id' | '/pools/$id'
  readonly rows: readonly (Fill & { readonly subnet?: string })[] | null | undefined
  readonly empty: string
}

type Fill = NonNullable<Dashboard['fullest_pools']>[number]

const Fullest = ({ title, to, rows, empty }: FullestProps) =>
  rows === null ? null : (
    <Card title={title}>
      {!rows && <Skeleton />}
      {rows?.length === 0 && <p className="muted">{empty}</p>}
      <ul>
        {rows?.map(({ id, name, subnet, utilization, days_to_full }) => (
          <li key={id} className={css.fill}>
            <span className="truncate">
              <Link to={to} params={{ id }} className="link">
                {name}
              </Link>{' '}
              {subnet !== undefined && <span className="mono muted">{subnet}</span>}
            </span>
            <span className={css.soon}>{formatSoon(days_to_full)}</span>
            <Meter value={utilization} label={`${name} in use`} />
          </li>
        ))}
      </ul>
    </Card>
  )

export const OverviewPage = () => {
  const { may, mayNow } = usePermit()
  const { is_scoped = false } = useMe()
  const isQuiet = useQuiet()
  const isAllowed = may('dashboard:read')
  const { data, error, refetch } = useQuery({ ...dashboardQuery, enabled: isAllowed })
  const denied = isAllowed ? undefined : new AppError('FORBIDDEN', 'This needs the permission dashboard:read')
  const failure = denied ?? (data ? null : error)
  const isEmpty = data && mayNow('networks:create') && !(data.devices || data.networks || data.datacenters)
  const isDemo = data?.fullest_pools?.some(({ id }) => id.startsWith('demo-'))
  // The overview is of the whole estate.
  if (denied && is_scoped && may('devices:list')) return <Navigate to="/devices" replace />
  return (
    <>
      <PageHead />
      {failure ? (
        <Failure error={failure} onRetry={() => void refetch()} />
      ) : (
        <PageBody>
          <Suspense>{data && (isDemo || !data.devices) && <Start dashboard={data} isEmpty={isEmpty} />}</Suspense>
          {!isEmpty && (
            <>
              <Totals data={data} />
              <Card title="Needs you">
                <div className={css.needs}>
                  {data ? (
                    <Attention
                      items={data.attention}
                      reports={data.reports ?? []}
                      scanners={data.scanners}
                      sources={data.sources}
                    />
                  ) : (
                    <Skeleton />
                  )}
                </div>
              </Card>
              <div className={css.two}>
                <div className={css.column}>
                  <Fullest
                    title="Fullest networks"
                    to="/networks/$id"
                    rows={data?.fullest_networks}
                    empty="No network has an address in use."
                  />
                  <Fullest title="Fullest pools" to="/pools/$id" rows={data?.fullest_pools} empty="There is no pool." />
                </div>
                <Card title="Recent changes">
                  <div className={css.recent}>
                    <Suspense fallback={<Skeleton />}>{isQuiet ? <RecentChanges /> : <Skeleton />}</Suspense>
                  </div>
                </Card>
              </div>
              {may('discovery:list') && isQuiet && (
                <Suspense>
                  <JoinedCard />
                </Suspense>
              )}
            </>
          )}
        </PageBody>
      )}
      <Hints
        hints={[
          [['g', 'i'], 'inbox'],
          [['g', 'n'], 'networks'],
          [['?'], 'all shortcuts'],
        ]}
      />
    </>
  )
}
