/** An inventory of Ansible, as `ansible-inventory --list` prints it. */
import { slug } from '../../../net/slug.ts'
import { distinctNames } from './distinct-names.ts'
import type { FeedDevice, Format } from './format.ts'

const TEMPLATE = /\{[{%#]/

/** Returns a value in which no text is a template: Ansible runs the templates that variables hold, on its own machine. */
const plainValue = (value: unknown): unknown => {
  if (typeof value === 'string') return TEMPLATE.test(value) ? { __ansible_unsafe: value } : value
  if (Array.isArray(value)) return value.map(plainValue)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plainValue(one)]))
}

/** Most devices hold no template, which their text shows at once. */
const textOf = (vars: object): string => {
  const text = JSON.stringify(vars)
  return TEMPLATE.test(text) ? JSON.stringify(plainValue(vars)) : text
}

const hostVars = ({ device, addresses, datacenter }: FeedDevice, networks: readonly string[]) => {
  const { id, name, hostname, status, os, make_model, location, tags, domains, username } = device
  const main = addresses.find(({ isMain }) => isMain)
  return {
    ...(main && { ansible_host: main.address.ip }),
    ...(username !== '' && { ansible_user: username }),
    ...{ plat_id: id, plat_name: name, plat_hostname: hostname, plat_status: status, plat_os: os },
    ...{ plat_make_model: make_model, plat_location: location, plat_datacenter: datacenter },
    ...{ plat_tags: tags, plat_domains: domains },
    plat_addresses: addresses.map(({ address }) => address),
    plat_networks: networks,
  }
}

/** Returns the names of groups; '' for a text without a letter or digit. Texts repeat, so the names are cached. */
const groupNames = (): ((kind: string, text: string) => string) => {
  const known = new Map<string, string>()
  return (kind, text) => {
    const key = `${kind} ${text}`
    let name = known.get(key)
    if (name === undefined) {
      const own = slug(text)
      name = own === '' ? '' : `${kind}_${own}`
      known.set(key, name)
    }
    return name
  }
}

/** Group names and host names are gathered; the variables of the hosts are not. */
export const ansible: Format = async function* ({ chunks, networkOf, skip }) {
  const groups = new Map<string, string[]>()
  const nameOf = distinctNames()
  const groupOf = groupNames()
  const groupsOf = ({ device: { tags, os, status }, datacenter }: FeedDevice, networks: readonly string[]) => {
    const own = [groupOf('datacenter', datacenter), groupOf('os', os), groupOf('status', status)]
    const listed = [...tags.map((tag) => groupOf('tag', tag)), ...networks.map((name) => groupOf('network', name))]
    return new Set([...own, ...listed].filter((name) => name !== ''))
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
      text += `${opening}\n${JSON.stringify(name)}:${textOf(hostVars(device, networks))}`
      opening = ','
      for (const group of groupsOf(device, networks)) {
        const hosts = groups.get(group)
        if (hosts) hosts.push(name)
        else groups.set(group, [name])
      }
    }
    if (text !== '') yield text
  }
  const names = [...groups.keys()].sort()
  yield `${opening === ',' ? '' : opening}}},\n"all":${JSON.stringify({ children: names })}`
  for (const name of names) yield `,\n${JSON.stringify(name)}:${JSON.stringify({ hosts: groups.get(name) })}`
  yield '}\n'
}
