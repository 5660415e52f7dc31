/** What there is, what is nearly full, what needs somebody, what changed. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { api, send } from '../api/client.ts'
import { type AuditEntry, contracts } from '../api/contracts.ts'
import { datacentersQuery, networksQuery, poolsQuery, serverConfigQuery } from '../api/queries.ts'
import { usePermit } from '../shell/me.ts'
import { Hints, PageBody, PageHead } from '../shell/page.tsx'
import { Badge, Card, Figure, Meter, Skeleton } from '../ui/bits.tsx'
import { count, moment } from '../ui/format.ts'
import { Attention } from './attention.tsx'
import css from './overview.module.css'

const SHOWN = 7

const deviceCountQuery = {
  queryKey: ['device-count'],
  queryFn: async () => Number((await send(contracts.devices.list, { limit: 1 })).headers.get('x-total-count')),
}

const recentQuery = { queryKey: ['recent'], queryFn: () => api.audit.list({ limit: 60 }) }

type FigureLinkProps = {
  readonly to: '/devices' | '/networks' | '/pools' | '/datacenters'
  readonly label: string
  readonly value: number | undefined
}

const FigureLink = ({ to, label, value }: FigureLinkProps) => (
  <Link to={to}>
    <Figure label={label}>{value === undefined ? <Skeleton width="40%" /> : count(value)}</Figure>
  </Link>
)

const Fullest = ({ title, rows, empty }: { title: string; rows: readonly ReactNode[] | undefined; empty: string }) => (
  <Card title={title}>
    {!rows && <Skeleton />}
    {rows?.length === 0 && <p className="muted">{empty}</p>}
    <ul>{rows}</ul>
  </Card>
)

/** The places of the UI where an object of the audit trail can be seen. */
const PAGES: Readonly<Record<string, '/devices/$id' | '/networks/$id' | '/pools/$id'>> = {
  device: '/devices/$id',
  network: '/networks/$id',
  pool: '/pools/$id',
}

const Change = ({ entry }: { readonly entry: AuditEntry }) => {
  const page = PAGES[entry.resource]
  const name = entry.resource_id === '' ? '' : ` ${entry.resource_id}`
  return (
    <li className={css.change}>
      <time dateTime={entry.timestamp} className="mono muted">
        {moment(entry.timestamp)}
      </time>
      <b className="truncate">{entry.username || '–'}</b>
      <span className="truncate">
        {entry.action} {entry.resource}
        {page && entry.action !== 'delete' && name !== '' ? (
          <Link to={page} params={{ id: entry.resource_id }}>
            {name}
          </Link>
        ) : (
          name
        )}{' '}
        {entry.status === 'failure' && <Badge tone="bad">refused</Badge>}
      </span>
    </li>
  )
}

/** Signing in is no change of what is here. */
const isChange = ({ resource }: AuditEntry): boolean => resource !== 'session'

export const OverviewPage = () => {
  const { may } = usePermit()
  const datacenters = useQuery({ ...datacentersQuery, enabled: may('datacenters:list') })
  const networks = useQuery({ ...networksQuery, enabled: may('networks:list') })
  const pools = useQuery({ ...poolsQuery, enabled: may('pools:list') })
  const devices = useQuery({ ...deviceCountQuery, enabled: may('devices:list') })
  const recent = useQuery({ ...recentQuery, enabled: may('audit:list') })
  const config = useQuery({ ...serverConfigQuery, enabled: recent.data?.length === 0 })
  const fullNetworks = networks.data
    ?.filter(({ utilization }) => (utilization?.used_ips ?? 0) > 0)
    .sort((a, b) => (b.utilization?.utilization ?? 0) - (a.utilization?.utilization ?? 0))
  const fullPools = pools.data?.toSorted(
    (a, b) => (b.utilization?.utilization ?? 0) - (a.utilization?.utilization ?? 0),
  )
  return (
    <>
      <PageHead title="Overview" />
      <PageBody>
        <div className={css.figures}>
          {may('devices:list') && <FigureLink to="/devices" label="Devices" value={devices.data} />}
          {may('networks:list') && <FigureLink to="/networks" label="Networks" value={networks.data?.length} />}
          {may('pools:list') && <FigureLink to="/pools" label="Pools" value={pools.data?.length} />}
          {may('datacenters:list') && (
            <FigureLink to="/datacenters" label="Datacenters" value={datacenters.data?.length} />
          )}
        </div>
        <div className={css.two}>
          <Fullest
            title="Fullest networks"
            empty="No network has an address in use."
            rows={fullNetworks?.slice(0, SHOWN).map(({ id, name, utilization }) => (
              <li key={id} className={css.fill}>
                <Link to="/networks/$id" params={{ id }} className="truncate">
                  {name}
                </Link>
                <Meter value={utilization?.utilization ?? 0} label={`${name} in use`} />
              </li>
            ))}
          />
          <Fullest
            title="Fullest pools"
            empty="There is no pool."
            rows={fullPools?.slice(0, SHOWN).map(({ id, name, utilization }) => (
              <li key={id} className={css.fill}>
                <Link to="/pools/$id" params={{ id }} className="truncate">
                  {name}
                </Link>
                <Meter value={utilization?.utilization ?? 0} label={`${name} in use`} />
              </li>
            ))}
          />
        </div>
        <Attention pools={pools.data} />
        {may('audit:list') && (
          <Card title="Recent changes">
            {!recent.data && <Skeleton />}
            {recent.data?.filter(isChange).length === 0 && (
              <p className="muted">
                {config.data?.features.audit === false
                  ? 'Changes are not put on record. Plat keeps an audit trail when it is started with AUDIT_ENABLED=true.'
                  : 'Nothing has been changed yet.'}
              </p>
            )}
            <ul>
              {recent.data
                ?.filter(isChange)
                .slice(0, 10)
                .map((entry) => (
                  <Change key={entry.id} entry={entry} />
                ))}
            </ul>
          </Card>
        )}
      </PageBody>
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
