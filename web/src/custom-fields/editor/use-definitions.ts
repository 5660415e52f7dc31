/** The definitions with the number of their values, as the editor shows and orders them. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import type { CustomField } from '../../../../src/resource/custom/schema.ts'
import { api } from '../../api/client.ts'
import { contracts } from '../../api/contracts.ts'
import { useReport } from '../../proposals/known-proposals.ts'
import { writeEach } from '../../resource/batch.ts'
import { usePermit } from '../../shell/me.ts'
import { toastError } from '../../ui/toast.tsx'
import { CHANGED_KEYS } from '../definition-resource.tsx'
import { type Moved, move, type Place } from './order.ts'

const USAGE = ['custom-fields', 'usage']
const NONE: readonly CustomField[] = []

const compareByPlace = (a: CustomField, b: CustomField): number =>
  a.group === b.group ? a.position - b.position || (a.name < b.name ? -1 : 1) : a.group < b.group ? -1 : 1

/** Returns the fields of a resource in the order of forms. */
export const filterFields = (all: readonly CustomField[], resource: string): readonly CustomField[] =>
  all.filter((one) => one.resource === resource).sort(compareByPlace)

export const useDefinitions = () => {
  const client = useQueryClient()
  const { may } = usePermit()
  const report = useReport()
  const query = useQuery({
    queryKey: USAGE,
    queryFn: () => api.customFields.list({ include: ['usage'] }),
    enabled: may('custom-fields:list'),
  })
  const pending = useRef(0)
  const saved = useRef(Promise.resolve())
  const save = async (moved: readonly Moved[]): Promise<void> => {
    try {
      const written = await writeEach(contracts.customFields.update, moved)
      // The page shows the new order already.
      if (written.some(({ proposal }) => proposal !== undefined)) report('Moved', written)
    } catch (error) {
      toastError('The order was not saved', error)
    }
    pending.current--
    // An answer from before a later move would undo it on the page.
    if (pending.current > 0) return
    for (const key of [...CHANGED_KEYS, 'history']) void client.invalidateQueries({ queryKey: [key] })
  }
  /** Shows the new order at once. The fields that changed are saved in the order of the moves. */
  const reorder = async (fields: readonly CustomField[], id: string, place: Place): Promise<void> => {
    // A read under way has the order from before.
    await client.cancelQueries({ queryKey: USAGE })
    const moved = new Map(move(fields, id, place).map((one) => [one.id, one]))
    client.setQueryData<readonly CustomField[]>(USAGE, (all = NONE) =>
      all.map((one) => ({ ...one, ...moved.get(one.id) })),
    )
    pending.current++
    saved.current = saved.current.then(() => save([...moved.values()]))
    await saved.current
  }
  return { ...query, reorder }
}
