/** Asks before an object is deleted with all that hangs on it. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Confirm } from '../ui/layers.tsx'
import { toast, toastError } from '../ui/toast.tsx'
import type { Resource } from './resource.ts'

type Props<T> = {
  readonly resource: Resource<T>
  readonly id: string
  readonly name: string
  /** What else goes, or stays without it. */
  readonly deleteWarning: string
  readonly onClose: () => void
  readonly onDone?: () => void
}

export const DeleteDialog = <T,>({ resource, id, name, deleteWarning, onClose, onDone }: Props<T>) => {
  const client = useQueryClient()
  const remove = useMutation({
    mutationFn: () => resource.remove(id),
    onSuccess: () => {
      toast(`Deleted ${name}`)
      onDone?.()
      for (const key of resource.changes) void client.invalidateQueries({ queryKey: [key] })
    },
    onError: (error) => toastError(`${name} is still there`, error),
  })
  return (
    <Confirm
      title={`Delete ${name}?`}
      action={`Delete ${resource.noun}`}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      {deleteWarning} This can't be undone.
    </Confirm>
  )
}
