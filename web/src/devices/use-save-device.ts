/** Saving a device: what changed, on the version that was seen; it can be undone for a while. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import type { Device, DeviceDraft } from '../api/contracts.ts'
import { poolsQuery } from '../api/queries.ts'
import { toast, toastError } from '../ui/toast.tsx'
import { changesBetween, type DeviceForm, inputOf } from './form.ts'
import { removeLater } from './removal.ts'
import { devices } from './source.ts'

type Options = { readonly id: string | undefined; readonly etag: string | undefined; readonly initial: DeviceForm }

const pick = (fields: DeviceDraft, names: readonly string[]): Partial<DeviceDraft> =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)))

export const useSaveDevice = ({ id, etag, initial }: Options) => {
  const client = useQueryClient()
  const changed = (device: Device) => {
    devices.put([device])
    void client.invalidateQueries({ queryKey: ['device', device.id] })
    void client.invalidateQueries({ queryKey: poolsQuery.queryKey })
  }
  const undo = async (device: Device, fields: Partial<DeviceDraft>) => {
    try {
      changed(await api.devices.update({ ...fields, id: device.id }))
      toast(`${device.name} is as it was`)
    } catch (error) {
      toastError('That could not be undone', error)
    }
  }
  return useMutation({
    mutationFn: async (form: DeviceForm) => {
      if (id === undefined) return api.devices.create(inputOf(form))
      const headers = etag === undefined ? {} : { 'If-Match': etag }
      return api.devices.update({ ...changesBetween(initial, form), id }, { headers })
    },
    onSuccess: (device, form) => {
      changed(device)
      if (id === undefined) {
        toast(`Created ${device.name}`, { undo: () => removeLater([device.id], device.name) })
        return
      }
      const fields = pick(inputOf(initial), Object.keys(changesBetween(initial, form)))
      if (Object.keys(fields).length > 0) toast(`Saved ${device.name}`, { undo: () => void undo(device, fields) })
    },
  })
}
