/** The objects of a kind: a list as any other, with a heading that adds a field. */
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useCallback, useMemo, useState } from 'react'
import type { CustomField } from '../../../src/resource/custom/schema.ts'
import type { Datacenter } from '../api/contracts.ts'
import { datacentersQuery } from '../api/queries.ts'
import { toColumnId } from '../custom-fields/values.ts'
import { buildOwnColumns } from '../resource/columns.tsx'
import { buildTableSpec } from '../resource/fields.ts'
import { ListPage } from '../resource/list-page.tsx'
import { Indented } from '../resource/tree/indented.tsx'
import { buildPaths } from '../resource/tree/tree.ts'
import { usePermit } from '../shell/me.ts'
import type { Column } from '../table/column.ts'
import { looks, setCols } from '../table/head/look.ts'
import { usePageSearch } from '../table/list-search.ts'
import { Button } from '../ui/button.tsx'
import { toSentenceCase } from '../ui/format.ts'
import { RowLink } from '../ui/row-link.tsx'
import { takeDefined } from './just-defined.ts'
import { type Kind, type KindObject, objectsQuery } from './known-kinds.ts'
import { buildObjectFields } from './object-fields.ts'
import { buildObjectResource } from './object-resource.ts'

const FieldDrawer = lazy(() =>
  import('../custom-fields/editor/field-editor.tsx').then((module) => ({ default: module.FieldDrawer })),
)

const ORDER = ['name', 'parent_id', 'datacenter_id', 'description', 'updated_at']
const NO_OBJECTS: readonly KindObject[] = []
const NO_DATACENTERS: readonly Datacenter[] = []

/** The most custom fields that a list shows at first. */
const MOST_SHOWN = 8

export const buildObjectColumns = (
  kind: Kind,
  objects: readonly KindObject[],
  fields: ReturnType<typeof buildObjectFields>,
): readonly Column<KindObject>[] => {
  const paths = kind.nested ? buildPaths(objects) : undefined
  return buildOwnColumns(fields, ORDER, {
    name: ({ id, name }) => {
      const above = paths?.get(id)?.length ?? 0
      const link = (
        <RowLink to="objects" id={id}>
          {name}
        </RowLink>
      )
      return above === 0 ? link : <Indented level={above}>{link}</Indented>
    },
  })
}

type Props = {
  readonly kind: Kind
  /** All definitions of custom fields. */
  readonly definitions: readonly CustomField[]
  readonly tabs: ReactNode
}

/** Returns the columns that are shown at first, and the function that shows one more. */
const useShownColumns = (kind: Kind, own: readonly CustomField[]) => {
  const [added, setAdded] = useState<readonly string[]>([])
  const { search, set } = usePageSearch()
  const shown = useMemo(() => {
    const custom = own.filter(({ name }, at) => at < MOST_SHOWN || added.includes(name))
    return [
      'name',
      ...(kind.located ? ['datacenter'] : []),
      ...(custom.length === 0 ? ['description', 'updated'] : custom.map(({ name }) => toColumnId(name))),
    ]
  }, [kind.located, own, added])
  const show = (name: string) => {
    setAdded([...added, name])
    // The columns that the user has chosen.
    const chosen = search.cols ?? looks.get()[kind.name]?.cols
    if (chosen === undefined) return
    const cols = `${chosen},${toColumnId(name)}`
    setCols(kind.name, cols)
    void set({ cols }, { isReplace: true })
  }
  return { shown, show }
}

export const ObjectsTab = ({ kind, definitions, tabs }: Props) => {
  const { may } = usePermit()
  const navigate = useNavigate()
  const [isAdding, setAdding] = useState(false)
  const query = useQuery({ ...objectsQuery(kind.id), enabled: may('objects:list') })
  const { data: objects = NO_OBJECTS } = query
  const { data: datacenters = NO_DATACENTERS } = useQuery({
    ...datacentersQuery,
    enabled: kind.located && may('datacenters:list'),
  })
  const own = useMemo(() => definitions.filter(({ resource }) => resource === kind.id), [definitions, kind.id])
  const { shown, show } = useShownColumns(kind, own)
  const fields = useMemo(() => buildObjectFields(kind, { objects, datacenters }), [kind, objects, datacenters])
  const columns = useMemo(() => buildObjectColumns(kind, objects, fields), [kind, objects, fields])
  const spec = useMemo(() => buildTableSpec(fields), [fields])
  const resource = useMemo(() => buildObjectResource(kind), [kind])
  const mayDefine = may('custom-fields:create')
  const addColumn = useMemo(
    (): Column<KindObject> | undefined =>
      mayDefine
        ? {
            ...{ id: 'add', text: 'Add a field', isHeadHidden: true, width: 52 },
            head: (
              <Button isIcon look="quiet" aria-label="Add a field" title="Add a field" onClick={() => setAdding(true)}>
                <Plus size={14} aria-hidden="true" />
              </Button>
            ),
            cell: () => null,
          }
        : undefined,
    [mayDefine],
  )
  const focusDefined = useCallback(
    (button: HTMLButtonElement | null) => {
      if (button && takeDefined(kind.id)) button.focus()
    },
    [kind.id],
  )
  return (
    <>
      <ListPage
        title={kind.name}
        resourceName="objects"
        customOf={kind.id}
        resource={resource}
        query={query}
        needs="objects:list"
        call={{ kind_id: kind.id }}
        spec={spec}
        columns={columns}
        last={addColumn}
        defaultColumns={shown}
        sort="name"
        placeholder="Name or description"
        empty={`A new ${toSentenceCase(kind.singular)} is listed here.`}
        {...(kind.description !== '' && { note: kind.description })}
        deleteWarning={kind.nested ? 'Those below it move to the one above.' : ''}
        tabs={tabs}
        open={({ id }) => void navigate({ to: '/objects/$id', params: { id } })}
        createRef={focusDefined}
      />
      {isAdding && (
        <Suspense>
          <FieldDrawer
            all={definitions}
            resource={kind.id}
            isOwn
            id={undefined}
            onClose={() => setAdding(false)}
            onSaved={({ name }) => show(name)}
          />
        </Suspense>
      )}
    </>
  )
}
