/** A device that is moved to another place: by keys or by the pointer, until the server accepts the place. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call, getWritten } from '../api/client.ts'
import { type Contracts, contracts, type In } from '../api/contracts.ts'
import { toAppError } from '../api/errors.ts'
import { devices } from '../devices/window/device-list-client.ts'
import { useReport } from '../proposals/known-proposals.ts'
import { toast } from '../ui/toast.tsx'
import type { Mounted, Target } from './geometry.ts'
import { formatPosition } from './position-text.ts'
import { CHANGES } from './queries.ts'

export type Move = {
  readonly device: Mounted
  /** Undefined in no unit. */
  readonly target: Target | undefined
  /** Why the server refused the target. */
  readonly refusal?: string
}

/** Returns the message of the first field, which belongs to the position. */
const toMessage = (error: unknown): string => {
  const { details, message } = toAppError(error)
  return details[0]?.message ?? message
}

type MountInput = In<Contracts['devices']['update']>['mount']

/** @param mount null takes the device out of the rack */
const sendMount = (device: Mounted, mount: MountInput) =>
  call(contracts.devices.update, { id: device.device_id, mount })

/** The other parts of the device's place do not change by a move. */
const mountAt = (rack_id: string, { device, target }: Move): MountInput => {
  const { height, full_depth, power_w, face, slot } = device
  return { rack_id, height, full_depth, power_w, face, slot, position: null, ...target }
}

const formatMoved = ({ device, target }: Move): string =>
  target
    ? `Moved ${device.name} to ${formatPosition({ ...device, ...target })}`
    : `Moved ${device.name} out of its unit`

export const useMove = (rackId: string) => {
  const client = useQueryClient()
  const report = useReport()
  const [move, setMove] = useState<Move>()
  const onSaved = async (answer: Awaited<ReturnType<typeof sendMount>>, text: string) => {
    if (report(text, getWritten(answer))) devices.put([answer])
    await Promise.all([...CHANGES, 'history'].map((key) => client.invalidateQueries({ queryKey: [key] })))
  }
  const place = useMutation({
    mutationFn: (wanted: Move) => sendMount(wanted.device, mountAt(rackId, wanted)),
    // The device is drawn at its old place until the rack is read again.
    onSuccess: (answer, wanted) => onSaved(answer, formatMoved(wanted)),
    onSettled: (_, error, wanted) => setMove(error ? { ...wanted, refusal: toMessage(error) } : undefined),
  })
  const takeOut = useMutation({
    mutationFn: (device: Mounted) => sendMount(device, null),
    onSuccess: (answer, { name }) => onSaved(answer, `Took ${name} out of the rack`),
    onError: (error) => toast('That did not work', { description: toMessage(error), type: 'error' }),
  })
  return {
    move,
    isSaving: place.isPending,
    begin: (device: Mounted, target: Target | undefined) => setMove({ device, target }),
    /** Another target has not been refused yet. */
    aim: (target: Target | undefined) => setMove((old) => old && { device: old.device, target }),
    cancel: () => setMove(undefined),
    drop: (wanted: Move) => {
      const { position = null, face, slot } = wanted.target ?? {}
      const { device } = wanted
      const isSame =
        device.position === position && (position === null || (device.face === face && device.slot === slot))
      if (isSame) setMove(undefined)
      else place.mutate({ device, target: wanted.target })
    },
    takeOut: (device: Mounted) => takeOut.mutate(device),
  }
}

export type Moving = ReturnType<typeof useMove>
