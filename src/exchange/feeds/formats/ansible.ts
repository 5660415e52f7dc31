/** An inventory of Ansible, as `ansible-inventory --list` prints it. */
import { sortByName } from '../../../net/name-order.ts'
import { toSlug } from '../../../net/slug.ts'
import { createDistinctNames } from './distinct-names.ts'
import type { FeedDevice, Format } from './format.ts'

const TEMPLATE = /\{[{%#]/

/** Returns a value in which no text is a template: Ansible runs the templates that variables hold, on its own machine. */
const toPlainValue = (value: unknown): unknown => {
  if (typeof value === 'string') return TEMPLATE.test(value) ? { __ansible_unsafe: value } : value
  if (Array.isArray(value)) return value.map(toPlainValue)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, toPlainValue(one)]))
}

/** Most devices hold no template, which their text shows at once. */
const formatVars = (vars: object): string => {
  const text = JSON.stringify(vars)
  return TEMPLATE.test(text) ? JSON.stringify(toPlainValue(vars)) : text
}

const buildHostVars = ({ device, addresses, datacenter }: FeedDevice, networks: readonly string[]) => {
  const { id, name, hostname, status, os, make_model, location, tags, domains, username } = device
  const main = addresses.find(({ isMain }) => isMain)
  // Absent without a value, as undefined is in JSON.
  return {
    ansible_host: main?.address.ip,
    ansible_user: username === '' ? undefined : username,
    plat_id: id,
    plat_name: name,
    plat_hostname: hostname,
    plat_status: status,
    plat_os: os,
    plat_make_model: make_model,
    plat_location: location,
    plat_datacenter: datacenter,
    plat_tags: tags,
    plat_domains: domains,
    plat_addresses: addresses.map(({ address }) => address),
    plat_networks: networks,
  }
}

/** Returns the names of groups; '' for a text without a letter or digit. Texts repeat, so the names are cached. */
const createGroupNames = (): ((kind: string, text: string) => string) => {
  const known = new Map<string, string>()
  return (kind, text) => {
    const key = `${kind} ${text}`
    let name = known.get(key)
    if (name === undefined) {
      const own = toSlug(text)
      name = own === '' ? '' : `${kind}_${own}`
      known.set(key, name)
    }
    return name
  }
}

/** Group names and host names are gathered; the variables of the hosts are not. */
export const ansible: Format = async function* ({ chunks, networkOf, skip }) {
  const groups = new Map<string, string[]>()
  const nameOf = createDistinctNames()
  const groupOf = createGroupNames()
  const addToGroups = (
    { device: { tags, os, status }, datacenter }: FeedDevice,
    networks: readonly string[],
    host: string,
  ) => {
    const add = (group: string): void => {
      if (group === '') return
      const hosts = groups.get(group)
      if (!hosts) groups.set(group, [host])
      // Two texts may give one group.
      else if (hosts.at(-1) !== host) hosts.push(host)
    }
    add(groupOf('datacenter', datacenter))
    add(groupOf('os', os))
    add(groupOf('status', status))
    for (const tag of tags) add(groupOf('tag', tag))
    for (const network of networks) add(groupOf('network', network))
  }
  let opening = '{"_meta":{"hostvars":{'
  for await (const devices of chunks) {
    let text = ''
    for (const device of devices) {
      if (TEMPLATE.test(device.device.name)) {
        skip(device.device, 'has a name that Ansible would run as a template')
        continue
      }
      const name = nameOf(device.device)
      const networks = [...new Set(device.addresses.flatMap(({ address }) => networkOf(address)?.name ?? []))]
      text += `${opening}\n${JSON.stringify(name)}:${formatVars(buildHostVars(device, networks))}`
      opening = ','
      addToGroups(device, networks, name)
    }
    if (text !== '') yield text
  }
  const names = sortByName(groups.keys(), (name) => name)
  yield `${opening === ',' ? '' : opening}}},\n"all":${JSON.stringify({ children: names })}`
  for (const name of names) yield `,\n${JSON.stringify(name)}:${JSON.stringify({ hosts: groups.get(name) })}`
  yield '}\n'
}
