/** The buttons that add a second factor, with their dialogs and the recovery codes of the first one. */
import { useMutation } from '@tanstack/react-query'
import { KeyRound, Smartphone } from 'lucide-react'
import { useState } from 'react'
import type { NewTotp } from '../../../src/people/factors/api.ts'
import { api } from '../api/client.ts'
import { hasPasskeys } from '../login/has-passkeys.ts'
import { Button } from '../ui/button.tsx'
import css from './account.module.css'
import { PasskeyDialog } from './passkey-dialog.tsx'
import { RecoveryDialog } from './recovery-dialog.tsx'
import { TotpDialog } from './totp-dialog.tsx'

type Props = {
  readonly hasApp: boolean
  /** Called after the recovery codes were saved, if there are new ones. */
  readonly onAdded: () => void
  /** Called with an error that the dialogs do not show, and a function that tries again. */
  readonly onError: (error: unknown, again: () => void) => void
}

export const AddFactor = ({ hasApp, onAdded, onError }: Props) => {
  const [made, setMade] = useState<NewTotp>()
  const [isPasskey, setPasskey] = useState(false)
  const [codes, setCodes] = useState<readonly string[]>([])
  const start = useMutation({
    mutationFn: () => api.factors.createTotp({}),
    onSuccess: setMade,
    onError: (error) => onError(error, () => start.mutate()),
  })
  const added = (newCodes: readonly string[]) => {
    setMade(undefined)
    setPasskey(false)
    setCodes(newCodes)
    if (newCodes.length === 0) onAdded()
  }
  return (
    <div className={css.factorActions}>
      <Button onClick={() => start.mutate()} disabled={start.isPending} blocked={hasApp ? 'You have one' : undefined}>
        <Smartphone size={15} aria-hidden="true" />
        Add an authenticator app
      </Button>
      <Button
        onClick={() => setPasskey(true)}
        blocked={hasPasskeys() ? undefined : 'This browser has no passkeys, or the address is not https'}
      >
        <KeyRound size={15} aria-hidden="true" />
        Add a passkey
      </Button>
      {made && <TotpDialog made={made} onConfirmed={added} onClose={() => setMade(undefined)} />}
      {isPasskey && (
        <PasskeyDialog
          onAdded={added}
          onStale={(error) => {
            setPasskey(false)
            onError(error, () => setPasskey(true))
          }}
          onClose={() => setPasskey(false)}
        />
      )}
      {codes.length > 0 && (
        <RecoveryDialog
          codes={codes}
          onClose={() => {
            setCodes([])
            onAdded()
          }}
        />
      )}
    </div>
  )
}
