/** The list of discovered devices, of one network or of all. */
import { Link } from '@tanstack/react-router'
import { Radar, X } from 'lucide-react'
import { useMemo, useState } from 'react'
import { ALL_NETWORKS } from '../api/all-networks.ts'
import { contracts } from '../api/contracts.ts'
import { CommandMenu } from '../commands/command-menu.tsx'
import { ExportMenu } from '../export/export-menu.tsx'
import { useHotkeys } from '../shell/hotkeys.ts'
import { usePermit, usePermitted } from '../shell/me.ts'
import { type Hint, Hints, PageHead } from '../shell/page.tsx'
import { ColumnsMenu, useColumns } from '../table/columns-menu.tsx'
import { DataTable } from '../table/data-table.tsx'
import { FilterBar, useFilterText } from '../table/filter-bar.tsx'
import { ListContent } from '../table/list-content.tsx'
import { usePageSearch, useSorting } from '../table/list-search.ts'
import tableCss from '../table/table.module.css'
import { useSelection } from '../table/use-selection.ts'
import { listRows, useLocalView } from '../table/view.ts'
import { Button } from '../ui/button.tsx'
import { formatCount, plural } from '../ui/format.ts'
import { ViewsMenu } from '../views/views-menu.tsx'
import { buildDiscoveredDevicesColumns, DISCOVERED_DEFAULT_COLUMNS } from './discovered-devices-columns.tsx'
import { DeleteDiscovered } from './discovered-devices-deletion.tsx'
import { buildDiscoveredDevicesSpec, type Networks, splitFilter } from './discovered-devices-spec.ts'
import { DocumentMany } from './inbox/document-many.tsx'
import { useNewPermit } from './inbox/document-one.tsx'
import { EvidenceDrawer } from './inbox/evidence-drawer.tsx'
import { getDiscoveredName } from './labels.ts'
import { NetworkFilter } from './network-filter.tsx'
import { useNetworks } from './networks.ts'
import { discoveredDevicesQuery, MAX_DISCOVERED } from './queries.ts'
import { StartScan } from './scans/start-scan.tsx'
import type { DiscoveredDevice } from './shapes.ts'

const NONE: readonly DiscoveredDevice[] = []
const HINTS: readonly Hint[] = [
  [['j', 'k'], 'move'],
  [['x'], 'select'],
  [['↵'], 'evidence'],
  [['?'], 'all shortcuts'],
]

const toNetworkFilter = (network: string | undefined) => ({ network_id: network ?? ALL_NETWORKS })

/** Returns the rows of the table. Above the limit, the server searches for the words of the filter. */
const useDiscoveredDevices = (networks: Networks, text: string, sorting: { sort: string; isDescending: boolean }) => {
  const { search } = usePageSearch()
  const place = toNetworkFilter(search.network)
  const spec = useMemo(() => buildDiscoveredDevicesSpec(networks), [networks])
  const all = usePermitted('discovery:list', discoveredDevicesQuery(place))
  const isMore = (all.data?.total ?? 0) > MAX_DISCOVERED
  const fields = Object.keys(spec.fields)
  // The words of the URL, which follow the typed text after a delay.
  const { words } = splitFilter(search.q ?? '', fields)
  const isAsked = isMore && words !== ''
  const some = usePermitted('discovery:list', { ...discoveredDevicesQuery({ ...place, q: words }), enabled: isAsked })
  const query = isAsked ? some : all
  const q = isAsked ? splitFilter(text, fields).rest : text
  const view = useLocalView(query.data?.rows ?? NONE, spec, { q, ...sorting })
  return { query, view, spec, isMore, total: all.data?.total ?? 0 }
}

type BulkProps = {
  readonly chosen: readonly DiscoveredDevice[]
  readonly onClear: () => void
  readonly onLeft: (ids: readonly string[]) => void
}

const Bulk = ({ chosen, onClear, onLeft }: BulkProps) => {
  const { blocked } = usePermit()
  const noNew = useNewPermit()
  // An action applies to the selection at its start.
  const [doing, setDoing] = useState<{
    readonly what: 'document' | 'delete'
    readonly discovered: readonly DiscoveredDevice[]
  }>()
  return (
    <>
      {chosen.length > 0 && (
        <div className={tableCss.bulk} role="toolbar" aria-label="Selected devices">
          <b>{formatCount(chosen.length)} selected</b>
          <Button onClick={() => setDoing({ what: 'document', discovered: chosen })} blocked={noNew}>
            Document
          </Button>
          <Button
            look="danger"
            onClick={() => setDoing({ what: 'delete', discovered: chosen })}
            blocked={blocked('discovery:delete')}
          >
            Delete {formatCount(chosen.length)}
          </Button>
          <Button isIcon look="quiet" aria-label="Clear the selection" onClick={onClear}>
            <X size={15} aria-hidden="true" />
          </Button>
        </div>
      )}
      {doing?.what === 'document' && (
        <DocumentMany discovered={doing.discovered} onClose={() => setDoing(undefined)} onDone={onLeft} />
      )}
      {doing?.what === 'delete' && (
        <DeleteDiscovered discovered={doing.discovered} onClose={() => setDoing(undefined)} onDone={onClear} />
      )}
    </>
  )
}

