/** Guesses the role of a device from its name, tags and model. The role sets its shape. */

export const ROLES = ['network', 'storage', 'host', 'server'] as const
export type Role = (typeof ROLES)[number]

/** The first matching word decides. The words are common abbreviations in host names. */
const WORDS: readonly (readonly [Role, ReadonlySet<string>])[] = [
  ['network', new Set('sw switch tor spine leaf rtr router gw gateway fw firewall lb vpn ap wlc'.split(' '))],
  ['storage', new Set('db database postgres mysql nas san storage backup cache redis ceph'.split(' '))],
  ['host', new Set('hv hypervisor esx esxi kvm proxmox rack chassis enclosure blade pdu ups bmc'.split(' '))],
]

const splitWords = (text: string): string[] => text.toLowerCase().match(/[a-z]+/g) ?? []

type Described = { readonly name: string; readonly tags: readonly string[] }

/** @example detectRole({ name: 'fra1-sw-001', tags: [] }) // 'network' */
export const detectRole = ({ name, tags }: Described): Role => {
  const words = [...tags, name].flatMap(splitWords)
  return WORDS.find(([, known]) => words.some((word) => known.has(word)))?.[0] ?? 'server'
}
