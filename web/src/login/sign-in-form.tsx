/** The form that signs in, wherever it stands. */
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, type SubmitEvent, useEffect, useRef, useState } from 'react'
import { postJson } from '../api/client.ts'
import { connection } from '../api/connection.ts'
import { asAppError } from '../api/errors.ts'
import { useStore } from '../api/store.ts'
import { useSecondsUntil } from '../shell/use-seconds-until.ts'
import { Button } from '../ui/button.tsx'
import { Alert, TextField } from '../ui/field.tsx'
import css from './login.module.css'

const messageOf = (error: unknown): string => {
  const { code, message } = asAppError(error)
  if (code === 'INVALID_CREDENTIALS') return 'The user name or the password is wrong.'
  if (code === 'LOGIN_RATE_LIMIT_EXCEEDED' || code === 'RATE_LIMIT_EXCEEDED')
    return 'Too many attempts from this address.'
  if (code === 'UNAVAILABLE') return 'The server does not answer. Try again in a moment.'
  return message
}

type Props = {
  readonly title: string
  readonly onSignedIn: () => void
  /** Above the fields, until a try has failed. */
  readonly children?: ReactNode
}

export const SignInForm = ({ title, onSignedIn, children }: Props) => {
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')
  const nameField = useRef<HTMLInputElement>(null)
  const passwordField = useRef<HTMLInputElement>(null)
  useEffect(() => nameField.current?.focus(), [])
  const signIn = useMutation({
    mutationFn: () => postJson('/api/auth/login', { username, password }),
    onSuccess: onSignedIn,
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
    <form className={css.card} onSubmit={submit}>
      <h1>{title}</h1>
      {!signIn.isError && children}
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
  )
}
