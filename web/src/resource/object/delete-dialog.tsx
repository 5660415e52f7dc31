/** Asks before an object is deleted, and shows the other objects that the deletion changes. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { Confirm } from '../../ui/layers.tsx'
import { Skeleton } from '../../ui/primitives.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { NoteField } from '../note-field.tsx'
import type { Resource } from '../resource.ts'
import { createUndo } from './undo.ts'

export const DeletePreview = lazy(() =>
  import('../../history/delete-preview.tsx').then((module) => ({ default: module.DeletePreview })),
)

type Props<T> = {
  readonly resource: Resource<T>
  readonly id: string
  readonly name: string
  /** Describes the further objects that are deleted, or lose their reference. */
  readonly deleteWarning: string
  readonly onClose: () => void
  /** Leaves the page of the object. */
  readonly onConfirmed?: () => unknown
}

export const DeleteDialog = <T,>({ resource, id, name, deleteWarning, onClose, onConfirmed }: Props<T>) => {
  const client = useQueryClient()
  const [note, setNote] = useState('')
  const { preview } = resource
  const remove = useMutation({
    mutationFn: async () => {
      // A page that reads the object would read it once more, and find nothing.
      await onConfirmed?.()
      return resource.remove(id, note)
    },
    onSuccess: (change) => {
      toast(`Deleted ${name}`, createUndo([change]))
      for (const key of [...resource.changes, 'history']) void client.invalidateQueries({ queryKey: [key] })
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
      {deleteWarning} {!preview && "This can't be undone."}
      {preview && (
        <>
          <Suspense fallback={<Skeleton />}>
            <DeletePreview ids={[id]} load={() => preview(id)} />
          </Suspense>
          <NoteField value={note} onChange={setNote} />
        </>
      )}
    </Confirm>
  )
}
