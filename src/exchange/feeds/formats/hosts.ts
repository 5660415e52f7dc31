/** A hosts file (hosts(5)), and the configuration of OpenSSH clients (ssh_config(5)). */
import { getFirstLabel } from '../../../inventory/devices/address-names.ts'
import { createFirstHolders, type FeedDevice, type Format, getFeedNames } from './format.ts'

/** Returns the texts that are not empty, each once, in any case. */
const filterDistinct = (texts: readonly string[]): string[] => {
  const byKey = new Map<string, string>()
  for (const text of texts) {
    const key = text.toLowerCase()
    if (text !== '' && !byKey.has(key)) byKey.set(key, text)
  }
  return [...byKey.values()]
}

export const hosts: Format = async function* ({ chunks, title, skip }) {
  const isFirst = createFirstHolders(skip)
  yield `# ${title}\n`
  for await (const devices of chunks) {
    let text = ''
    for (const { device, addresses } of devices)
      for (const address of addresses) {
        const { ip } = address.address
        const { own, domains } = getFeedNames(device, address)
        const written = filterDistinct([own, getFirstLabel(own), ...domains.filter((name) => !name.startsWith('*'))])
        if (written.length === 0) skip(device, `${ip} has no name`)
        else if (isFirst(device, ip)) text += `${ip}\t${written.join(' ')}\n`
      }
    if (text !== '') yield text
  }
}

const PLAIN_NAME = /^[A-Za-z0-9._-]+$/
const USER = /^[A-Za-z0-9._@-]+$/

const formatSshHost = ({ device, addresses }: FeedDevice): string | undefined => {
  const { name, hostname, username } = device
  const names = filterDistinct([hostname, getFirstLabel(hostname), PLAIN_NAME.test(name) ? name : ''])
  const ssh = addresses.find(({ address }) => address.label === 'ssh')?.address
  const address = ssh ?? addresses.find(({ isMain }) => isMain)?.address
  if (names.length === 0 || !address) return undefined
  const port = ssh?.port ?? null
  const lines = [`Host ${names.join(' ')}`, `  HostName ${address.ip}`]
  if (port !== null) lines.push(`  Port ${port}`)
  if (USER.test(username)) lines.push(`  User ${username}`)
  return `${lines.join('\n')}\n`
}

export const sshConfig: Format = async function* ({ chunks, title, skip }) {
  yield `# ${title}\n`
  for await (const devices of chunks) {
    let text = ''
    for (const device of devices) {
      const host = formatSshHost(device)
      if (host !== undefined) text += host
      else skip(device.device, device.addresses.length === 0 ? 'has no address' : 'has no name that a pattern can be')
    }
    if (text !== '') yield text
  }
}
