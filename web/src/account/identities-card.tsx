/** One's identities at the providers of single sign-on. Shown only if there is a provider. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { api } from '../api/client.ts'
import type { Contracts, Out } from '../api/contracts.ts'
import { serverConfigQuery } from '../api/queries.ts'
import { signInOptionsQuery } from '../login/options.ts'
import { usePageSearch } from '../table/list-search.ts'
import buttonCss from '../ui/button.module.css'
import { Button } from '../ui/button.tsx'
import { Card, Skeleton, TimeAgo } from '../ui/primitives.tsx'
import { Failure } from '../ui/states.tsx'
import { toast, toastError } from '../ui/toast.tsx'
import css from './account.module.css'

type Identity = Out<Contracts['identities']['list']>[number]

const KEY = ['identities'] as const

const Row = ({ identity: { id, provider, subject, last_login_at } }: { readonly identity: Identity }) => {
  const client = useQueryClient()
  const unlink = useMutation({
    mutationFn: () => api.identities.delete({ id }),
    onSuccess: () => {
      toast(`Unlinked ${provider}`)
      return client.invalidateQueries({ queryKey: KEY })
    },
    onError: (error) => toastError('The identity could not be unlinked', error),
  })
  return (
    <li className={css.row}>
      <b>{provider}</b>
      <span className="mono truncate">{subject}</span>
      <span>
        Signed in <TimeAgo at={last_login_at} />
      </span>
      <Button
        look="danger"
        onClick={() => unlink.mutate()}
        disabled={unlink.isPending}
        aria-label={`Unlink ${provider}`}
      >
        Unlink
      </Button>
    </li>
  )
}

// Its words are in the file of the sign-in.
const SsoErrorAlert = lazy(() => import('../login/sso-error.tsx').then((module) => ({ default: module.SsoErrorAlert })))

const Identities = ({ providers }: { readonly providers: readonly { id: string; name: string; url: string }[] }) => {
  const { data, error, refetch } = useQuery({ queryKey: KEY, queryFn: () => api.identities.list() })
  const { search } = usePageSearch()
  const failed = search.sso_error
  const linked = new Set(data?.map(({ provider_id }) => provider_id))
  return (
    <Card title="Single sign-on">
      {failed && (
        <Suspense>
          <SsoErrorAlert code={failed} />
        </Suspense>
      )}
      {error && !data ? <Failure error={error} onRetry={() => void refetch()} /> : null}
      {!data && !error && <Skeleton />}
      {data?.length === 0 && <p className="muted">No identity is linked to your account.</p>}
      <ul className={css.rows}>
        {data?.map((identity) => (
          <Row key={identity.id} identity={identity} />
        ))}
      </ul>
      {data &&
        providers
          .filter(({ id }) => !linked.has(id))
          .map(({ id, name, url }) => (
            <p key={id}>
              <a className={buttonCss.button} href={`${url}?link=true`}>
                Link your identity at {name}
              </a>{' '}
              <span className="muted">Needs a sign-in at most 15 minutes ago.</span>
            </p>
          ))}
    </Card>
  )
}

export const IdentitiesCard = () => {
  // The configuration is loaded anyway, and says if there are providers.
  const { data: config } = useQuery({ ...serverConfigQuery, staleTime: 20_000 })
  const { data } = useQuery({ ...signInOptionsQuery, enabled: config?.features.sso === true })
  return data && data.providers.length > 0 ? <Identities providers={data.providers} /> : null
}
