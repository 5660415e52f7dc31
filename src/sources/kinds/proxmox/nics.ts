/** The network cards in the configuration of a guest of Proxmox VE. */
import { parseMac } from '../../../net/mac.ts'

export type ConfiguredNic = {
  /** `net0` of a QEMU guest, `eth0` of a container. */
  readonly name: string
  readonly mac: string | undefined
  readonly vlanId: number | undefined
  /** The addresses of the configuration. Undefined where the guest gets them from elsewhere. */
  readonly addresses: readonly string[] | undefined
}

const NIC = /^net(\d+)$/

/** @example parsePairs('virtio=BC:24:11:2E:C5:4A,tag=5') // Map { virtio => BC:24:11:2E:C5:4A, tag => 5 } */
const parsePairs = (text: string): Map<string, string> =>
  new Map(
    text.split(',').map((part) => {
      const at = part.indexOf('=')
      return at < 0 ? [part.trim(), ''] : [part.slice(0, at).trim(), part.slice(at + 1).trim()]
    }),
  )

/** Returns the MAC address: `hwaddr`, `macaddr`, or the value of the model of the card, which stands first. */
const findMac = (pairs: ReadonlyMap<string, string>): string | undefined => {
  const [first] = pairs.values()
  return parseMac(pairs.get('hwaddr') ?? pairs.get('macaddr') ?? first ?? '')
}

const parseVlan = (text: string | undefined): number | undefined => {
  const vlan = Number(text)
  return Number.isInteger(vlan) && vlan >= 1 && vlan <= 4094 ? vlan : undefined
}

/** Words that stand for an address which the configuration does not say. */
const ELSEWHERE = new Set(['dhcp', 'auto'])

/** Returns the fixed addresses; undefined if there is none, or one comes from elsewhere. */
const findFixed = (pairs: ReadonlyMap<string, string>): readonly string[] | undefined => {
  const given = [pairs.get('ip') ?? '', pairs.get('ip6') ?? '']
  if (given.some((text) => ELSEWHERE.has(text))) return undefined
  const fixed = given.filter((text) => /[.:]/.test(text)).map((text) => text.replace(/\/.*$/, ''))
  return fixed.length > 0 ? fixed : undefined
}

/** Returns the cards by their numbers. @param config texts by name, as `net0` and `ipconfig0` */
export const listNics = (config: Readonly<Record<string, string>>): ConfiguredNic[] =>
  Object.entries(config)
    .flatMap(([key, text]) => {
      const number = NIC.exec(key)?.[1]
      if (number === undefined) return []
      const pairs = parsePairs(text)
      const cloudInit = parsePairs(config[`ipconfig${number}`] ?? '')
      return [
        {
          number: Number(number),
          nic: {
            name: pairs.get('name') || key,
            mac: findMac(pairs),
            vlanId: parseVlan(pairs.get('tag')),
            addresses: findFixed(pairs) ?? findFixed(cloudInit),
          },
        },
      ]
    })
    .sort((a, b) => a.number - b.number)
    .map(({ nic }) => nic)

/** True if the configuration has a guest agent. @example '1', 'enabled=1,fstrim_cloned_disks=1' */
export const hasAgent = ({ agent = '' }: Readonly<Record<string, string>>): boolean => {
  const pairs = parsePairs(agent)
  return pairs.get('enabled') === '1' || pairs.has('1')
}
