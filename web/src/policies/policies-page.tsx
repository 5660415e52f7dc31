/** The list of policies: the approvals and checks that proposals need, and the objects that only proposals change. */
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { groupsQuery, scopesQuery } from '../access/queries.ts'
import { api } from '../api/client.ts'
import { buildOwnColumns } from '../resource/columns.tsx'
import { buildTableSpec } from '../resource/fields.ts'
import { ListPage } from '../resource/list-page.tsx'
import { usePermit, usePermitted } from '../shell/me.ts'
import { Badge } from '../ui/primitives.tsx'
import { buildPolicyFields, type Names, POLICY_RESOURCE } from './policy-resource.tsx'

const ORDER = ['name', 'permissions', 'scope_id', 'approvals', 'group_id', 'checks', 'protect', 'min_objects']
const DEFAULT_COLUMNS = [...['name', 'permissions', 'scope', 'approvals', 'group', 'checks', 'protect'], 'actions']

const useNames = (): Names => {
  const { data: scopes } = usePermitted('scopes:list', scopesQuery)
  const { data: groups } = usePermitted('groups:list', groupsQuery)
  return useMemo(
    () => new Map([...(scopes ?? []), ...(groups ?? [])].map(({ id, name }) => [id, name])),
    [scopes, groups],
  )
}

export const PoliciesPage = () => {
  const { may } = usePermit()
  const query = useQuery({
    queryKey: ['policies'],
    queryFn: () => api.policies.list(),
    enabled: may('policies:list'),
  })
  const names = useNames()
  const fields = useMemo(() => buildPolicyFields(names), [names])
  const spec = useMemo(() => buildTableSpec(fields), [fields])
  const columns = useMemo(
    () =>
      buildOwnColumns(fields, ORDER, {
        name: ({ name, enabled }) => (
          <>
            {name} {!enabled && <Badge tone="idle">off</Badge>}
          </>
        ),
        permissions: ({ permissions }) => (permissions.length === 0 ? 'all' : permissions.join(', ')),
        protect: ({ protect }) => protect && <Badge tone="info">protects</Badge>,
      }),
    [fields],
  )
  return (
    <ListPage
      resourceName="policies"
      resource={POLICY_RESOURCE}
      query={query}
      needs="policies:list"
      spec={spec}
      columns={columns}
      defaultColumns={DEFAULT_COLUMNS}
      sort="name"
      placeholder="Name, scope:, group:, protect:yes"
      empty="A policy asks for approvals or checks of proposals that touch some objects. Without one, a user who may make the changes merges."
      deleteWarning="Proposals that it holds back can be merged then."
      menu={{}}
    />
  )
}
