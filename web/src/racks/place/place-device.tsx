/** Places a device that exists at a free unit of a rack. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { api, call, getWritten } from '../../api/client.ts'
import { contracts, type Device } from '../../api/contracts.ts'
import { toAppError } from '../../api/errors.ts'
import { devices } from '../../devices/window/device-list-client.ts'
import { useProposing, useReport } from '../../proposals/known-proposals.ts'
import { ReferenceField } from '../../resource/form/reference-field.tsx'
import { SubmitButtons } from '../../resource/form/submit-buttons.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/layers.tsx'
import type { Elevation } from '../geometry.ts'
import type { NewPosition } from '../new-position.ts'
import { formatPosition } from '../position-text.ts'
import { CHANGES } from '../queries.ts'

/** So many devices are looked through for those without a unit. */
const MAX_READ = 300

const isWithoutUnit = ({ mount }: Device): boolean => mount === undefined || mount.position === null

/** Finds devices without a unit, those of the rack and of its datacenter first. */
const findDevices =
  ({ id: rack_id, datacenter_id }: Elevation['rack']) =>
  async (text: string): Promise<readonly Device[]> => {
    const page = { limit: MAX_READ }
    const found =
      text === ''
        ? await Promise.all([
            api.devices.list({ rack_id, ...page }),
            ...(datacenter_id === null ? [] : [api.devices.list({ datacenter_id, ...page })]),
            api.devices.list(page),
          ])
        : [await api.devices.search({ q: text, ...page })]
    const free = new Map(
      found
        .flat()
        .filter(isWithoutUnit)
        .map((device) => [device.id, device]),
    )
    const getRank = (device: Device): number =>
      device.mount?.rack_id === rack_id ? 0 : device.datacenter_id === datacenter_id ? 1 : 2
    return [...free.values()].sort((a, b) => getRank(a) - getRank(b))
  }

type Props = { readonly elevation: Elevation; readonly target: NewPosition; readonly onClose: () => void }

export const PlaceDevice = ({ elevation: { rack }, target, onClose }: Props) => {
  const client = useQueryClient()
  const report = useReport()
  const proposing = useProposing('devices:update')
  const [id, setId] = useState('')
  const { position, face, slot } = target
  const place = useMutation({
    mutationFn: async () => {
      const { mount } = await api.devices.get({ id })
      const { height = null, full_depth = null, power_w = null } = mount ?? {}
      return call(contracts.devices.update, {
        id,
        mount: { rack_id: rack.id, position, face, slot, height, full_depth, power_w },
        ...proposing.field,
      })
    },
    onSuccess: (device) => {
      const text = formatPosition({ face, slot, position, height: device.mount?.height ?? 1 })
      if (report(`Placed ${device.name} at ${text}`, getWritten(device))) devices.put([device])
      for (const key of [...CHANGES, 'history']) void client.invalidateQueries({ queryKey: [key] })
      onClose()
    },
  })
  const error = place.error && toAppError(place.error)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (id !== '' && !place.isPending) place.mutate()
  }
  return (
    <Dialog title={`Place a device at U${position}`} onClose={onClose}>
      <form onSubmit={submit} noValidate>
        <ReferenceField
          label="Device"
          to="devices"
          value={id}
          onChange={(chosen) => {
            setId(chosen)
            place.reset()
          }}
          find={findDevices(rack)}
          findKey={`without unit ${rack.id}`}
          placeholder="A part of its name or address"
          hint="Devices without a unit"
          error={error ? (error.details[0]?.message ?? error.message) : undefined}
        />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <SubmitButtons proposing={proposing} disabled={id === '' || place.isPending} action="Place here" />
        </DialogActions>
      </form>
    </Dialog>
  )
}
