/** A switch, two patch panels and a server with cables between them, for screenshots. */
import type { RunningPlat } from './server.ts'

type Api = RunningPlat['api']

const range = (length: number, nameOf: (number: number) => string): string[] =>
  Array.from({ length }, (_, at) => nameOf(at + 1))

export const seedCabling = async (api: Api) => {
  const [sw, near, far, server] = await Promise.all(
    ['fra1-acc-01', 'fra1-r01-panel', 'fra1-r09-panel', 'fra1-r09-app'].map((name) => api.devices.create({ name })),
  )
  if (!sw || !near || !far || !server) throw new Error('four devices were created')
  const add = (device_id: string, names: readonly string[], shape: object) =>
    api.ports.bulk({ operations: names.map((name) => ({ op: 'create', port: { device_id, name, ...shape } })) })
  const copper = { type: '1000base-t', speed_mbps: 1000, vlan_id: 10 }
  await add(
    sw.id,
    range(24, (number) => `Gi0/${number}`),
    copper,
  )
  await add(
    sw.id,
    range(4, (number) => `Te1/${number}`),
    { speed_mbps: 10_000, tagged_vlan_ids: [10, 11, 12, 40] },
  )
  for (const { id } of [near, far]) await add(id, range(24, String), { pass_through: true, type: '8p8c' })
  const cable = await api.cables.create({
    a: { device_id: sw.id, port: 'Gi0/1' },
    b: { device_id: near.id, port: '1' },
    ...{ label: 'A-0101', type: 'cat6a', length_m: 2, color: 'blue' },
  })
  await api.cables.create({
    a: { device_id: near.id, port: '1', side: 'rear' },
    b: { device_id: far.id, port: '1', side: 'rear' },
    ...{ label: 'T-7', type: 'cat7', length_m: 45.5 },
  })
  await api.cables.create({
    a: { device_id: far.id, port: '1' },
    b: { device_id: server.id, port: 'eth0' },
    ...{ type: 'cat6a', length_m: 3 },
  })
  await api.cables.create({
    a: { device_id: sw.id, port: 'Gi0/2' },
    b: { device_id: server.id, port: 'eth1' },
    status: 'planned',
  })
  return { device: sw.id, port: cable.a.port_id, cable: cable.id }
}
