/** Applies objects of a source, and links them, with the way back in the toast. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { isCode } from '../../api/errors.ts'
import { createUndo } from '../../resource/object/undo.ts'
import { plural } from '../../ui/format.ts'
import { toast, toastError } from '../../ui/toast.tsx'
import { SOURCE_KEYS, type Source } from '../queries.ts'
import { refreshInventory } from '../refresh.ts'
import type { SourceObject } from './queries.ts'

type Named = Parameters<typeof api.sources.apply>[0]['objects']
export type ObjectKey = NonNullable<Named>[number]

/** The resource of an object is one of the inventory. */
export const toKey = ({ resource, key }: SourceObject): ObjectKey => ({
  resource: resource as ObjectKey['resource'],
  key,
})

export type Terms = {
  /** Undefined for all that differ. */
  readonly objects?: readonly ObjectKey[]
  readonly overwrite?: boolean
  readonly force?: boolean
  /** Later runs apply by themselves. */
  readonly keepsInSync?: boolean
}

type Counts = Awaited<ReturnType<typeof api.sources.apply>>['counts']

const countChanges = (counts: Counts): number =>
  Object.values(counts).reduce((sum, { created, updated, deleted }) => sum + created + updated + deleted, 0)

/** @param onHeld is called with the message of a source that is held, and the terms of the call */
export const useApply = ({ id, name }: Source, onHeld: (message: string, terms: Terms) => void) =>
  useMutation({
    mutationFn: async ({ objects, keepsInSync, ...terms }: Terms) => {
      const answer = await api.sources.apply({ id, ...terms, ...(objects && { objects: [...objects] }) })
      if (keepsInSync) await api.sources.update({ id, mode: 'auto' })
      return answer
    },
    onSuccess: ({ change_id, counts, failed }, { keepsInSync }) => {
      const done = countChanges(counts)
      const [first] = failed
      const note = first
        ? { description: `${plural(failed.length, 'object')} refused: ${first.message}` }
        : keepsInSync
          ? { description: `${name} is kept in sync from now on.` }
          : {}
      const title = done === 0 ? 'Nothing was changed' : `Applied ${plural(done, 'change')}`
      toast(title, { ...note, ...createUndo([change_id || undefined]) })
    },
    onError: (error, terms) => {
      if (isCode(error, 'SOURCE_HELD')) onHeld(error.message, terms)
      else toastError('Not applied', error)
    },
    onSettled: refreshInventory,
  })

/** Says which objects of the inventory some are. */
export const useLink = ({ id }: Pick<Source, 'id'>) => {
  const client = useQueryClient()
  return useMutation({
    /** @param object_id '' for an object of its own, null to match again */
    mutationFn: ({ objects, object_id }: { objects: readonly ObjectKey[]; object_id: string | null }) =>
      api.sources.link({ id, objects: objects.map((one) => ({ ...one, object_id })) }),
    onSuccess: ({ linked }, { object_id }) => {
      const what = plural(linked, 'object')
      toast(object_id === null ? `${what} will be matched again` : object_id === '' ? `${what} will be new` : 'Linked')
      for (const key of SOURCE_KEYS) void client.invalidateQueries({ queryKey: [key] })
    },
  })
}
