/** The page of a resource without a page of its own: its list, and the drawer of an object with its form, owner and history. */
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { listFields } from '../../../src/resource/facts.ts'
import { toKind } from '../../../src/resource/nouns.ts'
import { loadNamesForTargets } from '../custom-fields/names.ts'
import type { ObjectKind } from '../history/queries.ts'
import { usePermit } from '../shell/me.ts'
import { findTitle } from '../shell/nav.ts'
import type { DeclaredFacts } from './build-resource.ts'
import { buildOwnColumns } from './columns.tsx'
import {
  buildCells,
  buildDeclaredFields,
  buildDeclaredResource,
  describeSearch,
  getFirstSort,
  type Item,
  listDefaultColumns,
} from './declared.tsx'
import { withCapital } from './facts/from-facts.ts'
import { buildObjectsQuery } from './facts/lists.ts'
import { buildTableSpec } from './fields.ts'
import { ListPage } from './list-page.tsx'
import { useOwnedResource } from './owned-resource.tsx'

/** Returns the names of the objects that the rows may refer to. */
const useNames = (facts: DeclaredFacts) => {
  const targets = listFields(facts).flatMap(([, one]) => (one.type === 'reference' ? one.to : []))
  return useQuery({
    queryKey: [facts.name, 'references'],
    queryFn: () => loadNamesForTargets(new Set(targets)),
    enabled: targets.length > 0,
    structuralSharing: false,
  }).data
}

export const DeclaredPage = ({ facts }: { readonly facts: DeclaredFacts }) => {
  const { name, noun } = facts
  const { may, blocked } = usePermit()
  const query = useQuery({
    ...buildObjectsQuery(name),
    // Every object has an id and an owner.
    select: (rows) => rows as readonly Item[],
    enabled: may(`${name}:list`),
  })
  const names = useNames(facts)
  const bare = useMemo(() => buildDeclaredResource(facts), [facts])
  const resource = useOwnedResource(bare, {
    // A resource with a list has a history of its objects.
    kind: toKind(name) as ObjectKind,
    rows: query.data,
    blocked: blocked(`${name}:update`),
  })
  const fields = useMemo(() => buildDeclaredFields(facts, names), [facts, names])
  const spec = useMemo(() => buildTableSpec(fields), [fields])
  const columns = useMemo(() => buildOwnColumns(fields, facts.columns, buildCells(facts)), [facts, fields])
  const title = findTitle(name) ?? `${withCapital(noun)}s`
  return (
    <ListPage
      title={title}
      resourceName={name}
      resource={resource}
      query={query}
      needs={`${name}:list`}
      spec={spec}
      columns={columns}
      defaultColumns={listDefaultColumns(facts, fields)}
      sort={getFirstSort(facts, fields)}
      placeholder={describeSearch(fields)}
      empty={`A new ${noun} is listed here.`}
      // The preview of a deletion shows what becomes of other objects.
      deleteWarning=""
    />
  )
}
