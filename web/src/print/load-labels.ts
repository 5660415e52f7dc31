/** Reads the texts of labels. Texts that the user may not read are left out. */
import { api } from '../api/client.ts'
import type { Device } from '../api/contracts.ts'
import { datacentersQuery, queryClient } from '../api/queries.ts'
import { loadSelected } from '../devices/bulk/load-selected.ts'
import { formatPeer } from '../ports/labels.ts'
import { racksQuery } from '../racks/known-racks.ts'
import { formatUnits } from '../racks/position-text.ts'
import { joinParts, type Label } from './label.ts'

export type LabelKind = 'device' | 'rack' | 'port' | 'cable'
export type Labeled = { readonly kind: LabelKind; readonly ids: readonly string[] }

type Names = (id: string | null | undefined) => string | undefined

/** So many requests are under way at a time. */
const AT_ONCE = 8

const NOTHING: Names = () => undefined

const toNames = (all: readonly { readonly id: string; readonly name: string }[]): Names => {
  const names = new Map(all.map(({ id, name }) => [id, name]))
  return (id) => (id ? names.get(id) : undefined)
}

/** Reads names that are left out without the right to list them. */
const loadNames = (load: () => Promise<readonly { readonly id: string; readonly name: string }[]>): Promise<Names> =>
  load().then(toNames, () => NOTHING)

type Places = { readonly nameDatacenter: Names; readonly nameRack: Names }

const toDeviceLabel = ({ id, name, addresses, mount, datacenter_id, location }: Device, places: Places): Label => {
  const rack = places.nameRack(mount?.rack_id)
  return {
    name,
    line: addresses[0]?.ip ?? '',
    place: joinParts(
      places.nameDatacenter(datacenter_id),
      rack ?? location,
      rack !== undefined && mount ? formatUnits(mount) : '',
    ),
    path: `/devices/${id}`,
  }
}

const loadDevice = async (id: string, places: Places): Promise<Label> =>
  toDeviceLabel(await api.devices.get({ id }), places)

/** Finds the selected devices in the list, which the browser mostly holds. */
const findSelected = async ({ kind, ids }: Labeled): Promise<readonly Device[] | undefined> =>
  kind === 'device' && ids.length > 1 ? loadSelected(new Set(ids)) : undefined

const loadRack = async (id: string, { nameDatacenter }: Places): Promise<Label> => {
  const { name, height, datacenter_id, location } = await api.racks.get({ id })
  return {
    name,
    line: `${height} U`,
    place: joinParts(nameDatacenter(datacenter_id), location),
    path: `/racks/${id}`,
  }
}

const loadPort = async (id: string): Promise<Label> => {
  const { device_id } = await api.ports.get({ id })
  const [device, ports] = await Promise.all([
    api.devices.get({ id: device_id }).catch(() => undefined),
    api.ports.device({ device_id, include: 'peers' }),
  ])
  const port = ports.find((one) => one.id === id)
  return {
    name: joinParts(device?.name, port?.name),
    line: (port?.peers ?? []).map(formatPeer).join(', '),
    place: port?.description ?? '',
    path: `/ports/${id}`,
  }
}

const loadCable = async (id: string): Promise<Label> => {
  const { label, a, b, type, length_m } = await api.cables.get({ id })
  const ends = [a, b].map(formatPeer)
  return {
    name: label === '' ? (ends[0] ?? '') : label,
    line: label === '' ? `to ${ends[1]}` : ends.join(' to '),
    place: joinParts(type, length_m !== null && `${length_m} m`),
    path: `/cables?edit=${encodeURIComponent(id)}`,
  }
}

const LOADERS: Readonly<Record<LabelKind, (id: string, places: Places) => Promise<Label>>> = {
  device: loadDevice,
  rack: loadRack,
  port: loadPort,
  cable: loadCable,
}

/** Reads the labels of objects, in their order. @throws AppError of the first object that cannot be read */
export const loadLabels = async ({ kind, ids }: Labeled): Promise<readonly Label[]> => {
  const [nameDatacenter, nameRack] = await Promise.all([
    loadNames(() => queryClient.ensureQueryData(datacentersQuery)),
    loadNames(() => queryClient.ensureQueryData(racksQuery)),
  ])
  const selected = await findSelected({ kind, ids })
  if (selected) return selected.map((device) => toDeviceLabel(device, { nameDatacenter, nameRack }))
  const labels: Label[] = []
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const part = ids.slice(at, at + AT_ONCE).map((id) => LOADERS[kind](id, { nameDatacenter, nameRack }))
    labels.push(...(await Promise.all(part)))
  }
  return labels
}
