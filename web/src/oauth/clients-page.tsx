/** The list of registered OAuth clients, mostly AI clients. */
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Plug } from 'lucide-react'
import { ActionDialog } from '../access/action-dialog.tsx'
import { api } from '../api/client.ts'
import type { OauthClient } from '../api/contracts.ts'
import { serverConfigQuery } from '../api/queries.ts'
import { ListPage, type Rules } from '../resource/list-page.tsx'
import { usePermit } from '../shell/me.ts'
import type { Column } from '../table/column.ts'
import { usePageSearch } from '../table/list-search.ts'
import { buildTimeColumn } from '../table/time-column.tsx'
import { Button } from '../ui/button.tsx'
import { plural } from '../ui/format.ts'
import { Badge } from '../ui/primitives.tsx'
import { ClientDrawer } from './client-drawer.tsx'
import { clientResource, clientSpec, listHosts } from './client-spec.ts'
import { CHANGES, clientsQuery } from './queries.ts'

const COLUMNS: readonly Column<OauthClient>[] = [
  {
    id: 'name',
    text: 'Name',
    width: 200,
    isSortable: true,
    isEssential: true,
    cell: ({ id, client_name }) => (
      <Link to="." search={(old: object) => ({ ...old, entry: id })} tabIndex={-1}>
        <bdi>{client_name}</bdi>
      </Link>
    ),
  },
  {
    id: 'host',
    text: 'Redirects to',
    width: 200,
    cell: (client) => <span className="mono">{listHosts(client).join(', ')}</span>,
  },
  {
    id: 'grants',
    text: 'Consents',
    width: 110,
    isSortable: true,
    isEssential: true,
    cell: ({ grant_count }) =>
      grant_count === 0 ? <span className="muted">none</span> : plural(grant_count, 'consent'),
  },
  buildTimeColumn({ id: 'used', text: 'Last used', width: 130, at: ({ last_used_at }) => last_used_at }),
  {
    id: 'scope',
    text: 'May request',
    width: 130,
    cell: ({ scope }) => plural(scope.split(' ').length, 'permission'),
  },
  {
    id: 'kind',
    text: 'Kind',
    width: 110,
    cell: ({ is_confidential }) =>
      is_confidential ? <Badge tone="info">has a secret</Badge> : <Badge tone="idle">public</Badge>,
  },
  buildTimeColumn({ id: 'created', text: 'Registered', width: 130, at: ({ created_at }) => created_at }),
]

const DEFAULT_COLUMNS = ['name', 'host', 'grants', 'used', 'scope', 'kind', 'created', 'actions']

const DeleteClient = ({ client, onClose, onDone }: DeleteProps) => (
  <ActionDialog
    title={`Delete the client “${client.client_name}”?`}
    action="Delete client"
    isDanger
    run={() => api.oauthClients.delete({ id: client.id })}
    done={`“${client.client_name}” has no access any more`}
    changes={CHANGES}
    onClose={onClose}
    onDone={onDone}
  >
    {client.grant_count > 0 && <b>{plural(client.grant_count, 'consent')} ends with it, at once. </b>}
    All its tokens open nothing from then on. To act for anybody again it has to register and to ask again.
  </ActionDialog>
)

type DeleteProps = {
  readonly client: OauthClient
  readonly onClose: () => void
  readonly onDone: () => void
}

export const ClientsPage = () => {
  const { set } = usePageSearch()
  const { may, blocked } = usePermit()
  const navigate = useNavigate()
  const query = useQuery({ ...clientsQuery, enabled: may('oauth-clients:list') })
  const { data: config } = useQuery(serverConfigQuery)
  const noDelete = blocked('oauth-clients:delete')
  const rules: Rules<OauthClient> = { remove: () => noDelete }
  return (
    <ListPage
      resourceName="oauth-clients"
      resource={clientResource}
      query={query}
      needs="oauth-clients:list"
      spec={clientSpec}
      columns={COLUMNS}
      defaultColumns={DEFAULT_COLUMNS}
      sort="name"
      placeholder="Name, address, host:, is:"
      nothing="No client has registered"
      empty="An AI client registers itself when a user adds Plat to it."
      deleteWarning=""
      canCreate={false}
      rules={rules}
      menu={{}}
      actions={
        <Button onClick={() => void navigate({ to: '/connect' })}>
          <Plug size={15} aria-hidden="true" />
          Connect an AI client
        </Button>
      }
      note={
        config && config.features.oauth !== true ? (
          <>
            OAuth is off on this server: no client can register, and the listed ones have no access.{' '}
            <Link to="/connect" className="link">
              How to turn it on
            </Link>
          </>
        ) : undefined
      }
      open={({ id }) => void set({ entry: id })}
      removal={(client, onClose, onDone) => <DeleteClient client={client} onClose={onClose} onDone={onDone} />}
      entry={(id, onClose, onDelete) => (
        <ClientDrawer id={id} known={query.data?.find((one) => one.id === id)} onClose={onClose} onDelete={onDelete} />
      )}
    />
  )
}
