/** Signing in; at the very first start it says where the password is. */
import { useMutation } from '@tanstack/react-query'
import { getRouteApi, useRouter } from '@tanstack/react-router'
import { type SubmitEvent, useEffect, useRef, useState } from 'react'
import { postJson } from '../api/client.ts'
import { connection } from '../api/connection.ts'
import { asAppError } from '../api/errors.ts'
import { queryClient } from '../api/queries.ts'
import { useStore } from '../api/store.ts'
import { Logo } from '../shell/logo.tsx'
import { useTitle } from '../shell/page.tsx'
import { useSecondsUntil } from '../shell/use-seconds-until.ts'
import { Button } from '../ui/button.tsx'
import { Alert, TextField } from '../ui/field.tsx'
import css from './login.module.css'

const route = getRouteApi('/login')

/** Only ever to a page of this UI: `//other.example` would be another host. */
const safeNext = (next: string | undefined): string => (next && /^\/(?![/\\])/.test(next) ? next : '/')

const messageOf = (error: unknown): string => {
  const { code, message } = asAppError(error)
  if (code === 'INVALID_CREDENTIALS') return 'The user name or the password is wrong.'
  if (code === 'LOGIN_RATE_LIMIT_EXCEEDED' || code === 'RATE_LIMIT_EXCEEDED') return 'Too many tries from this address.'
  if (code === 'UNAVAILABLE') return 'The server does not answer. Try again in a moment.'
  return message
}

export const LoginPage = () => {
  useTitle('Sign in')
  const { next, expired } = route.useSearch()
  const router = useRouter()
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')
  const nameField = useRef<HTMLInputElement>(null)
  const passwordField = useRef<HTMLInputElement>(null)
  useEffect(() => nameField.current?.focus(), [])
  const signIn = useMutation({
    mutationFn: () => postJson('/api/auth/login', { username, password }),
    onSuccess: () => {
      queryClient.clear()
      router.history.push(safeNext(next))
    },
    onError: () => {
      setPassword('')
      passwordField.current?.focus()
    },
  })
  const seconds = useSecondsUntil(useStore(connection).loginLimitedUntilMs)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (seconds === 0) signIn.mutate()
  }
  return (
    <main className={css.page}>
      <div className={css.box}>
        <div className={css.brand}>
          <Logo size={26} />
          Plat
        </div>
        <form className={css.card} onSubmit={submit}>
          <h1>Sign in</h1>
          {expired !== undefined && !signIn.isError && (
            <Alert isWarning>Your session has ended. Sign in to go on where you were.</Alert>
          )}
          {signIn.isError && (
            <Alert>
              {messageOf(signIn.error)} {seconds > 0 && `Try again in ${seconds} s.`}
            </Alert>
          )}
          <TextField
            label="User name"
            value={username}
            onChange={setUsername}
            ref={nameField}
            autoComplete="username"
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
        </form>
        <p className={css.note}>
          The first time? The password of <b>admin</b> was printed in the terminal where Plat was started. A new one
          comes from <code className="mono">plat user reset-password admin</code> on the server.
        </p>
      </div>
    </main>
  )
}
