/** The names that a device claims, by the addresses that the filter of a zone leaves. */

import { getAddressNames, selectMainAddresses } from '../../inventory/devices/address-names.ts'
import type { Address, Device } from '../../inventory/devices/schema.ts'
import { normalizeName } from '../../net/dns/name.ts'
import { DEFAULT_SPACE, fromIpKey, type Ip, parseIpKeyOrThrow } from '../../net/ip.ts'

export type Claims = {
  readonly deviceId: string
  /** A name that belongs to one device, or one that devices share. */
  readonly names: readonly { readonly name: string; readonly ip: string; readonly isOwn: boolean }[]
  readonly targets: readonly { readonly ip: Ip; readonly name: string }[]
}

export type Named = Pick<Device, 'id' | 'hostname' | 'domains' | 'addresses'>

/** @param completed completes a host name without a dot; '' for none */
export const buildClaims = (
  device: Named,
  addresses: readonly Address[],
  completed: (hostname: string) => string,
): Claims => {
  const main = selectMainAddresses(addresses)
  const names: { name: string; ip: string; isOwn: boolean }[] = []
  const targets: { ip: Ip; name: string }[] = []
  for (const address of addresses) {
    const { own, domains } = getAddressNames(device, address, main.has(address))
    const given = address.dns_name === '' ? completed(own) : own
    const name = normalizeName(given)
    if (name !== undefined) {
      names.push({ name, ip: address.ip, isOwn: true })
      if (name.includes('.')) targets.push({ ip: fromIpKey(parseIpKeyOrThrow(address.ip, DEFAULT_SPACE)), name })
    }
    for (const domain of domains) {
      const shared = normalizeName(domain)
      if (shared !== undefined) names.push({ name: shared, ip: address.ip, isOwn: false })
    }
  }
  return { deviceId: device.id, names, targets }
}

/** Returns every name and address that a device may claim, under any filter. */
export const listPossibleNames = (
  { hostname, domains, addresses }: Named,
  completed: (hostname: string) => string,
): { readonly names: readonly string[]; readonly ips: readonly string[] } => {
  const given = [completed(hostname), ...addresses.map(({ dns_name }) => dns_name), ...domains]
  return {
    names: given.flatMap((name) => (name === '' ? [] : (normalizeName(name) ?? []))),
    ips: addresses.map(({ ip }) => ip),
  }
}
