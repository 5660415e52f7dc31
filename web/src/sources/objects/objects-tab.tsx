/** All objects that a source says, with their states. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { INVENTORY, isResource } from '../../../../src/inventory/resources.ts'
import { getNoun } from '../../../../src/resource/nouns.ts'
import { PagedTable } from '../../resource/object/paged-table.tsx'
import type { Column } from '../../table/column.ts'
import controls from '../../table/filter-controls.module.css'
import { Choice, Filters } from '../../table/filter-controls.tsx'
import { usePageSearch } from '../../table/list-search.ts'
import tableCss from '../../table/table.module.css'
import { usePagedView } from '../../table/use-paged-view.ts'
import { Button } from '../../ui/button.tsx'
import { plural } from '../../ui/format.ts'
import { Badge, TimeAgo } from '../../ui/primitives.tsx'
import { State } from '../../ui/states.tsx'
import { useSettled } from '../../ui/use-settled.ts'
import { EntryLink } from '../entry-link.tsx'
import { getResourceNoun } from '../labels.ts'
import type { Source } from '../queries.ts'
import { ObjectDrawer } from './object-drawer.tsx'
import { type ObjectFilter, objectsQuery, parseState, type SourceObject, STATES } from './queries.ts'
import { getVerdict } from './words.ts'

const BY_NAME = { sort: 'name', isDescending: false }

const StateBadge = ({ object }: { readonly object: SourceObject }) => {
  const { tone, text } = getVerdict(object)
  return <Badge tone={tone}>{text}</Badge>
}

const formatFacts = ({ facts }: SourceObject): string =>
  Object.entries(facts)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')

const COLUMNS: readonly Column<SourceObject>[] = [
  {
    ...{ id: 'name', text: 'Name', width: 200, isEssential: true },
    cell: ({ id, name }) => <EntryLink id={id}>{name}</EntryLink>,
  },
  { ...{ id: 'type', text: 'Type', width: 100 }, cell: ({ type, resource }) => type || getResourceNoun(resource) },
  {
    ...{ id: 'state', text: 'State', width: 110, isEssential: true },
    cell: (object) => <StateBadge object={object} />,
  },
  { ...{ id: 'place', text: 'Place', width: 150 }, cell: ({ place }) => <span title={place}>{place}</span> },
  {
    ...{ id: 'key', text: 'Id there', width: 190 },
    cell: ({ key }) => (
      <span className="mono" title={key}>
        {key}
      </span>
    ),
  },
  {
    ...{ id: 'facts', text: 'Facts', width: 240 },
    cell: (object) => <span title={formatFacts(object)}>{formatFacts(object)}</span>,
  },
  { ...{ id: 'updated', text: 'Changed', width: 110 }, cell: ({ updated_at }) => <TimeAgo at={updated_at} /> },
]

/** The filter of the URL; the name is typed. */
const useFilter = (sourceId: string, typed: string): ObjectFilter => {
  const { search } = usePageSearch()
  const name = useSettled(typed).trim()
  const state = parseState(search.status)
  const { resource } = search
  return {
    source_id: sourceId,
    ...(state && { state }),
    ...(isResource(resource) && { resource }),
    ...(name !== '' && { name }),
  }
}

export const ObjectsTab = ({ source }: { readonly source: Source }) => {
  const { search, set } = usePageSearch()
  const [typed, setTyped] = useState('')
  const filter = useFilter(source.id, typed)
  const paged = usePagedView(useInfiniteQuery(objectsQuery(filter)))
  const { query, total, rows } = paged
  const summary = query.data ? plural(total, 'object') : ''
  const isFiltered = filter.state !== undefined || filter.resource !== undefined || filter.name !== undefined
  const clear = () => {
    setTyped('')
    void set({ status: undefined, resource: undefined }, { isReplace: true })
  }
  const shown = rows.find(({ id }) => id === search.entry)
  return (
    <>
      <Filters label="Filter">
        <input
          type="search"
          aria-label="Name"
          placeholder="Name"
          className={controls.control}
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
        <Choice
          label="State"
          any="Any state"
          value={filter.state}
          options={STATES}
          onChange={(status) => void set({ status }, { isReplace: true })}
        />
        <Choice
          label="Resource"
          any="All resources"
          value={filter.resource}
          options={INVENTORY.map((name) => [name, `${getNoun(name)}s`])}
          onChange={(resource) => void set({ resource }, { isReplace: true })}
        />
        {isFiltered && <Button onClick={clear}>Clear</Button>}
        <span className={tableCss.summary}>{summary}</span>
      </Filters>
      <PagedTable
        label="Objects"
        paged={paged}
        columns={COLUMNS}
        sorting={BY_NAME}
        getName={({ name }) => name}
        onOpen={({ id }) => void set({ entry: id })}
        summary={summary}
        filtered={isFiltered ? { title: 'No object matches the filter', onClear: clear } : undefined}
        empty={<State title="No objects yet" text="Machines and networks that the source says are listed here." />}
      />
      {shown && <ObjectDrawer source={source} object={shown} onClose={() => void set({ entry: undefined })} />}
    </>
  )
}
