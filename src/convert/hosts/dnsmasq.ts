/** Converts the leases of dnsmasq. */
import { parseDnsmasqLeases } from '../../net/leases/dnsmasq.ts'
import type { Converter } from '../converter.ts'
import { collectLeases } from './leases.ts'
import { decodeText } from './text.ts'

export const convertDnsmasq: Converter = (bytes, options) =>
  collectLeases(parseDnsmasqLeases(decodeText(bytes))).leases.conversion('dnsmasq', options)
