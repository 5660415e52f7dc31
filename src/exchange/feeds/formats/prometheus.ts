/** Targets for the HTTP service discovery of Prometheus. */
import type { Address } from '../../../inventory/devices/schema.ts'
import type { FeedDevice, FeedNetwork, Format } from './format.ts'

const wrapInCommas = (texts: readonly string[]): string => (texts.length > 0 ? `,${texts.join()},` : '')

/** Text that JSON writes as it is. Most values are, and skip the slower `JSON.stringify`. */
const PLAIN = /^[ !#-[\]-~]*$/
const quoteValue = (value: string): string => (PLAIN.test(value) ? `"${value}"` : JSON.stringify(value))

/** Returns a label as JSON with a comma before it; '' for an empty value. */
const formatLabel = (name: string, value: string): string =>
  value === '' ? '' : `,"__meta_plat_${name}":${quoteValue(value)}`

/** Returns the labels of the device, which its targets share. They begin with its id, which is never empty. */
const formatDeviceLabels = ({ device, datacenter }: FeedDevice): string => {
  const { id, name, hostname, status, os, make_model, location, datacenter_id, tags, domains } = device
  return (
    `"__meta_plat_device_id":${quoteValue(id)}` +
    formatLabel('device_name', name) +
    formatLabel('hostname', hostname) +
    formatLabel('status', status) +
    formatLabel('os', os) +
    formatLabel('make_model', make_model) +
    formatLabel('location', location) +
    formatLabel('datacenter_id', datacenter_id ?? '') +
    formatLabel('datacenter_name', datacenter) +
    formatLabel('tags', wrapInCommas(tags)) +
    formatLabel('domains', wrapInCommas(domains))
  )
}

const formatAddressLabels = ({ ip, label: own, type, network_id }: Address, network: FeedNetwork | undefined): string =>
  formatLabel('address', ip) +
  formatLabel('address_label', own) +
  formatLabel('address_type', type) +
  formatLabel('network_id', network?.id ?? network_id ?? '') +
  formatLabel('network_name', network?.name ?? '') +
  formatLabel('network_subnet', network?.subnet ?? '') +
  formatLabel('vlan_id', String(network?.vlan_id ?? ''))

export const prometheus: Format = async function* ({ chunks, feed, networkOf }) {
  let opening = '['
  for await (const devices of chunks) {
    let text = ''
    for (const device of devices) {
      let shared: string | undefined
      for (const { address } of device.addresses) {
        const port = address.port ?? feed.port
        if (port === null) continue
        shared ??= formatDeviceLabels(device)
        const { ip } = address
        const target = `"${ip.includes(':') ? `[${ip}]` : ip}:${port}"`
        const labels = shared + formatAddressLabels(address, networkOf(address)) + formatLabel('port', String(port))
        text += `${opening}{"targets":[${target}],"labels":{${labels}}}`
        opening = ',\n'
      }
    }
    if (text !== '') yield text
  }
  yield opening === '[' ? '[]\n' : ']\n'
}
