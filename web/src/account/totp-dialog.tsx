/** A new authenticator app: its QR code, and the first code that confirms it. */
import { useMutation } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import type { NewTotp } from '../../../src/people/factors/api.ts'
import { api } from '../api/client.ts'
import { getFieldErrors, toAppError } from '../api/errors.ts'
import { QrCode } from '../print/qr-code.tsx'
import { Button } from '../ui/button.tsx'
import { Alert, TextField } from '../ui/field.tsx'
import { Dialog, DialogActions } from '../ui/layers.tsx'
import { CopyText } from '../ui/primitives.tsx'
import css from './account.module.css'

type Props = {
  readonly made: NewTotp
  readonly onConfirmed: (codes: readonly string[]) => void
  readonly onClose: () => void
}

export const TotpDialog = ({ made, onConfirmed, onClose }: Props) => {
  const [code, setCode] = useState('')
  const confirm = useMutation({
    mutationFn: () => api.factors.confirmTotp({ code }),
    onSuccess: ({ recovery_codes }) => onConfirmed(recovery_codes),
  })
  const error = getFieldErrors(confirm.error).code
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    confirm.mutate()
  }
  return (
    <Dialog title="New authenticator app" onClose={onClose}>
      <form className={css.dialogForm} onSubmit={submit}>
        <p>Scan this with an app for one-time codes, or enter the secret there. Then type the code that it shows.</p>
        <QrCode text={made.uri} label="QR code of the secret" className={css.qr} />
        <CopyText text={made.secret} label="secret" />
        {confirm.isError && error === undefined && <Alert>{toAppError(confirm.error).message}</Alert>}
        <TextField
          label="Code"
          value={code}
          onChange={setCode}
          error={error}
          isMono
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={16}
        />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={confirm.isPending || code.trim() === ''}>
            Confirm
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