export const DiscoveredDevicesPage = () => {
  const { search, set } = usePageSearch()
  const { may, blocked } = usePermit()
  const all = useNetworks()
  const networks: Networks = useMemo(() => new Map(all.map((network) => [network.id, network])), [all])
  const [text, setText] = useFilterText()
  const { sort, isDescending, onSort } = useSorting('address')
  const { query, view, spec, isMore, total } = useDiscoveredDevices(networks, text, { sort, isDescending })
  const columns = useMemo(() => buildDiscoveredDevicesColumns(networks), [networks])
  const choice = useColumns('Discovered devices', columns, DISCOVERED_DEFAULT_COLUMNS)
  const selection = useSelection(view)
  const rows = query.data?.rows ?? NONE
  const chosen = useMemo(() => rows.filter(({ id }) => selection.ids.has(id)), [rows, selection.ids])
  const mayAct = may('discovery:update') || may('discovery:delete')
  const scan = () => void set({ new: '1' })
  useHotkeys({
    ...(may('discovery:create') ? { c: scan } : {}),
    Escape: () => (selection.ids.size > 0 ? selection.clear() : setText('')),
  })
  return (
    <>
      <PageHead>
        <Button onClick={scan} blocked={blocked('discovery:create')}>
          <Radar size={15} aria-hidden="true" />
          New scan
        </Button>
      </PageHead>
      <FilterBar
        text={text}
        onChange={setText}
        placeholder="Name, address, MAC, os:linux, port:22, status:up, documented:no"
        fields={Object.keys(spec.fields)}
        loadFacets={view.facets}
        noun="device"
        shown={query.data ? view.count : undefined}
        total={query.data ? Math.max(total, view.total) : undefined}
      >
        <NetworkFilter />
        <span className={tableCss.end}>
          <ViewsMenu />{' '}
          <CommandMenu
            getCall={() => ({ list: contracts.discovery, q: text, given: toNetworkFilter(search.network) })}
          />{' '}
          <ExportMenu
            name="discovered-devices"
            count={view.count}
            columns={choice.columns}
            load={async () => listRows(view)}
          />{' '}
          <ColumnsMenu all={columns} choice={choice} />
        </span>
      </FilterBar>
      {isMore && (
        <p className={tableCss.note}>
          These are {plural(rows.length, 'device')} of {formatCount(total)}: words in the filter search all of them.
        </p>
      )}
      <ListContent
        view={query.data && { count: view.count, total }}
        error={query.error}
        refetch={query.refetch}
        columns={choice.columns}
        filter={text}
        onClear={() => setText('')}
        empty={{
          title: 'No discovered devices yet',
          text: 'Hosts that answer a scan are listed here, with the evidence for them.',
          actions: (
            <>
              {may('discovery:create') && (
                <Button look="primary" onClick={scan}>
                  New scan
                </Button>
              )}
              <Link to="/scans" className="link">
                All scans
              </Link>
            </>
          ),
        }}
        table={
          <DataTable
            label="Discovered devices"
            columns={choice.columns}
            view={view}
            sorting={{ sort, isDescending }}
            onSort={onSort}
            getId={spec.id}
            getName={getDiscoveredName}
            actions={{ open: ({ id }) => void set({ entry: id }) }}
            selection={mayAct ? selection : undefined}
          />
        }
      >
        <Bulk chosen={chosen} onClear={selection.clear} onLeft={selection.set} />
      </ListContent>
      <Hints hints={mayAct ? HINTS : HINTS.filter(([, what]) => what !== 'select')} />
      {search.entry !== undefined && (
        <EvidenceDrawer key={search.entry} id={search.entry} onClose={() => void set({ entry: undefined })} />
      )}
      {search.new !== undefined && (
        <StartScan networkId={search.network} onClose={() => void set({ new: undefined })} />
      )}
    </>
  )
}
