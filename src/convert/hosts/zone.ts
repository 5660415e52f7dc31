/** Converts a zone file. Its addresses and names become devices. */

import { invalidField } from '../../contract/errors.ts'
import { parseIp } from '../../net/ip.ts'
import { type Converter, createFileError } from '../converter.ts'
import { Findings } from './found.ts'
import { createLineError } from './text.ts'
import { readZone, type ZoneRecord } from './zone-file.ts'

/** Returns the address of a name in in-addr.arpa or ip6.arpa (RFC 1035, section 3.5; RFC 3596, section 2.5). */
const parseReverseName = (owner: string): string | undefined => {
  const v4 = /^((?:\d{1,3}\.){4})in-addr\.arpa$/.exec(owner)
  const labels = (text: string) => text.split('.').filter(Boolean).reverse()
  if (v4) return labels(v4[1] ?? '').join('.')
  const v6 = /^((?:[0-9a-f]\.){32})ip6\.arpa$/.exec(owner)
  return v6
    ? labels(v6[1] ?? '')
        .join('')
        .replace(/.{4}(?=.)/g, '$&:')
    : undefined
}

/** Follows the aliases to the name that has addresses; undefined for a circle or a long chain. */
const followAliases = (name: string, aliases: ReadonlyMap<string, string>): string | undefined => {
  let at: string | undefined = name
  for (let steps = 0; at !== undefined && steps < 16; steps++) {
    const next = aliases.get(at)
    if (next === undefined) return at
    at = next
  }
  return undefined
}

/** Gives each alias to the machine that it leads to. */
const addAliases = (findings: Findings, aliases: readonly ZoneRecord[]): void => {
  const targets = new Map(aliases.map(({ owner, data: [target = ''] }) => [owner, target]))
  for (const { owner, type, data, line } of aliases) {
    const target = followAliases(owner, targets)
    if (target !== undefined && findings.addDomain(target, owner)) findings.report.read('record')
    else findings.leave('has no target with an address in the zone', { owner, data, line }, type)
  }
}

export const convertZone: Converter = (bytes, options) => {
  const { origin } = options
  if (origin !== undefined && !/^[^\s]{1,255}$/.test(origin)) throw invalidField('origin', 'must be a domain name')
  const findings = new Findings('record', options)
  const aliases: ZoneRecord[] = []
  let isEmpty = true
  for (const record of readZone(bytes, origin)) {
    isEmpty = false
    const { owner, type, data, line } = record
    const [first = ''] = data
    const leave = (why: string) => findings.leave(why, { owner, data, line }, type)
    if (type === 'A' || type === 'AAAA') {
      const family = parseIp(first)?.family
      if (family !== (type === 'A' ? 4 : 6))
        throw createLineError(line, `${JSON.stringify(first.slice(0, 64))} is no address of ${type}`)
      if (owner.startsWith('*.')) leave('is a wildcard')
      else findings.add({ ip: first, hostname: owner, domains: [owner] })
    } else if (type === 'PTR') {
      const ip = parseReverseName(owner)
      if (ip === undefined || !parseIp(ip)) leave('is of no whole address')
      else findings.add({ ip, hostname: first, domains: [first] })
    } else if (type === 'CNAME') aliases.push(record)
    else leave('has no place in Plat')
  }
  if (isEmpty) throw createFileError('line 1', 'has no record of a zone')
  addAliases(findings, aliases)
  return findings.conversion('zone')
}
