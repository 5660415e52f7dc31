/** Targets for the HTTP service discovery of Prometheus. */
import type { FeedAddress, FeedDevice, Format } from './format.ts'

const inCommas = (texts: readonly string[]): string => (texts.length > 0 ? `,${texts.join()},` : '')

const labelsOf = ({ device, datacenter }: FeedDevice, address: FeedAddress, port: number) => {
  const { id, name, hostname, status, os, make_model, location, datacenter_id, tags, domains } = device
  const { ip, label, type, network_id, network } = address
  const all = {
    ...{ device_id: id, device_name: name, hostname, status, os, make_model, location },
    ...{ datacenter_id: datacenter_id ?? '', datacenter_name: datacenter, tags: inCommas(tags) },
    ...{ domains: inCommas(domains), address: ip, port: String(port), address_label: label, address_type: type },
    ...{ network_id: network?.id ?? network_id ?? '', network_name: network?.name ?? '' },
    ...{ network_subnet: network?.subnet ?? '', vlan_id: String(network?.vlan_id ?? '') },
  }
  const given = Object.entries(all).filter(([, value]) => value !== '')
  return Object.fromEntries(given.map(([key, value]) => [`__meta_plat_${key}`, value]))
}

export const prometheus: Format = async function* ({ chunks, feed }) {
  let opening = '['
  for await (const devices of chunks) {
    let text = ''
    for (const device of devices)
      for (const address of device.addresses) {
        const port = address.port ?? feed.port
        if (port === null) continue
        const host = address.ip.includes(':') ? `[${address.ip}]` : address.ip
        const target = { targets: [`${host}:${port}`], labels: labelsOf(device, address, port) }
        text += opening + JSON.stringify(target)
        opening = ',\n'
      }
    if (text !== '') yield text
  }
  yield opening === '[' ? '[]\n' : ']\n'
}
