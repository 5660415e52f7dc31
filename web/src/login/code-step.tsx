/** The second step of signing in: a code, a recovery code or a passkey. */
import { type SubmitEvent, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { hasPasskeys } from './has-passkeys.ts'
import css from './login.module.css'

/** The fields of a sign-in that the server asks for. */
export type Wanted = readonly string[]

type Props = {
  readonly wanted: Wanted
  readonly isBusy: boolean
  readonly onCode: (field: 'totp' | 'recovery_code', code: string) => void
  readonly onPasskey: () => void
  readonly onBack: () => void
}

/** Called once for each field. */
const focus = (field: HTMLInputElement | null): void => field?.focus()

export const CodeStep = ({ wanted, isBusy, onCode, onPasskey, onBack }: Props) => {
  const hasApp = wanted.includes('totp')
  const hasCodes = wanted.includes('recovery_code')
  const [isRecovery, setRecovery] = useState(!hasApp && !wanted.includes('passkey'))
  const [code, setCode] = useState('')
  const isCode = isRecovery || hasApp
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    onCode(isRecovery ? 'recovery_code' : 'totp', code)
    setCode('')
  }
  return (
    <form className={css.step} onSubmit={submit}>
      {isCode && (
        <TextField
          key={String(isRecovery)}
          label={isRecovery ? 'Recovery code' : 'Code of your authenticator app'}
          value={code}
          onChange={setCode}
          ref={focus}
          isMono
          required
          autoComplete={isRecovery ? 'off' : 'one-time-code'}
          inputMode={isRecovery ? 'text' : 'numeric'}
          maxLength={64}
        />
      )}
      {isCode && (
        <Button type="submit" look="primary" disabled={isBusy || code.trim() === ''}>
          {isBusy ? 'Signing in …' : 'Sign in'}
        </Button>
      )}
      {wanted.includes('passkey') && hasPasskeys() && (
        <Button onClick={onPasskey} disabled={isBusy} look={isCode ? undefined : 'primary'}>
          Use a passkey
        </Button>
      )}
      {hasCodes && !isRecovery && (
        <Button look="quiet" onClick={() => setRecovery(true)}>
          Use a recovery code
        </Button>
      )}
      {isRecovery && hasApp && (
        <Button look="quiet" onClick={() => setRecovery(false)}>
          Use the authenticator app
        </Button>
      )}
      <Button look="quiet" onClick={onBack}>
        Back
      </Button>
    </form>
  )
}
