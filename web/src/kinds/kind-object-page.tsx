/** One object of a kind: its facts by group, the objects that name it, the objects below it, and its history. */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Fragment, useMemo } from 'react'
import { contracts } from '../api/contracts.ts'
import { datacentersQuery } from '../api/queries.ts'
import { CustomFacts } from '../custom-fields/known-custom.tsx'
import { listFacts } from '../resource/columns.tsx'
import { HistoryTab } from '../resource/object/history-tab.tsx'
import { MissingObject, ObjectPage } from '../resource/object/object-page.tsx'
import { relate } from '../resource/object/object-side.tsx'
import { useRelated } from '../resource/related/known-related.tsx'
import { usePermit, usePermitted } from '../shell/me.ts'
import { toSentenceCase } from '../ui/format.ts'
import { Card, CopyText, Facts, TimeAgo } from '../ui/primitives.tsx'
import { ContainsTab } from './contains-tab.tsx'
import { aboveQuery, type Kind, type KindObject, kindsQuery, objectQuery } from './known-kinds.ts'
import { buildObjectFields } from './object-fields.ts'
import { buildObjectResource } from './object-resource.ts'

const route = getRouteApi('/app/objects/$id')
const ALL_KINDS = { text: 'Kinds', link: { to: '/kinds' } } as const
const FACTS = ['description', 'refs', 'managed_by', 'updated_at', 'id']
const NO_OBJECTS: readonly KindObject[] = []

type Props = { readonly object: KindObject; readonly kind: Kind }

const Overview = ({ object, kind }: Props) => {
  const fields = useMemo(() => buildObjectFields(kind), [kind])
  return (
    <>
      <CustomFacts resource={kind.id} object={object} />
      <Card title="Details">
        <Facts
          facts={listFacts(fields, object, FACTS, {
            parent_id: '',
            datacenter_id: '',
            created_at: <TimeAgo at={object.created_at} />,
            updated_at: <TimeAgo at={object.updated_at} />,
            id: <CopyText text={object.id} label="ID" />,
          })}
        />
      </Card>
    </>
  )
}

const linkTo = ({ id, name }: KindObject, why: string) => relate({ to: '/objects/$id', params: { id } }, name, why)

const Content = ({ object, kind }: Props) => {
  const { id, name, parent_id, datacenter_id } = object
  const { may, blocked } = usePermit()
  const { data: above = NO_OBJECTS } = useQuery({ ...aboveQuery(object), enabled: parent_id !== null })
  const { data: datacenters } = useQuery({
    ...datacentersQuery,
    enabled: datacenter_id !== null && may('datacenters:list'),
  })
  const naming = useRelated({ resource: 'objects', id, name, kindId: kind.id })
  const resource = useMemo(() => buildObjectResource(kind), [kind])
  const place = datacenters?.find((one) => one.id === datacenter_id)
  const datacenter = place && relate({ to: '/datacenters/$id', params: { id: place.id } }, place.name, 'datacenter')
  const parent = above.at(-1)
  const related = [...(parent ? [linkTo(parent, 'parent')] : []), ...(datacenter ? [datacenter] : [])]
  return (
    <ObjectPage
      noun={toSentenceCase(kind.singular)}
      parent={{ text: kind.name, link: { to: '/kinds/$id', params: { id: kind.id } } }}
      id={id}
      title={name}
      managedBy={object.managed_by}
      get={contracts.objects.get}
      resource={resource}
      edit={{ blocked: blocked('objects:update') }}
      remove={{
        blocked: blocked('objects:delete') && 'objects:delete',
        warning: kind.nested ? 'Those below it move to the one above.' : '',
      }}
      strip={[
        [
          'Kind',
          <Link key="kind" to="/kinds/$id" params={{ id: kind.id }} className="link">
            {kind.name}
          </Link>,
        ],
        [
          'In',
          above.length > 0 &&
            above.map((one, level) => (
              <Fragment key={one.id}>
                {level > 0 && ' / '}
                {linkTo(one, 'parent').link}
              </Fragment>
            )),
        ],
        ['Datacenter', datacenter?.link],
        ['Changed', <TimeAgo key="changed" at={object.updated_at} />],
      ]}
      side={{
        kind: 'object',
        // The objects that its fields name are links in its facts.
        related: related.length > 0 || naming.more !== undefined ? related : null,
        more: naming.more,
      }}
      tabs={[
        { id: 'overview', text: 'Overview', content: <Overview object={object} kind={kind} /> },
        ...naming.tabs,
        ...(kind.nested
          ? [{ id: 'contains', text: 'Contains', content: <ContainsTab object={object} kind={kind} />, isFull: true }]
          : []),
        { id: 'history', text: 'History', content: <HistoryTab kind="object" id={id} /> },
      ]}
    />
  )
}

/** Stands for a kind that the caller may not list. */
const toUnknownKind = (id: string): Kind => ({
  ...{ id, name: id, singular: 'object', description: '', icon: 'box', nested: false, located: false },
  ...{ unique_names: false, navigation: false, position: 0, refs: {}, managed_by: '', created_at: '', updated_at: '' },
})

export const KindObjectPage = () => {
  const { id } = route.useParams()
  const { data: object, error, refetch } = usePermitted('objects:read', objectQuery(id))
  const { data: kinds, error: noKinds } = usePermitted('kinds:list', kindsQuery)
  const listed = kinds?.find((one) => one.id === object?.kind_id)
  const kind = useMemo(
    () => listed ?? (object && (kinds || noKinds) ? toUnknownKind(object.kind_id) : undefined),
    [listed, object, kinds, noKinds],
  )
  if (!object || !kind) return <MissingObject noun="object" parent={ALL_KINDS} error={error} refetch={refetch} />
  return <Content key={id} object={object} kind={kind} />
}
