/** Generates data of any size, always the same, as rows of `plat import`, one at a time. */
import { type DeviceRow, deviceRow, type RelationshipRow, relationshipRows } from './devices.ts'
import { layoutFor } from './layout.ts'
import {
  type DatacenterRow,
  datacenterRows,
  type NetworkRow,
  networkRows,
  type PoolRow,
  poolRows,
  type ReservationRow,
  reservationRows,
} from './networks.ts'
import { createRandom } from './random.ts'
import { type RuleRow, ruleRows, type ScanRow, scanRows } from './scans.ts'

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

/** An iterable that starts again at each iteration. */
const repeatable = <T>(generate: () => Iterator<T>): Iterable<T> => ({ [Symbol.iterator]: generate })

/**
 * Generates about one network per 50 devices, two addresses and three tags per device.
 * @throws RangeError for fewer than one device, or for more than the address plan holds (3,686,400)
 * @example [...generateEstate({ devices: 100 }).devices].length // 100
 */
export const generateEstate = ({ devices, seed = 1 }: { devices: number; seed?: number }): Estate => {
  const inventory = { layout: layoutFor(devices), random: createRandom(seed) }
  return {
    datacenters: repeatable(() => datacenterRows(inventory)),
    networks: repeatable(() => networkRows(inventory)),
    pools: repeatable(() => poolRows(inventory)),
    devices: repeatable(function* () {
      for (let device = 0; device < devices; device++) yield deviceRow(inventory, device)
    }),
    relationships: repeatable(function* () {
      for (let device = 0; device < devices; device++) yield* relationshipRows(inventory, device)
    }),
    reservations: repeatable(() => reservationRows(inventory)),
    scans: repeatable(() => scanRows(inventory)),
    rules: repeatable(() => ruleRows(inventory)),
  }
}
