/** The identity providers by which users sign in. */
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { ListPage } from '../resource/list-page.tsx'
import { buildNameColumn } from '../resource/name-column.tsx'
import { usePermit } from '../shell/me.ts'
import type { Column } from '../table/column.ts'
import { usePageSearch } from '../table/list-search.ts'
import { buildTimeColumn } from '../table/time-column.tsx'
import { Badge } from '../ui/primitives.tsx'
import { PRESETS } from './providers/presets.ts'
import { buildProviderResource, providerSpec } from './providers/resource.tsx'
import { Setup } from './providers/setup.tsx'
import { ssoProvidersQuery } from './queries.ts'
import type { Provider } from './types.ts'

const COLUMNS: readonly Column<Provider>[] = [
  buildNameColumn(180),
  {
    id: 'issuer',
    text: 'Issuer',
    width: 320,
    isSortable: true,
    isEssential: true,
    cell: ({ issuer }) => <span className="mono">{issuer}</span>,
  },
  {
    id: 'enabled',
    text: 'Enabled',
    width: 100,
    cell: ({ enabled }) => <Badge tone={enabled ? 'ok' : 'idle'}>{enabled ? 'yes' : 'no'}</Badge>,
  },
  {
    id: 'mappings',
    text: 'Mappings',
    width: 100,
    cell: ({ group_mappings }) => <span className="num">{group_mappings.length}</span>,
  },
  buildTimeColumn({
    ...{ id: 'updated', text: 'Changed', width: 120, isNewestFirst: true },
    at: ({ updated_at }) => updated_at,
  }),
]

const DEFAULT_COLUMNS = ['name', 'issuer', 'enabled', 'mappings', 'updated', 'actions']

export const SsoProvidersPage = () => {
  const { may } = usePermit()
  const { search, set } = usePageSearch()
  const query = useQuery({ ...ssoProvidersQuery, enabled: may('sso-providers:list') })
  const edited = query.data?.find(({ id }) => id === search.edit)
  const resource = useMemo(() => buildProviderResource(edited), [edited])
  return (
    <ListPage
      nothing="No identity provider yet"
      above={<Setup />}
      given={PRESETS.find(({ id }) => id === search.new)?.given ?? {}}
      resourceName="sso-providers"
      resource={resource}
      query={query}
      needs="sso-providers:list"
      spec={providerSpec}
      columns={COLUMNS}
      defaultColumns={DEFAULT_COLUMNS}
      sort="name"
      placeholder="Name, issuer, enabled:"
      empty="By an identity provider (OpenID Connect) users sign in with the account of their organization, and get the groups that it names."
      deleteWarning="Its identities, memberships and sessions end. Its users stay; those without a password cannot sign in."
      open={({ id }) => void set({ edit: id })}
      menu={{}}
    />
  )
}
