/** Converts the leases of dnsmasq. */
import { dnsmasqLeases } from '../../../../net/leases/dnsmasq.ts'
import type { Converter } from '../converter.ts'
import { leasesFrom } from './leases.ts'
import { textOf } from './text.ts'

export const convertDnsmasq: Converter = (bytes, { now }) =>
  leasesFrom(dnsmasqLeases(textOf(bytes))).leases.conversion('dnsmasq', now)
