/** The credentials with which Plat signs in to devices. Stored secrets are never shown. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { networksQuery } from '../api/queries.ts'
import { ListPage } from '../resource/list-page.tsx'
import { buildNameColumn } from '../resource/name-column.tsx'
import { usePermit } from '../shell/me.ts'
import type { Column } from '../table/column.ts'
import { usePageSearch } from '../table/list-search.ts'
import { Badge, TimeAgo } from '../ui/primitives.tsx'
import { buildCredentialResource, credentialSpec, TYPE_NAMES } from './credential-resource.tsx'
import { credentialsQuery } from './queries.ts'
import type { Credential } from './types.ts'

type Names = ReadonlyMap<string, string>

const Use = ({ credential, networks }: { readonly credential: Credential; readonly networks: Names }) => {
  const { device_id, network_id } = credential
  if (device_id !== null)
    return (
      <Link to="/devices/$id" params={{ id: device_id }} tabIndex={-1}>
        one device
      </Link>
    )
  if (network_id === null) return <span className="muted">nothing</span>
  return (
    <Link to="/networks/$id" params={{ id: network_id }} tabIndex={-1}>
      {networks.get(network_id) ?? network_id}
    </Link>
  )
}

const buildColumns = (networks: Names): readonly Column<Credential>[] => [
  buildNameColumn(180),
  {
    id: 'type',
    text: 'Type',
    width: 130,
    isSortable: true,
    isEssential: true,
    cell: ({ type }) => TYPE_NAMES[type],
  },
  {
    id: 'username',
    text: 'User name',
    width: 130,
    isSortable: true,
    cell: ({ username }) => <span className="mono">{username}</span>,
  },
  {
    id: 'secret',
    text: 'Secret',
    width: 100,
    cell: ({ has_secret }) => (has_secret ? <Badge tone="ok">stored</Badge> : <Badge tone="idle">none</Badge>),
  },
  { id: 'use', text: 'For', width: 170, cell: (credential) => <Use credential={credential} networks={networks} /> },
  { id: 'description', text: 'Description', width: 200, cell: ({ description }) => description },
  {
    id: 'updated',
    text: 'Updated',
    width: 120,
    isSortable: true,
    cell: ({ updated_at }) => <TimeAgo at={updated_at} />,
  },
]

const DEFAULT_COLUMNS = ['name', 'type', 'username', 'secret', 'use', 'description', 'updated', 'actions']
const NEW = { type: 'ssh_password', auth_protocol: 'SHA256', priv_protocol: 'AES' }

export const CredentialsPage = () => {
  const { may } = usePermit()
  const { search, set } = usePageSearch()
  const query = useQuery({ ...credentialsQuery, enabled: may('credentials:list') })
  const { data: networks = [] } = useQuery({ ...networksQuery, enabled: may('networks:list') })
  const edited = query.data?.find(({ id }) => id === search.edit)
  const resource = useMemo(() => buildCredentialResource(edited), [edited])
  const columns = useMemo(() => buildColumns(new Map(networks.map(({ id, name }) => [id, name]))), [networks])
  return (
    <ListPage
      resourceName="credentials"
      resource={resource}
      query={query}
      needs="credentials:list"
      spec={credentialSpec}
      columns={columns}
      defaultColumns={DEFAULT_COLUMNS}
      sort="name"
      placeholder="Name, user name, type:, secret:"
      empty="Plat signs in to devices with a credential. Its secrets are encrypted and never shown."
      deleteWarning="Plat can no longer sign in to its devices."
      open={({ id }) => void set({ edit: id })}
      given={NEW}
      menu={{}}
    />
  )
}
