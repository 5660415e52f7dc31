/** The content of the dialog that asks before an object is deleted. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { propose } from '../../api/client.ts'
import { DeletePreview } from '../../history/delete-preview.tsx'
import { findNeeds, useProposing, useReport } from '../../proposals/known-proposals.ts'
import { DeleteImpact, isOfImpact } from '../../topology/impact/delete-impact.tsx'
import { Confirm } from '../../ui/layers.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { NoteField } from '../note-field.tsx'
import type { Resource } from '../resource.ts'
import { createUndo } from './undo.ts'

export type DeleteProps<T> = {
  readonly resource: Resource<T>
  readonly id: string
  readonly name: string
  /** Describes the further objects that are deleted, or lose their reference. */
  readonly deleteWarning: string
  readonly onClose: () => void
  /** Leaves the page of the object. */
  readonly onConfirmed?: () => unknown
}

export const DeleteConfirm = <T,>({ resource, id, name, deleteWarning, onClose, onConfirmed }: DeleteProps<T>) => {
  const client = useQueryClient()
  const [note, setNote] = useState('')
  const { preview, operations } = resource
  const proposing = useProposing(findNeeds(operations.delete))
  const report = useReport()
  const noted = note === '' ? {} : { change_note: note }
  const suggest = useMutation({
    mutationFn: async () => operations.delete && propose(operations.delete, { id, ...noted }),
    onSuccess: report,
    onError: (error) => toastError('It is not proposed', error),
  })
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
      action={proposing.isOnly ? 'Propose' : `Delete ${resource.noun}`}
      onConfirm={() => (proposing.isOnly ? suggest : remove).mutate()}
      other={
        proposing.isOffered && !proposing.isOnly
          ? { text: 'Propose instead', onSelect: () => suggest.mutate() }
          : undefined
      }
      onClose={onClose}
    >
      {deleteWarning} {isOfImpact(resource.noun) && <DeleteImpact noun={resource.noun} ids={[id]} />}
      {!preview && "This can't be undone."}
      {preview && (
        <>
          <DeletePreview ids={[id]} load={() => preview(id, proposing.isOnly ? { proposal: 'open' } : {})} />
          <NoteField value={note} onChange={setNote} />
        </>
      )}
    </Confirm>
  )
}
