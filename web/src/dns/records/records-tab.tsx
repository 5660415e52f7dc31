/** The own records of a zone. They replace the records of devices. */

import { Plus } from 'lucide-react'
import { useMemo, useState } from 'react'
import { toSortKey } from '../../../../src/net/name-order.ts'
import { DeleteDialog } from '../../resource/object/delete-dialog.tsx'
import { buildActionsColumn } from '../../resource/row-menu.tsx'
import { useHotkeys } from '../../shell/hotkeys.ts'
import { usePermit, usePermitted } from '../../shell/me.ts'
import type { Column } from '../../table/column.ts'
import { DataTable } from '../../table/data-table.tsx'
import type { TableSpec } from '../../table/engine.ts'
import { FilterBar, useFilterText } from '../../table/filter-bar.tsx'
import { ListContent } from '../../table/list-content.tsx'
import { usePageSearch, useSorting } from '../../table/list-search.ts'
import { buildTimeColumn } from '../../table/time-column.tsx'
import { useLocalView } from '../../table/view.ts'
import { Button } from '../../ui/button.tsx'
import { cx } from '../../ui/cx.ts'
import { formatCount } from '../../ui/format.ts'
import css from '../dns.module.css'
import { type OwnRecord, recordsQuery, type Zone } from '../queries.ts'
import { recordResource } from './record-drawer.tsx'

const SPEC: TableSpec<OwnRecord> = {
  id: ({ id }) => id,
  text: ({ name, fqdn, type, value, description }) => [name, fqdn, type, value, description].join('\n'),
  sorts: {
    name: ({ name }) => toSortKey(name),
    type: ({ type }) => type,
    value: ({ value }) => value,
    ttl: ({ ttl }) => ttl ?? 0,
    updated: ({ updated_at }) => -Date.parse(updated_at),
  },
  fields: { type: ({ type }, value) => type.toLowerCase() === value },
  facets: { type: ({ type }) => [type] },
}

type Run = { readonly edit: (record: OwnRecord) => void; readonly remove: (record: OwnRecord) => void }
type Needs = (permission: string) => string | undefined

const buildColumns = ({ edit, remove }: Run, needs: Needs): readonly Column<OwnRecord>[] => [
  {
    id: 'name',
    text: 'Name',
    width: 160,
    isSortable: true,
    isEssential: true,
    cell: (record) => (
      <button
        type="button"
        className={cx(css.open, 'mono')}
        tabIndex={-1}
        title={record.fqdn}
        onClick={() => edit(record)}
      >
        {record.name}
      </button>
    ),
  },
  { id: 'type', text: 'Type', width: 84, isSortable: true, isEssential: true, cell: ({ type }) => type },
  {
    id: 'value',
    text: 'Value',
    width: 240,
    isSortable: true,
    isEssential: true,
    cell: ({ value }) => (
      <span className="mono truncate" title={value}>
        {value}
      </span>
    ),
  },
  {
    id: 'ttl',
    text: 'TTL',
    width: 90,
    isRight: true,
    isSortable: true,
    cell: ({ ttl }) => (ttl === null ? <span className="muted">of zone</span> : formatCount(ttl)),
  },
  { id: 'description', text: 'Description', width: 240, cell: ({ description }) => description },
  buildTimeColumn({
    ...{ id: 'updated', text: 'Changed', width: 120, isNewestFirst: true },
    at: ({ updated_at }) => updated_at,
  }),
  buildActionsColumn<OwnRecord>({
    noun: 'record',
    getName: ({ name, type }) => `${name} ${type}`,
    edit: { run: edit, blocked: () => needs('dns:update') },
    remove: { run: remove, blocked: () => needs('dns:delete') },
  }),
]

const NONE: readonly never[] = []

export const RecordsTab = ({ zone }: { readonly zone: Zone }) => {
  const { set } = usePageSearch()
  const { blocked } = usePermit()
  const [text, setText] = useFilterText()
  const { sort, isDescending, onSort } = useSorting('name')
  const { data, error, refetch } = usePermitted('dns:list', recordsQuery(zone.id))
  const view = useLocalView<OwnRecord>(data ?? NONE, SPEC, { q: text, sort, isDescending })
  const [pendingDelete, setPendingDelete] = useState<OwnRecord>()
  const edit = ({ id }: OwnRecord) => void set({ edit: id })
  const create = () => void set({ new: '1' })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the actions and the permissions stay the same
  const columns = useMemo(() => buildColumns({ edit, remove: setPendingDelete }, blocked), [])
  const noCreate = blocked('dns:create')
  useHotkeys({ ...(noCreate === undefined ? { c: create } : {}), Escape: () => setText('') })
  const add = (
    <Button look="primary" onClick={create} blocked={noCreate}>
      <Plus size={15} aria-hidden="true" />
      New record
    </Button>
  )
  return (
    <>
      <FilterBar
        text={text}
        onChange={setText}
        placeholder="Name, value, type:mx"
        fields={Object.keys(SPEC.fields)}
        loadFacets={view.facets}
        noun="record"
        shown={data ? view.count : undefined}
        total={data ? view.total : undefined}
      >
        {add}
      </FilterBar>
      <ListContent
        view={data && view}
        error={error}
        refetch={refetch}
        columns={columns}
        filter={text}
        onClear={() => setText('')}
        empty={{
          title: 'No own records yet',
          text: 'An own record replaces those that devices give for its name and type. An own CNAME replaces all of its name.',
          actions: noCreate === undefined && add,
        }}
        table={
          <DataTable
            label="Own records"
            columns={columns}
            view={view}
            sorting={{ sort, isDescending }}
            onSort={onSort}
            getId={SPEC.id}
            getName={({ name, type }) => `${name} ${type}`}
            actions={{
              open: edit,
              edit: blocked('dns:update') === undefined ? edit : undefined,
              remove: blocked('dns:delete') === undefined ? setPendingDelete : undefined,
            }}
          />
        }
      />
      {pendingDelete && (
        <DeleteDialog
          resource={recordResource(zone)}
          id={pendingDelete.id}
          name={`${pendingDelete.name} ${pendingDelete.type}`}
          deleteWarning="The zone then holds again the records that devices give."
          onClose={() => setPendingDelete(undefined)}
        />
      )}
    </>
  )
}
