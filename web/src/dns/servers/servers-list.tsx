/** The list of DNS servers, each with a test. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo } from 'react'
import { type ColumnsOf, ListPage } from '../../resource/list-page.tsx'
import { usePermit } from '../../shell/me.ts'
import { usePageSearch } from '../../table/list-search.ts'
import { buildTimeColumn } from '../../table/time-column.tsx'
import { formatCount } from '../../ui/format.ts'
import css from '../dns.module.css'
import { type Server, serversQuery } from '../queries.ts'
import { zonesQuery } from '../zones-query.ts'
import { buildServerResource, serverAddress, serverSpec } from './server-resource.tsx'
import { ServerTestButton, ServerTestResult, useServerTest } from './server-test.tsx'

type Tools = {
  readonly test: ReturnType<typeof useServerTest>
  /** The number of zones of each server, by its id. */
  readonly zones: ReadonlyMap<string, number>
}

const buildColumns =
  ({ test, zones }: Tools): ColumnsOf<Server> =>
  (run) => [
    {
      id: 'name',
      text: 'Name',
      width: 170,
      isSortable: true,
      isEssential: true,
      cell: (server) => (
        <button type="button" className={css.open} tabIndex={-1} onClick={() => run.edit(server)}>
          {server.name}
        </button>
      ),
    },
    {
      id: 'address',
      text: 'Address',
      width: 190,
      isSortable: true,
      cell: (server) => <span className="mono">{serverAddress(server)}</span>,
    },
    {
      id: 'key',
      text: 'TSIG key',
      width: 200,
      isSortable: true,
      cell: ({ tsig_name }) =>
        tsig_name === '' ? <span className="muted">not signed</span> : <span className="mono">{tsig_name}</span>,
    },
    {
      id: 'algorithm',
      text: 'Algorithm',
      width: 120,
      cell: ({ tsig_name, tsig_algorithm }) => tsig_name !== '' && tsig_algorithm,
    },
    {
      id: 'secret',
      text: 'Secret',
      width: 90,
      cell: ({ has_secret }) => (has_secret ? 'stored' : <span className="muted">none</span>),
    },
    { id: 'zones', text: 'Zones', width: 80, isRight: true, cell: ({ id }) => formatCount(zones.get(id) ?? 0) },
    { id: 'description', text: 'Description', width: 220, cell: ({ description }) => description },
    buildTimeColumn({
      ...{ id: 'updated', text: 'Changed', width: 120, isNewestFirst: true },
      at: ({ updated_at }) => updated_at,
    }),
    {
      id: 'test',
      text: 'Test',
      width: 90,
      isEssential: true,
      cell: (server) => (
        <span className={css.rowActions}>
          <ServerTestButton server={server} test={test} isInRow />
        </span>
      ),
    },
  ]

const DEFAULT_COLUMNS = ['name', 'address', 'key', 'secret', 'zones', 'description', 'updated', 'test', 'actions']

export const ServersList = ({ tabs }: { readonly tabs: ReactNode }) => {
  const { search, set } = usePageSearch()
  const { may, blocked } = usePermit()
  const query = useQuery({ ...serversQuery, enabled: may('dns:list') })
  const { data: zones } = useQuery({ ...zonesQuery, enabled: may('dns:list') })
  const test = useServerTest()
  const edited = query.data?.find(({ id }) => id === search.edit)
  const resource = useMemo(() => buildServerResource(edited), [edited])
  const counts = useMemo(() => {
    const all = new Map<string, number>()
    for (const { provider_id } of zones ?? [])
      if (provider_id !== null) all.set(provider_id, (all.get(provider_id) ?? 0) + 1)
    return all
  }, [zones])
  // biome-ignore lint/correctness/useExhaustiveDependencies: of the test, columns show no more
  const columns = useMemo(() => buildColumns({ test, zones: counts }), [test.isPending, test.variables, zones, counts])
  return (
    <ListPage
      resourceName="dns"
      resource={resource}
      query={query}
      needs="dns:list"
      spec={serverSpec}
      columns={columns}
      defaultColumns={DEFAULT_COLUMNS}
      sort="name"
      placeholder="Name, host:192.0.2.53, key"
      nothing="No DNS servers yet"
      empty="A DNS server takes dynamic updates (RFC 2136), as BIND, Knot DNS and PowerDNS do. Plat writes zones to it and compares them."
      deleteWarning="A server that zones use cannot be deleted."
      tabs={tabs}
      menu={{ needs: blocked }}
      above={<ServerTestResult test={test} />}
      open={({ id }) => void set({ edit: id })}
    />
  )
}
