/** The consent page: names the client, its redirect host and the requested permissions. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Navigate } from '@tanstack/react-router'
import { ShieldAlert } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import type { ConsentRequest } from '../../../src/people/oauth/schema.ts'
import { request } from '../api/client.ts'
import loginCss from '../login/login.module.css'
import { CONSENT } from '../paths.ts'
import { Logo } from '../shell/logo.tsx'
import { useTitle } from '../shell/page.tsx'
import { Button } from '../ui/button.tsx'
import { Skeleton } from '../ui/primitives.tsx'
import css from './consent.module.css'
import { type Asked, askWhat, getQuery, type Refusal, sendDecision } from './consent.ts'
import { ConsentForm } from './consent-form.tsx'

const QUERY = ['consent']

const isWeb = (address: string): boolean => /^https?:\/\//i.test(address)

const Frame = ({ children }: { readonly children: ReactNode }) => (
  <main className={css.page}>
    <div className={css.box}>
      <div className={loginCss.brand}>
        <Logo size={26} />
        Plat
      </div>
      {children}
    </div>
  </main>
)

/** Any program can register a client, so the browser follows its redirect only after a signed-in user agrees. */
const Refused = ({ refusal: { error, description, host, to } }: { readonly refusal: Refusal }) => (
  <section className={css.card} role="alert">
    <div className={css.body}>
      <h1 className={css.refused}>
        <ShieldAlert size={20} aria-hidden="true" />
        This request was refused
      </h1>
      <p>
        {description} {error !== '' && <code className="mono">{error}</code>}
      </p>
      {host !== '' && (
        <div className={css.target}>
          <p>It came from a program at</p>
          <p className={css.host}>{host}</p>
        </div>
      )}
      <p className="muted">
        You were not redirected, and no access was granted. If one of your programs brought you here, add Plat to it
        again, so that it registers again.
      </p>
      <p>
        <a className="link" href="/">
          Go to Plat
        </a>
      </p>
    </div>
    {isWeb(to) && (
      <footer className={css.actions}>
        <Button onClick={() => location.assign(to)}>Return to {host} with this error</Button>
      </footer>
    )}
  </section>
)

const NO_WEB: Refusal = { error: '', description: 'The redirect address is not a web address.', host: '', to: '' }

/** The browser follows the redirect by itself. It fails if the client was a local program that no longer listens. */
const Sent = ({ to }: { readonly to: string }) => {
  useEffect(() => {
    if (isWeb(to)) location.assign(to)
  }, [to])
  if (!isWeb(to)) return <Refused refusal={NO_WEB} />
  return (
    <section className={css.card} role="status">
      <div className={css.body}>
        <h1>Going back to {new URL(to).host} …</h1>
        <p className="muted">
          If nothing happens,{' '}
          <a className="link" href={to}>
            go there
          </a>
          . You can close this page then.
        </p>
      </div>
    </section>
  )
}

const signOut = () => request('/api/auth/logout', { method: 'POST' })

const Ask = ({
  request,
  onAnswer,
}: {
  readonly request: ConsentRequest
  readonly onAnswer: (asked: Asked) => void
}) => {
  const client = useQueryClient()
  const answer = useMutation({
    mutationFn: ({ approved, scope }: { readonly approved: boolean; readonly scope: string }) =>
      sendDecision(approved, scope),
    onSuccess: onAnswer,
  })
  const change = useMutation({
    mutationFn: signOut,
    onSettled: () => client.invalidateQueries({ queryKey: QUERY }),
  })
  return (
    <ConsentForm
      request={request}
      isBusy={answer.isPending || answer.isSuccess}
      onDeny={() => answer.mutate({ approved: false, scope: request.scope })}
      onAllow={(scope) => answer.mutate({ approved: true, scope })}
      onOtherAccount={() => change.mutate()}
    />
  )
}

export const ConsentPage = () => {
  useTitle('Allow access')
  const [answered, setAnswered] = useState<Asked>()
  const { data, refetch } = useQuery({
    queryKey: QUERY,
    queryFn: askWhat,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  })
  const asked = answered ?? data
  if (!asked)
    return (
      <Frame>
        <section className={css.card} role="status" aria-label="Loading">
          <div className={css.body}>
            <Skeleton width="70%" />
            <Skeleton width="50%" />
          </div>
        </section>
      </Frame>
    )
  const again = async () => {
    setAnswered(undefined)
    await refetch()
  }
  return (
    <Frame>
      {asked.kind === 'sign-in' && <Navigate to="/login" search={{ next: CONSENT + getQuery() }} replace />}
      {asked.kind === 'refused' && <Refused refusal={asked.refusal} />}
      {asked.kind === 'failed' && (
        <section className={css.card} role="alert">
          <div className={css.body}>
            <h1>That did not work</h1>
            <p>{asked.description}</p>
            <p>
              <Button onClick={() => void again()}>Try again</Button>
            </p>
          </div>
        </section>
      )}
      {asked.kind === 'sent' && <Sent to={asked.to} />}
      {asked.kind === 'ask' && <Ask key={asked.request.username} request={asked.request} onAnswer={setAnswered} />}
    </Frame>
  )
}
