/** An inventory of Ansible, as `ansible-inventory --list` prints it. */
import { slug } from '../../../net/slug.ts'
import { distinctNames } from './distinct-names.ts'
import type { FeedDevice, Format } from './format.ts'

const hostVars = ({ device, addresses, datacenter }: FeedDevice) => {
  const { id, name, hostname, status, os, make_model, location, tags, domains, username } = device
  const main = addresses.find(({ isMain }) => isMain)
  const networks = [...new Set(addresses.flatMap(({ network }) => network?.name ?? []))]
  return {
    ...(main && { ansible_host: main.ip }),
    ...(username !== '' && { ansible_user: username }),
    ...{ plat_id: id, plat_name: name, plat_hostname: hostname, plat_status: status, plat_os: os },
    ...{ plat_make_model: make_model, plat_location: location, plat_datacenter: datacenter },
    ...{ plat_tags: tags, plat_domains: domains },
    plat_addresses: addresses.map(({ isMain: _, own: __, domains: ___, network: ____, ...address }) => address),
    plat_networks: networks,
  }
}

const groupsOf = ({ device, addresses, datacenter }: FeedDevice): string[] => {
  const { tags, os, status } = device
  const groups = [
    ...tags.map((tag) => ['tag', tag] as const),
    ['datacenter', datacenter] as const,
    ...addresses.map(({ network }) => ['network', network?.name ?? ''] as const),
    ['os', os] as const,
    ['status', status] as const,
  ]
  return [...new Set(groups.flatMap(([kind, text]) => (slug(text) === '' ? [] : `${kind}_${slug(text)}`)))]
}

/** Group names and host names are gathered; the variables of the hosts are not. */
export const ansible: Format = async function* ({ chunks }) {
  const groups = new Map<string, string[]>()
  const nameOf = distinctNames()
  let opening = '{"_meta":{"hostvars":{'
  for await (const devices of chunks) {
    let text = ''
    for (const device of devices) {
      const name = nameOf(device.device)
      text += `${opening}\n${JSON.stringify(name)}:${JSON.stringify(hostVars(device))}`
      opening = ','
      for (const group of groupsOf(device)) {
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
