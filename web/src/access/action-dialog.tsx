/** Asks before something is done, and stays open with the reason where the server refuses it. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { asAppError } from '../api/errors.ts'
import { Button } from '../ui/button.tsx'
import { Alert } from '../ui/field.tsx'
import { Dialog, DialogActions } from '../ui/layers.tsx'
import { toast } from '../ui/toast.tsx'

type Props = {
  readonly title: string
  readonly action: string
  readonly isDanger?: boolean
  readonly run: () => Promise<unknown>
  /** Said when it is done. */
  readonly done: string
  /** First parts of the keys of what is asked for anew. */
  readonly changes: readonly string[]
  readonly onClose: () => void
  /** Away from what is there no more, before anything is asked for anew. */
  readonly onDone?: () => Promise<void>
  readonly children: ReactNode
}

export const ActionDialog = ({ title, action, isDanger, run, done, changes, onClose, onDone, children }: Props) => {
  const client = useQueryClient()
  const act = useMutation({
    mutationFn: run,
    onSuccess: async () => {
      toast(done)
      onClose()
      await onDone?.()
      for (const key of changes) void client.invalidateQueries({ queryKey: [key] })
    },
  })
  return (
    <Dialog title={title} onClose={onClose}>
      {act.isError && <Alert>{asAppError(act.error).message}</Alert>}
      <div>{children}</div>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button look={isDanger ? 'dangerFill' : 'primary'} disabled={act.isPending} onClick={() => act.mutate()}>
          {action}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
