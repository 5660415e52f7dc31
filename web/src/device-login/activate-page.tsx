/** Asks the user whether a device may sign in, such as `plat login --sso`. Deny comes first. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { Laptop } from 'lucide-react'
import { type SubmitEvent, useEffect, useRef, useState } from 'react'
import type { WaitingDevice } from '../../../src/people/device-login/api.ts'
import { postJson, request } from '../api/client.ts'
import { isCode, toAppError } from '../api/errors.ts'
import { useMe } from '../shell/me.ts'
import { PageBody, PageHead } from '../shell/page.tsx'
import { usePageSearch } from '../table/list-search.ts'
import { Button } from '../ui/button.tsx'
import { Alert, TextField } from '../ui/field.tsx'
import { formatMoment } from '../ui/format.ts'
import { Card, Facts, Skeleton } from '../ui/primitives.tsx'
import css from './device.module.css'

const buildPath = (code: string): string => `/api/auth/device/${encodeURIComponent(code)}`

const waitingQuery = (code: string) => ({
  queryKey: ['waiting device', code],
  // The contract describes the answer.
  queryFn: async () => (await (await request(buildPath(code), { method: 'GET' })).json()) as WaitingDevice,
  retry: false,
  refetchOnWindowFocus: false,
})

const formatFailure = (error: unknown): string =>
  isCode(error, 'NOT_FOUND')
    ? 'No device waits with this code. It may have expired: codes are valid for ten minutes.'
    : toAppError(error).message

const CodeForm = ({ error, onCode }: { readonly error?: unknown; readonly onCode: (code: string) => void }) => {
  const [code, setCode] = useState('')
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (code.trim() !== '') onCode(code.trim())
  }
  return (
    <Card title="Which device?">
      <form className={css.form} onSubmit={submit}>
        {error ? <Alert>{formatFailure(error)}</Alert> : null}
        <TextField
          label="Code"
          hint="The device shows it, like BCDF-GHJK"
          value={code}
          onChange={setCode}
          isMono
          autoComplete="off"
          autoCapitalize="characters"
        />
        <Button type="submit" look="primary">
          Continue
        </Button>
      </form>
    </Card>
  )
}

type AskProps = { readonly device: WaitingDevice; readonly onDecided: (isAllowed: boolean) => void }

const Ask = ({ device: { user_code, client, ip_address, created_at }, onDecided }: AskProps) => {
  const { username } = useMe()
  const deny = useRef<HTMLButtonElement>(null)
  useEffect(() => deny.current?.focus({ preventScroll: true }), [])
  const decide = useMutation({
    mutationFn: (allow: boolean) => postJson(buildPath(user_code), { allow }),
    onSuccess: (_, allow) => onDecided(allow),
  })
  return (
    <Card title="A device asks to sign in as you">
      <div className={css.form}>
        {decide.isError && <Alert>{formatFailure(decide.error)}</Alert>}
        <p>
          <Laptop size={16} aria-hidden="true" /> It gets an API key of <b>{username}</b>, with all your permissions,
          for 30 days. Allow it only if you have just begun this on a device of yours.
        </p>
        <Facts
          facts={[
            ['Calls itself', client],
            [
              'Code',
              <span key="code" className="mono">
                {user_code}
              </span>,
            ],
            ['Address', ip_address || 'unknown'],
            ['Began', formatMoment(created_at)],
          ]}
        />
        <div className={css.actions}>
          <Button ref={deny} onClick={() => decide.mutate(false)} disabled={decide.isPending}>
            Deny
          </Button>
          <Button look="primary" onClick={() => decide.mutate(true)} disabled={decide.isPending}>
            Allow
          </Button>
        </div>
      </div>
    </Card>
  )
}

const Waiting = ({ code, onCode }: { readonly code: string; readonly onCode: (code: string) => void }) => {
  const { data, error } = useQuery(waitingQuery(code))
  const [isAllowed, setAllowed] = useState<boolean>()
  if (isAllowed !== undefined)
    return (
      <Card title={isAllowed ? 'Signed in' : 'Denied'}>
        <p role="status">
          {isAllowed
            ? 'The device is signed in. You can close this page. Its key is in the list of your API keys.'
            : 'The device got no access. You can close this page.'}
        </p>
      </Card>
    )
  if (error) return <CodeForm error={error} onCode={onCode} />
  return data ? <Ask device={data} onDecided={setAllowed} /> : <Skeleton />
}

export const ActivatePage = () => {
  const { search, set } = usePageSearch()
  const onCode = (code: string) => void set({ code })
  return (
    <>
      <PageHead title="Confirm a sign-in" />
      <PageBody>
        <div className={css.box}>
          {search.code ? (
            <Waiting key={search.code} code={search.code} onCode={onCode} />
          ) : (
            <CodeForm onCode={onCode} />
          )}
        </div>
      </PageBody>
    </>
  )
}
