/** The clients that act for the signed-in user, or for another user. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { serverConfigQuery } from '../api/queries.ts'
import { useMe, usePermit } from '../shell/me.ts'
import { Card, Skeleton } from '../ui/primitives.tsx'
import { Failure } from '../ui/states.tsx'
import { GrantRows } from './grant-rows.tsx'
import { grantsQuery } from './queries.ts'

export const GrantsCard = () => {
  const me = useMe()
  const { data: config } = useQuery(serverConfigQuery)
  const isOn = config?.features.oauth === true
  const { data, error, refetch } = useQuery({ ...grantsQuery({ user_id: me.id }), enabled: isOn })
  const connect = (
    <Link to="/connect" className="link">
      Connect an AI client
    </Link>
  )
  return (
    <Card title="Programs that act for you" actions={connect}>
      {isOn && error && !data ? <Failure error={error} onRetry={() => void refetch()} /> : null}
      {(!config || (isOn && !data && !error)) && <Skeleton />}
      {config && !isOn && <p className="muted">None: OAuth is off on this server. Programs use API keys.</p>}
      {data?.length === 0 && (
        <p className="muted">None. AI clients with your consent are listed here, with their permissions.</p>
      )}
      {data && data.length > 0 && (
        <GrantRows grants={data} getTitle={({ client_name }) => client_name} blockedFor={() => undefined} />
      )}
    </Card>
  )
}

/** Returns the reason why a grant can't be ended. Every user can end their grants. */
export const useNoEnd = (): ((grant: { readonly user_id: string }) => string | undefined) => {
  const me = useMe()
  const { blocked } = usePermit()
  return ({ user_id }) => (user_id === me.id ? undefined : blocked('oauth-clients:delete'))
}
