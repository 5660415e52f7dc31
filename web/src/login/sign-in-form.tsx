/** The form that signs in, wherever it stands: a password, a second factor if there is one, or a passkey. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { lazy, type ReactNode, type SubmitEvent, Suspense, useEffect, useRef, useState } from 'react'
import type { LoggedIn } from '../../../src/people/sessions/api.ts'
import { postJson } from '../api/client.ts'
import { connection } from '../api/connection.ts'
import { isCode, toAppError } from '../api/errors.ts'
import { useStore } from '../api/store.ts'
import { useSecondsUntil } from '../shell/use-seconds-until.ts'
import { Button } from '../ui/button.tsx'
import { Alert, TextField } from '../ui/field.tsx'
import { CodeStep, type Wanted } from './code-step.tsx'
import { hasPasskeys, isRefusal } from './has-passkeys.ts'
import css from './login.module.css'
import { signInOptionsQuery } from './options.ts'
import { usePasskeyList } from './use-passkey-list.ts'
import { askPasskey, type Shown } from './webauthn.ts'

const SetUpFactor = lazy(() => import('./set-up-factor.tsx').then((module) => ({ default: module.SetUpFactor })))

type Failed = { readonly isSecondStep: boolean; readonly path: Attempt['path'] | undefined }

const toMessage = (error: unknown, { isSecondStep, path }: Failed): string => {
  if (isRefusal(error)) return 'No passkey was used.'
  const { code, message } = toAppError(error)
  // The server names the cause: the passkey is unknown, or it needs a sign-in by a provider before.
  if (code === 'INVALID_CREDENTIALS' && path === '/api/auth/passkey') return `${message}.`
  if (code === 'INVALID_CREDENTIALS')
    return isSecondStep ? 'This is not a right code or passkey of yours.' : 'The user name or the password is wrong.'
  if (code === 'LOGIN_RATE_LIMIT_EXCEEDED' || code === 'RATE_LIMIT_EXCEEDED')
    return isSecondStep ? 'Too many attempts.' : 'Too many attempts from this address.'
  if (code === 'UNAVAILABLE') return 'The server does not answer. Try again in a moment.'
  return message
}

type Attempt = { readonly path: '/api/auth/login' | '/api/auth/passkey'; readonly body: () => Promise<object> | object }

type Props = {
  readonly title: string
  /** The user name that stands in the form; '' for none. */
  readonly username: string
  readonly onSignedIn: () => void
  /** Above the fields, until a try has failed. */
  readonly children?: ReactNode
}

export const SignInForm = ({ title, username: known, onSignedIn, children }: Props) => {
  const [username, setUsername] = useState(known)
  const [password, setPassword] = useState('')
  const [wanted, setWanted] = useState<Wanted>()
  const [isIncomplete, setIncomplete] = useState(false)
  const nameField = useRef<HTMLInputElement>(null)
  const passwordField = useRef<HTMLInputElement>(null)
  useEffect(() => (known === '' ? nameField : passwordField).current?.focus(), [known])
  const { data: options } = useQuery(signInOptionsQuery)
  const signIn = useMutation({
    mutationFn: async ({ path, body }: Attempt): Promise<LoggedIn> => (await postJson(path, await body())).json(),
    onSuccess: ({ second_factor_setup_required: isSetup }) => (isSetup ? setIncomplete(true) : onSignedIn()),
    onError: (error) => {
      if (isCode(error, 'SECOND_FACTOR_REQUIRED')) return setWanted(error.details.map(({ field }) => field))
      if (wanted !== undefined) return
      setPassword('')
      passwordField.current?.focus()
    },
  })
  const byPassword = (factor: () => Promise<object> | object = () => ({})) =>
    signIn.mutate({ path: '/api/auth/login', body: async () => ({ username, password, ...(await factor()) }) })
  const byPasskey = (shown: () => Promise<Shown> | Shown) => signIn.mutate({ path: '/api/auth/passkey', body: shown })
  const offersPasskeys = options?.passkeys === true && hasPasskeys()
  const endList = usePasskeyList(offersPasskeys && wanted === undefined && !isIncomplete, (shown) =>
    byPasskey(() => shown),
  )
  const seconds = useSecondsUntil(useStore(connection).loginLimitedUntilMs)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (seconds === 0) byPassword()
  }
  const isFailed = signIn.isError && !isCode(signIn.error, 'SECOND_FACTOR_REQUIRED')
  const failure = isFailed && (
    <Alert>
      {toMessage(signIn.error, { isSecondStep: wanted !== undefined, path: signIn.variables?.path })}{' '}
      {seconds > 0 && `Try again in ${seconds} s.`}
    </Alert>
  )
  if (isIncomplete)
    return (
      <Suspense>
        <SetUpFactor onDone={onSignedIn} />
      </Suspense>
    )
  if (wanted !== undefined)
    return (
      <section className={css.card}>
        <h1>Second step</h1>
        {failure}
        <CodeStep
          wanted={wanted}
          isBusy={signIn.isPending || seconds > 0}
          onCode={(field, code) => byPassword(() => ({ [field]: code }))}
          onPasskey={() => byPassword(async () => ({ passkey: await askPasskey() }))}
          onBack={() => {
            setWanted(undefined)
            setPassword('')
            signIn.reset()
          }}
        />
      </section>
    )
  return (
    <form className={css.card} onSubmit={submit}>
      {title !== '' && <h1>{title}</h1>}
      {!signIn.isError && children}
      {failure}
      <TextField
        label="User name"
        value={username}
        onChange={setUsername}
        ref={nameField}
        autoComplete={offersPasskeys ? 'username webauthn' : 'username'}
        autoCapitalize="none"
      />
      <TextField
        label="Password"
        type="password"
        value={password}
        onChange={setPassword}
        ref={passwordField}
        autoComplete="current-password"
      />
      <Button type="submit" look="primary" disabled={signIn.isPending || seconds > 0}>
        {signIn.isPending ? 'Signing in …' : 'Sign in'}
      </Button>
      {offersPasskeys && (
        <Button
          disabled={signIn.isPending || seconds > 0}
          onClick={() => {
            endList()
            byPasskey(askPasskey)
          }}
        >
          Sign in with a passkey
        </Button>
      )}
    </form>
  )
}
