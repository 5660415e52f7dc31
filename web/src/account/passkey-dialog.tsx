/** A new passkey: its name, and the browser's own window. */
import { useMutation } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { api } from '../api/client.ts'
import { getFieldErrors, isCode, toAppError } from '../api/errors.ts'
import { isRefusal } from '../login/has-passkeys.ts'
import { Button } from '../ui/button.tsx'
import { Alert, TextField } from '../ui/field.tsx'
import { Dialog, DialogActions } from '../ui/layers.tsx'
import css from './account.module.css'

type Props = {
  readonly onAdded: (codes: readonly string[]) => void
  /** The sign-in is too old. */
  readonly onStale: (error: unknown) => void
  readonly onClose: () => void
}

const toMessage = (error: unknown): string => {
  if (isRefusal(error)) return 'No passkey was made.'
  // WebAuthn level 3, section 5.1.3: the authenticator has one of the excluded credentials.
  if (error instanceof DOMException && error.name === 'InvalidStateError') return 'This device has a passkey already.'
  return toAppError(error).message
}

export const PasskeyDialog = ({ onAdded, onStale, onClose }: Props) => {
  const [name, setName] = useState('')
  const add = useMutation({
    mutationFn: async () => {
      const [{ createPasskey }, { challenge_id, options }] = await Promise.all([
        // Most visits of the account make none.
        import('../login/webauthn.ts'),
        api.factors.passkeyOptions({}),
      ])
      // The contract has the form that browsers send.
      const response = (await createPasskey(options)) as Parameters<typeof api.factors.createPasskey>[0]['response']
      return api.factors.createPasskey({ challenge_id, name, response })
    },
    onSuccess: ({ recovery_codes }) => onAdded(recovery_codes),
    onError: (error) => {
      if (isCode(error, 'REAUTHENTICATION_REQUIRED')) onStale(error)
    },
  })
  const error = getFieldErrors(add.error).name
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    add.mutate()
  }
  return (
    <Dialog title="New passkey" onClose={onClose}>
      <form className={css.dialogForm} onSubmit={submit}>
        <p>A passkey signs you in without your password. Your browser or device keeps it.</p>
        {add.isError && error === undefined && <Alert>{toMessage(add.error)}</Alert>}
        <TextField
          label="Name"
          hint="To tell it from others, such as the device that keeps it."
          value={name}
          onChange={setName}
          error={error}
          required
        />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={add.isPending || name.trim() === ''}>
            Create passkey
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
