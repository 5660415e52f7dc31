/** Deletes discovered devices; the next scan may find them again, and then they are new. */
import { useMutation } from '@tanstack/react-query'
import { useRef } from 'react'
import { api } from '../api/client.ts'
import { count, plural } from '../ui/format.ts'
import { Confirm } from '../ui/layers.tsx'
import { toast, toastError } from '../ui/toast.tsx'
import { useDiscoveryChanged } from './scan-actions.tsx'
import type { Found } from './shapes.ts'
import { foundName } from './words.ts'

/** From how many on the number has to be typed. */
const TYPED_FROM = 26
/** Requests under way at the same time. */
const AT_ONCE = 4

/** One after the other, as the contract has them. @returns those that are still there, and why */
const removeAll = async (ids: readonly string[]): Promise<readonly unknown[]> => {
  const waiting = [...ids]
  const errors: unknown[] = []
  const work = async (): Promise<void> => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift())
      await api.discovery.delete({ id }).catch((error: unknown) => errors.push(error))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return errors
}

type Props = { readonly found: readonly Found[]; readonly onClose: () => void; readonly onDone?: () => void }

export const DeleteFound = ({ found, onClose, onDone }: Props) => {
  const changed = useDiscoveryChanged()
  // What is deleted is what was asked about, also when rows come in meanwhile.
  const asked = useRef(found).current
  const [only] = asked
  const what = asked.length === 1 && only ? foundName(only) : plural(asked.length, 'discovered device')
  const remove = useMutation({
    mutationFn: () => removeAll(asked.map(({ id }) => id)),
    onSuccess: (errors) => {
      const [first] = errors
      if (first === undefined) toast(`Deleted ${what}`)
      else toastError(`${count(errors.length)} of ${count(asked.length)} are still there`, first)
      onDone?.()
      changed()
    },
  })
  return (
    <Confirm
      title={`Delete ${what}?`}
      action={asked.length === 1 ? 'Delete discovered device' : `Delete ${count(asked.length)}`}
      typed={asked.length >= TYPED_FROM ? String(asked.length) : undefined}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      What was seen of {asked.length === 1 ? 'it' : 'them'} is forgotten; documented devices stay. A scan that sees{' '}
      {asked.length === 1 ? 'it' : 'them'} again finds something new.
    </Confirm>
  )
}
