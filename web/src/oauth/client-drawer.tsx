/** One OAuth client: its metadata, the scopes that it may request, and its grants. */
import { useQuery } from '@tanstack/react-query'
import type { OauthClient } from '../api/contracts.ts'
import { usePermit } from '../shell/me.ts'
import { PageLoading } from '../shell/page-loading.tsx'
import { Button } from '../ui/button.tsx'
import fieldCss from '../ui/field.module.css'
import { Drawer } from '../ui/layers.tsx'
import { Badge, CopyText, Facts, Skeleton, TimeAgo } from '../ui/primitives.tsx'
import { Failure } from '../ui/states.tsx'
import css from './clients.module.css'
import { GrantRows } from './grant-rows.tsx'
import { useNoEnd } from './grants-card.tsx'
import { clientQuery, grantsQuery } from './queries.ts'
import { ScopeLines } from './scope-lines.tsx'

const Consents = ({ client }: { readonly client: OauthClient }) => {
  const { data, error, refetch } = useQuery(grantsQuery({ client_id: client.id }))
  const noEnd = useNoEnd()
  return (
    <section className={css.block}>
      <h3>Users with consent</h3>
      {error && !data ? <Failure error={error} onRetry={() => void refetch()} /> : null}
      {!data && !error && <Skeleton />}
      {data?.length === 0 && (
        <p className="muted">No user. A client without consent is deleted a day after it has registered.</p>
      )}
      {data && data.length > 0 && <GrantRows grants={data} getTitle={({ username }) => username} blockedFor={noEnd} />}
    </section>
  )
}

const About = ({ client }: { readonly client: OauthClient }) => (
  <section className={css.block}>
    <Facts
      facts={[
        ['Name', <bdi key="name">{client.client_name}</bdi>],
        [
          'Redirects to',
          <ul key="uris" className={css.uris}>
            {client.redirect_uris.map((uri) => (
              <li key={uri} className="mono">
                {uri}
              </li>
            ))}
          </ul>,
        ],
        [
          'Kind',
          client.is_confidential ? (
            <Badge key="kind" tone="info">
              has a secret
            </Badge>
          ) : (
            <Badge key="kind" tone="idle">
              public
            </Badge>
          ),
        ],
        ['Registered', <TimeAgo key="at" at={client.created_at} />],
        ['Last used', client.last_used_at === null ? '' : <TimeAgo key="used" at={client.last_used_at} />],
        ['ID', <CopyText key="id" text={client.client_id} label="ID" />],
      ]}
    />
    <h3>Permissions it may request</h3>
    <ScopeLines scope={client.scope} />
  </section>
)

type Props = {
  readonly id: string
  readonly known: OauthClient | undefined
  readonly onClose: () => void
  readonly onDelete: (client: OauthClient) => void
}

export const ClientDrawer = ({ id, known, onClose, onDelete }: Props) => {
  const { data, error, refetch } = useQuery({ ...clientQuery(id), enabled: known === undefined })
  const { blocked } = usePermit()
  const client = known ?? data
  return (
    <Drawer title={client?.client_name ?? 'OAuth client'} onClose={onClose}>
      {!client && error && <Failure error={error} onRetry={() => void refetch()} noun="client" />}
      {!client && !error && <PageLoading />}
      {client && (
        <div className={fieldCss.body}>
          <Consents client={client} />
          <About client={client} />
          <div className={css.foot}>
            <Button look="danger" onClick={() => onDelete(client)} blocked={blocked('oauth-clients:delete')}>
              Delete client
            </Button>
          </div>
        </div>
      )}
    </Drawer>
  )
}
