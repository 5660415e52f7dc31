/** The content of the dialog that asks before an object is deleted. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { DeletePreview } from '../../history/delete-preview.tsx'
import { findNeeds, useProposing, useReport } from '../../proposals/known-proposals.ts'
import { DeleteImpact, isOfImpact } from '../../topology/impact/delete-impact.tsx'
import { Confirm } from '../../ui/layers.tsx'
import { toastError } from '../../ui/toast.tsx'
import { NoteField } from '../note-field.tsx'
import type { Resource } from '../resource.ts'

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
  const remove = useMutation({
    mutationFn: async ({ proposes }: { readonly proposes: boolean }) => {
      // A page that reads the object would read it once more, and find nothing.
      if (!proposes && !proposing.isOnly) await onConfirmed?.()
      return resource.remove(id, { ...(note !== '' && { change_note: note }), ...(proposes && { proposal: 'open' }) })
    },
    onSuccess: (written) => {
      if (!report(`Deleted ${name}`, written)) return
      for (const key of [...resource.changes, 'history']) void client.invalidateQueries({ queryKey: [key] })
    },
    onError: (error) => toastError(`${name} is still there`, error),
  })
  return (
    <Confirm
      title={`Delete ${name}?`}
      action={proposing.label(`Delete ${resource.noun}`)}
      onConfirm={() => remove.mutate({ proposes: false })}
      other={
        proposing.isChoice ? { text: 'Propose instead', onSelect: () => remove.mutate({ proposes: true }) } : undefined
      }
      onClose={onClose}
    >
      {deleteWarning} {isOfImpact(resource.noun) && <DeleteImpact noun={resource.noun} ids={[id]} />}
      {!preview && "This can't be undone."}
      {preview && (
        <>
          <DeletePreview ids={[id]} load={() => preview(id)} />
          <NoteField value={note} onChange={setNote} />
        </>
      )}
    </Confirm>
  )
}
