/** The page of one scope: what it holds, the number of objects in it, and who has a role in it. */
import { getRouteApi, Link } from '@tanstack/react-router'
import { contracts } from '../api/contracts.ts'
import { listFacts } from '../resource/columns.tsx'
import { MissingObject, ObjectPage } from '../resource/object/object-page.tsx'
import { usePermit, usePermitted } from '../shell/me.ts'
import { PageBody } from '../shell/page.tsx'
import { Card, CopyText, Facts, Figure, Skeleton, Tags, TimeAgo } from '../ui/primitives.tsx'
import css from './access.module.css'
import { countOrNone } from './counts.ts'
import { GrantsCard } from './grants/grants-card.tsx'
import { scopeCountsQuery, scopeQuery } from './queries.ts'
import { DeleteScope } from './scopes/delete-scope.tsx'
import { buildScopeFields, type ScopeWithKinds, toNames } from './scopes/fields.ts'
import { useDatacenterNames, useKindNames, useScopeResource, useSpaceNames } from './scopes/resource.tsx'
import type { Scope } from './types.ts'

const route = getRouteApi('/app/scopes/$id')
const PARENT = { text: 'Scopes', link: { to: '/scopes' } } as const
const FACTS = [
  'description',
  'datacenter_ids',
  'space_ids',
  'kind_ids',
  'subnets',
  'tags',
  'created_at',
  'updated_at',
  'id',
]

const COUNTED = [
  ['Datacenters', 'datacenters'],
  ['Networks', 'networks'],
  ['Pools', 'pools'],
  ['Devices', 'devices'],
] as const

const Counts = ({ id }: { readonly id: string }) => {
  const { data } = usePermitted('scopes:read', scopeCountsQuery(id))
  return (
    <div className={css.figures}>
      {COUNTED.map(([label, name]) => (
        <Figure key={name} label={`${label} in it`}>
          {data ? countOrNone(data[name]) : <Skeleton width="40px" />}
        </Figure>
      ))}
    </div>
  )
}

const EMPTY = 'Nothing is in it. Add datacenters, subnets or tags to it.'

const Overview = ({ scope }: { readonly scope: Scope }) => {
  const datacenters = useDatacenterNames()
  const spaces = useSpaceNames()
  const kinds = useKindNames()
  const { id, datacenter_ids, space_ids, subnets, tags } = scope
  const { kind_ids = [] }: ScopeWithKinds = scope
  const isEmpty = [datacenter_ids, space_ids, kind_ids, subnets, tags].every((list) => list.length === 0)
  const orNone = (list: readonly string[]) => (list.length === 0 ? '' : <Tags tags={list} />)
  return (
    <>
      <Counts id={id} />
      <div className={css.two}>
        <Card title="Scope">
          {isEmpty && <p className="muted">{EMPTY}</p>}
          <Facts
            facts={listFacts(buildScopeFields({ datacenters, spaces, kinds }), scope, FACTS, {
              datacenter_ids: orNone(toNames(datacenter_ids, datacenters)),
              space_ids: orNone(toNames(space_ids, spaces)),
              kind_ids: orNone(toNames(kind_ids, kinds)),
              subnets: subnets.length === 0 ? '' : <span className="mono">{subnets.join(', ')}</span>,
              tags: orNone(tags),
              created_at: <TimeAgo at={scope.created_at} />,
              updated_at: <TimeAgo at={scope.updated_at} />,
              id: <CopyText text={id} label="ID" />,
            })}
          />
        </Card>
        <GrantsCard
          title="Who has a role in it"
          filter={{ scope_id: id }}
          show={{ role: true, holder: 'name', scope: 'none' }}
          given={{ scope }}
          empty="No role is granted in it yet."
          note="Roles that are granted everywhere count here as well."
        />
      </div>
    </>
  )
}

export const ScopePage = () => {
  const { id } = route.useParams()
  const { may, blocked } = usePermit()
  const resource = useScopeResource()
  const { data, error, refetch } = usePermitted('scopes:read', scopeQuery(id))
  if (!data) return <MissingObject noun="scope" parent={PARENT} error={error} refetch={refetch} />
  const scope = data.value
  return (
    <ObjectPage
      noun="scope"
      parent={PARENT}
      id={id}
      title={scope.name}
      get={contracts.scopes.get}
      resource={resource}
      edit={{ blocked: blocked('scopes:update') }}
      remove={{
        blocked: may('scopes:delete') ? undefined : 'scopes:delete',
        dialog: (close, leave) => <DeleteScope scope={scope} onClose={close} onDone={leave} />,
      }}
      tabs={[{ id: 'overview', text: 'Overview', content: <Overview scope={scope} /> }]}
      body={(content) => (
        <PageBody>
          {content}
          {may('audit:list') && (
            <p className={css.more}>
              <Link to="/audit" search={{ resource: 'scope', resource_id: id }} className="link">
                Changes to {scope.name}
              </Link>
            </p>
          )}
        </PageBody>
      )}
    />
  )
}
