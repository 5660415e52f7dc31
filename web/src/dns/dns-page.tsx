/** Zones and DNS servers. */
import { useQuery } from '@tanstack/react-query'
import { Link, Navigate } from '@tanstack/react-router'
import { api } from '../api/client.ts'
import { MissingObject } from '../resource/object/object-page.tsx'
import { usePermit, usePermitted } from '../shell/me.ts'
import { usePageSearch } from '../table/list-search.ts'
import { formatCount } from '../ui/format.ts'
import css from '../ui/primitives.module.css'
import { serversQuery } from './queries.ts'
import { ServersList } from './servers/servers-list.tsx'
import { ZonesList } from './zones-list.tsx'
import { zonesQuery } from './zones-query.ts'

/** An own record is shown on the page of its zone. */
const RecordLink = ({ id }: { readonly id: string }) => {
  const { data, error, refetch } = usePermitted('dns:read', {
    queryKey: ['dns-records', 'one', id],
    queryFn: () => api.dnsRecords.get({ id }),
  })
  if (!data) {
    const parent = { text: 'DNS', link: { to: '/dns' } } as const
    return <MissingObject noun="record" parent={parent} error={error} refetch={refetch} />
  }
  return <Navigate to="/dns/$id" params={{ id: data.zone_id }} search={{ tab: 'records', edit: id }} replace />
}

const TABS = [
  ['zones', 'Zones'],
  ['servers', 'Servers'],
] as const

type Tab = (typeof TABS)[number][0]

/** Each list has its own filter, order and columns, so that a tab keeps nothing of the other. */
const ListTabs = ({ current }: { readonly current: Tab }) => {
  const { may } = usePermit()
  const { data: zones } = useQuery({ ...zonesQuery, enabled: may('dns:list') })
  const { data: servers } = useQuery({ ...serversQuery, enabled: may('dns:list') })
  const counts = { zones: zones?.length, servers: servers?.length }
  return (
    <nav className={css.tabs} aria-label="DNS">
      {TABS.map(([id, text]) => (
        <Link
          key={id}
          to="/dns"
          search={id === 'zones' ? {} : { tab: id }}
          className={css.tab}
          aria-current={id === current ? 'page' : undefined}
          activeOptions={{ exact: true, includeSearch: true }}
        >
          {text}
          {counts[id] !== undefined && <span className={css.count}>{formatCount(counts[id])}</span>}
        </Link>
      ))}
    </nav>
  )
}

export const DnsPage = () => {
  const { search } = usePageSearch()
  if (search.entry !== undefined) return <RecordLink id={search.entry} />
  return search.tab === 'servers' ? (
    <ServersList key="servers" tabs={<ListTabs current="servers" />} />
  ) : (
    <ZonesList key="zones" tabs={<ListTabs current="zones" />} />
  )
}
