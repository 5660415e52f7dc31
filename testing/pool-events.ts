/** Pools of ten or more addresses, and the events that report them as nearly full. */
import type { TestApp, TestCaller } from './app/app.ts'

export type PoolEvents = ReturnType<typeof poolEvents>

/** @param prefix the first two bytes of all addresses: `10.31` */
export const poolEvents = (app: TestApp, { api }: TestCaller, prefix: string) => {
  let third = 0
  /** Creates a pool in a new /24; the ends are last bytes. */
  const poolOf = async (first = 1, last = 10) => {
    const net = `${prefix}.${++third}`
    const network = await api.networks.create({ name: net, subnet: `${net}.0/24` })
    const range = { start_ip: `${net}.${first}`, end_ip: `${net}.${last}` }
    const pool = await api.pools.create({ network_id: network.id, name: net, ...range })
    return { id: pool.id, network_id: network.id, net }
  }
  const addressesOf = (net: string, from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, i) => ({ ip: `${net}.${from + i}` }))
  /** Creates a device with the addresses from one last byte to another. */
  const fill = (net: string, from: number, to: number) =>
    api.devices.create({ name: `device ${net}.${from}`, addresses: addressesOf(net, from, to) })
  /** Returns the utilization that each event of a pool reports, oldest first. */
  const reported = async (poolId: string): Promise<number[]> => {
    const rows = await app.db.read
      .selectFrom('events')
      .select('data')
      .where('event', '=', 'pool.utilization_high')
      .where('resource_id', '=', poolId)
      .orderBy('seq')
      .execute()
    return rows.map(({ data }) => (JSON.parse(data) as { utilization: number }).utilization)
  }
  return { poolOf, addressesOf, fill, reported }
}
