/** Generates data of any size, always the same, as rows of `plat import`, one at a time. */
import { buildDeviceRow, buildRelationshipRows, type DeviceRow, type RelationshipRow } from './devices.ts'
import { createLayout } from './layout.ts'
import {
  buildDatacenterRows,
  buildNetworkRows,
  buildPoolRows,
  buildReservationRows,
  type DatacenterRow,
  type NetworkRow,
  type PoolRow,
  type ReservationRow,
} from './networks.ts'
import { createRandom } from './random.ts'
import { buildRuleRows, type RuleRow, type ScanRow, scanRows } from './scans.ts'

export type Estate = {
  readonly datacenters: Iterable<DatacenterRow>
  readonly networks: Iterable<NetworkRow>
  readonly pools: Iterable<PoolRow>
  readonly devices: Iterable<DeviceRow>
  readonly relationships: Iterable<RelationshipRow>
  readonly reservations: Iterable<ReservationRow>
  /** Not imported, because scans create it. */
  readonly scans: Iterable<ScanRow>
  readonly rules: Iterable<RuleRow>
}

/** Returns an iterable that starts again at each iteration. */
const repeatable = <T>(generate: () => Iterator<T>): Iterable<T> => ({ [Symbol.iterator]: generate })

/**
 * Generates about one network per 50 devices, two addresses and three tags per device.
 * @throws RangeError for fewer than one device, or for more than the address plan holds (3,686,400)
 * @example [...generateEstate({ devices: 100 }).devices].length // 100
 */
export const generateEstate = ({ devices, seed = 1 }: { devices: number; seed?: number }): Estate => {
  const inventory = { layout: createLayout(devices), random: createRandom(seed) }
  return {
    datacenters: repeatable(() => buildDatacenterRows(inventory)),
    networks: repeatable(() => buildNetworkRows(inventory)),
    pools: repeatable(() => buildPoolRows(inventory)),
    devices: repeatable(function* () {
      for (let device = 0; device < devices; device++) yield buildDeviceRow(inventory, device)
    }),
    relationships: repeatable(function* () {
      for (let device = 0; device < devices; device++) yield* buildRelationshipRows(inventory, device)
    }),
    reservations: repeatable(() => buildReservationRows(inventory)),
    scans: repeatable(() => scanRows(inventory)),
    rules: repeatable(() => buildRuleRows(inventory)),
  }
}
