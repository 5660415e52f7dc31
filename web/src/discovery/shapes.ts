/** The types of discovery, taken from its contracts. */
import type { Contracts, Out } from '../api/contracts.ts'

export type Scan = Out<Contracts['scans']['list']>[number]
export type ScanDetail = Out<Contracts['scans']['get']>
export type ScanType = Scan['scan_type']
export type ScanDiff = Out<Contracts['scans']['diff']>
export type ScanChange = ScanDiff['new'][number]
export type Started = Out<Contracts['scans']['start']>
export type Estimate = Extract<Started, { readonly probes: number }>
export type DiscoveredDevice = Out<Contracts['discovery']['list']>[number]
export type DiscoveredDeviceDetail = Out<Contracts['discovery']['get']>
export type Rule = Out<Contracts['discoveryRules']['get']>
export type InboxItem = Out<Contracts['inbox']['list']>[number]
export type Difference = InboxItem['fields'][number]
export type Bucket = InboxItem['bucket']
export type Lock = Out<Contracts['discoveryLocks']['list']>[number]
export type Lockable = Lock['field']
