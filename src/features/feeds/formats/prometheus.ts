/** Targets for the HTTP service discovery of Prometheus. */
import type { Address } from '../../devices/schema.ts'
import type { FeedDevice, FeedNetwork, Format } from './format.ts'

const inCommas = (texts: readonly string[]): string => (texts.length > 0 ? `,${texts.join()},` : '')

/** Text that JSON writes as it is. Most values are, and skip the slower `JSON.stringify`. */
const PLAIN = /^[ !#-[\]-~]*$/
const quoted = (value: string): string => (PLAIN.test(value) ? `"${value}"` : JSON.stringify(value))

/** Returns a label as JSON with a comma before it; '' for an empty value. */
const label = (name: string, value: string): string => (value === '' ? '' : `,"__meta_plat_${name}":${quoted(value)}`)

/** Returns the labels of the device, which its targets share. They begin with its id, which is never empty. */
const deviceLabels = ({ device, datacenter }: FeedDevice): string => {
  const { id, name, hostname, status, os, make_model, location, datacenter_id, tags, domains } = device
  return (
    `"__meta_plat_device_id":${quoted(id)}` +
    label('device_name', name) +
    label('hostname', hostname) +
    label('status', status) +
    label('os', os) +
    label('make_model', make_model) +
    label('location', location) +
    label('datacenter_id', datacenter_id ?? '') +
    label('datacenter_name', datacenter) +
    label('tags', inCommas(tags)) +
    label('domains', inCommas(domains))
  )
}

const addressLabels = ({ ip, label: own, type, network_id }: Address, network: FeedNetwork | undefined): string =>
  label('address', ip) +
  label('address_label', own) +
  label('address_type', type) +
  label('network_id', network?.id ?? network_id ?? '') +
  label('network_name', network?.name ?? '') +
  label('network_subnet', network?.subnet ?? '') +
  label('vlan_id', String(network?.vlan_id ?? ''))

export const prometheus: Format = async function* ({ chunks, feed, networkOf }) {
  let opening = '['
  for await (const devices of chunks) {
    let text = ''
    for (const device of devices) {
      let shared: string | undefined
      for (const { address } of device.addresses) {
        const port = address.port ?? feed.port
        if (port === null) continue
        shared ??= deviceLabels(device)
        const { ip } = address
        const target = `"${ip.includes(':') ? `[${ip}]` : ip}:${port}"`
        const labels = shared + addressLabels(address, networkOf(address)) + label('port', String(port))
        text += `${opening}{"targets":[${target}],"labels":{${labels}}}`
        opening = ',\n'
      }
    }
    if (text !== '') yield text
  }
  yield opening === '[' ? '[]\n' : ']\n'
}
