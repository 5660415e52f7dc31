/** The outcome of a finished scan in words, and the bucket of the inbox to review. */
import { formatCount, plural } from '../../ui/format.ts'
import { BUCKETS } from '../labels.ts'
import type { Bucket, DiscoveredDevice, Scan } from '../shapes.ts'

type Seen = Pick<DiscoveredDevice, 'addresses' | 'last_scan_id' | 'last_seen'>

/** Returns the devices that no later scan has seen. @param devices of the network of the scan */
export const listLastSeen = <T extends Seen>({ id }: Pick<Scan, 'id'>, devices: readonly T[]): T[] =>
  devices.filter(({ last_scan_id }) => last_scan_id === id)

/** Counts the addresses of a finished scan that a later one has seen again. @param devices all of the network of the scan */
export const countSeenAgain = (scan: Scan, devices: readonly Seen[]): number => {
  const ended = scan.completed_at
  const isLater = ({ last_scan_id, last_seen }: Seen): boolean =>
    last_scan_id !== '' && last_scan_id !== scan.id && ended !== null && last_seen > ended
  if (!devices.some(isLater)) return 0
  const left = listLastSeen(scan, devices).reduce((sum, { addresses }) => sum + addresses.length, 0)
  return Math.max(0, scan.found_hosts - left)
}

/** @param devices undefined if their number is not known @example formatOutcome(6, 2) // '6 addresses on 2 devices' */
export const formatOutcome = (addresses: number, devices: number | undefined): string => {
  const found = plural(addresses, 'address', 'addresses')
  return devices === undefined || devices === 0 ? found : `${found} on ${plural(devices, 'device')}`
}

type Review = { readonly bucket: Bucket; readonly text: string }

/** Returns the first bucket with items, and the name of its link; undefined if nothing waits. */
export const findReview = (counts: Readonly<Record<Bucket, number>>): Review | undefined =>
  BUCKETS.flatMap(([bucket, title]) =>
    counts[bucket] > 0 ? [{ bucket, text: `Review ${formatCount(counts[bucket])} ${title.toLowerCase()}` }] : [],
  )[0]
