/** Asks for confirmation before an action, and stays open with the reason if the server refuses it. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { toAppError } from '../api/errors.ts'
import { Button } from '../ui/button.tsx'
import { Alert } from '../ui/field.tsx'
import { Dialog, DialogActions } from '../ui/layers.tsx'
import { toast } from '../ui/toast.tsx'

type Props = {
  readonly title: string
  readonly action: string
  readonly isDanger?: boolean
  readonly run: () => Promise<unknown>
  /** The message after success. */
  readonly done: string
  /** More of that message, such as its undo. */
  readonly note?: Parameters<typeof toast>[1]
  /** First parts of the query keys that the action invalidates. */
  readonly changes: readonly string[]
  readonly onClose: () => void
  /** Called before the queries are invalidated, to leave the page of a deleted object. */
  readonly onDone?: (() => unknown) | undefined
  readonly children: ReactNode
}

export const ActionDialog = ({
  title,
  action,
  isDanger,
  run,
  done,
  note,
  changes,
  onClose,
  onDone,
  children,
}: Props) => {
  const client = useQueryClient()
  const act = useMutation({
    mutationFn: run,
    onSuccess: async () => {
      toast(done, note)
      onClose()
      await onDone?.()
      for (const key of changes) void client.invalidateQueries({ queryKey: [key] })
    },
  })
  return (
    <Dialog title={title} onClose={onClose}>
      {act.isError && <Alert>{toAppError(act.error).message}</Alert>}
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
