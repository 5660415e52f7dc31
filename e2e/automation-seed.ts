/** Conflicts and webhooks of all kinds, for their pages. */
import type { Receiver } from '../testing/receiver.ts'
import type { RunningPlat } from './server.ts'

/** Encrypts the secrets of webhooks. */
export const SEALED = { ENCRYPTION_KEY: 'f'.repeat(64) }

type Api = RunningPlat['api']

const PLACES = ['Rack 4, unit 12', 'Rack 9, unit 3'] as const

/**
 * Creates two devices with one address.
 * @returns their ids and that of the conflict
 */
export const seedDuplicate = async (api: Api, ip: string, name: string) => {
  const [left, right] = await Promise.all(
    PLACES.map((location, index) =>
      api.devices.create({
        name: `${name}-${index + 1}`,
        addresses: [{ ip, label: index === 0 ? 'eth0' : 'ilo' }],
        ...{ location, os: index === 0 ? 'Debian 12' : 'Windows Server 2022', make_model: 'Dell R650' },
        tags: ['database'],
      }),
    ),
  )
  const devices = [left?.id ?? '', right?.id ?? '']
  const [conflict] = await api.conflicts.ofDevice({ id: devices[0] ?? '' })
  return { devices, conflict: conflict?.id ?? '' }
}

/**
 * Creates two networks with one subnet.
 * @returns the ids of one network and of the conflict
 */
export const seedOverlap = async (api: Api, subnet: string) => {
  const { id: network } = await api.networks.create({ name: 'branch office', subnet })
  await api.networks.create({ name: 'branch office, old', subnet, vlan_id: 40 })
  const conflicts = await api.conflicts.list({ type: 'overlapping_subnet', status: 'active' })
  return { network, conflict: conflicts.find(({ subnets }) => subnets.includes(subnet))?.id ?? '' }
}

const EVENTS = ['device.created', 'device.updated', 'device.deleted', 'conflict.detected'] as const

/**
 * Creates five webhooks: with successful deliveries, with failing ones, answered with 410, disabled, and a channel with events that wait.
 * @returns ids
 */
export const seedWebhooks = async (api: Api, receiver: Receiver) => {
  receiver.answer('/broken', 500)
  receiver.answer('/gone', 410)
  const make = (name: string, path: string, more: object = {}) =>
    api.webhooks.create({ name, url: receiver.url(path), events: [...EVENTS], ...more })
  const good = await make('change log', '/log', {
    secret: 'a shared secret',
    headers: { 'X-Team': 'platform' },
    description: 'Writes every change of a device into the log of the team.',
  })
  const broken = await make('ticket system', '/broken', { retry_count: 0 })
  const gone = await make('old monitoring', '/gone')
  await make('chat', '/chat', { enabled: false })
  // Its digest is days away as a rule, so that events wait.
  const channel = await make('on call', '/on-call', {
    ...{ format: 'ntfy', digest: 'weekly', timezone: 'Europe/Berlin', quiet_from: '22:00', quiet_to: '06:30' },
    description: 'The phones of the people on call.',
  })
  const { id } = await api.devices.create({ name: 'told-of', addresses: [{ ip: '192.0.2.77' }] })
  await api.devices.update({ id, os: 'Debian 13' })
  await api.webhooks.ping({ id: good.id })
  return { good: good.id, broken: broken.id, gone: gone.id, channel: channel.id }
}
