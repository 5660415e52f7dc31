/** Deletes discovered devices. If a later scan finds them again, they are new. */
import { useMutation } from '@tanstack/react-query'
import { useRef } from 'react'
import { AppError } from '../../../src/contract/errors.ts'
import { api } from '../api/client.ts'
import { formatCount, plural } from '../ui/format.ts'
import { Confirm } from '../ui/layers.tsx'
import { toast, toastError } from '../ui/toast.tsx'
import { getDiscoveredName } from './labels.ts'
import { useDiscoveryChanged } from './scans/scan-actions.tsx'
import type { DiscoveredDevice } from './shapes.ts'

/** Above this number, the user must type the number. */
const TYPED_FROM = 26
/** The most devices in one request. The table shows no more. */
const AT_ONCE = 1000

/** @returns the errors of devices that were not deleted */
const removeAll = async (ids: readonly string[]): Promise<readonly unknown[]> => {
  const errors: unknown[] = []
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const { results } = await api.discovery.removeMany({ ids: ids.slice(from, from + AT_ONCE) })
    for (const { error } of results) {
      // A device that another user has deleted counts as deleted.
      if (error && error.code !== 'NOT_FOUND') errors.push(new AppError(error.code, error.error))
    }
  }
  return errors
}

type Props = {
  readonly discovered: readonly DiscoveredDevice[]
  readonly onClose: () => void
  readonly onDone?: () => void
}

export const DeleteDiscovered = ({ discovered, onClose, onDone }: Props) => {
  const changed = useDiscoveryChanged()
  // Deletes only the devices of the question, even if more rows arrive.
  const asked = useRef(discovered).current
  const [only] = asked
  const what = asked.length === 1 && only ? getDiscoveredName(only) : plural(asked.length, 'discovered device')
  const remove = useMutation({
    mutationFn: () => removeAll(asked.map(({ id }) => id)),
    onSuccess: (errors) => {
      const [first] = errors
      if (first === undefined) toast(`Deleted ${what}`)
      else toastError(`${formatCount(errors.length)} of ${formatCount(asked.length)} are still there`, first)
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
      action={asked.length === 1 ? 'Delete discovered device' : `Delete ${formatCount(asked.length)}`}
      typed={asked.length >= TYPED_FROM ? String(asked.length) : undefined}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      What was seen of {asked.length === 1 ? 'it' : 'them'} is forgotten; documented devices stay. A scan that sees{' '}
      {asked.length === 1 ? 'it' : 'them'} again finds something new.
    </Confirm>
  )
}
