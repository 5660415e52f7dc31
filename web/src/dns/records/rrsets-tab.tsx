/** The RRsets of a zone. The server filters them, and pages are loaded as the table is scrolled. */
import { keepPreviousData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { PagedTable } from '../../resource/object/paged-table.tsx'
import { useHotkeys } from '../../shell/hotkeys.ts'
import { usePermit } from '../../shell/me.ts'
import type { Column } from '../../table/column.ts'
import { useFilterText } from '../../table/filter-bar.tsx'
import controls from '../../table/filter-controls.module.css'
import { Choice, Filters } from '../../table/filter-controls.tsx'
import { usePageSearch } from '../../table/list-search.ts'
import tableCss from '../../table/table.module.css'
import { usePagedView } from '../../table/use-paged-view.ts'
import { Button } from '../../ui/button.tsx'
import { formatCount, plural } from '../../ui/format.ts'
import { RowLink } from '../../ui/row-link.tsx'
import { State } from '../../ui/states.tsx'
import { STATES, TYPES } from '../labels.ts'
import { RrsetMark } from '../marks.tsx'
import { type RrsetFilter, type RrsetRow, rrsetsQuery, type Zone } from '../queries.ts'
import { RrsetDrawer } from './rrset-drawer.tsx'

const BY_NAME = { sort: 'name', isDescending: false }

/** Links to the device or the own record of an RRset; to its drawer if there are several. */
const From = ({ rrset }: { readonly rrset: RrsetRow }) => {
  const { source, device_ids, record_ids } = rrset
  const isRecord = source === 'record'
  const [only, ...others] = isRecord ? record_ids : device_ids
  if (only === undefined) return <span className="muted">nothing</span>
  if (others.length === 0 && !isRecord)
    return (
      <RowLink to="devices" id={only} className="link">
        device
      </RowLink>
    )
  const several = isRecord ? `${record_ids.length} own records` : plural(device_ids.length, 'device')
  const search = (old: object) => (others.length === 0 ? { tab: 'records', edit: only } : { ...old, entry: rrset.id })
  return (
    <Link to="." search={search} className="link" tabIndex={-1}>
      {others.length === 0 ? 'own record' : several}
    </Link>
  )
}

const Values = ({ rrset: { values, wanted } }: { readonly rrset: RrsetRow }) => {
  const [published, next] = [values.join(', '), wanted.join(', ')]
  const shown = published === next ? next : `${published || 'nothing'} → ${next || 'nothing'}`
  return (
    <span className="mono truncate" title={shown}>
      {shown}
    </span>
  )
}

const COLUMNS: readonly Column<RrsetRow>[] = [
  {
    id: 'name',
    text: 'Name',
    width: 200,
    isEssential: true,
    cell: ({ id, name, fqdn }) => (
      <Link to="." search={(old: object) => ({ ...old, entry: id })} className="mono" title={fqdn} tabIndex={-1}>
        {name}
      </Link>
    ),
  },
  { id: 'type', text: 'Type', width: 80, isEssential: true, cell: ({ type }) => type },
  { id: 'values', text: 'Values', width: 300, cell: (rrset) => <Values rrset={rrset} /> },
  { id: 'ttl', text: 'TTL', width: 90, isRight: true, cell: ({ ttl }) => formatCount(ttl) },
  { id: 'state', text: 'State', width: 310, isEssential: true, cell: (rrset) => <RrsetMark {...rrset} /> },
  { id: 'from', text: 'From', width: 120, cell: (rrset) => <From rrset={rrset} /> },
]

const useFilter = (): RrsetFilter => {
  const { search } = usePageSearch()
  const state = STATES.find((one) => one === search.status)
  return {
    ...(state && { state }),
    ...(search.q && { name: search.q }),
    // The `kind` filter of this page is the type of the RRset.
    ...(search.kind && { type: search.kind }),
  }
}

/** Reads the list again when the state of its zone has changed. */
const useFollowed = ({ id, pending_count, serial, last_synced_at, last_checked_at }: Zone): void => {
  const client = useQueryClient()
  const version = [pending_count, serial, last_synced_at, last_checked_at].join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version stands for a change
  useEffect(() => {
    void client.invalidateQueries({ queryKey: ['dns-zone', id, 'rrsets'] })
  }, [client, id, version])
}

export const RrsetsTab = ({ zone }: { readonly zone: Zone }) => {
  const { search, set } = usePageSearch()
  const { may } = usePermit()
  const [text, setText] = useFilterText()
  const filter = useFilter()
  useFollowed(zone)
  const paged = usePagedView(useInfiniteQuery({ ...rrsetsQuery(zone.id, filter), placeholderData: keepPreviousData }))
  const { query, total, rows } = paged
  const summary = query.data ? plural(total, 'RRset') : ''
  const isFiltered = Object.keys(filter).length > 0
  const clear = () => {
    setText('')
    void set({ q: undefined, status: undefined, kind: undefined }, { isReplace: true })
  }
  useHotkeys({ Escape: clear })
  return (
    <>
      <Filters>
        <input
          type="search"
          aria-label="Name"
          placeholder="Part of the name"
          className={controls.control}
          data-set={text !== '' || undefined}
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <Choice
          label="State"
          any="Any state"
          value={filter.state}
          options={STATES.map((one) => [one, one] as const)}
          onChange={(status) => void set({ status }, { isReplace: true })}
        />
        <Choice
          label="Type"
          any="Any type"
          value={filter.type}
          options={TYPES.map((one) => [one, one] as const)}
          onChange={(kind) => void set({ kind }, { isReplace: true })}
        />
        {isFiltered && <Button onClick={clear}>Clear</Button>}
        <span className={tableCss.summary}>{summary}</span>
      </Filters>
      <PagedTable
        label="RRsets"
        paged={paged}
        columns={COLUMNS}
        sorting={BY_NAME}
        getName={({ name, type }) => `${name} ${type}`}
        onOpen={({ id }) => void set({ entry: id })}
        summary={summary}
        filtered={isFiltered ? { title: 'No RRset matches the filter', onClear: clear } : undefined}
        empty={
          <State
            title="The zone is empty"
            text="It holds the names of devices that its settings select, and own records."
          >
            {may('dns:create') && (
              <Button look="primary" onClick={() => void set({ tab: 'records', new: '1' })}>
                New record
              </Button>
            )}
          </State>
        }
      />
      {search.entry !== undefined && (
        <RrsetDrawer
          key={search.entry}
          zone={zone}
          id={search.entry}
          known={rows.find(({ id }) => id === search.entry)}
          isComing={query.isPending}
          onClose={() => void set({ entry: undefined })}
        />
      )}
    </>
  )
}
