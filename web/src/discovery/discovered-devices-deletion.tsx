/** Deletes discovered devices; the next scan may find them again, and then they are new. */
import { useMutation } from '@tanstack/react-query'
import { useRef } from 'react'
import { AppError } from '../../../src/platform/contract/errors.ts'
import { api } from '../api/client.ts'
import { count, plural } from '../ui/format.ts'
import { Confirm } from '../ui/layers.tsx'
import { toast, toastError } from '../ui/toast.tsx'
import { useDiscoveryChanged } from './scan-actions.tsx'
import type { DiscoveredDevice } from './shapes.ts'
import { discoveredName } from './words.ts'

/** From how many on the number has to be typed. */
const TYPED_FROM = 26
/** Most that one request deletes; more are never shown. */
const AT_ONCE = 1000

/** @returns why some are still there, for each of them */
const removeAll = async (ids: readonly string[]): Promise<readonly unknown[]> => {
  const errors: unknown[] = []
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const { results } = await api.discovery.removeMany({ ids: ids.slice(from, from + AT_ONCE) })
    for (const { error } of results) {
      // One that somebody else has deleted meanwhile is what was asked for.
      if (error && error.code !== 'NOT_FOUND') errors.push(new AppError(error.code, error.error))
    }
  }
  return errors
}

type Props = { readonly found: readonly DiscoveredDevice[]; readonly onClose: () => void; readonly onDone?: () => void }

export const DeleteDiscovered = ({ found, onClose, onDone }: Props) => {
  const changed = useDiscoveryChanged()
  // What is deleted is what was asked about, also when rows come in meanwhile.
  const asked = useRef(found).current
  const [only] = asked
  const what = asked.length === 1 && only ? discoveredName(only) : plural(asked.length, 'discovered device')
  const remove = useMutation({
    mutationFn: () => removeAll(asked.map(({ id }) => id)),
    onSuccess: (errors) => {
      const [first] = errors
      if (first === undefined) toast(`Deleted ${what}`)
      else toastError(`${count(errors.length)} of ${count(asked.length)} are still there`, first)
      onDone?.()
      changed()
    },
    onError: (error) => {
      toastError(asked.length === 1 ? `${what} is still there` : 'Some of them are still there', error)
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
